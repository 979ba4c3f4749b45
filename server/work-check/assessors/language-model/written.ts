import { months, ROMAN } from '../../reading/calendar-words.ts';
import { compareQuantities } from '../../reading/compare-quantities.ts';
import type { Quantity } from '../../reading/quantity.ts';
import type { Token } from '../../reading/token.ts';
import { inDigits } from './spelled.ts';

/** Whether a text gives a figure or a name in some form: as another language, a register or a table writes it. */

export type Written = { text: string; tokens: Token[]; stems: Set<string>; quantities: Quantity[] };

/** Whether a figure stands in a text, whatever its unit is written as; of a money amount no other currency may stand there. */
export function isWritten(figure: Quantity, { text, quantities }: Written): boolean {
  if (quantities.some((known) => compareQuantities(figure, known) === 'same')) return true;
  switch (figure.kind) {
    case 'date':
      return isDate(figure, text);
    case 'time':
      return isTime(figure.value, text);
    case 'money':
    case 'number':
    case 'percent':
      return (
        quantities.some((known) => isSameNumber(figure, known)) ||
        (!quantities.some((known) => isOtherMoney(figure, known)) && hasDigits(figure.value, text))
      );
    default:
      return figure.kind satisfies never;
  }
}

function isSameNumber(figure: Quantity, known: Quantity): boolean {
  // "From 7 to 18 June", "between 8 and 10".
  if (figure.kind === 'number' && known.kind === 'date') return known.day === figure.value;
  if (figure.kind === 'number' && known.kind === 'time') return known.value === figure.value * MINUTES;
  if (known.kind === 'date' || known.kind === 'time' || known.value !== figure.value) return false;
  return figure.kind === known.kind ? figure.kind !== 'money' || figure.unit === known.unit : known.kind === 'number';
}

const MINUTES = 60;

const isOtherMoney = (figure: Quantity, known: Quantity): boolean =>
  figure.kind === 'money' && known.kind === 'money' && figure.value === known.value && figure.unit !== known.unit;

/** "1.500", "1 500", "1'500,00" and the cell of "INST 11,1500.00" beside 1,500; "vier" beside 4. */
function hasDigits(value: number, text: string): boolean {
  const [whole = '', part = ''] = String(Math.abs(value)).split('.');
  if (!/^\d{1,12}$/.test(whole)) return false;
  // What follows may be the next cell of a row, but no more digits of this number.
  const alone = String.raw`(?![\d]|\.\d|,\d{1,3}(?!\d))`;
  const end = part === '' ? String.raw`(?:[.,]0{1,2}(?!\d)|${alone})` : String.raw`[.,]${part}0?(?!\d)`;
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, String.raw`[.,'’\s]?`);
  const start = String.raw`(?<![\d.]|\d,)${grouped}`;
  // "2,1500.00" and "14.0,435" are cells of a row: nothing is grouped like that.
  const cell = whole.length > GROUP ? `|(?<=\\d,)${whole}` : `|(?<=\\.\\d{1,3},)${whole}`;
  if (new RegExp(`(?:${start}${cell})${end}`).test(text)) return true;
  return part === '' && value < NUMBER_WORDS[0].length && wordsIn(text).some((word) => numberOf(word) === value);
}

const GROUP = 3;
/** Numbers in words by language, from 0; English ones are read as quantities. */
const NUMBER_WORDS = [
  'null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf',
  'zéro un deux trois quatre cinq six sept huit neuf dix onze douze',
  'cero un dos tres cuatro cinco seis siete ocho nueve diez once doce',
  'zero uno due tre quattro cinque sei sette otto nove dieci undici dodici',
  'nul een twee drie vier vijf zes zeven acht negen tien elf twaalf',
].map((words) => words.split(' ')) as [string[], ...string[][]];
/** Other forms of one. */
const ONE = /^(?:eine[smnr]?|une|una|één)$/;

/** Words of English, too: "payment due", "once". */
const ENGLISH_WORDS = new Set('due once elf dos sept'.split(' '));

const wordsIn = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

/** The number that a word of another language is; words of English, too, count where the text is not English. */
export function numberOf(word: string, inForeign = false): number | undefined {
  if (ONE.test(word)) return 1;
  if (ENGLISH_WORDS.has(word) && !inForeign) return undefined;
  return NUMBER_WORDS.map((words) => words.indexOf(word)).find((place) => place >= 0);
}

/** Words for spans of time in the same languages, by their beginnings. */
const SPANS: readonly (readonly [string, RegExp])[] = [
  ['year', /^(?:jahr(?:e[ns]?|s)?|ans|années?|años?|ann[oi]|jaar|jaren)$/],
  ['month', /^(?:monat(?:e[ns]?|s)?|mois|mes(?:es)?|mes[ei]|maand(?:en)?)$/],
  ['week', /^(?:wochen?|semaines?|semanas?|settiman[ae]|weken)$/],
  ['day', /^(?:tag(?:e[ns]?|s)?|jours?|días?|giorn[oi]|dag(?:en)?)$/],
  ['hour', /^(?:stunden?|heures?|horas?|or[ae]|uur)$/],
];
/** "Eine halbe Stunde", "une demi-heure", "mezz'ora", "due ore e mezza". */
const HALF = /^(?:halb(?:e|en)?|demie?|medi[ao]|mezz[ao]?|halve?|half)$/;
const ONE_AND_A_HALF = /^(?:anderthalb|eineinhalb|anderhalve?)$/;

/** "10 Jahre", "eines Monats", "neuf mois", "mezz'ora": a span of time that is not told in English. */
export function spanIn(text: string): { value: number; unit: string } | undefined {
  const words = text.toLowerCase().match(/\p{L}+|\d+/gu) ?? [];
  for (const [at, word] of words.entries()) {
    const unit = SPANS.find(([, form]) => form.test(word))?.[0];
    const before = words[at - 1] ?? '';
    const value = /^\d{1,4}$/.test(before) ? Number(before) : countBefore(before);
    if (unit === undefined || value === undefined) continue;
    const [and = '', half = ''] = words.slice(at + 1);
    const isMore = /^(?:e|et|y|en)$/.test(and) && HALF.test(half);
    return { value: value + (isMore ? 1 / 2 : 0), unit };
  }
  return undefined;
}

const countBefore = (word: string): number | undefined =>
  HALF.test(word) ? 1 / 2 : ONE_AND_A_HALF.test(word) ? 3 / 2 : numberOf(word, true);

/**
 * A number that is written otherwise than in English: "1 350 000", "1.350.000,50"; where English reads it as another one,
 * too, `isForeign` decides ("1.350", "5,50").
 */
export function otherwiseIn(text: string, isForeign: boolean): number | undefined {
  const decimal = /^\D*?(\d+),(\d{1,2})(?![\d.,]*\d)\D*$/u.exec(text);
  if (isForeign && decimal !== null) return Number(`${decimal[1]}.${decimal[2]}`);
  const found = /^\D*?(\d{1,3})((?:[\s.'’]\d{3})+)(?:,(\d{1,2}))?(?![\d.,]*\d)\D*$/u.exec(text);
  if (found === null) return undefined;
  const [, first = '', groups = '', part = ''] = found;
  const isEnglish = groups.length === GROUP + 1 && groups.startsWith('.') && part === '' && !isForeign;
  return isEnglish ? undefined : Number(`${first}${groups.replaceAll(/\D/g, '')}.${part || '0'}`);
}

/** "09.40 h" and "21:20,7.6" beside 09:40 and 21:20. */
function isTime(minutes: number, text: string): boolean {
  const [hour, minute] = [Math.floor(minutes / MINUTES), String(minutes % MINUTES).padStart(2, '0')];
  return new RegExp(
    String.raw`(?<![\d.:])0?${hour}(?::|\s?h|\.(?=\d\d\s*(?:h|Uhr|am|pm)))\s?${minute}(?!\d)`,
    'i',
  ).test(text);
}

/** "Een oktober", "dos de junio": a number in words before a month is a day. */
const withDays = (text: string): string =>
  text.replaceAll(/(?<!\p{L})(\p{L}+)(?=\s(?:de\s)?(\p{L}+))/gu, (word, _, next: string) => {
    const day = months.has(next.toLowerCase()) ? numberOf(word.toLowerCase(), true) : undefined;
    return day === undefined ? word : String(day);
  });

/**
 * Letters that a scan put for digits, and digits for letters: "2O24", "09.4O", "3l", "l0 years", "0ctober"; and numbers
 * spelled out in other languages.
 */
export function asDigits(text: string): string {
  return withDays(inDigits(text))
    .replaceAll(/(?<![\p{L}\d.,])0(?=\p{L}{3})/gu, 'O')
    .replaceAll(/(?<![\p{L}\d])[lI](?=\d)/gu, '1')
    .replaceAll(/(?<=\d[.,:/]?)[oO](?!\p{L})|(?<=\d)[oO](?=\d)/gu, '0')
    .replaceAll(/(?<=\d)[lI](?![\p{L}])/gu, '1');
}

/** "20 juin", "9.ix.31", "12. Jänner": the day, then its month; of "du 2 au 20 juin" both days. A year may be left out. */
function isDate({ day, month, year }: Quantity, text: string): boolean {
  if (day === undefined || month === undefined) return false;
  const other = String.raw`(?:\s*(?:[-–/]|\p{L}{1,4}\.?)\s*(?:\p{L}+\s+)?\d{1,2}\.?){0,2}`;
  const forms = [
    String.raw`(?<!\d)0?${day}[./]\s?(?<digits>0?${month})(?:[./]\s?(?<year>\d{2,4}))?(?!\d)`,
    String.raw`(?:(?<year>\d{4})-)?(?<!\d)(?<digits>0?${month})-0?${day}(?!\d)`,
    String.raw`(?<!\d)0?${day}-(?<digits>0?${month})-(?<year>\d{4}|\d{2})(?!\d)`,
    String.raw`(?<!\d)0?${day}(?:\p{L}{1,3})?${other}[\s.]+(?:de\s+)?(?<word>\p{L}+)(?:[\s.,'’]+(?:de\s+)?(?<year>\d{2,4})(?!\d)|\.)?`,
  ];
  return forms.some((form) =>
    [...text.matchAll(new RegExp(form, 'gu'))].some(({ 0: whole, groups = {} }) => {
      const word = groups.word?.toLowerCase() ?? '';
      // "20 I think" is no 20 January: numerals stand between dots.
      const isNumeral = ROMAN.includes(word) && !whole.toLowerCase().includes(`.${word}.`);
      const isMonth = groups.digits !== undefined || (!isNumeral && months.get(word)?.has(month) === true);
      return isMonth && (year === undefined || groups.year === undefined || String(year).endsWith(groups.year));
    }),
  );
}

/** Whether a name stands in a text, in full or cut short: "Capt." for Captain, "Robt." for Robert. */
export function isNamed({ stem, lower }: Token, { stems, tokens }: Written): boolean {
  return (
    stems.has(stem) ||
    tokens.some((token, at) => tokens[at + 1]?.lower === '.' && token.kind === 'word' && isShortOf(token.lower, lower))
  );
}

const SHORT_MIN = 3;

function isShortOf(short: string, word: string): boolean {
  if (short.length < SHORT_MIN || short.length >= word.length || short.slice(0, 2) !== word.slice(0, 2)) return false;
  let at = 0;
  for (const letter of word) if (letter === short[at]) at += 1;
  return at === short.length;
}

const ENGLISH = /(?<!\p{L})(?:the|of|and|to|is|are|was|were|with|for|by|that|this)(?!\p{L})/giu;
const OTHERS =
  /(?<!\p{L})(?:le|la|les|des|du|et|est|une|dans|pour|sur|au|aux|pas|der|die|das|und|ist|nicht|den|dem|zu|mit|im|vom|ein|eine|kein|keine|wird|el|los|las|una|para|por|del|il|che|di|sono|della|het|een|van|voor|aan|geen|niet|naar|zijn|och|att|som|og|det|nie|jest)(?!\p{L})/giu;

const languages = new WeakMap<object, boolean>();

/** Whether a source or a work is in another language than English, by its smallest words; found once for each. */
export function isForeign(source: { text: string } | { plain: string }): boolean {
  const text = 'text' in source ? source.text : source.plain;
  const known = languages.get(source) ?? (text.match(OTHERS)?.length ?? 0) > (text.match(ENGLISH)?.length ?? 0);
  languages.set(source, known);
  return known;
}

/**
 * A day as registers and other languages write it: "03-06-2024" (with hyphens or dots the day comes first), "12 janvier
 * 2025"; "19/8" and "08.09." stand alone.
 */
export function dayIn(text: string): { day: number; month: number; year?: number } | undefined {
  const short = /^\D*(\d{1,2})(?:\/(\d{1,2})|\.(\d{1,2})\.)\D*$/.exec(text);
  if (short !== null) {
    const [first, second] = [Number(short[1]), Number(short[2] ?? short[3])];
    return second > ROMAN.length ? validDay(second, first, undefined) : validDay(first, second, undefined);
  }
  const digits = /(?<!\d)(\d{1,2})[-.](\d{1,2})[-.](\d{4}|\d{2})(?!\d)/.exec(text);
  if (digits !== null) return validDay(Number(digits[1]), Number(digits[2]), yearOf(digits[3] ?? ''));
  const words = /(?<!\d)(\d{1,2})(?:\p{L}{1,3})?[\s.]+(?:de\s+)?(\p{L}+)\.?(?:\s+(?:de\s+)?(\d{4}))?/u.exec(text);
  const numbers = [...(months.get(words?.[2]?.toLowerCase() ?? '') ?? [])];
  const [month] = numbers;
  if (words === null || month === undefined || numbers.length > 1) return undefined;
  return validDay(Number(words[1]), month, words[3] === undefined ? undefined : Number(words[3]));
}

/** "25" is 2025: contracts and logs are of this century. */
const yearOf = (digits: string): number => Number(digits.length === 2 ? `20${digits}` : digits);

const DAYS_MAX = 31;

const validDay = (day: number, month: number, year: number | undefined) =>
  day >= 1 && day <= DAYS_MAX && month >= 1 && month <= ROMAN.length
    ? { day, month, ...(year === undefined ? {} : { year }) }
    : undefined;
