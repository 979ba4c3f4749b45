import type { Operand } from '../../kernel/compute.ts';
import { hourNamed, spanIn as spanOf } from '../../kernel/spoken.ts';
import { readQuantities } from '../../reading/quantities.ts';
import type { Quantity } from '../../reading/quantity.ts';
import { tokenize } from '../../reading/tokens.ts';
import { dayIn, numberOf, otherwiseIn, spanIn } from './written.ts';

/** What an operand of a derivation tells: a figure, a time, a span, as English or the language of its source writes it. */

/** "P4" of "P4 Spa 2.400": a code is no figure where another stands beside it. */
const withoutCodes = (text: string): string => {
  const bare = text.replaceAll(/(?<![\p{L}\d])\p{L}{1,3}-?\d+(?![\p{L}\d])/gu, ' ');
  return /\d/.test(bare) ? bare.trim() : text;
};

/** The figure that an operand gives, as English or the language of its source writes it. */
export function figureIn(quoted: string, inForeign: boolean): Quantity | undefined {
  const text = withoutCodes(quoted);
  const figure = readQuantities(tokenize(text))[0];
  const worded = clockIn(text) ?? amountIn(text) ?? wordedIn(text, inForeign, figure === undefined);
  if (worded !== undefined) return worded;
  if (figure?.kind === 'time' || (figure?.kind === 'date' && figure.day !== undefined)) return figure;
  const day = dayIn(text);
  if (day !== undefined) return { ...BARE, kind: 'date', ...day };
  if (figure?.kind === 'date' && /^\D*\d{4}\D*$/.test(text)) return { ...BARE, value: Number(/\d{4}/.exec(text)?.[0]) };
  const other = otherwiseIn(text, inForeign);
  const read = other === undefined ? figure : { ...(figure ?? BARE), value: other, kind: figure?.kind ?? 'number' };
  return read === undefined || !BELOW_ZERO.test(text) ? read : { ...read, value: -read.value };
}

/** A number or span in words: "third", "dos", "10 Jahre"; "one week" and "a month" where nothing is read as a figure. */
function wordedIn(text: string, inForeign: boolean, isUnread: boolean): Quantity | undefined {
  const value = namedIn(text.trim().toLowerCase(), inForeign, isUnread);
  if (value !== undefined) return { ...BARE, value };
  const { value: count, unit } = spanIn(text) ?? (isUnread ? spanOf(text) : undefined) ?? {};
  return count === undefined || unit === undefined ? undefined : { ...BARE, value: count, unit };
}

/** "Third", "dos": a word that English reads as a figure is of another language only where its source is. */
function namedIn(word: string, inForeign: boolean, isUnread: boolean): number | undefined {
  const ordinal = ORDINALS.indexOf(word);
  if (ordinal >= 0) return ordinal + 1;
  if (word === 'one') return 1;
  return isUnread || inForeign ? numberOf(word, inForeign) : undefined;
}

/** "09:21:30", "noon", in minutes. */
function clockIn(text: string): Quantity | undefined {
  const [hours, minutes = 0, seconds = 0] = (/^\D*(\d{1,2}):(\d{2}):(\d{2})\D*$/.exec(text) ?? []).slice(1).map(Number);
  if (hours !== undefined) return { ...BARE, kind: 'time', value: hours * 60 + minutes + seconds / 60 };
  const named = /\d/.test(text) ? undefined : hourNamed(text);
  return named === undefined ? undefined : { ...BARE, kind: 'time', value: named };
}

/** "-2.2 F": quoted with its sign. */
const BELOW_ZERO = /^[-−]\d/;

export const BARE: Quantity = { kind: 'number', value: 0, unit: '', tolerance: 0, first: 0, last: 0, start: 0, end: 0 };

const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');

const CLOCK = /^\D*([01]?\d|2[0-3])(?:\s?(?:[.:]|h|uhr|uur|heures?|horas?)\s?([0-5]\d)?)?\D*$/iu;

/** The time that a text tells where one is asked for: "09.40", "19h00", "20 Uhr 30", "at 8". */
export function clockOf(text: string): Quantity | undefined {
  const [, hours, minutes = 0] = CLOCK.exec(text) ?? [];
  return hours === undefined ? undefined : { ...BARE, kind: 'time', value: Number(hours) * 60 + Number(minutes) };
}

/** An operand as the time that it may tell; of the bare numbers ("8") only where they are asked for. */
export function asClock<T extends Operand>(place: T, { isBare }: { isBare: boolean }): T {
  const { figure, text } = place;
  const isNumber = figure === undefined || figure.kind === 'number';
  const clock = isNumber && (isBare || !/^\D*\d+\D*$/.test(text) || /uhr/i.test(text)) ? clockOf(text) : undefined;
  return clock === undefined ? place : { ...place, figure: clock };
}

const QUARTER_HOUR = 15;

/** "Half an hour", "1 h 30": what takes more than one number to tell, in hours where it comes to quarters of one. */
function amountIn(text: string): Quantity | undefined {
  const told = /\b(?:half|quarters?)\b|\d\s?h(?:ours?)?\s?(?:and\s)?\d|\bhours?\b.*\bmin/i.test(text)
    ? spanOf(text)
    : undefined;
  if (told?.unit !== 'minute') return undefined;
  return told.value % QUARTER_HOUR === 0
    ? { ...BARE, value: told.value / 60, unit: 'hour' }
    : { ...BARE, value: told.value, unit: 'minute' };
}
