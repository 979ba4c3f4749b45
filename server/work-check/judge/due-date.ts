import { dateFrom } from '../engines/calendar.ts';
import type { Statement } from '../statements.ts';
import { type Ground, type Judgement, placeOf, sourceName } from './ground.ts';

/** What a date that is worked out is called where no record beside it tells which date it comes from. */
const LATER = /\b(?:due|deadline|until|ends?|expir\w*|valid|latest|return|renew\w*|review|next|payable)\b/i;

/** Whether a passage speaks of the record that a field belongs to; every one does for what belongs to none. */
export function ofItsRecord(
  { place, kind }: Statement,
  { records, index }: Pick<Ground, 'records' | 'index'>,
): (passage: number) => boolean {
  if (kind !== 'leaf' || !('path' in place)) return () => true;
  const regions = records.regionsOf(place.path);
  return (at) => {
    const passage = index.passages[at];
    return regions.some(
      ({ source, start, end }) => source === passage?.source && passage.start < end && passage.end > start,
    );
  };
}

/** `due: 2026-05-11` from the date that the evidence gives for this record and "30 days net". */
export function judgeDueDate(statement: Statement, { records, index }: Ground): Judgement | undefined {
  const { record, place, quantities } = statement;
  const [date, ...more] = quantities;
  if (record === undefined || !('path' in place) || date?.kind !== 'date' || date.year === undefined || more.length > 0)
    return undefined;
  if (records.identityOf(place.path) === undefined && !LATER.test(record.column)) return undefined;
  const derived = dateFrom(date, statement, index, ofItsRecord(statement, { records, index }));
  if (derived === undefined) return undefined;
  const source = sourceName(index, index.passages[derived.passages[0] ?? -1]?.source ?? -1);
  return {
    status: 'supported',
    why: `It follows from ${source}: ${derived.says}.`,
    passages: derived.passages.flatMap((at) => placeOf(index, at)),
    computed: derived.says,
  };
}
