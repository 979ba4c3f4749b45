import type { Quantity } from '../reading/quantities.ts';
import { DAY_MINUTES, DAY_MS, RATED, type Result, WEEKDAYS } from './compute.ts';

/** How a result compares with a claimed figure, and how it is printed. */

/** Whether a claimed figure is this result: the interval of its printed digits holds it, in the same kind. */
export function isResult(result: Result, claimed: Quantity | undefined, text: string): boolean {
  const { top, bottom, unit } = result;
  if (unit === 'weekday') return text.toLowerCase().includes(printed(result).toLowerCase());
  if (claimed === undefined) return false;
  if (unit === 'date') return isDay(result, claimed);
  if (unit === 'time') return claimed.kind === 'time' && isClock(Number(top) / Number(bottom), claimed);
  // A bare "1550" may be a year or any number.
  if (claimed.kind === 'time' || (claimed.kind === 'date' && claimed.month !== undefined)) return false;
  if (claimed.kind === 'money' && !RATED.has(unit) && unit !== claimed.unit) return false;
  if (claimed.kind === 'percent' && unit !== '%' && unit !== '') return false;
  const value = Math.abs(Number(top) / Number(bottom));
  // What does not come out even is rounded to the last digit that is printed.
  const isEven = top % bottom === 0n;
  const slack = Math.max(claimed.tolerance, isEven ? 0 : lastDigit(text) / 2) + 1e-9;
  return scalesOf(unit, claimed, value).some((scale) => Math.abs(value * scale - claimed.value) <= slack);
}

function isDay({ top, withoutYear }: Result, { kind, value, year, month, day }: Quantity): boolean {
  const date = new Date(Number(top) * DAY_MS);
  // "From 7 to 18 June".
  if (kind === 'number') return value === date.getUTCDate();
  return (
    kind === 'date' &&
    month === date.getUTCMonth() + 1 &&
    day === date.getUTCDate() &&
    (year === undefined || withoutYear === true || year === date.getUTCFullYear())
  );
}

const isClock = (minutes: number, { value, spoken }: Quantity): boolean =>
  (minutes - value) % (spoken ? DAY_MINUTES / 2 : DAY_MINUTES) === 0;

/** What a result may be told in: days as weeks, minutes as hours, months as years, a ratio as percent. */
function scalesOf(unit: string, { kind, unit: told }: Quantity, value: number): number[] {
  const scales = [1];
  if (unit === 'minute' && told === 'hour') scales.push(1 / 60);
  if (unit === 'minute' && told === 'second') scales.push(60);
  if (unit === 'day' && told === 'week') scales.push(1 / 7);
  if (unit === 'month' && told === 'year') scales.push(1 / 12);
  if (kind === 'percent' && unit === '' && value <= 1) scales.push(100);
  return scales;
}

/** What the last printed digit is worth. */
function lastDigit(text: string): number {
  const decimals = /\d[.,](\d{1,2})(?!\d)/.exec(text)?.[1];
  return decimals === undefined ? 1 : 10 ** -decimals.length;
}

/** A result as it is printed. */
export function printed({ top, bottom, unit, withoutYear }: Result): string {
  const value = Math.round((Number(top) / Number(bottom)) * 1e4) / 1e4;
  if (unit === 'weekday') return WEEKDAYS[value] ?? '';
  if (unit === 'date') return new Date(value * DAY_MS).toISOString().slice(withoutYear ? 5 : 0, 10);
  if (unit === 'time') {
    const minutes = ((value % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
    return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(Math.floor(minutes % 60)).padStart(2, '0')}`;
  }
  const written = value.toLocaleString('en-US', { maximumFractionDigits: 4 });
  if (unit === '%') return `${written}%`;
  if (unit === 'minute' || unit === 'day' || unit === 'month') return `${written} ${unit}${value === 1 ? '' : 's'}`;
  return unit.length === 3 ? `${written} ${unit.toUpperCase()}` : written;
}
