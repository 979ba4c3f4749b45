import { weekdayOf } from '../reading/calendar-words.ts';
import type { Quantity } from '../reading/quantity.ts';
import { type Node, parse } from './expression.ts';

/** What an expression works with: a figure that stands in the evidence, or what another derivation came to. */
export type Operand = {
  figure: Quantity | undefined;
  text: string;
  result?: Result;
  /** How many instances it stands for when it is counted; one unless said. */
  instances?: number;
};

/**
 * What an expression comes to: a fraction, and what it counts: a currency, `%`, `minute`, `day`, `month`; or `time`
 * (minutes of a day), `date` (days since 1970), `weekday` (0 is Sunday). `told` is the unit beside an operand.
 */
export type Result = { top: bigint; bottom: bigint; unit: string; told?: string; withoutYear?: true };

export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
export const DAY_MS = 86_400_000;
export const DAY_MINUTES = 1440;
/** Stands in for the year that a date leaves out: not a leap year. */
const SOME_YEAR = 2001;

/** Works an expression out with exact fractions; undefined where it is not of the grammar or mixes kinds. */
export function evaluate(expression: string, operands: readonly Operand[]): Result | undefined {
  const tree = parse(expression, operands.length);
  if (tree === undefined) return undefined;
  const years = new Set(operands.flatMap(({ figure }) => (figure?.kind === 'date' ? (figure.year ?? []) : [])));
  return workOut(tree, operands, years.size === 1 ? [...years][0] : undefined);
}

const ratio = (top: bigint, bottom: bigint, unit: string): Result =>
  bottom < 0n ? { top: -top, bottom: -bottom, unit } : { top, bottom, unit };

const whole = (value: number, unit: string): Result => ratio(BigInt(value), 1n, unit);

/** A decimal as it is printed, as a fraction. */
function exact(value: number, unit: string): Result | undefined {
  const found = /^(-?\d+)(?:\.(\d+))?$/.exec(String(value));
  if (found === null) return undefined;
  const digits = found[2] ?? '';
  return ratio(BigInt(found[1] + digits), 10n ** BigInt(digits.length), unit);
}

function workOut(node: Node, operands: readonly Operand[], year: number | undefined): Result | undefined {
  switch (node.is) {
    case 'constant':
      return whole(node.value, '');
    case 'operand':
      return operandValue(operands[node.at], year);
    case 'operator':
      return operate(node.mark, workOut(node.left, operands, year), workOut(node.right, operands, year));
    case 'call': {
      // Instances are counted whether or not there is a figure in them.
      if (node.name === 'count') return countOf(node.of, operands);
      const values = node.of.map((one) => workOut(one, operands, year));
      return values.includes(undefined) ? undefined : FUNCTIONS[node.name]?.(values as Result[]);
    }
    default:
      return node satisfies never;
  }
}

function operandValue(operand: Operand | undefined, year: number | undefined): Result | undefined {
  if (operand?.result !== undefined) return operand.result;
  const figure = operand?.figure;
  const weekday = weekdayOf(operand?.text.trim() ?? '');
  if (weekday !== undefined) return whole(weekday, 'weekday');
  if (figure === undefined) return undefined;
  switch (figure.kind) {
    case 'date':
      return dateOf(figure, year);
    case 'time':
      return exact(figure.value, 'time');
    case 'percent':
      return exact(figure.value, '%');
    case 'money':
      return exact(figure.value, figure.unit);
    case 'number': {
      const value = exact(figure.value, '');
      return value === undefined ? undefined : { ...value, told: figure.unit };
    }
    default:
      return figure.kind satisfies never;
  }
}

function dateOf(figure: Quantity, year: number | undefined): Result | undefined {
  if (figure.month === undefined || figure.day === undefined) return undefined;
  const known = figure.year ?? year;
  const days = Date.UTC(known ?? SOME_YEAR, figure.month - 1, figure.day) / DAY_MS;
  return known === undefined ? { ...whole(days, 'date'), withoutYear: true } : whole(days, 'date');
}

function countOf(of: readonly Node[], operands: readonly Operand[]): Result | undefined {
  const places = of.flatMap((one) => (one.is === 'operand' ? [one.at] : []));
  if (places.length < of.length) return undefined;
  const counted = [...new Set(places)].reduce((sum, at) => sum + (operands[at]?.instances ?? 1), 0);
  return whole(counted, '');
}

function operate(mark: string, a: Result | undefined, b: Result | undefined): Result | undefined {
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

function add(mark: string, a: Result, b: Result): Result | undefined {
  const unit = common(a, b);
  if (unit === undefined || unit === 'weekday') return undefined;
  const [left, right] = [a.top * b.bottom, b.top * a.bottom];
  return ratio(mark === '+' ? left + right : left - right, a.bottom * b.bottom, unit);
}

/** The unit of two values that may be added: the same, or unsaid on one side. */
function common(a: Result, b: Result): string | undefined {
  if (a.unit === b.unit) return a.unit;
  const [said, unsaid] = a.unit === '' ? [b, a] : [a, b];
  return unsaid.unit === '' && !(said.unit in GOES_ON) ? said.unit : undefined;
}

/** What a date and a time go on by, in their own steps, and the unit of the difference of two of them. */
const GOES_ON: Readonly<Record<string, { between: string; steps: Readonly<Record<string, number>> }>> = {
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
  if (by.top % by.bottom !== 0n) return undefined;
  const count = Number(by.top / by.bottom) * (mark === '+' ? 1 : -1);
  const months = from.unit === 'date' ? MONTHS_IN[unit] : undefined;
  if (months !== undefined) return { ...from, top: BigInt(monthsOn(Number(from.top), count * months)) };
  // A bare number, or one that counts anything else ("14 calendar days"), is days or minutes.
  const step = steps[unit] ?? (by.unit === '' ? 1 : undefined);
  const on = Math.round(count * (step ?? 0) * DAY_MINUTES) / DAY_MINUTES;
  // "72 hours" are three days; "10 hours" leave the day open.
  if (step === undefined || !Number.isInteger(on)) return undefined;
  return { ...from, top: from.top + BigInt(on) * from.bottom };
}

/** The same day some months later; the last of the month where it has no such day. Both in days since 1970. */
function monthsOn(days: number, months: number): number {
  const from = new Date(days * DAY_MS);
  const first = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  return first.getTime() / DAY_MS + Math.min(from.getUTCDate(), last) - 1;
}

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

const FUNCTIONS: Readonly<Record<string, (values: Values) => Result | undefined>> = {
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
    value === undefined || digits.bottom !== 1n || digits.top > 6n || more.length > 0
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
  if (date?.unit !== 'date' || count === undefined || count.bottom !== 1n || count.top > WORKDAYS_MAX) return undefined;
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
