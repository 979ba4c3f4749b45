import { type BareRule, type FormUnit, phrase, type Reader } from './form-rules.ts';

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
/** A whole number, spelled or written. */
export const NUMBER = String.raw`(\d{1,3}(?:,\d{3})+|\d{1,6}|(?:a|one|two|three|four|five) hundred(?: and fifty)?|(?:${TENS.join('|')})(?:-(?:${ONES.slice(1, 10).join('|')}))?|fifteen|${ONES.join('|')})`;
const UNIT = String.raw`(words?|sentences?|characters?|chars?|paragraphs?|headings?|sections?|bullet points?|bullets?|numbered (?:points?|items?|steps?)|list items?|items?|points?|entries|rows?|records?|columns?)\b`;
const MOST = String.raw`(?:at most|at maximum|no more than|not more than|no longer than|not longer than|(?:a |the )?maximum(?: length)?(?: of)?|max\.?|up to|within|in under|capped at|limited to|(?:not|never|n[o']t) (?:to )?(?:exceed(?:s|ing)?|(?:be |run )?(?:longer than|over))|(?:not|never) (?:have |has |use )?(?:more than|above|over|beyond)|keeps? (?:it )?to|≤|<=|(?:a |the )?(?:upper )?limit(?: of| is|:)?)`;
const LEAST = String.raw`(?:at least|at minimum|no fewer than|not fewer than|no less than|not less than|(?:a |the )?minimum(?: length)?(?: of)?|min\.?|≥|>=)`;
const LESS = '(?:under|below|fewer than|less than|shorter than|<)';
const MORE = '(?:more than|over|longer than|above|>|exceeds?)';
const NEAR = '(?:about|around|approx\\.?|approximately|roughly|circa|ca\\.?|some)';

/** A spelled or written whole number; -1 for other words. */
function numberOf(text: string): number {
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

/** A pattern with two parts, a number and a unit in either order, and the bounds that the number sets. */
const bounded = (source: string, bounds: (value: number) => Bounds): Reader => [
  phrase(source),
  ([, first = '', second = '']): BareRule => {
    const [figure, unit] = numberOf(first) === -1 ? [second, first] : [first, second];
    return { kind: 'count', unit: unitOf(unit), ...bounds(numberOf(figure)) };
  },
];
const most = (max: number): Bounds => ({ max });
const least = (min: number): Bounds => ({ min });
const exactly = (value: number): Bounds => ({ min: value, max: value });

/** Readers of counts, closer patterns before wider ones. */
export const COUNT_READERS: readonly Reader[] = [
  [
    phrase(`(?:between )?${NUMBER} ?(?:to|and|or|-|–) ?${NUMBER} ${UNIT}`),
    ([, low = '', high = '', unit = '']) => {
      const [min, max] = [numberOf(low), numberOf(high)];
      return min < max ? { kind: 'count', unit: unitOf(unit), min, max } : undefined;
    },
  ],
  bounded(`${NUMBER} ${UNIT} or (?:fewer|less|under|below)`, most),
  bounded(`${NUMBER} ${UNIT} or (?:more|longer|over)`, least),
  bounded(String.raw`${NUMBER} ${UNIT} ?\(?(?:at most|max(?:imum)?\.?|tops)(?![\p{L}])\)?`, most),
  bounded(String.raw`${NUMBER} ${UNIT} ?\(?(?:at least|min(?:imum)?\.?)(?![\p{L}])\)?`, least),
  [
    phrase(String.raw`(?:word count )?(?:is |be )?within \d{1,2} ?(?:%|percent) of ${NUMBER}(?: words)?`),
    ([, figure = '']) => ({ kind: 'count', unit: 'words', near: numberOf(figure) }),
  ],
  bounded(String.raw`^${NUMBER} (sentences?|paragraphs?|bullet points?|bullets)\b(?=\s*(?:$|,|and\b))`, exactly),
  bounded(`${NUMBER}[- ](word|character|sentence) (?:limit|maximum|cap)`, most),
  bounded(
    `(word|character|sentence) (?:limit|maximum|cap|count)(?: of| is|:)? (?:at most )?${NUMBER}(?: words| characters)?`,
    most,
  ),
  bounded(String.raw`no (?:[\p{L}-]+ ){1,3}${MORE} ${NUMBER} ${UNIT}`, most),
  bounded(`${MOST} ${NUMBER} ${UNIT}`, most),
  bounded(`${LEAST} ${NUMBER} ${UNIT}`, least),
  bounded(`${LESS} ${NUMBER} ${UNIT}`, (value) => ({ max: value - 1, strict: true })),
  bounded(`${MORE} ${NUMBER} ${UNIT}`, (value) => ({ min: value + 1, strict: true })),
  bounded(`(?:exactly|precisely|only|just) ${NUMBER} ${UNIT}`, exactly),
  bounded(String.raw`${NEAR} ${NUMBER} (words?|sentences?|characters?|paragraphs?)\b`, (near) => ({ near })),
  bounded(String.raw`${NUMBER} (sentences?|words?|paragraphs?)(?= (?:per|for each|for every|each)\b)`, exactly),
  [
    phrase(String.raw`(?:a )?single (sentence|paragraph|word)\b`),
    ([, unit = '']) => ({ kind: 'count', unit: unitOf(unit), ...exactly(1) }),
  ],
  bounded(
    String.raw`(?:is|are|in|of|has|have|into|as|uses?|contains?|consists? of|put in) ${NUMBER} (words?|sentences?|paragraphs?|(?:bullet points?|bullets|headings|rows?|columns?)(?! (?:(?:for|in|to) )?(?:each|every|per)\b))\b`,
    exactly,
  ),
  // "Five short paragraphs, …": what a criterion or a clause of it opens with.
  bounded(
    String.raw`(?<=^\s*|[,;:]\s+)${NUMBER} (?:(?:short|brief|concise|plain|full|clear|separate) )?(sentences?|paragraphs?|bullet points?|bullets?|numbered (?:points?|items?|steps?)|sections?|headings?)\b(?![^.;]*\b(?:each|every|per)\b)`,
    exactly,
  ),
  [
    phrase(
      String.raw`(?:at most|no more than|not more than|up to|within|under|fits?(?: on| in)?|on|in|is) (?:${NUMBER}|a single|half an?) (?:(?:A4|printed|side) )?pages?\b`,
    ),
    ([, figure = 'one']) => ({ kind: 'pages', pages: numberOf(figure) }),
  ],
  [
    phrase(
      String.raw`(?:(?:word|length) limit|(?:requested|asked|agreed|given|required) length|limit on (?:length|words)|length (?:asked for|requested|limit))\b`,
    ),
    () => ({ kind: 'as_requested' }),
  ],
];
