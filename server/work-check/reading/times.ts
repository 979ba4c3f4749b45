import { numeral, plainInteger } from './numerals.ts';
import type { Quantity } from './quantity.ts';
import type { Token } from './token.ts';

/** Times of the day in digits and words. */

/** "Half past six": minutes after the hour, or before it. */
export const SPOKEN = new Map([
  ['half', 30],
  ['quarter', 15],
]);
export const HALF_DAY = 720;

/** "Half past six", "quarter to nine": of the morning or the evening, which is not said. */
function readSpokenTime(tokens: readonly Token[], at: number): Quantity | undefined {
  const minutes = SPOKEN.get(tokens[at]?.lower ?? '');
  const way = tokens[at + 1]?.lower;
  const hour = numeral(tokens[at + 2])?.value ?? (tokens[at + 2]?.lower === 'one' ? 1 : undefined);
  if (minutes === undefined || (way !== 'past' && way !== 'to') || hour === undefined || hour < 1 || hour > 12)
    return undefined;
  const value = (hour * 60 + (way === 'past' ? minutes : -minutes)) % HALF_DAY;
  return { ...timeQuantity(tokens, at, at + 2, value), spoken: true };
}

/** "23.52", where a word says that it is a time. */
function dottedTime(tokens: readonly Token[], at: number): { hour: number; minute: number } | undefined {
  const match = /^([01]?\d|2[0-3])\.([0-5]\d)$/.exec(tokens[at]?.lower ?? '');
  if (match === null) return undefined;
  const told =
    /^(?:am|pm|hours?|hrs|h|uhr)$/.test(tokens[at + 1]?.lower ?? '') ||
    tokens.slice(Math.max(0, at - 4), at).some(({ lower }) => lower === 'time' || lower === "o'clock");
  return told ? { hour: Number(match[1]), minute: Number(match[2]) } : undefined;
}

/** The time that opens at a token: "17:30", "5 pm", "23.52 h", "half past six". */
export function readTime(tokens: readonly Token[], at: number): Quantity | undefined {
  return readSpokenTime(tokens, at) ?? readClock(tokens, at);
}

function readClock(tokens: readonly Token[], at: number): Quantity | undefined {
  const dotted = dottedTime(tokens, at);
  const hour = dotted?.hour ?? plainInteger(tokens[at], 0, 23) ?? HOURS.get(tokens[at]?.lower ?? '');
  if (hour === undefined) return undefined;
  const minutes = dotted === undefined ? minutesAfter(tokens, at) : undefined;
  const told = minutes === undefined ? at : at + 2;
  const half = halfAfter(tokens, told);
  if (minutes === undefined && half === undefined && dotted === undefined) return undefined;
  const value = onTheDay(hour, half?.is) * 60 + (dotted?.minute ?? minutes ?? 0);
  const time = timeQuantity(tokens, at, half?.last ?? told, value);
  return half?.is === "o'clock" && hour <= 12 ? { ...time, value: value % HALF_DAY, spoken: true } : time;
}

const HOURS = new Map(
  'one two three four five six seven eight nine ten eleven twelve'.split(' ').map((word, at) => [word, at + 1]),
);

type Half = 'am' | 'pm' | "o'clock";

/** "pm", "p.m." or "o'clock" behind an hour, and where it ends. */
function halfAfter(tokens: readonly Token[], told: number): { is: Half; last: number } | undefined {
  const [mark, stop, m] = tokens.slice(told + 1, told + 4).map(({ lower }) => lower);
  if (mark === 'am' || mark === 'pm' || mark === "o'clock") return { is: mark, last: told + 1 };
  const isDotted = (mark === 'a' || mark === 'p') && stop === '.' && m === 'm';
  return isDotted ? { is: mark === 'a' ? 'am' : 'pm', last: told + 3 } : undefined;
}

function timeQuantity(tokens: readonly Token[], first: number, last: number, value: number): Quantity {
  const [start, end] = [tokens[first]?.start ?? 0, tokens[last]?.end ?? 0];
  return { kind: 'time', value, tolerance: 0, unit: '', start, end, first, last };
}

/** The 30 of "17:30"; "3: 13 October" is no time. */
function minutesAfter(tokens: readonly Token[], at: number): number | undefined {
  const [hour, colon, minutes] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  const joined = colon?.start === hour?.end && minutes?.start === colon?.end;
  return joined && colon?.lower === ':' && /^\d\d$/.test(minutes?.lower ?? '') ? Number(minutes?.lower) : undefined;
}

function onTheDay(hour: number, half: Half | undefined): number {
  if (half === 'pm' && hour < 12) return hour + 12;
  return half === 'am' && hour === 12 ? 0 : hour;
}
