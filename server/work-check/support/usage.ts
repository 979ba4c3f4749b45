import asset from '../assets/usage.json' with { type: 'json' };
import type { Token } from '../reading/tokens.ts';
import { oppositesOf } from './lexicon.ts';
import { DIGITS, FIRST, LAST, NOTHING, neighbourOf, STEPS_PER_UNIT } from './neighbours.ts';

/**
 * How words that have an opposite are used: how often, and how much more or less often than chance beside each
 * neighbour. Built by `npm run check:train`. Each entry of `before` and `after` is a run of three characters a
 * neighbour: two for its place in `neighbours`, one for the log ratio.
 */
const words = new Map(asset.words.split(' ').map((word, at) => [word, at]));
const neighbours = new Map(
  asset.neighbours.split(' ').map((word, at) => [word, `${DIGITS[at >> 6]}${DIGITS[at & 63]}`]),
);
const before = asset.before.split(' ');
const after = asset.after.split(' ');
const WORD_MISFIT_MAX = 4;

/**
 * By how much an opposite of the word at `at` would be the more usual word in its place in a sentence, as log odds
 * from 0 to 4: how often either is used, and how well either goes with the words before and after (naive Bayes).
 */
export function misfitOf(tokens: readonly Token[], at: number): number {
  const stem = tokens[at]?.stem ?? '';
  const left = neighbours.get(neighbourOf(tokens[at - 1], FIRST));
  const right = neighbours.get(neighbourOf(tokens[at + 1], LAST));
  const own = usual(stem, left, right);
  let other = Number.NEGATIVE_INFINITY;
  for (const opposite of oppositesOf(stem)) other = Math.max(other, usual(opposite, left, right));
  return Math.min(WORD_MISFIT_MAX, Math.max(0, other - own));
}

function usual(stem: string, left: string | undefined, right: string | undefined): number {
  const at = words.get(stem);
  if (at === undefined) return 0;
  const often = logOf(asset.often[at]);
  return often + ratioOf(before[at], left) + ratioOf(after[at], right);
}

function ratioOf(packed: string | undefined, place: string | undefined): number {
  if (packed === undefined || place === undefined) return 0;
  for (let at = packed.indexOf(place); at !== -1; at = packed.indexOf(place, at + 1))
    if (at % 3 === 0) return logOf(packed[at + 2]) - NOTHING / STEPS_PER_UNIT;
  return 0;
}

const logOf = (digit = 'A'): number => DIGITS.indexOf(digit) / STEPS_PER_UNIT;
