import { CURRENCIES, UNITS } from './measures.ts';
import { readOrdinalWords } from './number-words.ts';
import { ORDINAL_TAILS, plainInteger, wordBefore } from './numerals.ts';
import type { Quantity } from './quantity.ts';
import type { Token } from './token.ts';

/** Dates in digits and words, and years that stand alone. */

export const MONTHS = new Map(
  'january february march april may june july august september october november december'
    .split(' ')
    .flatMap((name, index) => [[name, index + 1] as const, [name.slice(0, 3), index + 1] as const]),
);
MONTHS.set('sept', 9);
for (const [at, name] of 'januar februar märz april mai juni juli august september oktober november dezember'
  .split(' ')
  .entries())
  MONTHS.set(name, at + 1);

function monthOf(token: Token | undefined): number | undefined {
  if (token?.kind !== 'word') return undefined;
  // "may" and "march" are words too; a month is written with a capital in running text.
  if (!token.capital && (token.lower === 'may' || token.lower === 'march' || token.lower === 'mar')) return undefined;
  return MONTHS.get(token.lower);
}

function isYear(token: Token | undefined): number | undefined {
  // "1 950", set apart by a space that does not break, is no year.
  return token !== undefined && token.end - token.start === 4 ? plainInteger(token, 1000, 2199) : undefined;
}

/** Whether 02/04/2026 is in April or in February. */
export type DayOrder = 'day first' | 'month first';

/** The order that the dates of a text show: 14/02/2026 can only have its day first. Undefined when none or both do. */
export function dayOrderOf(text: string): DayOrder | undefined {
  let [dayFirst, monthFirst] = [false, false];
  for (const { 1: one = '', 3: other = '' } of text.matchAll(/(?<!\d)(\d{1,2})([/.-])(\d{1,2})\2\d{4}(?!\d)/g)) {
    if (Number(one) > 12) dayFirst = true;
    if (Number(other) > 12) monthFirst = true;
  }
  if (dayFirst === monthFirst) return undefined;
  return dayFirst ? 'day first' : 'month first';
}

/** The date that opens at a token; a year alone where `mayBeYear` lets it be one. */
export function readDate(
  tokens: readonly Token[],
  at: number,
  order: DayOrder | undefined,
  mayBeYear: (token: Token) => boolean,
): Quantity | undefined {
  const date = readNumericDate(tokens, at, order) ?? readDottedDate(tokens, at) ?? readWordDate(tokens, at);
  const token = tokens[at];
  return date ?? (token !== undefined && mayBeYear(token) ? readYear(tokens, at) : undefined);
}

type Parts = Pick<Quantity, 'year' | 'month' | 'day'>;

const isDay = (day: number, month: number): boolean => day >= 1 && day <= 31 && month >= 1 && month <= 12;

/** "03.05.2026"; and "03.05." with its full stop, where it opens a line or a word before it asks for a date. */
function readDottedDate(tokens: readonly Token[], at: number): Quantity | undefined {
  const token = tokens[at];
  if (token?.kind !== 'number') return undefined;
  const [, first = '', second = '', third] = /^(\d{1,2})\.(\d{1,2})(?:\.(\d{4}))?$/.exec(token.lower) ?? [];
  const [day, month] = [Number(first), Number(second)];
  if (!isDay(day, month)) return undefined;
  if (third !== undefined) return dateQuantity(tokens, at, at, { year: Number(third), month, day });
  const stop = tokens[at + 1];
  const isStopped = second.length === 2 && stop?.lower === '.' && stop.start === token.end;
  return isStopped && isAskedFor(tokens, at) ? dateQuantity(tokens, at, at + 1, { month, day }) : undefined;
}

/** At the end of a sentence "to 4.05." may be a rate. */
function isAskedFor(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.lower ?? '';
  return at === 0 || ASKS_DATE.has(before) || (DATED.has(before) && at + 2 < tokens.length);
}

const ASKS_DATE = new Set('on by until till since am bis vom ab seit up-to date'.split(' '));
const DATED = new Set('from of to before after between and zum dem den - – — ( , / | : ;'.split(' '));

const DATE_MARKS = new Set(['-', '/', '.']);

/** "2026-05-03", "03/05/2026". */
function readNumericDate(tokens: readonly Token[], at: number, order: DayOrder | undefined): Quantity | undefined {
  const mark = tokens[at + 1]?.lower ?? '';
  if (!DATE_MARKS.has(mark) || tokens[at + 3]?.lower !== mark) return undefined;
  const [a, b, c] = [tokens[at], tokens[at + 2], tokens[at + 4]];
  const parts = yearFirst(a, b, c) ?? yearLast(a, b, c, order);
  return parts && dateQuantity(tokens, at, at + 4, parts);
}

type Maybe = Token | undefined;

function yearFirst(a: Maybe, b: Maybe, c: Maybe): Parts | undefined {
  const [year, month, day] = [isYear(a), plainInteger(b, 1, 12), plainInteger(c, 1, 31)];
  return year === undefined || month === undefined || day === undefined ? undefined : { year, month, day };
}

/** Day first or month first is not said: only what both readings share is kept, unless the text shows its order. */
function yearLast(a: Maybe, b: Maybe, c: Maybe, order: DayOrder | undefined): Parts | undefined {
  const [first, second, year] = [plainInteger(a, 1, 31), plainInteger(b, 1, 31), isYear(c)];
  if (year === undefined || first === undefined || second === undefined) return undefined;
  if (first > 12 || (order === 'day first' && second <= 12)) return { year, month: second, day: first };
  if (second > 12 || order === 'month first') return { year, month: first, day: second };
  return first === second ? { year, month: first, day: first } : { year };
}

/** "3 May 2026", "16. November", "May 3rd, 2026", "1 Jan 27". */
function readWordDate(tokens: readonly Token[], at: number): Quantity | undefined {
  const found = dayThenMonth(tokens, at) ?? monthThenDay(tokens, at);
  if (found === undefined) return undefined;
  const { month, day, next } = found;
  const stops = tokens[next]?.lower === '.' && isShort(tokens[next - 1]);
  const yearAt = stops || tokens[next]?.lower === ',' || tokens[next]?.lower === 'of' ? next + 1 : next;
  const year = isYear(tokens[yearAt]);
  const short = year === undefined && day !== undefined ? shortYear(tokens, next) : undefined;
  const last = year !== undefined ? yearAt : short !== undefined ? next : next - 1;
  const told = year ?? short;
  return dateQuantity(tokens, at, last, { ...(told ? { year: told } : {}), month, ...(day ? { day } : {}) });
}

type DayAndMonth = { month: number; day: number | undefined; next: number };

function dayThenMonth(tokens: readonly Token[], at: number): DayAndMonth | undefined {
  const day = plainInteger(tokens[at], 1, 31);
  if (day === undefined) return wordedDayThenMonth(tokens, at);
  let next = at + 1;
  if (ORDINAL_TAILS.has(tokens[next]?.lower ?? '')) next += 1;
  // "16. November"
  if (tokens[next]?.lower === '.' && tokens[next]?.start === tokens[at]?.end) next += 1;
  if (tokens[next]?.lower === 'of') next += 1;
  const month = monthOf(tokens[next]);
  return month === undefined ? undefined : { month, day, next: next + 1 };
}

/** "The twenty-second of May"; "the second May election" has no day. */
function wordedDayThenMonth(tokens: readonly Token[], at: number): DayAndMonth | undefined {
  const day = readOrdinalWords(tokens, at);
  const month = day && tokens[day.last + 1]?.lower === 'of' ? monthOf(tokens[day.last + 2]) : undefined;
  return day === undefined || month === undefined || day.value > 31
    ? undefined
    : { month, day: day.value, next: day.last + 3 };
}

function monthThenDay(tokens: readonly Token[], at: number): DayAndMonth | undefined {
  const month = monthOf(tokens[at]);
  if (month === undefined) return undefined;
  let next = at + 1;
  // "In May. 3 came": only a shortened name takes a full stop of its own.
  if (isShort(tokens[at]) && tokens[next]?.lower === '.' && plainInteger(tokens[next + 1], 1, 31) !== undefined)
    next += 1;
  const day = plainInteger(tokens[next], 1, 31);
  if (day !== undefined) next += 1;
  if (ORDINAL_TAILS.has(tokens[next]?.lower ?? '')) next += 1;
  return { month, day, next };
}

const MONTH_WORD = new Set(['may', 'june', 'july']);
const isShort = (token: Token | undefined): boolean =>
  token?.kind === 'word' && token.lower.length <= 4 && MONTHS.has(token.lower) && !MONTH_WORD.has(token.lower);

/** "1 Jan 27": two digits behind a day and a month, with nothing behind them that they could count. */
function shortYear(tokens: readonly Token[], at: number): number | undefined {
  const [token, next] = [tokens[at], tokens[at + 1]];
  if (!/^\d\d$/.test(token?.lower ?? '') || tokens[at - 1]?.kind !== 'word') return undefined;
  if (next !== undefined && (next.kind !== 'mark' || /[:%€$£]/.test(next.lower))) return undefined;
  return 2000 + Number(token?.lower);
}

function readYear(tokens: readonly Token[], at: number): Quantity | undefined {
  const year = isYear(tokens[at]);
  if (year === undefined || year < 1500 || year > 2100) return undefined;
  const before = wordBefore(tokens, at);
  const after = tokens[at + 1]?.lower ?? '';
  if (CURRENCIES.has(before) || after === '%' || CURRENCIES.has(tokens[at + 1]?.stem ?? '') || UNITS.has(after))
    return undefined;
  if (countsThings(tokens, at, year)) return undefined;
  return dateQuantity(tokens, at, at, { year });
}

/** "sold 1850 tickets": a verb before, several things after, and hardly a year that work is about. */
function countsThings(tokens: readonly Token[], at: number, year: number): boolean {
  if (year >= RECENT_FROM && year <= RECENT_TO) return false;
  const [before, after] = [tokens[at - 1], tokens[at + 1]];
  if (before?.kind !== 'word' || !COUNTING.test(before.lower)) return false;
  return after?.kind === 'word' && /[a-z]{3}s$/.test(after.lower);
}

const RECENT_FROM = 1990;
const RECENT_TO = 2039;
/** Words before a count and not before a year. */
const COUNTING =
  /^(?:sold|counted|recorded|received|shipped|delivered|processed|handled|served|issued|sent|made|produced|bought|ordered|holds?|had|has|have|with|about|around|nearly|almost|only|some|were|are|all|another|additional|further|total|totalling|remaining|than)$/;

function dateQuantity(tokens: readonly Token[], first: number, last: number, parts: Parts): Quantity {
  const start = tokens[first]?.start ?? 0;
  const end = tokens[last]?.end ?? start;
  return { kind: 'date', value: parts.year ?? 0, tolerance: 0, unit: '', ...parts, start, end, first, last };
}
