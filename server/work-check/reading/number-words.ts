import type { Token } from './token.ts';

/** Numbers that English spells out: "six hundred and forty", "fifty-one", "three and a half". */

const listed = (words: string, from: number, step = 1): (readonly [string, number])[] =>
  words.split(' ').map((word, at) => [word, from + at * step] as const);

/** "One" is a number only where it goes on ("one hundred"): alone it stands for somebody or something. */
const ONE = new Map([
  ['one', 1],
  ['a', 1],
  ['an', 1],
]);
const ONES = new Map([['one', 1] as const, ...listed('two three four five six seven eight nine', 2)]);
const TEENS = new Map(listed('ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen', 10));
const TENS = new Map(listed('twenty thirty forty fifty sixty seventy eighty ninety', 20, 10));
const ORDINALS = new Map([
  ...listed('first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth', 1),
  ...listed('fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth', 14),
  ['thirtieth', 30] as const,
]);
const TEN = 10;
const HUNDRED = 100;
const THOUSAND = 1000;

/** Whether a number can begin with a lower-case word. */
export const opensNumber = (lower: string): boolean =>
  ORDINALS.has(lower) || ONE.has(lower) || ONES.has(lower) || TEENS.has(lower) || TENS.has(lower);

/** A number in words, where it ends, and what its last word counts: 100 in "six hundred". */
export type Worded = { value: number; last: number; step: number };

/** The number below a hundred that opens at a token. */
function belowHundred(tokens: readonly Token[], at: number): Worded | undefined {
  const lower = tokens[at]?.lower ?? '';
  const alone = ONES.get(lower) ?? TEENS.get(lower);
  if (alone !== undefined) return { value: alone, last: at, step: 1 };
  const tens = TENS.get(lower);
  if (tens === undefined) return undefined;
  const place = at + (tokens[at + 1]?.lower === '-' ? 2 : 1);
  const ones = ONES.get(tokens[place]?.lower ?? '');
  return ones === undefined ? { value: tens, last: at, step: 1 } : { value: tens + ones, last: place, step: 1 };
}

/** Where a number goes on behind "hundred" or "thousand": "and forty", "forty". */
const goesOn = (tokens: readonly Token[], at: number): number => (tokens[at]?.lower === 'and' ? at + 1 : at);

/** The number below a thousand that opens at a token: "twelve hundred and fifty" is below it, too. */
function hundreds(tokens: readonly Token[], at: number): Worded | undefined {
  const head = ONE.has(tokens[at]?.lower ?? '') ? { value: 1, last: at, step: 1 } : belowHundred(tokens, at);
  if (head === undefined || tokens[head.last + 1]?.lower !== 'hundred') return belowHundred(tokens, at);
  const rest = belowHundred(tokens, goesOn(tokens, head.last + 2));
  // "Two hundred and three hundred" are two numbers.
  const isRest = rest !== undefined && tokens[rest.last + 1]?.lower !== 'hundred';
  const value = head.value * HUNDRED;
  return isRest
    ? { value: value + rest.value, last: rest.last, step: 1 }
    : { value, last: head.last + 1, step: HUNDRED };
}

/** The number in words that opens at a token; none where only "one" or "a" does. */
export function readNumberWords(tokens: readonly Token[], at: number): Worded | undefined {
  const opens = tokens[at]?.lower ?? '';
  const isOne = ONE.has(opens) && tokens[at + 1]?.lower === 'thousand';
  const head = isOne ? { value: 1, last: at, step: 1 } : hundreds(tokens, at);
  if (head === undefined) return undefined;
  const half = withHalf(tokens, head);
  if (!isOne && ONE.has(opens) && half.last === at) return undefined;
  if (tokens[head.last + 1]?.lower !== 'thousand') return half;
  const rest = hundreds(tokens, goesOn(tokens, head.last + 2));
  const isRest = rest !== undefined && tokens[rest.last + 1]?.lower !== 'thousand';
  const value = head.value * THOUSAND;
  return isRest
    ? { value: value + rest.value, last: rest.last, step: rest.step }
    : { value, last: head.last + 1, step: THOUSAND };
}

/** Parts of one, each with what its last digit is worth in writing. */
const PARTS = new Map([
  ['half', { value: 0.5, step: 0.1 }],
  ['quarter', { value: 0.25, step: 0.01 }],
]);

/** "Three and a half"; a "half-day" is a thing of its own. */
export function withHalf(tokens: readonly Token[], number: Worded): Worded {
  const [and, a, part, next] = tokens.slice(number.last + 1, number.last + 5);
  const more = and?.lower === 'and' && a?.lower === 'a' ? PARTS.get(part?.lower ?? '') : undefined;
  if (more === undefined || next?.lower === '-') return number;
  return { value: number.value + more.value, last: number.last + 3, step: more.step };
}

/** "Third", "twenty-second": the place that words tell, and where they end. */
export function readOrdinalWords(tokens: readonly Token[], at: number): { value: number; last: number } | undefined {
  const lower = tokens[at]?.lower ?? '';
  const alone = ORDINALS.get(lower);
  if (alone !== undefined) return { value: alone, last: at };
  const tens = TENS.get(lower);
  const ones = ORDINALS.get(tokens[at + 2]?.lower ?? '');
  const isJoined = tens !== undefined && ones !== undefined && ones < TEN && tokens[at + 1]?.lower === '-';
  return isJoined ? { value: tens + ones, last: at + 2 } : undefined;
}
