/** Amounts, dates and times as fractions, and how they are added, multiplied and parted. */

/**
 * What an expression comes to: a fraction, and what it counts: a currency, `%`, `minute`, `day`, `month`; or `time`
 * (minutes of a day), `date` (days since 1970), `weekday` (0 is Sunday). `told` is the unit beside an operand.
 */
export type Result = { top: bigint; bottom: bigint; unit: string; told?: string; withoutYear?: true };

export const DAY_MS = 86_400_000;
export const DAY_MINUTES = 1440;

export const ratio = (top: bigint, bottom: bigint, unit: string): Result =>
  bottom < 0n ? { top: -top, bottom: -bottom, unit } : { top, bottom, unit };

export const whole = (value: number, unit: string): Result => ratio(BigInt(value), 1n, unit);

export function operate(mark: string, a: Result | undefined, b: Result | undefined): Result | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (mark === '+' || mark === '-') return a.unit in GOES_ON ? goOn(mark, a, b) : add(mark, a, b);
  if ([a, b].some(({ unit }) => unit in GOES_ON || unit === 'weekday')) return undefined;
  return mark === '*' ? times(a, b) : parted(a, b);
}

/** What is counted is that of the factor which is no rate. */
function times(a: Result, b: Result): Result | undefined {
  if (!RATED.has(a.unit) && !RATED.has(b.unit)) return undefined;
  const units = [a.unit, b.unit];
  const unit = units.find((one) => !RATED.has(one)) ?? units.find((one) => one.length > 1) ?? '';
  return ratio(a.top * b.top, a.bottom * b.bottom, unit);
}

function parted(a: Result, b: Result): Result | undefined {
  const isSame = a.unit === b.unit;
  if (b.top === 0n || (!isSame && !RATED.has(b.unit))) return undefined;
  return ratio(a.top * b.bottom, a.bottom * b.top, isSame ? '' : a.unit);
}

/** What a rate is of: 10 days at 75, 12% of 189. */
export const RATED = new Set(['', '%', 'minute', 'day', 'month']);

function add(mark: string, one: Result, other: Result): Result | undefined {
  const isMixed = [one, other].some(({ unit }) => unit === 'day') && [one, other].some(({ unit }) => unit === 'minute');
  const [a, b] = isMixed ? [inMinutes(one), inMinutes(other)] : [one, other];
  const unit = common(a, b);
  if (unit === undefined || unit === 'weekday') return undefined;
  const [left, right] = [a.top * b.bottom, b.top * a.bottom];
  return ratio(mark === '+' ? left + right : left - right, a.bottom * b.bottom, unit);
}

/** Days as minutes. */
const inMinutes = (value: Result): Result =>
  value.unit === 'day' ? { ...value, top: value.top * BigInt(DAY_MINUTES), unit: 'minute' } : value;

/** The unit of two values that may be added: the same, or unsaid on one side. */
export function common(a: Result, b: Result): string | undefined {
  if (a.unit === b.unit) return a.unit;
  const [said, unsaid] = a.unit === '' ? [b, a] : [a, b];
  return unsaid.unit === '' && !(said.unit in GOES_ON) ? said.unit : undefined;
}

/** What a date and a time go on by, in their own steps, and the unit of the difference of two of them. */
export const GOES_ON: Readonly<Record<string, { between: string; steps: Readonly<Record<string, number>> }>> = {
  date: { between: 'day', steps: { day: 1, week: 7, hour: 1 / 24 } },
  time: { between: 'minute', steps: { minute: 1, hour: 60 } },
};
const MONTHS_IN: Readonly<Record<string, number>> = { month: 1, year: 12 };

function goOn(mark: string, from: Result, by: Result): Result | undefined {
  const { between, steps } = GOES_ON[from.unit] ?? { between: '', steps: {} };
  if (by.unit === from.unit)
    return mark === '+' || from.withoutYear !== by.withoutYear
      ? undefined
      : ratio(from.top * by.bottom - by.top * from.bottom, from.bottom * by.bottom, between);
  const unit = by.unit === '' ? (by.told ?? '') : by.unit;
  const count = (Number(by.top) / Number(by.bottom)) * (mark === '+' ? 1 : -1);
  const months = from.unit === 'date' ? MONTHS_IN[unit] : undefined;
  if (months !== undefined && Number.isInteger(count)) return byMonths(from, count * months);
  // A bare number, or one that counts anything else ("14 calendar days"), is days or minutes.
  const step = steps[unit] ?? (by.unit === '' ? 1 : undefined);
  const on = Math.round(count * (step ?? 0) * DAY_MINUTES) / DAY_MINUTES;
  // "72 hours" are three days; "10 hours" leave the day open.
  if (step === undefined || !Number.isInteger(on)) return undefined;
  return inCalendar({ ...from, top: from.top + BigInt(on) * from.bottom });
}

/** Eight thousand years: what lies beyond is no date that a work tells. */
const DAYS_MAX = 2_900_000n;
const MONTHS_MAX = 100_000;

const byMonths = (from: Result, months: number): Result | undefined =>
  Math.abs(months) > MONTHS_MAX ? undefined : inCalendar({ ...from, top: BigInt(monthsOn(Number(from.top), months)) });

function inCalendar(result: Result): Result | undefined {
  const { top, unit } = result;
  return unit === 'date' && (top > DAYS_MAX || top < -DAYS_MAX) ? undefined : result;
}

/** The same day some months later; the last of the month where it has no such day. Both in days since 1970. */
export function monthsOn(days: number, months: number): number {
  const from = new Date(days * DAY_MS);
  const first = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  return first.getTime() / DAY_MS + Math.min(from.getUTCDate(), last) - 1;
}
