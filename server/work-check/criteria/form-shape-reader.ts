import { NUMBER } from './form-count-reader.ts';
import { type Feature, phrase, type Reader } from './form-rules.ts';

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
const listed = (text: string): string[] =>
  text
    .split(/,\s*(?:and |or )?|\s+(?:and|or)\s+|\//)
    .map((part) => part.replace(/^(?:for|the|an?) /, '').replaceAll(/^[\s\x60"“'‘]+|[\s\x60"”'’.]+$/g, ''))
    .filter((part) => part !== '');

/** Whether a list names keys: in quotation marks, or each in one word. "Keys in snake_case" names none. */
function areKeys(noun: string, list: string): boolean {
  if (/["\x60]/.test(list)) return true;
  const isOfWords = listed(list).every((key) => /^[\p{L}_][\w.-]*$/u.test(key));
  // "The fields date and amount" may be subjects.
  return isOfWords && (!/^fields$/i.test(noun) || /_|[a-z][A-Z]/.test(list));
}

/** Readers of shapes, closer patterns before wider ones. */
export const SHAPE_READERS: readonly Reader[] = [
  [
    phrase(`table with (?:the |these )?(?:${NUMBER} )?columns?:? ${LIST}`),
    ([, , list = '']) => ({ kind: 'columns', columns: listed(list), quoted: /["“\x60]/.test(list) }),
  ],
  [
    phrase(`(?:with|has|have|contains?|includes?|under) (?:the |these )?(?:sections|headings):? ${LIST}`),
    ([, list = '']) =>
      // In small letters they are subjects, which may stand under any title.
      listed(list).every((name) => /^\p{Lu}/u.test(name)) ? { kind: 'sections', names: listed(list) } : undefined,
  ],
  [
    phrase(
      String.raw`(?:(?:is|as|valid|well-formed|parsable|returns?|output in|in|be) (?:a )?(?:valid |well-formed |parsable )?)JSON(?: (?:object|array))?(?! schema)\b`,
    ),
    () => ({ kind: 'json' }),
  ],
  [
    phrase(`(keys|fields|properties)(?: named| called)?:? ${LIST}`),
    ([, noun = '', list = '']) => (areKeys(noun, list) ? { kind: 'keys', keys: listed(list) } : undefined),
  ],
  [
    phrase(
      String.raw`[\x60"“]?([\p{L}_][\p{L}\p{N}_]{1,30})[\x60"”]?(?: (?:field|column|value))? (?:is|are|must be|should be|has to be|be) (?:always |only )?(?:one of|either|limited to|restricted to):? (?:the values )?${LIST}`,
    ),
    ([, field = '', list = '']) => ({ kind: 'allowed', field, values: listed(list) }),
  ],
  [
    phrase(String.raw`allowed values (?:of|for) [\x60"“]?([\p{L}_][\p{L}\p{N}_]{1,30})[\x60"”]?(?: are|:)? ${LIST}`),
    ([, field = '', list = '']) => ({ kind: 'allowed', field, values: listed(list) }),
  ],
  [
    phrase(
      String.raw`in (${Object.keys(LANGUAGES).join('|')})(?: only| language| throughout)?(?=$|[.,;)]| and\b| with\b| in\b)`,
    ),
    ([, name = '']) => ({ kind: 'language', code: LANGUAGES[name.toLowerCase()] ?? '', name }),
  ],
  [
    phrase(
      `(?:starts?|begins?|opens?|starting|beginning|opening) with (?:the (?:words?|phrase|sentence|line) )?${QUOTED}`,
    ),
    ([, words = '']) => ({ kind: 'phrase', where: 'start', phrase: words }),
  ],
  [
    phrase(
      `(?:ends?|closes?|finishes|concludes?|ending|closing) with (?:the (?:words?|phrase|sentence|line) )?${QUOTED}`,
    ),
    ([, words = '']) => ({ kind: 'phrase', where: 'end', phrase: words }),
  ],
  [
    phrase(
      `(?:(?:does|do|must|should|may|can) ?n[o']t|never|avoids?|without|no)(?: (?:contain|include|mention|use|say|using|saying))?s? (?:the |any )?(?:words?|phrases?|terms?|expressions?)? ?${QUOTED}`,
    ),
    ([, words = '']) => ({ kind: 'phrase', where: 'nowhere', phrase: words }),
  ],
  [
    phrase(
      `(?:contains?|includes?|has|have|uses?|carries|carry) (?:the |this |these )?(?:exact )?(?:words?|phrases?|terms?|sentence|line|text|heading|disclaimer|note|notice)?:? ?${QUOTED}`,
    ),
    ([, words = '']) => ({ kind: 'phrase', where: 'anywhere', phrase: words }),
  ],
  [
    phrase(
      String.raw`(?:no|without(?: any)?|avoids?|(?:does |do |must |should )?n[o']t (?:use|contain|have|include)(?: any)?|free of) ${THING}(?! (?:is|are|has|have|may|exceeds?|longer|with|runs?|should|must|of|holds?|contains?)\b)`,
    ),
    ([, word = '']) => ({ kind: 'has', what: feature(word), wanted: false }),
  ],
  [
    phrase(
      String.raw`(?:has|have|uses?|contains?|includes?|with|as|in|under|formatted (?:as|in|with)) (?:a |an |clear |short )?(bullet points|bullets|bulleted list|numbered list|(?:sub)?headings|(?<=\b(?:a|an) )table)\b(?! of contents)`,
    ),
    ([, word = '']) => ({ kind: 'has', what: feature(word), wanted: true }),
  ],
  [
    phrase(
      `(?:no|not|never|without)(?: any)? (?:(?:words? )?(?:written )?in )?(?:all[- ]caps|capitals|capital letters|upper[- ]?case)`,
    ),
    () => ({ kind: 'capitals', wanted: false }),
  ],
  [
    phrase(`(?:written |set |are |is )?(?:all )?in (?:all[- ]caps|(?:block )?capitals|capital letters|upper[- ]?case)`),
    () => ({ kind: 'capitals', wanted: true }),
  ],
  [
    phrase(
      String.raw`(?:figures|numbers|amounts|values|prices|quantities|(?:numeric|number) (?:fields|values)|totals|measurements)\b[^.;]{0,40}?\b(?:plain numbers|numbers,? (?:and )?not (?:strings|text)|numeric|not (?:as )?(?:strings|text)|without (?:their )?units?|as numbers|JSON numbers|real numbers)`,
    ),
    () => ({ kind: 'plain_numbers' }),
  ],
  [
    phrase(
      `(?:dates? [^.;]{0,30}?)?(?:ISO(?:[ -]?8601)?(?: dates?| format)?|YYYY-MM-DD)(?: dates?| format)?(?: in (?:all |the )*date fields)?`,
    ),
    () => ({ kind: 'iso_dates' }),
  ],
  [
    phrase(
      `(?:(?:no|without(?: any)?|free of|avoids?|(?:does |do |must )?n[o']t (?:use|contain)(?: any)?) markdown|(?:in |is |as )?plain text(?: only)?)(?: formatting)?`,
    ),
    () => ({ kind: 'no_markdown' }),
  ],
];

const GRADE = String.raw`(\d{1,2})(?:st|nd|rd|th)?`;
/** Readers of reading levels. */
export const LEVEL_READERS: readonly Reader[] = [
  [
    phrase(
      String.raw`Flesch reading ease(?: score)?(?: is| of)? (?:at least|above|over|≥|>=)? ?(\d{1,3})(?: or (?:more|higher|above))?`,
    ),
    ([, n = '']) => ({ kind: 'reading', index: 'ease', min: Number(n) }),
  ],
  [
    phrase(
      `Flesch[- –]Kincaid(?: grade)?(?: level)?(?: is| of)? ?(?:at most|below|under|no higher than|≤|<=|up to)? ?(?:grade )?${GRADE}(?: or (?:below|lower|less))?`,
    ),
    ([, n = '']) => ({ kind: 'reading', index: 'grade', max: Number(n) }),
  ],
  [
    phrase(`grade ${GRADE} (?:reading )?level(?: or (?:below|lower))?`),
    ([, n = '']) => ({ kind: 'reading', index: 'grade', max: Number(n) }),
  ],
  [
    phrase(`${GRADE}[- ]grade (?:reading )?level(?: or (?:below|lower))?`),
    ([, n = '']) => ({ kind: 'reading', index: 'grade', max: Number(n) }),
  ],
  [
    phrase(
      `(?:reading|readability) (?:level|grade)(?: is| of)? (?:at most |below |no higher than |at )?(?:grade )?${GRADE}(?: or (?:below|lower))?`,
    ),
    ([, n = '']) => ({ kind: 'reading', index: 'grade', max: Number(n) }),
  ],
  [
    phrase(
      String.raw`(?:reading|readability) (?:level|score|grade)|plain (?:English|language)|(?:\d{1,2}|[\p{L}]+)-year-olds?\b[^.;]{0,30}\b(?:understands?|follows?|reads?|grasps?)|(?:understandable|readable|clear) (?:for|to|by) an? (?:\d{1,2}|[\p{L}]+)-year-old`,
    ),
    () => ({ kind: 'reading', index: 'grade' }),
  ],
];
