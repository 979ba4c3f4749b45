/** A word, number or mark of a text; offsets are UTF-16 indices, `stem` joins the forms of one word. */
export type Token = {
  lower: string;
  stem: string;
  start: number;
  end: number;
  kind: 'word' | 'number' | 'mark';
  capital: boolean;
};

const TOKEN = /\d+(?:[.,]\d+)*|\p{L}[\p{L}\p{M}]*(?:['’](?=\p{L})\p{L}+)?|[%$€£¥]|[^\s\p{L}\d]/gu;

/** Splits a text into tokens; `offset` is added to each position. */
export function tokenize(text: string, offset = 0): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const raw = match[0];
    const start = offset + match.index;
    const first = raw.charCodeAt(0);
    const isDigit = first >= 48 && first <= 57;
    const kind = isDigit ? 'number' : /^\p{L}/u.test(raw) ? 'word' : 'mark';
    const lower = kind === 'word' ? raw.toLowerCase().replaceAll('’', "'") : raw;
    const bare = lower.replace(/'s$/, '');
    const capital = kind === 'word' && raw[0] !== lower[0];
    tokens.push({
      lower: bare,
      stem: kind === 'word' ? stem(bare) : bare,
      start,
      end: start + raw.length,
      kind,
      capital,
    });
  }
  return tokens;
}

const stems = new Map<string, string>();
const STEMS_MAX = 50_000;

/** Stem of a lower-case English word: the inflections of one word share it. After Porter (1980), steps 1 and part of 2 to 4. */
export function stem(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const result = computeStem(word);
  if (stems.size >= STEMS_MAX) stems.clear();
  stems.set(word, result);
  return result;
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

function computeStem(word: string): string {
  let w = IRREGULAR.get(word) ?? word;
  if (w.length <= 3 || !/^[a-z]+$/.test(w)) return w;
  if (w.endsWith('sses')) w = w.slice(0, -2);
  else if (w.endsWith('ies')) w = w.length > 4 ? `${w.slice(0, -3)}y` : w.slice(0, -1);
  else if (w.endsWith('s') && !w.endsWith('ss') && !w.endsWith('us') && !w.endsWith('is')) w = w.slice(0, -1);
  if (w.endsWith('eed')) w = w.length > 4 ? w.slice(0, -1) : w;
  else if (w.endsWith('ed') && hasVowel(w.slice(0, -2)) && w.length > 4) w = tidy(w.slice(0, -2));
  else if (w.endsWith('ing') && hasVowel(w.slice(0, -3)) && w.length > 5) w = tidy(w.slice(0, -3));
  for (const [suffix, replacement] of SUFFIXES) {
    if (w.endsWith(suffix) && w.length - suffix.length >= 4) {
      w = w.slice(0, -suffix.length) + replacement;
      break;
    }
  }
  if (w.endsWith('y') && w.length > 3 && !/[aeiou]y$/.test(w)) w = `${w.slice(0, -1)}i`;
  if (w.endsWith('e') && w.length > 4) w = w.slice(0, -1);
  return w;
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
    'can could may might must also just very too such own same each both some any all about into over under up down ' +
    'out off through during before after between against again once while because until although though however ' +
    "s t re ve ll d m n't not no never ''"
  ).split(' '),
);

/** Words that carry grammar rather than content. */
export function isFunctionWord(lower: string): boolean {
  return FUNCTION_WORDS.has(lower);
}

/** Whether a token carries content: a number or a word that is not grammar. */
export function isContent(token: Token): boolean {
  return token.kind === 'number' || (token.kind === 'word' && token.lower.length > 1 && !isFunctionWord(token.lower));
}
