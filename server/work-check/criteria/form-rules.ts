/** What a criterion asks of the form of a work. `asked` are its words; `about` those that may narrow it to a part. */
export type FormRule = { asked: string; about: readonly string[]; each?: string } & (
  | { kind: 'count'; unit: FormUnit; min?: number; max?: number; near?: number; strict?: boolean }
  | { kind: 'pages'; pages: number }
  | { kind: 'as_requested' }
  | { kind: 'has'; what: Feature; wanted: boolean }
  | { kind: 'columns'; columns: readonly string[]; quoted: boolean }
  | { kind: 'sections'; names: readonly string[] }
  | { kind: 'json' }
  | { kind: 'keys'; keys: readonly string[] }
  | { kind: 'allowed'; field: string; values: readonly string[] }
  | { kind: 'language'; code: string; name: string }
  | { kind: 'reading'; index: 'grade' | 'ease'; min?: number; max?: number }
  | { kind: 'phrase'; where: 'start' | 'end' | 'anywhere' | 'nowhere'; phrase: string }
  | { kind: 'capitals'; wanted: boolean }
  | { kind: 'plain_numbers' }
  | { kind: 'iso_dates' }
  | { kind: 'no_markdown' }
);

/** What was found of one rule. */
export type RuleAnswer = {
  status: 'met' | 'missing' | 'not_assessable';
  /** Sentences that are literally true, with the figure found and the figure asked for. */
  reason: string;
  /** Where the rule is not kept, with the words there. */
  failed?: readonly { at: string; words: string }[];
};

export type FormUnit =
  | 'words'
  | 'sentences'
  | 'characters'
  | 'paragraphs'
  | 'headings'
  | 'bullets'
  | 'numbered points'
  | 'items'
  | 'rows'
  | 'columns';

export type Feature =
  | 'headings'
  | 'bullets'
  | 'a numbered list'
  | 'a list'
  | 'a table'
  | 'emoji'
  | 'exclamation marks'
  | 'links'
  | 'code blocks';

/** A rule without what the words around it say. */
export type BareRule = FormRule extends infer R
  ? R extends FormRule
    ? Omit<R, 'asked' | 'about' | 'each'>
    : never
  : never;

const ONES = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];
const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const NUMBER = String.raw`(\d{1,3}(?:,\d{3})+|\d{1,6}|(?:a|one|two|three|four|five) hundred(?: and fifty)?|(?:${TENS.join('|')})(?:-(?:${ONES.slice(1, 10).join('|')}))?|fifteen|${ONES.join('|')})`;
const UNIT = String.raw`(words?|sentences?|characters?|chars?|paragraphs?|headings?|sections?|bullet points?|bullets?|numbered (?:points?|items?|steps?)|list items?|items?|points?|entries|rows?|records?|columns?)\b`;
const MOST = String.raw`(?:at most|at maximum|no more than|not more than|no longer than|not longer than|(?:a |the )?maximum(?: length)?(?: of)?|max\.?|up to|within|in under|capped at|limited to|(?:not|never|n[o']t) (?:to )?(?:exceed(?:s|ing)?|(?:be |run )?(?:longer than|over))|(?:not|never) (?:have |has |use )?more than|keeps? (?:it )?to|≤|<=|(?:a |the )?(?:upper )?limit(?: of| is)?)`;
const LEAST = String.raw`(?:at least|at minimum|no fewer than|not fewer than|no less than|not less than|(?:a |the )?minimum(?: length)?(?: of)?|min\.?|≥|>=)`;
const LESS = '(?:under|below|fewer than|less than|shorter than|<)';
const MORE = '(?:more than|over|longer than|above|>|exceeds?)';
const NEAR = '(?:about|around|approximately|roughly|circa|ca\\.?|some)';

/** A spelled or written whole number. */
export function numberOf(text: string): number {
  const lower = text.toLowerCase().replaceAll(',', '');
  if (/^\d+$/.test(lower)) return Number(lower);
  const hundred = /^(a|one|two|three|four|five) hundred( and fifty)?$/.exec(lower);
  if (hundred) return Math.max(1, ONES.indexOf(hundred[1] ?? '')) * 100 + (hundred[2] === undefined ? 0 : 50);
  if (lower === 'fifteen') return 15;
  const [tens = '', ones = 'zero'] = lower.split('-');
  return TENS.includes(tens) ? (TENS.indexOf(tens) + 2) * 10 + ONES.indexOf(ones) : ONES.indexOf(lower);
}

const UNITS: readonly (readonly [RegExp, FormUnit])[] = [
  [/^word/, 'words'],
  [/^sentence/, 'sentences'],
  [/^char/, 'characters'],
  [/^paragraph/, 'paragraphs'],
  [/^(?:heading|section)/, 'headings'],
  [/^bullet/, 'bullets'],
  [/^numbered/, 'numbered points'],
  [/^row/, 'rows'],
  [/^column/, 'columns'],
];

const unitOf = (word: string): FormUnit => UNITS.find(([start]) => start.test(word.toLowerCase()))?.[1] ?? 'items';

type Bounds = { min?: number; max?: number; near?: number; strict?: boolean };
const count = (unit: string, bounds: Bounds): BareRule => ({ kind: 'count', unit: unitOf(unit), ...bounds });
const pattern = (source: string): RegExp => new RegExp(String.raw`(?<![\p{L}\p{N}-])${source}`, 'giu');

type Reader = readonly [RegExp, (parts: readonly string[], label: string) => BareRule | undefined];

const COUNTS: readonly Reader[] = [
  [
    pattern(`(?:between )?${NUMBER} ?(?:to|and|-|–) ?${NUMBER} ${UNIT}`),
    ([, low = '', high = '', unit = '']) => {
      const [min, max] = [numberOf(low), numberOf(high)];
      return min < max ? count(unit, { min, max }) : undefined;
    },
  ],
  [
    pattern(`${NUMBER} ${UNIT} or (?:fewer|less|under|below)`),
    ([, n = '', unit = '']) => count(unit, { max: numberOf(n) }),
  ],
  [pattern(`${NUMBER} ${UNIT} or (?:more|longer|over)`), ([, n = '', unit = '']) => count(unit, { min: numberOf(n) })],
  [
    pattern(String.raw`${NUMBER} ${UNIT} ?\(?(?:at most|max(?:imum)?\.?|tops)(?![\p{L}])\)?`),
    ([, n = '', unit = '']) => count(unit, { max: numberOf(n) }),
  ],
  [
    pattern(String.raw`${NUMBER} ${UNIT} ?\(?(?:at least|min(?:imum)?\.?)(?![\p{L}])\)?`),
    ([, n = '', unit = '']) => count(unit, { min: numberOf(n) }),
  ],
  [
    pattern(`${NUMBER}[- ](word|character|sentence) (?:limit|maximum|cap)`),
    ([, n = '', unit = '']) => count(unit, { max: numberOf(n) }),
  ],
  [
    pattern(
      `(word|character|sentence) (?:limit|maximum|cap|count)(?: of| is|:)? (?:at most )?${NUMBER}(?: words| characters)?`,
    ),
    ([, unit = '', n = '']) => count(unit, { max: numberOf(n) }),
  ],
  [
    pattern(String.raw`no (?:[\p{L}-]+ ){1,3}${MORE} ${NUMBER} ${UNIT}`),
    ([, n = '', unit = '']) => count(unit, { max: numberOf(n) }),
  ],
  [
    pattern(String.raw`no (?:[\p{L}-]+ ){1,2}(?:has|is|runs|have|are) ${MORE} ${NUMBER} ${UNIT}`),
    ([, n = '', unit = '']) => count(unit, { max: numberOf(n) }),
  ],
  [pattern(`${MOST} ${NUMBER} ${UNIT}`), ([, n = '', unit = '']) => count(unit, { max: numberOf(n) })],
  [pattern(`${LEAST} ${NUMBER} ${UNIT}`), ([, n = '', unit = '']) => count(unit, { min: numberOf(n) })],
  [
    pattern(`${LESS} ${NUMBER} ${UNIT}`),
    ([, n = '', unit = '']) => count(unit, { max: numberOf(n) - 1, strict: true }),
  ],
  [
    pattern(`${MORE} ${NUMBER} ${UNIT}`),
    ([, n = '', unit = '']) => count(unit, { min: numberOf(n) + 1, strict: true }),
  ],
  [
    pattern(`(?:exactly|precisely|only|just) ${NUMBER} ${UNIT}`),
    ([, n = '', unit = '']) => count(unit, { min: numberOf(n), max: numberOf(n) }),
  ],
  [
    pattern(String.raw`${NEAR} ${NUMBER} (words?|sentences?|characters?|paragraphs?)\b`),
    ([, n = '', unit = '']) => count(unit, { near: numberOf(n) }),
  ],
  [pattern(String.raw`(?:a )?single (sentence|paragraph|word)\b`), ([, unit = '']) => count(unit, { min: 1, max: 1 })],
  [
    pattern(
      String.raw`(?:is|are|in|of|has|have|into|as|uses?|contains?|consists? of|put in) ${NUMBER} (words?|sentences?|paragraphs?|bullet points?|bullets|headings)\b`,
    ),
    ([, n = '', unit = '']) => count(unit, { min: numberOf(n), max: numberOf(n) }),
  ],
  [
    pattern(
      String.raw`(?:(?:at most|no more than|not more than|up to|within|under|fits?(?: on| in)?|on|in|half) )(?:a |an )?(?:${NUMBER} |single |half (?:a )?)?(?:(?:A4|printed|side) )?pages?\b`,
    ),
    ([, n]) => ({ kind: 'pages', pages: n === undefined ? 1 : numberOf(n) }),
  ],
  [
    pattern(
      String.raw`(?:(?:word|length) (?:limit|count)|(?:requested|asked|agreed|given|required) length|limit on (?:length|words)|length (?:asked for|requested|limit))\b`,
    ),
    () => ({ kind: 'as_requested' }),
  ],
];

const LANGUAGES: Readonly<Record<string, string>> = {
  english: 'eng',
  german: 'deu',
  french: 'fra',
  spanish: 'spa',
  italian: 'ita',
  dutch: 'nld',
  portuguese: 'por',
  polish: 'pol',
  swedish: 'swe',
  danish: 'dan',
  norwegian: 'nob',
  finnish: 'fin',
  czech: 'ces',
  greek: 'ell',
  turkish: 'tur',
  russian: 'rus',
  ukrainian: 'ukr',
  hungarian: 'hun',
  romanian: 'ron',
  japanese: 'jpn',
  chinese: 'cmn',
  korean: 'kor',
  arabic: 'arb',
  hindi: 'hin',
};
/** ISO 639-3 codes of the languages told apart. */
export const LANGUAGE_CODES: readonly string[] = Object.values(LANGUAGES);
export const languageName = (code: string): string => {
  const name = Object.keys(LANGUAGES).find((key) => LANGUAGES[key] === code) ?? code;
  return `${name[0]?.toUpperCase()}${name.slice(1)}`;
};

const QUOTED = String.raw`["“„«‘']([^"“”„«»\n]{1,200}?)["”“»’']`;
const THING =
  '(bullet points?|bullets?|bulleted lists?|numbered lists?|lists?|(?:sub)?headings?|tables?|emojis?|exclamation marks?|links?|URLs?|code blocks?)\\b';
const feature = (word: string): Feature => {
  const lower = word.toLowerCase();
  if (lower.startsWith('bullet')) return 'bullets';
  if (lower.startsWith('numbered')) return 'a numbered list';
  if (lower.startsWith('list')) return 'a list';
  if (lower.includes('heading')) return 'headings';
  if (lower.startsWith('table')) return 'a table';
  if (lower.startsWith('emoji')) return 'emoji';
  if (lower.startsWith('excl')) return 'exclamation marks';
  return lower.startsWith('code') ? 'code blocks' : 'links';
};

const LIST = String.raw`((?:[\x60"“'‘]?[\p{L}\p{N}_][\p{L}\p{N}_ .%-]{0,40}[\x60"”'’]?(?:, ?(?:and |or )?| and | or |\/))+[\x60"“'‘]?[\p{L}\p{N}_][\p{L}\p{N}_ .%-]{0,40}[\x60"”'’]?)`;
export const listed = (text: string): string[] =>
  text
    .split(/,\s*(?:and |or )?|\s+(?:and|or)\s+|\//)
    .map((part) => part.replaceAll(/^[\s\x60"“'‘]+|[\s\x60"”'’.]+$/g, ''))
    .filter((part) => part !== '');

const SHAPES: readonly Reader[] = [
  [
    pattern(`table with (?:the |these )?(?:${NUMBER} )?columns?:? ${LIST}`),
    ([, , list = '']) => ({ kind: 'columns', columns: listed(list), quoted: /["“\x60]/.test(list) }),
  ],
  [
    pattern(`(?:with|has|have|contains?|includes?|under) (?:the |these )?(?:sections|headings):? ${LIST}`),
    ([, list = '']) => ({ kind: 'sections', names: listed(list) }),
  ],
  [
    pattern(
      String.raw`(?:(?:is|as|valid|well-formed|parsable|returns?|output in|in|be) (?:a )?(?:valid |well-formed |parsable )?)JSON(?: (?:object|array))?(?! schema)\b`,
    ),
    () => ({ kind: 'json' }),
  ],
  [
    pattern(`(?:keys|fields|properties)(?: named| called)?:? ${LIST}`),
    ([, list = '']) => (/["\x60_]|[a-z][A-Z]/.test(list) ? { kind: 'keys', keys: listed(list) } : undefined),
  ],
  [
    pattern(
      String.raw`[\x60"“]?([\p{L}_][\p{L}\p{N}_]{1,30})[\x60"”]? (?:is|are|must be|should be|has to be|be) (?:always |only )?(?:one of|either|limited to|restricted to):? (?:the values )?${LIST}`,
    ),
    ([, field = '', list = '']) => ({ kind: 'allowed', field, values: listed(list) }),
  ],
  [
    pattern(String.raw`allowed values (?:of|for) [\x60"“]?([\p{L}_][\p{L}\p{N}_]{1,30})[\x60"”]?(?: are|:)? ${LIST}`),
    ([, field = '', list = '']) => ({ kind: 'allowed', field, values: listed(list) }),
  ],
  [
    pattern(
      String.raw`in (${Object.keys(LANGUAGES).join('|')})(?: only| language| throughout)?(?=$|[.,;)]| and\b| with\b| in\b)`,
    ),
    ([, name = '']) => ({ kind: 'language', code: LANGUAGES[name.toLowerCase()] ?? '', name }),
  ],
  [
    pattern(
      `(?:starts?|begins?|opens?|starting|beginning|opening) with (?:the (?:words?|phrase|sentence|line) )?${QUOTED}`,
    ),
    ([, phrase = '']) => ({ kind: 'phrase', where: 'start', phrase }),
  ],
  [
    pattern(
      `(?:ends?|closes?|finishes|concludes?|ending|closing) with (?:the (?:words?|phrase|sentence|line) )?${QUOTED}`,
    ),
    ([, phrase = '']) => ({ kind: 'phrase', where: 'end', phrase }),
  ],
  [
    pattern(
      `(?:(?:does|do|must|should|may|can) ?n[o']t|never|avoids?|without|no)(?: (?:contain|include|mention|use|say|using|saying))?s? (?:the |any )?(?:words?|phrases?|terms?|expressions?)? ?${QUOTED}`,
    ),
    ([, phrase = '']) => ({ kind: 'phrase', where: 'nowhere', phrase }),
  ],
  [
    pattern(
      `(?:contains?|includes?|has|have|uses?|carries|carry) (?:the |this |these )?(?:exact )?(?:words?|phrases?|terms?|sentence|line|text|heading|disclaimer|note|notice)?:? ?${QUOTED}`,
    ),
    ([, phrase = '']) => ({ kind: 'phrase', where: 'anywhere', phrase }),
  ],
  [
    pattern(
      String.raw`(?:no|without(?: any)?|avoids?|(?:does |do |must |should )?n[o']t (?:use|contain|have|include)(?: any)?|free of) ${THING}(?! (?:is|are|has|have|may|exceeds?|longer|with|runs?|should|must|of|holds?|contains?)\b)`,
    ),
    ([, word = '']) => ({ kind: 'has', what: feature(word), wanted: false }),
  ],
  [
    pattern(
      String.raw`(?:has|have|uses?|contains?|includes?|with|as|in|under|formatted (?:as|in|with)) (?:a |an |clear |short )?(bullet points|bullets|bulleted list|numbered list|(?:sub)?headings|(?<=\b(?:a|an) )table)\b(?! of contents)`,
    ),
    ([, word = '']) => ({ kind: 'has', what: feature(word), wanted: true }),
  ],
  [
    pattern(
      `(?:no|not|never|without)(?: any)? (?:(?:words? )?(?:written )?in )?(?:all[- ]caps|capitals|capital letters|upper[- ]?case)`,
    ),
    () => ({ kind: 'capitals', wanted: false }),
  ],
  [
    pattern(
      `(?:written |set |are |is )?(?:all )?in (?:all[- ]caps|(?:block )?capitals|capital letters|upper[- ]?case)`,
    ),
    () => ({ kind: 'capitals', wanted: true }),
  ],
  [
    pattern(
      String.raw`(?:figures|numbers|amounts|values|prices|quantities|(?:numeric|number) (?:fields|values)|totals|measurements)\b[^.;]{0,40}?\b(?:plain numbers|numbers,? (?:and )?not (?:strings|text)|numeric|not (?:as )?(?:strings|text)|without (?:their )?units?|as numbers|JSON numbers|real numbers)`,
    ),
    () => ({ kind: 'plain_numbers' }),
  ],
  [
    pattern(`(?:dates? [^.;]{0,30}?)?(?:ISO(?:[ -]?8601)?(?: dates?| format)?|YYYY-MM-DD)(?: dates?| format)?`),
    () => ({ kind: 'iso_dates' }),
  ],
  [
    pattern(
      `(?:(?:no|without(?: any)?|free of|avoids?|(?:does |do |must )?n[o']t (?:use|contain)(?: any)?) markdown|(?:in |is |as )?plain text(?: only)?)(?: formatting)?`,
    ),
    () => ({ kind: 'no_markdown' }),
  ],
];

const GRADE = String.raw`(\d{1,2})(?:st|nd|rd|th)?`;
const READING: readonly Reader[] = [
  [
    pattern(
      String.raw`Flesch reading ease(?: score)?(?: is| of)? (?:at least|above|over|≥|>=)? ?(\d{1,3})(?: or (?:more|higher|above))?`,
    ),
    ([, n = '']) => ({ kind: 'reading', index: 'ease', min: Number(n) }),
  ],
  [
    pattern(
      `Flesch[- –]Kincaid(?: grade)?(?: level)?(?: is| of)? ?(?:at most|below|under|no higher than|≤|<=|up to)? ?(?:grade )?${GRADE}`,
    ),
    ([, n = '']) => ({ kind: 'reading', index: 'grade', max: Number(n) }),
  ],
  [
    pattern(`${GRADE}[- ]grade (?:reading )?level(?: or (?:below|lower))?`),
    ([, n = '']) => ({ kind: 'reading', index: 'grade', max: Number(n) }),
  ],
  [
    pattern(
      `(?:reading|readability) (?:level|grade)(?: is| of)? (?:at most |below |no higher than |at )?(?:grade )?${GRADE}(?: or (?:below|lower))?`,
    ),
    ([, n = '']) => ({ kind: 'reading', index: 'grade', max: Number(n) }),
  ],
  [
    pattern(
      String.raw`(?:reading|readability) (?:level|score|grade)|plain (?:English|language)|(?:\d{1,2}|[\p{L}]+)-year-olds?\b[^.;]{0,30}\b(?:understands?|follows?|reads?|grasps?)|(?:understandable|readable|clear) (?:for|to|by) an? (?:\d{1,2}|[\p{L}]+)-year-old`,
    ),
    () => ({ kind: 'reading', index: 'grade' }),
  ],
];

/** A rule and where in the criterion its words stand. */
export type PlacedRule = { rule: BareRule; start: number; end: number };

/** The rules of form that a criterion holds, in the order of their words; none is read from words of another. */
export function readRules(label: string): PlacedRule[] {
  let open = label;
  const placed: PlacedRule[] = [];
  for (const [shape, read] of [...READING, ...SHAPES, ...COUNTS])
    for (const match of [...open.matchAll(shape)]) {
      const rule = read(
        [...match].map((part) => part as string),
        label,
      );
      if (rule === undefined) continue;
      const end = match.index + match[0].length;
      placed.push({ rule, start: match.index, end });
      open = open.slice(0, match.index) + ' '.repeat(end - match.index) + open.slice(end);
    }
  return placed.sort((a, b) => a.start - b.start);
}
