import { common, DAY_MINUTES, DAY_MS, GOES_ON, monthsOn, operate, type Result, ratio, whole } from './amounts.ts';

/** The functions of a derivation. */

type Values = readonly Result[];

const absolute = (value: Result): Result => (value.top < 0n ? { ...value, top: -value.top } : value);

/** The distance of two dates or two times. */
function between([a, b, ...more]: Values, unit: string): Result | undefined {
  if (a?.unit !== unit || b?.unit !== unit || more.length > 0) return undefined;
  const distance = operate('-', a, b);
  return distance && absolute(distance);
}

function monthsBetween(values: Values): Result | undefined {
  if (between(values, 'date') === undefined) return undefined;
  const [from, to] = values.map(({ top }) => Number(top)).sort((one, other) => one - other) as [number, number];
  const [first, last] = [new Date(from * DAY_MS), new Date(to * DAY_MS)];
  const apart = (last.getUTCFullYear() - first.getUTCFullYear()) * 12 + last.getUTCMonth() - first.getUTCMonth();
  return whole(monthsOn(from, apart) > to ? apart - 1 : apart, 'month');
}

/** Of two times, or of two dates with a time each. */
function minutesBetween(values: Values): Result | undefined {
  const [from, at, to, until] = values;
  if (values.length === 2 || from === undefined || at === undefined || to === undefined || until === undefined)
    return between(values, 'time');
  const days = operate('-', to, from);
  const minutes = operate('-', until, at);
  if (values.length > 4 || days?.unit !== 'day' || minutes?.unit !== 'minute') return undefined;
  return absolute({ ...minutes, top: minutes.top + days.top * BigInt(DAY_MINUTES) * minutes.bottom });
}

function sumOf([first, ...rest]: Values): Result | undefined {
  return rest.reduce<Result | undefined>((total, next) => operate('+', total, next), first);
}

function extreme(values: Values, isBetter: (one: Result, best: Result) => boolean): Result | undefined {
  const [first] = values;
  if (first === undefined || values.some((one) => one.unit !== first.unit && common(first, one) === undefined))
    return undefined;
  return values.reduce((best, one) => (isBetter(one, best) ? one : best));
}

const isLess = (one: Result, other: Result): boolean => one.top * other.bottom < other.top * one.bottom;

export const FUNCTIONS: Readonly<Record<string, (values: Values) => Result | undefined>> = {
  sum: sumOf,
  mean: (values) => {
    const total = sumOf(values);
    return total && ratio(total.top, total.bottom * BigInt(values.length), total.unit);
  },
  min: (values) => extreme(values, isLess),
  max: (values) => extreme(values, (one, best) => isLess(best, one)),
  share: ([part, all, ...more]) =>
    part === undefined || all === undefined || more.length > 0 || all.top === 0n || common(part, all) === undefined
      ? undefined
      : ratio(part.top * all.bottom * 100n, part.bottom * all.top, '%'),
  round: ([value, digits = whole(0, ''), ...more]) =>
    value === undefined || digits.bottom !== 1n || digits.top < 0n || digits.top > 6n || more.length > 0
      ? undefined
      : rounded(value, Number(digits.top)),
  floor: ([value, ...more]) => (value === undefined || more.length > 0 ? undefined : wholeBelow(value)),
  ceil: ([value, ...more]) => {
    const below = value && more.length === 0 ? wholeBelow({ ...value, top: -value.top }) : undefined;
    return below && { ...below, top: -below.top };
  },
  days: (values) => between(values, 'date'),
  months: monthsBetween,
  minutes: minutesBetween,
  first: (values) => inMonth(values, (year, month) => Date.UTC(year, month, 1)),
  last: (values) => inMonth(values, (year, month) => Date.UTC(year, month + 1, 0)),
  quarter: (values) => inMonth(values, (year, month) => Date.UTC(year, month - (month % 3) + 3, 0)),
  workdays: workdaysAfter,
  next: ([date, day, ...more]) => {
    if (date?.unit !== 'date' || date.withoutYear || day?.unit !== 'weekday' || more.length > 0) return undefined;
    const ahead = (Number(day.top) - dayOfWeek(date) + 7) % 7;
    return { ...date, top: date.top + BigInt(ahead) };
  },
  weekday: ([date, ...more]) =>
    date?.unit !== 'date' || date.withoutYear || more.length > 0 ? undefined : whole(dayOfWeek(date), 'weekday'),
};

/** 0 is Sunday; 1 January 1970 was a Thursday. */
const dayOfWeek = ({ top }: Result): number => (((Number(top) + 4) % 7) + 7) % 7;

const WORKDAYS_MAX = 400;

/** The day so many working days after a date: Monday to Friday, none of the holidays. */
function workdaysAfter([date, count, ...holidays]: Values): Result | undefined {
  if (
    date?.unit !== 'date' ||
    date.withoutYear ||
    count === undefined ||
    count.bottom !== 1n ||
    count.top > WORKDAYS_MAX
  )
    return undefined;
  if (GOES_ON[count.unit] !== undefined || holidays.some(({ unit }) => unit !== 'date')) return undefined;
  const off = new Set(holidays.map(({ top }) => top));
  let day = date.top;
  for (let left = count.top; left > 0n; ) {
    day += 1n;
    const weekday = Number((((day + 4n) % 7n) + 7n) % 7n);
    if (weekday !== 0 && weekday !== 6 && !off.has(day)) left -= 1n;
  }
  return { ...date, top: day };
}

/** A day of the month, or of the quarter, of a date. */
function inMonth([date, ...more]: Values, day: (year: number, month: number) => number): Result | undefined {
  if (date?.unit !== 'date' || more.length > 0) return undefined;
  const from = new Date(Number(date.top) * DAY_MS);
  return { ...date, top: BigInt(day(from.getUTCFullYear(), from.getUTCMonth()) / DAY_MS) };
}

/** The greatest whole value that is no greater. */
function wholeBelow({ top, bottom, unit }: Result): Result {
  const rest = ((top % bottom) + bottom) % bottom;
  return ratio((top - rest) / bottom, 1n, unit);
}

function rounded({ top, bottom, unit }: Result, digits: number): Result {
  const scale = 10n ** BigInt(digits);
  const [scaled, half] = [2n * top * scale + (top < 0n ? -bottom : bottom), 2n * bottom];
  return ratio(scaled / half, scale, unit);
}
