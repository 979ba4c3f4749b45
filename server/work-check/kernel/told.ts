import type { Quantity } from '../reading/quantity.ts';
import { DAY_MINUTES, DAY_MS, RATED, type Result } from './amounts.ts';
import { type Closeness, hourNamed, isTold, type Spoken } from './spoken.ts';

/** How a result compares with a claimed figure, and how it is printed. */

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/**
 * Whether a claimed figure is this result: the interval of its printed digits holds it, in the same kind, or it lies as
 * near as `how` tells.
 */
export function isResult(result: Result, claimed: Quantity | undefined, text: string, how?: Closeness): boolean {
  const { top, bottom, unit } = result;
  if (unit === 'weekday') return text.toLowerCase().includes(printed(result).toLowerCase());
  if (unit === 'time' && hourNamed(text) === Number(top) / Number(bottom)) return true;
  if (unit === 'date' && YEAR_MONTH.test(text.trim())) return printed(result).startsWith(text.trim());
  if (claimed === undefined) return false;
  if (unit === 'date') return isDay(result, claimed);
  if (unit === 'time') return claimed.kind === 'time' && isClock(Number(top) / Number(bottom), claimed);
  // "4:35 hours".
  if (claimed.kind === 'time' && unit === 'minute') return claimed.value * Number(bottom) === Number(top);
  return isOfKind(unit, claimed) && isNumber(result, claimed, text, how);
}

const YEAR_MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

/** Whether a figure may count what a result does. */
function isOfKind(unit: string, claimed: Quantity): boolean {
  // A bare "1550" may be a year or any number.
  if (claimed.kind === 'time' || (claimed.kind === 'date' && claimed.month !== undefined)) return false;
  if (claimed.kind === 'money') return RATED.has(unit) || unit === claimed.unit;
  return claimed.kind !== 'percent' || unit === '%' || unit === '';
}

function isNumber({ top, bottom, unit }: Result, claimed: Quantity, text: string, how?: Closeness): boolean {
  const value = Math.abs(Number(top) / Number(bottom));
  // What does not come out even is rounded to the last digit that is printed.
  const isEven = top % bottom === 0n;
  const slack = Math.max(claimed.tolerance, isEven ? 0 : lastDigit(text) / 2) + 1e-9;
  const step = roundness(claimed.value, text);
  return scalesOf(unit, claimed, value).some(
    (scale) =>
      Math.abs(value * scale - claimed.value) <= slack ||
      (how !== undefined && isTold(value * scale, claimed.value, how, step)),
  );
}

/** What the last digit of a figure is worth that is not a zero: 1,000 of "12,000". */
function roundness(value: number, text: string): number {
  if (!Number.isInteger(value)) return lastDigit(text);
  let step = 1;
  while (value !== 0 && value % (step * 10) === 0) step *= 10;
  return step;
}

/** Whether an amount that is told in words, or in several units, is this result. */
export function isSpokenResult({ top, bottom, unit }: Result, told: Spoken, how: Closeness | undefined): boolean {
  const value = Math.abs(Number(top) / Number(bottom));
  // A bare number counts what the amount is told in; a bare ratio is a share.
  const bare = unit === '' && (told.unit !== '%' || value <= 1) ? told.each : undefined;
  const scale = SPOKEN_IN[told.unit][unit] ?? bare;
  if (scale === undefined) return false;
  const isExact = Math.abs(value * scale - told.value) <= told.slack + 1e-9;
  return isExact || (how !== undefined && isTold(value * scale, told.value, how, told.step));
}

/** What a result's unit is worth in the unit that it is told in. */
const SPOKEN_IN: Readonly<Record<Spoken['unit'], Readonly<Record<string, number>>>> = {
  minute: { minute: 1, day: DAY_MINUTES },
  day: { day: 1, minute: 1 / DAY_MINUTES },
  month: { month: 1 },
  '%': { '%': 1 },
};

function isDay({ top, withoutYear }: Result, { kind, value, year, month, day }: Quantity): boolean {
  const date = new Date(Number(top) * DAY_MS);
  // "From 7 to 18 June".
  if (kind === 'number') return value === date.getUTCDate();
  // "September", "2026": what a claim leaves out of a date it does not claim.
  return (
    kind === 'date' &&
    (month === undefined || month === date.getUTCMonth() + 1) &&
    (day === undefined || day === date.getUTCDate()) &&
    (year === undefined ? month !== undefined : withoutYear === true || year === date.getUTCFullYear())
  );
}

/** A clock that tells no seconds tells the minute that they fall in. */
const isClock = (minutes: number, { value, spoken }: Quantity): boolean =>
  ((Number.isInteger(value) ? Math.floor(minutes) : minutes) - value) % (spoken ? DAY_MINUTES / 2 : DAY_MINUTES) === 0;

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
