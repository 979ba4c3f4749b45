import type { Passage } from '../assessors/port.ts';
import type { FieldReading } from '../engines/records.ts';
import { clip } from '../quoting.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import type { Span } from '../reading/sentences.ts';
import { type Ground, type Judgement, sourceName } from './ground.ts';

/** A stretch of a source as a passage of a judgement; at least one character long. */
export const placesOf = (source: number, { start, end }: Span, index: EvidenceIndex): Passage[] => {
  const ref = index.sources[source]?.ref;
  return ref === undefined ? [] : [{ ref, start, end: Math.max(end, start + 1) }];
};

/** A value that stands where the evidence speaks of its record: whether it bears the field out is for the kernel to prove. */
export function judgeFound(
  { region, span, converted }: FieldReading & { is: 'found' },
  sum: string | undefined,
  { index }: Ground,
): Judgement {
  const source = sourceName(index, region.source);
  const passages = placesOf(region.source, span, index);
  const text = index.sources[region.source]?.text.slice(span.start, span.end) ?? '';
  return {
    status: 'supported',
    why: `${source} gives “${clip(text)}”${converted === undefined ? '' : `, which is ${converted}`}.`,
    passages,
    ...(sum === undefined ? {} : { computed: sum }),
  };
}
