import type { EvidenceIndex } from '../reading/evidence-index.ts';
import type { Quantity } from '../reading/quantities.ts';
import type { Statement } from '../statements.ts';

/** A weekday written beside a date that falls on another day. */
export type WrongWeekday = { written: string; date: string; falls_on: string };

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const BEFORE = /\b(Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day,?\s+(?:the\s+)?$/i;

/** The weekday that stands before a date, where it is another than the calendar's. The year must be certain. */
export function findWrongWeekday({ text, quantities }: Statement, index: EvidenceIndex): WrongWeekday | undefined {
  for (const figure of quantities) {
    if (figure.kind !== 'date' || figure.month === undefined || figure.day === undefined) continue;
    const written = BEFORE.exec(text.slice(0, figure.start))?.[1];
    const year = figure.year ?? onlyYear(index);
    if (written === undefined || year === undefined) continue;
    const falls_on = WEEKDAYS[new Date(Date.UTC(year, figure.month - 1, figure.day)).getUTCDay()];
    if (falls_on === undefined || falls_on.toLowerCase().startsWith(written.toLowerCase())) continue;
    return { written: `${written}day`, date: text.slice(figure.start, figure.end), falls_on };
  }
  return undefined;
}

/** The year of all the evidence's dates, when they name only one. */
function onlyYear({ passages, labels }: EvidenceIndex): number | undefined {
  const years = new Set(
    [...passages.flatMap(({ quantities }) => quantities), ...labels].flatMap(({ kind, year }) =>
      kind === 'date' && year !== undefined ? [year] : [],
    ),
  );
  const [year, ...others] = years;
  return others.length === 0 ? year : undefined;
}

const UNIT_DAYS = new Map([
  ['day', 1],
  ['week', 7],
]);
const PAIRS_MAX = 400;

type Calendar = {
  year: number | undefined;
  dates: { time: number; at: number; text: string }[];
  lengths: { figure: Quantity; text: string }[];
};
const calendars = new WeakMap<EvidenceIndex, Calendar>();

/** The dates and lengths of time that the evidence gives, read once. */
function calendarOf(index: EvidenceIndex): Calendar {
  const known = calendars.get(index);
  if (known !== undefined) return known;
  const made: Calendar = { year: onlyYear(index), dates: [], lengths: [] };
  for (const [at, passage] of index.passages.entries()) {
    const source = index.sources[passage.source]?.text ?? '';
    for (const figure of passage.quantities) {
      const text = source.slice(figure.start, figure.end);
      const year = figure.year ?? made.year;
      if (figure.kind === 'date' && figure.month !== undefined && figure.day !== undefined && year !== undefined)
        made.dates.push({ time: Date.UTC(year, figure.month - 1, figure.day), at, text });
      else if (figure.kind === 'number' && isLength(figure))
        made.lengths.push({ figure, text: `${text} ${figure.unit}${figure.value === 1 ? '' : 's'}` });
    }
  }
  calendars.set(index, made);
  return made;
}

/**
 * How a date follows from another date of the evidence and a length of time that the evidence or the statement gives;
 * `counts` leaves out passages whose dates are of something else.
 */
export function dateFrom(
  claimed: Quantity,
  statement: Statement,
  index: EvidenceIndex,
  counts: (passage: number) => boolean = () => true,
): { says: string; passages: number[] } | undefined {
  if (claimed.kind !== 'date' || claimed.month === undefined || claimed.day === undefined) return undefined;
  const { dates, lengths } = calendarOf(index);
  const own = statement.quantities
    .filter((figure) => figure.kind === 'number' && isLength(figure))
    .map((figure) => ({ figure, text: `${statement.text.slice(figure.start, figure.end)} ${figure.unit}s` }));
  let tried = 0;
  for (const { time, at, text } of dates.filter((one) => counts(one.at)))
    for (const { figure, text: length } of [...own, ...lengths]) {
      tried += 1;
      if (tried > PAIRS_MAX) return undefined;
      for (const sign of [1, -1]) {
        const result = shifted(time, figure, sign);
        if (result === undefined || result.getUTCDate() !== claimed.day || result.getUTCMonth() + 1 !== claimed.month)
          continue;
        if (claimed.year !== undefined && result.getUTCFullYear() !== claimed.year) continue;
        return {
          says: `${text} ${sign > 0 ? 'and' : 'less'} ${length} is ${result.toISOString().slice(0, 10)}`,
          passages: [at],
        };
      }
    }
  return undefined;
}

const isLength = ({ unit, value }: Quantity): boolean =>
  value > 0 && value < 1000 && (UNIT_DAYS.has(unit) || unit === 'month' || unit === 'year');

function shifted(time: number, { unit, value }: Quantity, sign: number): Date | undefined {
  const date = new Date(time);
  const days = UNIT_DAYS.get(unit);
  if (days !== undefined) date.setUTCDate(date.getUTCDate() + sign * days * value);
  else if (unit === 'month') date.setUTCMonth(date.getUTCMonth() + sign * value);
  else if (unit === 'year') date.setUTCFullYear(date.getUTCFullYear() + sign * value);
  else return undefined;
  // A month after 31 January is the last day of February.
  if (days === undefined && date.getUTCDate() !== new Date(time).getUTCDate()) date.setUTCDate(0);
  return date;
}

const ZONE = /\b(?:UTC|GMT)\s*([+−-])\s*(\d{1,2})\b/;
const DAY_MINUTES = 1440;
const clock = (minutes: number): string => `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;

/** A time in UTC that a source gives in the zone of its name, such as "Chat (local time, UTC+2)". */
export function zonedFrom(
  claimed: Quantity,
  near: readonly number[],
  index: EvidenceIndex,
): { says: string; passage: number } | undefined {
  if (claimed.kind !== 'time') return undefined;
  for (const at of near) {
    const passage = index.passages[at];
    const zone = ZONE.exec(index.sources[passage?.source ?? -1]?.source ?? '');
    if (passage === undefined || zone === null) continue;
    const offset = Number(zone[2]) * 60 * (zone[1] === '+' ? 1 : -1);
    const time = passage.quantities.find(
      (known) => known.kind === 'time' && (known.value - offset + DAY_MINUTES) % DAY_MINUTES === claimed.value,
    );
    if (time !== undefined)
      return { says: `${clock(time.value)} at ${zone[0]} is ${clock(claimed.value)} UTC`, passage: at };
  }
  return undefined;
}
