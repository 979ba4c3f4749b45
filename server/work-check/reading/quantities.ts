// Longer than 300 lines: the tables of units and months and the readers that use them belong together.
import type { Token } from './token.ts';

/**
 * A figure as a reader takes it. `value` is in base units (percent as 42, money in the currency's unit, a clock time
 * in minutes); a date carries the parts it states. `unit` is the stem of the thing counted, or empty.
 */
export type Quantity = {
  kind: 'number' | 'percent' | 'money' | 'date' | 'time';
  value: number;
  /** Half of the last stated digit's worth: 1.2 million may stand for anything from 1.15 to 1.25 million. */
  tolerance: number;
  unit: string;
  /** A time told by the dial of a clock: morning or evening is not said. */
  spoken?: true;
  year?: number;
  month?: number;
  day?: number;
  start: number;
  end: number;
  first: number;
  last: number;
};

const SMALL = new Map(
  (
    'zero 0,two 2,three 3,four 4,five 5,six 6,seven 7,eight 8,nine 9,ten 10,eleven 11,twelve 12,thirteen 13,fourteen 14,' +
    'fifteen 15,sixteen 16,seventeen 17,eighteen 18,nineteen 19,twenty 20,thirty 30,forty 40,fifty 50,sixty 60,' +
    'seventy 70,eighty 80,ninety 90,dozen 12,twice 2,third 3,fourth 4,fifth 5,sixth 6,seventh 7,eighth 8,ninth 9,tenth 10'
  )
    .split(',')
    .map((pair) => {
      const [word = '', value = '0'] = pair.split(' ');
      return [word, Number(value)] as const;
    }),
);

const ORDINAL_WORDS = new Set('third fourth fifth sixth seventh eighth ninth tenth'.split(' '));

const SCALES = new Map([
  ['hundred', 1e2],
  ['thousand', 1e3],
  ['k', 1e3],
  ['million', 1e6],
  ['mn', 1e6],
  ['m', 1e6],
  ['billion', 1e9],
  ['bn', 1e9],
  ['b', 1e9],
  ['trillion', 1e12],
  ['tn', 1e12],
  ['lakh', 1e5],
  ['crore', 1e7],
]);

const MONTHS = new Map(
  'january february march april may june july august september october november december'
    .split(' ')
    .flatMap((name, index) => [[name, index + 1] as const, [name.slice(0, 3), index + 1] as const]),
);
MONTHS.set('sept', 9);
for (const [at, name] of 'januar februar märz april mai juni juli august september oktober november dezember'
  .split(' ')
  .entries())
  MONTHS.set(name, at + 1);
/** Whether a figure can begin with a lower-case word: most words need no closer look. */
/** "Half past six": minutes after the hour, or before it. */
const SPOKEN = new Map([
  ['half', 30],
  ['quarter', 15],
]);
const HALF_DAY = 720;

export const opensFigure = (lower: string): boolean => SMALL.has(lower) || MONTHS.has(lower) || SPOKEN.has(lower);

const CURRENCIES = new Map(
  '$ usd,usd usd,dollar usd,€ eur,eur eur,euro eur,£ gbp,gbp gbp,pound gbp,¥ jpy,jpy jpy,yen jpy,chf chf,cad cad,aud aud'
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
);

/** Each unit by its names and their stems: "metres" has the stem "metr". */
const UNITS = new Map(
  (
    'km kilometer,kilometre kilometer,kilometr kilometer,kilometer kilometer,kilomet kilometer,m meter,metre meter,' +
    'metr meter,meter meter,cm centimeter,centimetre centimeter,centimetr centimeter,centimeter centimeter,' +
    'millimetre millimeter,millimetr millimeter,millimeter millimeter,tonn tonne,ounc ounce,hectar hectare,litr liter,' +
    'centilitre centiliter,centilitr centiliter,centiliter centiliter,millilitre milliliter,millilitr milliliter,' +
    'milliliter milliliter,microgram microgram,milligram milligram,kilogramm kilogram,gramm gram,' +
    'mm millimeter,mile mile,mi mile,ft foot,feet foot,foot foot,inch inch,kg kilogram,kilogram kilogram,g gram,gram gram,' +
    'mg milligram,lb pound,tonne tonne,ton tonne,h hour,hr hour,hour hour,min minute,minut minute,minute minute,second second,sec second,' +
    'ms millisecond,day day,week week,month month,year year,yr year,mb megabyte,gb gigabyte,tb terabyte,kwh kilowatthour,' +
    'w watt,watt watt,tsp teaspoon,teaspoon teaspoon,tbsp tablespoon,tablespoon tablespoon,cup cup,oz ounce,ounce ounce,pint pint,gallon gallon,knot knot,kn knot,mph mileperhour,bar bar,volt volt,hectare hectare,ha hectare,acre acre,kcal kilocalorie,kj kilojoule,ppm ppm,db decibel,decibel decibel,µg microgram,ug microgram,mmol millimole,pmol picomole,nmol nanomole,kw kilowatt,mw megawatt,gw gigawatt,cl centiliter,l liter,litre liter,liter liter,ml milliliter'
  )
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
);

/** Reads all figures of a token list, in order. Dates swallow their parts. */
export function readQuantities(
  tokens: readonly Token[],
  order?: DayOrder,
  mayBeYear: (token: Token) => boolean = () => true,
): Quantity[] {
  const found: Quantity[] = [];
  let at = 0;
  while (at < tokens.length) {
    const token = tokens[at];
    if (token?.kind !== 'number' && token?.form?.opensFigure !== true) {
      at += 1;
      continue;
    }
    const quantity = readDate(tokens, at, order, mayBeYear) ?? readTime(tokens, at) ?? readNumber(tokens, at);
    if (quantity === undefined) {
      at += 1;
      continue;
    }
    found.push(quantity);
    at = quantity.last + 1;
  }
  return inOneUnit(found, tokens);
}

/** "482 x 365 mm" gives both in millimetres. */
function inOneUnit(found: Quantity[], tokens: readonly Token[]): Quantity[] {
  for (let at = found.length - 2; at >= 0; at -= 1) {
    const [one, next] = [found[at], found[at + 1]];
    const joined = next !== undefined && one?.last === next.first - 2 && TIMES.has(tokens[next.first - 1]?.lower ?? '');
    if (joined && one.kind === 'number' && next.kind === 'number' && !KNOWN_UNITS.has(one.unit) && isMeasure(next))
      found[at] = { ...one, unit: next.unit };
  }
  return found;
}

const TIMES = new Set(['x', '×', 'by']);

function monthOf(token: Token | undefined): number | undefined {
  if (token?.kind !== 'word') return undefined;
  // "may" and "march" are words too; a month is written with a capital in running text.
  if (!token.capital && (token.lower === 'may' || token.lower === 'march' || token.lower === 'mar')) return undefined;
  return MONTHS.get(token.lower);
}

function plainInteger(token: Token | undefined, min: number, max: number): number | undefined {
  if (token?.kind !== 'number' || !/^\d+$/.test(token.lower)) return undefined;
  const value = Number(token.lower);
  return value >= min && value <= max ? value : undefined;
}

function isYear(token: Token | undefined): number | undefined {
  // "1 950", set apart by a space that does not break, is no year.
  return token !== undefined && token.end - token.start === 4 ? plainInteger(token, 1000, 2199) : undefined;
}

const ORDINAL_TAILS = new Set(['st', 'nd', 'rd', 'th']);

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

function readDate(
  tokens: readonly Token[],
  at: number,
  order: DayOrder | undefined,
  mayBeYear: (token: Token) => boolean,
): Quantity | undefined {
  const date = readNumericDate(tokens, at, order) ?? readDottedDate(tokens, at) ?? readWordDate(tokens, at);
  const token = tokens[at];
  return date ?? (token !== undefined && mayBeYear(token) ? readYear(tokens, at) : undefined);
}

/** "03.05.2026"; and "03.05." with its full stop, where it opens a line or a word before it asks for a date. */
function readDottedDate(tokens: readonly Token[], at: number): Quantity | undefined {
  const token = tokens[at];
  if (token?.kind !== 'number') return undefined;
  const [, first = '', second = '', third] = /^(\d{1,2})\.(\d{1,2})(?:\.(\d{4}))?$/.exec(token.lower) ?? [];
  const [day, month] = [Number(first), Number(second)];
  if (!(day >= 1 && day <= 31 && month >= 1 && month <= 12)) return undefined;
  if (third !== undefined) return dateQuantity(tokens, at, at, { year: Number(third), month, day });
  const stop = tokens[at + 1];
  if (second.length < 2 || stop?.lower !== '.' || stop.start !== token.end) return undefined;
  const before = tokens[at - 1]?.lower ?? '';
  // At the end of a sentence "to 4.05." may be a rate.
  const last = at + 2 >= tokens.length;
  return at === 0 || ASKS_DATE.has(before) || (DATED.has(before) && !last)
    ? dateQuantity(tokens, at, at + 1, { month, day })
    : undefined;
}

const ASKS_DATE = new Set('on by until till since am bis vom ab seit up-to date'.split(' '));
const DATED = new Set('from of to before after between and zum dem den - – — ( , / | : ;'.split(' '));

function readNumericDate(tokens: readonly Token[], at: number, order: DayOrder | undefined): Quantity | undefined {
  const [a, s1, b, s2, c] = [tokens[at], tokens[at + 1], tokens[at + 2], tokens[at + 3], tokens[at + 4]];
  if (s1?.lower !== s2?.lower || (s1?.lower !== '-' && s1?.lower !== '/' && s1?.lower !== '.')) return undefined;
  const year = isYear(a);
  if (year !== undefined) {
    const month = plainInteger(b, 1, 12);
    const day = plainInteger(c, 1, 31);
    if (month !== undefined && day !== undefined) return dateQuantity(tokens, at, at + 4, { year, month, day });
  }
  const lastYear = isYear(c);
  const first = plainInteger(a, 1, 31);
  const second = plainInteger(b, 1, 31);
  if (lastYear === undefined || first === undefined || second === undefined) return undefined;
  // Day first or month first is not said: only what both readings share is kept, unless the text shows its order.
  if (first > 12 || (order === 'day first' && second <= 12))
    return dateQuantity(tokens, at, at + 4, { year: lastYear, month: second, day: first });
  if (second > 12 || order === 'month first')
    return dateQuantity(tokens, at, at + 4, { year: lastYear, month: first, day: second });
  return dateQuantity(
    tokens,
    at,
    at + 4,
    first === second ? { year: lastYear, month: first, day: first } : { year: lastYear },
  );
}

function readWordDate(tokens: readonly Token[], at: number): Quantity | undefined {
  let next = at;
  let day = plainInteger(tokens[next], 1, 31);
  let month: number | undefined;
  if (day !== undefined) {
    next += 1;
    if (ORDINAL_TAILS.has(tokens[next]?.lower ?? '')) next += 1;
    // "16. November"
    if (tokens[next]?.lower === '.' && tokens[next]?.start === tokens[at]?.end) next += 1;
    if (tokens[next]?.lower === 'of') next += 1;
    month = monthOf(tokens[next]);
    if (month === undefined) return undefined;
    next += 1;
  } else {
    month = monthOf(tokens[next]);
    if (month === undefined) return undefined;
    next += 1;
    // "In May. 3 came": only a shortened name takes a full stop of its own.
    if (isShort(tokens[at]) && tokens[next]?.lower === '.' && plainInteger(tokens[next + 1], 1, 31) !== undefined)
      next += 1;
    day = plainInteger(tokens[next], 1, 31);
    if (day !== undefined) next += 1;
    if (ORDINAL_TAILS.has(tokens[next]?.lower ?? '')) next += 1;
  }
  let last = next - 1;
  const stops = tokens[next]?.lower === '.' && isShort(tokens[last]);
  const yearAt = stops || tokens[next]?.lower === ',' || tokens[next]?.lower === 'of' ? next + 1 : next;
  const year = isYear(tokens[yearAt]);
  if (year !== undefined) last = yearAt;
  const short = year === undefined && day !== undefined ? shortYear(tokens, next) : undefined;
  if (short !== undefined) return dateQuantity(tokens, at, next, { year: short, month, day: day ?? 0 });
  return dateQuantity(tokens, at, last, { ...(year ? { year } : {}), month, ...(day ? { day } : {}) });
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

const wordBefore = (tokens: readonly Token[], at: number): string => (at > 0 && tokens[at - 1]?.lower) || '';

function dateQuantity(
  tokens: readonly Token[],
  first: number,
  last: number,
  parts: { year?: number; month?: number; day?: number },
): Quantity {
  const start = tokens[first]?.start ?? 0;
  const end = tokens[last]?.end ?? start;
  return { kind: 'date', value: parts.year ?? 0, tolerance: 0, unit: '', ...parts, start, end, first, last };
}

/** "Half past six", "quarter to nine": of the morning or the evening, which is not said. */
function readSpokenTime(tokens: readonly Token[], at: number): Quantity | undefined {
  const minutes = SPOKEN.get(tokens[at]?.lower ?? '');
  const way = tokens[at + 1]?.lower;
  const hour = numeral(tokens[at + 2])?.value ?? (tokens[at + 2]?.lower === 'one' ? 1 : undefined);
  if (minutes === undefined || (way !== 'past' && way !== 'to') || hour === undefined || hour < 1 || hour > 12)
    return undefined;
  const value = (hour * 60 + (way === 'past' ? minutes : -minutes)) % HALF_DAY;
  const [start, end] = [tokens[at]?.start ?? 0, tokens[at + 2]?.end ?? 0];
  return { kind: 'time', value, tolerance: 0, unit: '', spoken: true, start, end, first: at, last: at + 2 };
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

function readTime(tokens: readonly Token[], at: number): Quantity | undefined {
  const spoken = readSpokenTime(tokens, at);
  if (spoken !== undefined) return spoken;
  const dotted = dottedTime(tokens, at);
  const hour = dotted?.hour ?? plainInteger(tokens[at], 0, 23);
  if (hour === undefined) return undefined;
  let last = at;
  let minute = dotted?.minute ?? 0;
  // "3: 13 October" is no time.
  const joined = tokens[at + 1]?.start === tokens[at]?.end && tokens[at + 2]?.start === tokens[at + 1]?.end;
  if (dotted === undefined && joined && tokens[at + 1]?.lower === ':' && /^\d\d$/.test(tokens[at + 2]?.lower ?? '')) {
    minute = Number(tokens[at + 2]?.lower);
    last = at + 2;
  }
  const mark = tokens[last + 1]?.lower ?? '';
  const half = mark === 'am' || mark === 'pm' ? mark : '';
  if (last === at && half === '' && dotted === undefined) return undefined;
  const hours = half === 'pm' && hour < 12 ? hour + 12 : half === 'am' && hour === 12 ? 0 : hour;
  if (half !== '') last += 1;
  const start = tokens[at]?.start ?? 0;
  return {
    kind: 'time',
    value: hours * 60 + minute,
    tolerance: 0,
    unit: '',
    start,
    end: tokens[last]?.end ?? start,
    first: at,
    last,
  };
}

function numeral(token: Token | undefined): { value: number; step: number } | undefined {
  if (token === undefined) return undefined;
  if (token.kind === 'number') {
    const grouped = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(token.lower);
    const plain = grouped ? token.lower.replaceAll(',', '') : token.lower;
    const continental = /^\d{1,3}(?:\.\d{3})+,\d{1,2}$/.test(plain) ? plain.replaceAll('.', '') : plain;
    const decimalComma = /^\d+,\d{1,2}$/.test(continental) ? continental.replace(',', '.') : continental;
    if (!/^\d+(?:\.\d+)?$/.test(decimalComma)) return undefined;
    const point = decimalComma.indexOf('.');
    return { value: Number(decimalComma), step: point === -1 ? 1 : 10 ** (point + 1 - decimalComma.length) };
  }
  const small = SMALL.get(token.lower);
  return small === undefined ? undefined : { value: small, step: 1 };
}

function readNumber(tokens: readonly Token[], at: number): Quantity | undefined {
  const head = numeral(tokens[at]);
  if (head === undefined) return undefined;
  let { value, step } = head;
  let last = at;
  const wordy = tokens[at]?.kind === 'word';
  if (wordy && value >= 20 && value < 100) {
    const skip = tokens[last + 1]?.lower === '-' ? 2 : 1;
    const ones = SMALL.get(tokens[last + skip]?.lower ?? '');
    if (ones !== undefined && ones > 0 && ones < 10) {
      value += ones;
      last += skip;
    }
  }
  let scaled = false;
  for (let scale = scaleAfter(tokens, last); scale !== undefined; scale = scaleAfter(tokens, last)) {
    value *= scale.factor;
    step *= scale.factor;
    last = scale.last;
    scaled = true;
  }
  const tail = ORDINAL_TAILS.has(tokens[last + 1]?.lower ?? '') && tokens[last + 1]?.start === tokens[last]?.end;
  if (tail) last += 1;
  const ordinal = tail || ORDINAL_WORDS.has(tokens[last]?.lower ?? '');
  const start = tokens[at]?.start ?? 0;
  const base = { value, tolerance: scaled || step < 1 ? step / 2 : 0, start, first: at };
  const after = tokens[last + 1];
  if (after?.lower === '%' || after?.lower === 'percent' || after?.lower === 'pct')
    return { ...base, kind: 'percent', unit: '%', end: after.end, last: last + 1 };
  if (after?.lower === 'per' && tokens[last + 2]?.lower === 'cent')
    return { ...base, kind: 'percent', unit: '%', end: tokens[last + 2]?.end ?? after.end, last: last + 2 };
  const before = CURRENCIES.get(wordBefore(tokens, at));
  const end = tokens[last]?.end ?? start;
  if (before !== undefined) return { ...base, kind: 'money', unit: before, end, last };
  const currency = CURRENCIES.get(after?.lower ?? '') ?? CURRENCIES.get(after?.stem ?? '');
  if (currency !== undefined && after !== undefined)
    return { ...base, kind: 'money', unit: currency, end: after.end, last: last + 1 };
  return { ...base, kind: 'number', unit: ordinal ? 'ordinal' : unitAfter(tokens, last), end, last };
}

function scaleAfter(tokens: readonly Token[], last: number): { factor: number; last: number } | undefined {
  const next = tokens[last + 1];
  if (next === undefined) return undefined;
  const joined = next.start === tokens[last]?.end;
  const letter = next.lower.length <= 2;
  if (letter && next.lower === 'm' && !joined) return undefined;
  if (letter && next.lower !== 'bn' && next.lower !== 'mn' && next.lower !== 'tn' && !joined) return undefined;
  const factor = SCALES.get(next.lower) ?? SCALES.get(next.stem);
  return factor === undefined ? undefined : { factor, last: last + 1 };
}

const DAY_KINDS = new Set(['working', 'business', 'calendar', 'consecutive', 'full']);

function unitAfter(tokens: readonly Token[], last: number): string {
  let next = tokens[last + 1];
  if (next?.lower === '-') next = tokens[last + 2];
  // "5 working days" are days.
  if (next !== undefined && DAY_KINDS.has(next.lower)) next = tokens[tokens.indexOf(next, last) + 1];
  if (next?.kind !== 'word') return '';
  const at = tokens.indexOf(next, last);
  const rate = tokens[at + 1]?.lower === '/' ? tokens[at + 2]?.lower : undefined;
  // "41 km/h" is no distance.
  if (rate !== undefined && UNITS.has(next.lower) && next.end === tokens[at + 1]?.start)
    return `${UNITS.get(next.lower)}/${UNITS.get(rate) ?? rate}`;
  return UNITS.get(next.lower) ?? UNITS.get(next.stem) ?? next.stem;
}

/** How a claimed figure stands to one in the evidence. */
export type QuantityMatch = 'same' | 'different' | 'unrelated';

const UNIT_NAMES = new Set(UNITS.values());
const KNOWN_UNITS = { has: (unit: string): boolean => unit.includes('/') || UNIT_NAMES.has(unit) };

/** Whether a figure counts a unit of measure, as 320 m does and 320 chairs do not. */
export const isMeasure = ({ unit }: Pick<Quantity, 'unit'>): boolean => KNOWN_UNITS.has(unit);

/**
 * Compares a claimed figure with one of the evidence. A claim may round; it may leave out parts of a date; it may not
 * change a stated part or the unit.
 */
export function compareQuantities(claimed: Quantity, known: Quantity): QuantityMatch {
  if (claimed.kind === 'date' || known.kind === 'date') {
    if (claimed.kind !== known.kind) return sameBareNumber(claimed, known) ? 'same' : 'unrelated';
    return compareDates(claimed, known);
  }
  if (claimed.kind === 'time' && known.kind === 'time' && (claimed.spoken ?? known.spoken) === true)
    return claimed.value % HALF_DAY === known.value % HALF_DAY ? 'same' : 'different';
  if (claimed.kind === 'time' && known.kind === 'number') return isDottedTime(claimed, known) ? 'same' : 'unrelated';
  const equal = Math.abs(claimed.value - known.value) <= Math.max(claimed.tolerance, 1e-9 * Math.abs(known.value));
  if (claimed.kind !== known.kind) {
    const bare =
      (claimed.kind === 'number' && !KNOWN_UNITS.has(claimed.unit)) ||
      (known.kind === 'number' && !KNOWN_UNITS.has(known.unit));
    return equal && bare ? 'same' : 'unrelated';
  }
  if (claimed.unit !== known.unit && claimed.unit !== '' && known.unit !== '') {
    if (claimed.kind === 'money') return equal ? 'different' : 'unrelated';
    if (KNOWN_UNITS.has(claimed.unit) && KNOWN_UNITS.has(known.unit)) return equal ? 'different' : 'unrelated';
    return equal ? 'same' : 'unrelated';
  }
  return equal ? 'same' : 'different';
}

/** "17:30" where the evidence writes 17.30. */
function isDottedTime({ value }: Quantity, known: Quantity): boolean {
  const [hour, minute] = [Math.floor(known.value), Math.round((known.value % 1) * 100)];
  return known.tolerance === 0.005 && minute < 60 && hour * 60 + minute === value;
}

function sameBareNumber(a: Quantity, b: Quantity): boolean {
  const date = a.kind === 'date' ? a : b;
  const other = a.kind === 'date' ? b : a;
  if (other.kind !== 'number') return false;
  // "The 24th" may be of any month; a bare 24 is no day.
  const isDay = date.month === undefined || other.unit === 'ordinal' || other.unit === '';
  return other.value === date.year || (date.year === undefined && isDay && other.value === date.day);
}

function compareDates(claimed: Quantity, known: Quantity): QuantityMatch {
  let shared = 0;
  let missing = 0;
  for (const part of ['year', 'month', 'day'] as const) {
    const [a, b] = [claimed[part], known[part]];
    if (a !== undefined && b !== undefined) {
      if (a !== b) return 'different';
      shared += 1;
    } else if (a !== undefined) missing += 1;
  }
  if (shared === 0) return 'unrelated';
  return missing === 0 ? 'same' : 'unrelated';
}
