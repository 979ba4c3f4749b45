import type { Quantity } from '../reading/quantities.ts';

const MINUTES = new Map([
  ['minute', 1],
  ['hour', 60],
]);
const DAY_MINUTES = 1_440;
const TIMES_MAX = 8;

/** How a length of time follows from two times or two dates of one text: "06:12 to 06:31 is 19 minutes". */
export function durationFrom(claimed: Quantity, figures: readonly Quantity[], text: string): string | undefined {
  return betweenTimes(claimed, figures, text) ?? betweenDates(claimed, figures, text);
}

const lengthOf = ({ value, unit }: Quantity): string => `${value} ${unit}${value === 1 ? '' : 's'}`;

/** Past midnight counts on. */
function betweenTimes(claimed: Quantity, figures: readonly Quantity[], text: string): string | undefined {
  const minutes = MINUTES.get(claimed.unit);
  if (claimed.kind !== 'number' || minutes === undefined) return undefined;
  const clock = figures.filter(({ kind }) => kind === 'time').slice(0, TIMES_MAX);
  for (const [at, from] of clock.entries())
    for (const to of clock.slice(at + 1)) {
      const apart = (to.value - from.value + DAY_MINUTES) % DAY_MINUTES;
      if (apart > 0 && apart === claimed.value * minutes)
        return `${text.slice(from.start, from.end)} to ${text.slice(to.start, to.end)} is ${lengthOf(claimed)}`;
    }
  return undefined;
}

const DAYS = new Map([
  ['day', 1],
  ['night', 1],
  ['week', 7],
]);
const MONTHS = new Map([
  ['month', 1],
  ['year', 12],
]);
const DAY_MS = 86_400_000;
/** More dates than this stand in a list, where two of them give any length. */
const DATES_MAX = 4;

type Day = { time: number; start: number; end: number; span: boolean };

/** The days of a text; of "6 to 8 October" both, as the ends of a span. Those without a year are of one year. */
function daysOf(figures: readonly Quantity[], text: string): Day[] {
  const years = new Set(figures.flatMap(({ kind, year }) => (kind === 'date' && year !== undefined ? [year] : [])));
  const [only = UNTOLD_YEAR, ...others] = years;
  return figures.flatMap((figure, at) => {
    const { kind, year, month, day, start, end } = figure;
    if (kind !== 'date' || month === undefined || day === undefined) return [];
    if (year === undefined && others.length > 0) return [];
    const before = figures[at - 1];
    const joined = before !== undefined && TO.test(text.slice(before.end, start));
    const timeOf = (one: number): number => Date.UTC(year ?? only, month - 1, one);
    const own = { time: timeOf(day), start, end, span: joined };
    return joined && before.kind === 'number' && before.value < day
      ? [{ time: timeOf(before.value), start: before.start, end: before.end, span: false }, own]
      : [own];
  });
}

/** No leap year, as most are. */
const UNTOLD_YEAR = 2001;

/** A span counts both of its ends in days: "6 to 8 October is 3 days". */
function betweenDates(claimed: Quantity, figures: readonly Quantity[], text: string): string | undefined {
  const [days, months] = [DAYS.get(claimed.unit), MONTHS.get(claimed.unit)];
  if (claimed.kind !== 'number' || (days === undefined && months === undefined)) return undefined;
  const known = daysOf(figures, text);
  if (known.length > DATES_MAX) return undefined;
  for (const [at, from] of known.entries())
    for (const [next, to] of known.slice(at + 1).entries()) {
      const says = `${text.slice(from.start, from.end)} to ${text.slice(to.start, to.end)} is ${lengthOf(claimed)}`;
      const apart = Math.abs(to.time - from.time) / DAY_MS;
      if (apart === 0) continue;
      if (days !== undefined && apart === claimed.value * days) return says;
      if (claimed.unit === 'day' && next === 0 && to.span && apart + 1 === claimed.value)
        return `${says}, both counted`;
      if (months !== undefined && monthsBetween(from.time, to.time) === claimed.value * months) return says;
    }
  return undefined;
}

/** Whole months between two days; not a number where some days are left. */
function monthsBetween(one: number, other: number): number {
  const [from, to] = [new Date(Math.min(one, other)), new Date(Math.max(one, other))];
  if (from.getUTCDate() !== to.getUTCDate()) return Number.NaN;
  return (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
}

/** Lengths of time and times that are tried; more of them give any time of the day. */
const LENGTHS_MAX = 4;
const CLOCK_TIMES_MAX = 8;

/** How a time follows from another and a length of time that the statement or a passage near it gives. */
export function timeFrom(
  claimed: Quantity,
  lengths: readonly Lasting[],
  times: readonly Lasting[],
): string | undefined {
  if (claimed.kind !== 'time' || claimed.spoken === true) return undefined;
  const clock = times.filter(({ figure }) => figure.kind === 'time' && figure.spoken !== true);
  const lasting = lengths.filter(({ figure }) => figure.kind === 'number' && MINUTES.has(figure.unit));
  if (clock.length > CLOCK_TIMES_MAX || lasting.length > LENGTHS_MAX) return undefined;
  for (const { figure: from, text } of clock)
    for (const { figure: length } of lasting)
      for (const sign of [1, -1]) {
        const minutes = sign * length.value * (MINUTES.get(length.unit) ?? 0);
        if (minutes !== 0 && (from.value + minutes + DAY_MINUTES) % DAY_MINUTES === claimed.value)
          return `${text} ${sign > 0 ? 'and' : 'less'} ${lengthOf(length)} is ${clockOf(claimed.value)}`;
      }
  return undefined;
}

/** A figure and how it is written. */
export type Lasting = { figure: Quantity; text: string };

const clockOf = (minutes: number): string => `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;

const SPAN = /\bfrom\s+$/i;
const TO = /^\s*(?:to|until|till|[-–])\s*$/i;
/** "…, 19 minutes", "(8 minutes)", "…, that is 8 minutes": the length of the span that stands right before it. */
const LENGTH = /^,?\s*(?:\(|(?:that is|i\.e\.|or|for|a total of|lasting|which is)?,?\s*)$/i;

/** "From 06:12 to 06:31, 29 minutes": a span and its length side by side that do not agree. */
export function findWrongDuration(
  text: string,
  quantities: readonly Quantity[],
): { claimed: string; says: string } | undefined {
  for (const [at, from] of quantities.entries()) {
    const [to, length] = [quantities[at + 1], quantities[at + 2]];
    if (from.kind !== 'time' || to?.kind !== 'time' || length === undefined) continue;
    const minutes = MINUTES.get(length.unit);
    if (minutes === undefined || length.kind !== 'number') continue;
    if (!SPAN.test(text.slice(0, from.start)) || !TO.test(text.slice(from.end, to.start))) continue;
    if (!LENGTH.test(text.slice(to.end, length.start))) continue;
    const apart = (to.value - from.value + DAY_MINUTES) % DAY_MINUTES;
    const said = length.value * minutes;
    // "2 hours 15 minutes" goes on behind its first figure, and hours may be rounded.
    if (quantities[at + 3]?.unit === 'minute' || Math.abs(apart - said) < minutes) continue;
    return {
      claimed: text.slice(length.start, length.end),
      says: `${text.slice(from.start, from.end)} to ${text.slice(to.start, to.end)} is ${apart} minutes`,
    };
  }
  return undefined;
}
