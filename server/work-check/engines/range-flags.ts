import type { Statement } from '../statements.ts';
import { wordsOfKey } from '../statements.ts';
import { written } from './derivation.ts';
import type { RowTotal } from './row-totals.ts';

const FLAGS: Readonly<Record<string, RegExp>> = {
  low: /^(?:l|low|below(?: range)?|under)$/i,
  high: /^(?:h|high|above(?: range)?|over)$/i,
  normal: /^(?:n|normal|ok|within(?: range)?|in range)$/i,
};
const LOWER = /\b(?:low|lower|min|minimum)\b/;
const UPPER = /\b(?:high|higher|upper|max|maximum)\b/;
const READING = /^(?:value|result|reading|measured|level)\b/;

/** Whether a value lies where its flag says, by the bounds that its record gives: "low" for 11 beside 15 to 150. */
export function rangeFlag({ record, place }: Statement, all: readonly Statement[]): RowTotal | undefined {
  const claimed = Object.keys(FLAGS).find((flag) => FLAGS[flag]?.test(record?.value ?? ''));
  if (claimed === undefined || !('path' in place)) return undefined;
  const parent = place.path.slice(0, place.path.lastIndexOf('/') + 1);
  const figureOf = (wanted: RegExp): number | undefined => {
    const found = all.filter(
      (one) =>
        'path' in one.place &&
        one.place.path.startsWith(parent) &&
        !one.place.path.slice(parent.length).includes('/') &&
        wanted.test(wordsOfKey(one.place.path.slice(parent.length))) &&
        /^-?\d+(?:\.\d+)?$/.test(one.record?.value ?? ''),
    );
    return found.length === 1 ? Number(found[0]?.record?.value) : undefined;
  };
  const [value, low, high] = [figureOf(READING), figureOf(LOWER), figureOf(UPPER)];
  if (value === undefined || (low === undefined && high === undefined)) return undefined;
  if (low !== undefined && value < low)
    return { holds: claimed === 'low', says: `${written(value)} is below ${written(low)}` };
  if (high !== undefined && value > high)
    return { holds: claimed === 'high', says: `${written(value)} is above ${written(high)}` };
  // With one bound missing, nothing is said of that side.
  const says = [
    ...(low === undefined ? [] : [`not below ${written(low)}`]),
    ...(high === undefined ? [] : [`not above ${written(high)}`]),
  ].join(' and ');
  return { holds: claimed === 'normal', says: `${written(value)} is ${says}` };
}
