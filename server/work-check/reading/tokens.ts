import { isPartOfCue } from './instructions.ts';
import { opensFigure } from './quantities.ts';
import type { Form, Token } from './token.ts';

/** Thousands may be set apart by a space that does not break. */
const NUMBER = /\d{1,3}(?:[\u00A0\u2009\u202F]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*/y;
const APART = /[\u00A0\u2009\u202F]/g;
const WORD = /\p{L}[\p{L}\p{M}]*(?:['’](?=\p{L})\p{L}+)?/uy;
const SPACE = /\s/;

/** Forms of the words seen so far, since texts repeat themselves; forgotten all at once when there are too many. */
const FORMS_MAX = 65_536;
const forms = new Map<string, Form>();
/** Longer ones are hardly words, and would fill the memory. */
const KEPT_LENGTH_MAX = 32;
/** Shorter parts of a text are copies of their own in V8. */
const PART_LENGTH_MIN = 13;

/** Splits a text into tokens; `offset` is added to each position. */
export function tokenize(text: string, offset = 0): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 32 || (code >= 9 && code <= 13)) {
      at += 1;
      continue;
    }
    const start = offset + at;
    if (code >= 48 && code <= 57) {
      const raw = runAt(NUMBER, text, at);
      at += raw.length;
      const lower = raw.replaceAll(APART, '');
      tokens.push({
        lower,
        stem: lower,
        start,
        end: offset + at,
        kind: 'number',
        capital: false,
        content: true,
        denies: false,
        form: undefined,
      });
      continue;
    }
    const form = formAt(text, at, code);
    if (form !== undefined) {
      at += form.raw.length;
      const { lower, stem, capital, content, denies } = form;
      tokens.push({
        lower,
        stem,
        start,
        end: offset + at,
        kind: 'word',
        capital,
        content,
        denies,
        form,
      });
      continue;
    }
    const mark = code < 128 ? (text[at] ?? '') : String.fromCodePoint(text.codePointAt(at) ?? code);
    at += mark.length;
    if (code >= 128 && SPACE.test(mark)) continue;
    tokens.push({
      lower: mark,
      stem: mark,
      start,
      end: offset + at,
      kind: 'mark',
      capital: false,
      content: false,
      denies: false,
      form: undefined,
    });
  }
  return tokens;
}

function runAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function isAsciiLetter(code: number): boolean {
  const small = code | 32;
  return small >= 97 && small <= 122;
}

/** The form of the word that begins at `at`, if one does. Plain letters up to a plain end need no pattern. */
function formAt(text: string, at: number, code: number): Form | undefined {
  let end = at;
  let next = code;
  while (isAsciiLetter(next)) {
    end += 1;
    next = text.charCodeAt(end);
  }
  if (next >= 128 || (next === 39 && end > at)) end = Math.max(end, at + runAt(WORD, text, at).length);
  if (end === at) return undefined;
  const raw = text.slice(at, end);
  const known = forms.get(raw);
  if (known !== undefined) return known;
  if (raw.length > KEPT_LENGTH_MAX) return formOf(raw);
  // V8 holds a whole text in memory for a part of it, unless that is short: what is kept is a copy.
  const form = formOf(raw.length < PART_LENGTH_MIN ? raw : Buffer.from(raw).toString());
  if (forms.size >= FORMS_MAX) forms.clear();
  forms.set(form.raw, form);
  return form;
}

function formOf(raw: string): Form {
  const whole = raw.toLowerCase();
  const apostrophe = whole.includes("'") || whole.includes('’');
  const lower = apostrophe ? whole.replaceAll('’', "'").replace(/'s$/, '') : whole;
  return {
    raw,
    lower,
    stem: stem(lower),
    capital: raw[0] !== whole[0],
    content: lower.length > 1 && !isFunctionWord(lower),
    denies: DENIALS.has(lower) || lower.endsWith("n't"),
    opensFigure: opensFigure(lower),
    partOfCue: isPartOfCue(raw),
  };
}

const hasVowel = (part: string): boolean => /[aeiouy]/.test(part);

const SUFFIXES: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['isation', 'ize'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['ation', 'ate'],
  ['ising', 'ize'],
  ['ised', 'ize'],
  ['ises', 'ize'],
  ['ise', 'ize'],
  ['ness', ''],
  ['ment', ''],
  ['ship', ''],
  ['ally', 'al'],
  ['ously', 'ous'],
  ['ively', 'ive'],
  ['fully', 'ful'],
  ['ly', ''],
  ['ency', 'ent'],
  ['ancy', 'ant'],
  ['ator', 'ate'],
  ['ity', ''],
];

/** Stem of a lower-case English word: the inflections of one word share it. After Porter (1980), steps 1 and part of 2 to 4. */
export function stem(word: string): string {
  const w = IRREGULAR.get(word) ?? word;
  if (w.length <= 3 || !/^[a-z]+$/.test(w)) return w;
  return withoutVowel(withoutSuffix(withoutEnding(singular(w))));
}

function singular(w: string): string {
  if (w.endsWith('sses')) return w.slice(0, -2);
  if (w.endsWith('ies')) return w.length > 4 ? `${w.slice(0, -3)}y` : w.slice(0, -1);
  const isPlural = w.endsWith('s') && !w.endsWith('ss') && !w.endsWith('us') && !w.endsWith('is');
  return isPlural ? w.slice(0, -1) : w;
}

/** Without the ending of a past or of a going on. */
function withoutEnding(w: string): string {
  if (w.endsWith('eed')) return w.length > 4 ? w.slice(0, -1) : w;
  if (w.endsWith('ed') && hasVowel(w.slice(0, -2)) && w.length > 4) return tidy(w.slice(0, -2));
  return w.endsWith('ing') && hasVowel(w.slice(0, -3)) && w.length > 5 ? tidy(w.slice(0, -3)) : w;
}

function withoutSuffix(w: string): string {
  for (const [suffix, replacement] of SUFFIXES)
    if (w.endsWith(suffix) && w.length - suffix.length >= 4) return w.slice(0, -suffix.length) + replacement;
  return w;
}

function withoutVowel(w: string): string {
  const open = w.endsWith('y') && w.length > 3 && !/[aeiou]y$/.test(w) ? `${w.slice(0, -1)}i` : w;
  return open.endsWith('e') && open.length > 4 ? open.slice(0, -1) : open;
}

function tidy(w: string): string {
  if (/(?:at|bl|iz)$/.test(w)) return `${w}e`;
  if (/([^aeiouylsz])\1$/.test(w)) return w.slice(0, -1);
  return w;
}

const IRREGULAR = new Map(
  (
    'am be,is be,are be,was be,were be,been be,being be,has have,had have,having have,does do,did do,done do,doing do,' +
    'said say,says say,went go,gone go,made make,making make,took take,taken take,taking take,came come,coming come,' +
    'gave give,given give,giving give,got get,gotten get,knew know,known know,thought think,bought buy,brought bring,' +
    'sold sell,told tell,found find,felt feel,kept keep,left leave,led lead,lost lose,meant mean,met meet,paid pay,' +
    'ran run,running run,saw see,seen see,sent send,sat sit,spoke speak,spoken speak,spent spend,stood stand,taught teach,' +
    'wrote write,written write,writing write,won win,winning win,began begin,begun begin,broke break,broken break,' +
    'built build,chose choose,chosen choose,drew draw,drawn draw,drove drive,driven drive,fell fall,fallen fall,' +
    'flew fly,flown fly,grew grow,grown grow,held hold,heard hear,hit hit,rose rise,risen rise,rising rise,shot shoot,' +
    'shown show,showed show,died die,dying die,dies die,became become,became become,becoming become,' +
    'children child,men man,women woman,people people,lives life,wives wife,leaves leave,using use,used use,uses use,' +
    'better good,best good,worse bad,worst bad,further far,less less,more more'
  )
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
);

const FUNCTION_WORDS = new Set(
  (
    'a an the this that these those there here of in on at to for from by with as and or but nor so yet if then than ' +
    "it its it's he she they them his her hers their theirs him we us our i me my you your who whom whose which what " +
    'when where why how be am is are was were been being have has had having do does did done will would shall should ' +
    'can could may might must also just very too such each any about into ' +
    'through between against again once while because until although though however ' +
    "s t re ve ll d m n't not no never yes yea yeah yep nay nope ''"
  ).split(' '),
);

const DENIALS = new Set('not no never none neither nor without cannot nothing nobody'.split(' '));

/** Where words stand in a text from `from` on, or -1; a number is not found within a longer one, as 320 in 3205. */
export function placeOf(words: string, text: string, from = 0): number {
  for (let at = text.indexOf(words, from); at !== -1; at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    const isWithin = (isDigit(words[0]) && isDigit(text[at - 1])) || (isDigit(words.at(-1)) && isDigit(text[end]));
    if (!isWithin) return at;
  }
  return -1;
}

/** Whether words stand in a text as a whole: "East" does not in "Easter". */
export function holdsWhole(words: string, text: string): boolean {
  for (let at = text.indexOf(words); at !== -1 && words !== ''; at = text.indexOf(words, at + 1))
    if (!/[\p{L}\d]/u.test(text[at - 1] ?? ' ') && !/[\p{L}\d]/u.test(text[at + words.length] ?? ' ')) return true;
  return false;
}

const isDigit = (mark: string | undefined): boolean => mark !== undefined && mark >= '0' && mark <= '9';

/** Words that carry grammar rather than content. */
export function isFunctionWord(lower: string): boolean {
  return FUNCTION_WORDS.has(lower);
}

/** Whether a token carries content: a number or a word that is not grammar. */
export function isContent(token: Token): boolean {
  return token.content;
}
