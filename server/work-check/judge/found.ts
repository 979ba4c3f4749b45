import type { Passage } from '../assessors/port.ts';
import type { FieldReading } from '../engines/records.ts';
import { clip } from '../quoting.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import type { Span } from '../reading/sentences.ts';
import type { Statement } from '../statements.ts';
import { judgeLabel, judgeOtherUnit } from './beside-label.ts';
import { judgeCountOfAnother } from './counts-another.ts';
import { type Ground, type Judgement, sourceName, where } from './ground.ts';
import { onlySo } from './only-so.ts';

/** A stretch of a source as a passage of a judgement; at least one character long. */
export const placesOf = (source: number, { start, end }: Span, index: EvidenceIndex): Passage[] => {
  const ref = index.sources[source]?.ref;
  return ref === undefined ? [] : [{ ref, start, end: Math.max(end, start + 1) }];
};

/** A value that stands where the evidence speaks of its record bears the field out, unless it is given otherwise. */
export function judgeFound(
  { region, span, converted }: FieldReading & { is: 'found' },
  statement: Statement,
  { value, column }: NonNullable<Statement['record']>,
  sum: string | undefined,
  ground: Ground,
): Judgement {
  const { index } = ground;
  const source = sourceName(index, region.source);
  const passages = placesOf(region.source, span, index);
  const only = onlySo({ source: region.source, span, value, column }, index);
  if (only !== undefined)
    return {
      status: 'not_found',
      why: `The evidence does not settle ${where(statement)}. ${source} ${only}`,
      passages,
      open: [value],
      suspect: 1,
    };
  const another = judgeCountOfAnother(statement, { source: region.source, span }, index);
  if (another !== undefined) return another;
  const beside =
    (sum === undefined ? judgeLabel(statement, ground) : undefined) ??
    (converted === undefined ? judgeOtherUnit(statement, ground) : undefined);
  if (beside !== undefined) return beside;
  const text = index.sources[region.source]?.text.slice(span.start, span.end) ?? '';
  return {
    status: 'supported',
    why: `${source} gives “${clip(text)}”${converted === undefined ? '' : `, which is ${converted}`}.`,
    passages,
    ...(sum === undefined ? {} : { computed: sum }),
  };
}
