/** Amounts as people tell them: "an hour and a half", "two thirds", "a fortnight"; and how closely: "nearly", "over". */

/**
 * An amount and what it counts: `minute`, `day`, `month`, or `%` for a share. `each` is what one of the unit that it is
 * told in comes to, `step` what its last digit is worth, `slack` how far a value may lie off that is told so exactly,
 * `start` where it stands in its phrase.
 */
export type Spoken = {
  value: number;
  unit: 'minute' | 'day' | 'month' | '%';
  each: number;
  step: number;
  slack: number;
  start: number;
};

const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const numberOf = (word: string): number => {
  const digits = Number(word.replace(',', '.'));
  if (!Number.isNaN(digits)) return digits;
  return /^(?:an?|the)$/.test(word) ? 1 : NUMBERS.indexOf(word);
};
const COUNT = String.raw`\d+(?:[.,]\d+)?|an?|${NUMBERS.join('|')}`;

const PARTS: Readonly<Record<string, number>> = {
  half: 2,
  halves: 2,
  third: 3,
  quarter: 4,
  fifth: 5,
  sixth: 6,
  eighth: 8,
  tenth: 10,
};
/** "half", "a third", "three-quarters"; "a third outage" and "the second half" count something else. */
const FRACTION = new RegExp(
  String.raw`(?<![\p{L}\d])(?:(?<count>${COUNT})[ -])?(?<part>half|halves|third|quarter|fifth|sixth|eighth|tenth)(?<many>s?)(?![\p{L}\d])(?! (?:an?|hour|day|week|month|year)\b)`,
  'u',
);
/** "One in four", "3 out of 8". */
const ONE_IN = new RegExp(
  String.raw`(?<![\p{L}\d.,])(?<part>${COUNT}) (?:in|out of) (?:every )?(?<all>${COUNT})(?![\p{L}\d])`,
  'u',
);

const UNITS: readonly (readonly [RegExp, Spoken['unit'], number])[] = [
  [/^(?:s|secs?|seconds?)$/, 'minute', 1 / 60],
  [/^(?:m|mins?|minutes?)$/, 'minute', 1],
  [/^(?:h|hrs?|hours?)$/, 'minute', 60],
  [/^days?$/, 'day', 1],
  [/^weeks?$/, 'day', 7],
  [/^fortnights?$/, 'day', 14],
  [/^months?$/, 'month', 1],
  [/^years?$/, 'month', 12],
];
const DAY_MINUTES = 1440;
const SPAN = new RegExp(
  String.raw`(?<![\p{L}\d.,])(?:(?<half>half an?)|(?<quarters>(?:a|three) quarters? of an)|(?<count>${COUNT}))(?<before> and a half)?[ -]?(?<unit>secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|weeks?|fortnights?|months?|years?|[hms])(?![\p{L}])(?<after> and a half)?(?:(?<=h) ?(?<rest>[0-5]\d)(?!\d))?`,
  'gu',
);

/** The amount that a phrase tells in words, or in several units; undefined where it tells none. */
export function spokenIn(phrase: string): Spoken | undefined {
  const text = phrase.toLowerCase();
  return spanIn(text) ?? shareIn(text);
}

/** The span of time that a phrase tells: "1 h 30", "three quarters of an hour". */
export function spanIn(phrase: string): Spoken | undefined {
  const text = phrase.toLowerCase();
  const parts = [...text.matchAll(SPAN)].map(partOf);
  const [first, last] = [parts[0], parts.at(-1)];
  const units = new Set(parts.map(({ unit }) => unit));
  if (first === undefined || last === undefined || (units.has('month') && units.size > 1)) return undefined;
  const unit = units.has('minute') ? 'minute' : first.unit;
  const value = parts.reduce((sum, part) => sum + part.value * (part.unit === unit ? 1 : DAY_MINUTES), 0);
  return { ...last, value, unit, start: first.start };
}

function partOf({ groups = {}, index }: RegExpExecArray): Spoken {
  const { half, quarters, count = '', before, after, unit: word = '', rest } = groups;
  const [, unit, size] = UNITS.find(([form]) => form.test(word)) ?? [undefined, 'day' as const, 0];
  const whole = count === '' ? 0 : numberOf(count);
  const number =
    whole + ((half ?? before ?? after) ? 0.5 : 0) + (quarters ? (quarters.startsWith('three') ? 0.75 : 0.25) : 0);
  const decimals = /[.,](\d+)$/.exec(count)?.[1]?.length;
  const step = size * 10 ** -(decimals ?? 0);
  const slack = decimals === undefined ? 0 : step / 2;
  return { value: number * size + Number(rest ?? 0), unit, each: size, step, slack, start: index };
}

const PERCENT_SLACK = 0.5;
const percent = (value: number, start: number): Spoken => ({
  value,
  unit: '%',
  each: 100,
  step: 1,
  slack: PERCENT_SLACK,
  start,
});

function shareIn(text: string): Spoken | undefined {
  const share = ONE_IN.exec(text);
  if (share?.groups !== undefined)
    return percent((numberOf(share.groups.part ?? '') / numberOf(share.groups.all ?? '')) * 100, share.index);
  const fraction = FRACTION.exec(text);
  const { count = 'a', part = '' } = fraction?.groups ?? {};
  return fraction === null ? undefined : percent((numberOf(count) / (PARTS[part] ?? 1)) * 100, fraction.index);
}

const NOON = /(?<!\p{L})(?:noon|midday|mittag|midi|mediodía|mezzogiorno)(?!\p{L})/iu;
const MIDNIGHT = /(?<!\p{L})(?:midnight|mitternacht|minuit|medianoche|mezzanotte|middernacht)(?!\p{L})/iu;

/** "Noon" and "midnight", in minutes of the day. */
export const hourNamed = (text: string): number | undefined =>
  NOON.test(text) ? DAY_MINUTES / 2 : MIDNIGHT.test(text) ? 0 : undefined;

/** How closely a figure is told. */
export type Closeness = 'about' | 'nearly' | 'just over' | 'over' | 'under' | 'at least' | 'at most';

/** The words for it that stand right before a figure, in the languages that works come in; the longest first. */
const BEFORE: readonly (readonly [Closeness, string])[] = [
  [
    'just over',
    'just over|just above|slightly (?:over|more than|above)|a (?:little|bit) (?:over|more than)|gut|etwas (?:mehr als|über)|un peu plus de|algo más de|poco più di|ruim|iets meer dan',
  ],
  [
    'nearly',
    'nearly|almost|just under|just below|close to|not quite|slightly (?:under|less than|below)|a (?:little|bit) (?:under|less than)|knapp|fast|beinahe|presque|près de|casi|quasi|bijna|iets minder dan',
  ],
  ['at least', 'at least|no (?:less|fewer) than|mindestens|au moins|al menos|almeno|minstens|ten minste'],
  ['at most', 'at most|no more than|up to|höchstens|maximal|au plus|como máximo|al massimo|hoogstens'],
  ['over', 'more than|over|above|exceed(?:s|ed|ing)?|upwards of|mehr als|über|plus de|más de|più di|oltre|meer dan'],
  ['under', 'less than|fewer than|under|below|weniger als|unter|moins de|menos de|meno di|minder dan'],
  [
    'about',
    'about|around|roughly|approximately|approx\\.?|some|circa|ca?\\.|~|rund|etwa|ungefähr|environ|unos|unas|alrededor de|ongeveer|zo’n',
  ],
];
const ARTICLE = '(?: (?:the|an?|de|los|las|les|der|die|das))?';
const CLOSENESS = BEFORE.map(
  ([how, words]) => [how, new RegExp(String.raw`(?<!\p{L})(?:${words})${ARTICLE}\s*$`, 'iu')] as const,
);

/** How closely the figure is told that stands behind these words. */
export const closenessBefore = (words: string): Closeness | undefined =>
  CLOSENESS.find(([, form]) => form.test(words))?.[0];

/** A tenth is near; what is half as much again is no longer told as "more than". */
const NEAR = 0.1;
const FAR = 0.5;

/** Whether an exact value may be told as a figure, so closely. `step` is what the last digit of the figure is worth. */
export function isTold(value: number, figure: number, how: Closeness, step: number): boolean {
  const beyond = value - figure;
  const share = Math.abs(beyond) / Math.abs(figure || 1);
  switch (how) {
    case 'about':
      return Math.abs(beyond) <= Math.max(step / 2, Math.abs(figure) * NEAR * NEAR) && share <= NEAR;
    case 'nearly':
      return beyond < 0 && share <= NEAR;
    case 'just over':
      return beyond > 0 && share <= NEAR;
    case 'over':
      return beyond > 0 && share <= FAR;
    case 'under':
      return beyond < 0 && share <= FAR;
    case 'at least':
      return beyond >= 0 && share <= FAR;
    case 'at most':
      return beyond <= 0 && share <= FAR;
    default:
      return how satisfies never;
  }
}
