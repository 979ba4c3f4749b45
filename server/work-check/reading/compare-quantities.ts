import { isMeasure } from './measures.ts';
import type { Quantity } from './quantity.ts';
import { HALF_DAY } from './times.ts';

/** How a claimed figure stands to one in the evidence. */
export type QuantityMatch = 'same' | 'different' | 'unrelated';

/**
 * Compares a claimed figure with one of the evidence. A claim may round; it may leave out parts of a date; it may not
 * change a stated part or the unit.
 */
export function compareQuantities(claimed: Quantity, known: Quantity): QuantityMatch {
  return compareDays(claimed, known) ?? compareTimes(claimed, known) ?? compareAmounts(claimed, known);
}

function compareDays(claimed: Quantity, known: Quantity): QuantityMatch | undefined {
  if (claimed.kind === 'date' && known.kind === 'date') return compareDates(claimed, known);
  if (claimed.kind !== 'date' && known.kind !== 'date') return undefined;
  return sameBareNumber(claimed, known) ? 'same' : 'unrelated';
}

/** Times told by the dial, and those that the evidence writes with a dot; undefined for all else. */
function compareTimes(claimed: Quantity, known: Quantity): QuantityMatch | undefined {
  if (claimed.kind !== 'time') return undefined;
  if (known.kind === 'number') return isDottedTime(claimed, known) ? 'same' : 'unrelated';
  if (known.kind !== 'time' || (claimed.spoken ?? known.spoken) !== true) return undefined;
  return claimed.value % HALF_DAY === known.value % HALF_DAY ? 'same' : 'different';
}

function compareAmounts(claimed: Quantity, known: Quantity): QuantityMatch {
  const equal = Math.abs(claimed.value - known.value) <= Math.max(claimed.tolerance, 1e-9 * Math.abs(known.value));
  if (claimed.kind !== known.kind) return equal && (isBare(claimed) || isBare(known)) ? 'same' : 'unrelated';
  if (claimed.unit === known.unit || claimed.unit === '' || known.unit === '') return equal ? 'same' : 'different';
  if (!equal) return 'unrelated';
  return claimed.kind === 'money' || (isMeasure(claimed) && isMeasure(known)) ? 'different' : 'same';
}

/** A number of no unit of measure. */
const isBare = (one: Quantity): boolean => one.kind === 'number' && !isMeasure(one);

/** "17:30" where the evidence writes 17.30. */
function isDottedTime({ value }: Quantity, known: Quantity): boolean {
  const [hour, minute] = [Math.floor(known.value), Math.round((known.value % 1) * 100)];
  return known.tolerance === 0.005 && minute < 60 && hour * 60 + minute === value;
}

function sameBareNumber(a: Quantity, b: Quantity): boolean {
  const date = a.kind === 'date' ? a : b;
  const other = a.kind === 'date' ? b : a;
  if (other.kind !== 'number') return false;
  // "The 24th" may be of any month; a bare 24 is no day.
  const isDay = date.month === undefined || other.unit === 'ordinal' || other.unit === '';
  return other.value === date.year || (date.year === undefined && isDay && other.value === date.day);
}

function compareDates(claimed: Quantity, known: Quantity): QuantityMatch {
  let shared = 0;
  let missing = 0;
  for (const part of ['year', 'month', 'day'] as const) {
    const [a, b] = [claimed[part], known[part]];
    if (a !== undefined && b !== undefined) {
      if (a !== b) return 'different';
      shared += 1;
    } else if (a !== undefined) missing += 1;
  }
  if (shared === 0) return 'unrelated';
  return missing === 0 ? 'same' : 'unrelated';
}
