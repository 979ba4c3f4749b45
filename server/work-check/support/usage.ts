import asset from '../assets/usage.json' with { type: 'json' };
import type { Token } from '../reading/token.ts';
import type { LexiconEntry } from './lexicon.ts';
import { entryOf } from './lexicon.ts';
import { DIGITS, FIRST, LAST, NOTHING, neighbourOf, STEPS_PER_UNIT } from './usage-encoding.ts';

/**
 * How words that have an opposite are used: how often, and how much more or less often than chance beside each
 * neighbour. Built by `npm run check:train`. Each entry of `before` and `after` is a run of three characters a
 * neighbour: two for its place in `neighbours`, one for the log ratio.
 */
const words = new Map(asset.words.split(' ').map((word, at) => [word, at]));
const neighbours = new Map(asset.neighbours.split(' ').map((word, at) => [word, at]));
const often = Float64Array.from(asset.often, (digit) => digitValue(digit) / STEPS_PER_UNIT);
const before = readRatios(asset.before);
const after = readRatios(asset.after);

/** The neighbours of all words one after the other; those of a word stand in order from its place in `starts` to the next. */
type Ratios = { starts: Uint32Array; neighbours: Uint16Array; ratios: Float64Array };

function digitValue(digit: string | undefined): number {
  return DIGITS.indexOf(digit ?? 'A');
}

function readRatios(packed: string): Ratios {
  const starts = [0];
  const places: number[] = [];
  const ratios: number[] = [];
  for (const entry of packed.split(' ')) {
    for (let at = 0; at < entry.length; at += 3) {
      places.push(64 * digitValue(entry[at]) + digitValue(entry[at + 1]));
      ratios.push(digitValue(entry[at + 2]) / STEPS_PER_UNIT - NOTHING / STEPS_PER_UNIT);
    }
    starts.push(places.length);
  }
  return { starts: Uint32Array.from(starts), neighbours: Uint16Array.from(places), ratios: Float64Array.from(ratios) };
}

const WORD_MISFIT_MAX = 4;

/**
 * By how much an opposite of the word at `at` would be the more usual word in its place in a sentence, as log odds
 * from 0 to 4: how often either is used, and how well either goes with the words before and after (naive Bayes).
 */
export function misfitOf(tokens: readonly Token[], at: number): number {
  const token = tokens[at];
  if (token === undefined) return 0;
  const left = neighbours.get(neighbourOf(at > 0 ? tokens[at - 1] : undefined, FIRST));
  const right = neighbours.get(neighbourOf(tokens[at + 1], LAST));
  const { word, opposites } = placesOf(entryOf(token));
  const own = usual(word, left, right);
  let other = Number.NEGATIVE_INFINITY;
  for (const opposite of opposites) other = Math.max(other, usual(opposite, left, right));
  return Math.min(WORD_MISFIT_MAX, Math.max(0, other - own));
}

/** Where a word and its opposites stand in `words`. */
type Places = { word: number | undefined; opposites: readonly (number | undefined)[] };
const places = new Map<LexiconEntry, Places>();

function placesOf(entry: LexiconEntry): Places {
  let found = places.get(entry);
  if (found === undefined) {
    found = { word: words.get(entry.stem), opposites: entry.opposites.map((stem) => words.get(stem)) };
    places.set(entry, found);
  }
  return found;
}

function usual(at: number | undefined, left: number | undefined, right: number | undefined): number {
  if (at === undefined) return 0;
  return (often[at] ?? 0) + ratioOf(before, at, left) + ratioOf(after, at, right);
}

function ratioOf({ starts, neighbours: places, ratios }: Ratios, word: number, neighbour: number | undefined): number {
  if (neighbour === undefined) return 0;
  const end = starts[word + 1] ?? 0;
  let at = starts[word] ?? end;
  while (at < end && (places[at] ?? 0) < neighbour) at += 1;
  return at < end && places[at] === neighbour ? (ratios[at] ?? 0) : 0;
}
