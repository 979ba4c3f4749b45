import { splitSentences } from '../server/work-check/reading/sentences.ts';
import { tokenize } from '../server/work-check/reading/tokens.ts';
import { entryOf } from '../server/work-check/support/lexicon.ts';
import {
  DIGITS,
  FIRST,
  LAST,
  NOTHING,
  neighbourOf,
  STEPS_PER_UNIT,
} from '../server/work-check/support/usage-encoding.ts';
import type { DataSet } from './check-data.ts';

const NEIGHBOURS_MAX = DIGITS.length ** 2;
/** A neighbour seen once may be chance, unless it is so common that its absence means something. */
const SEEN_MIN = 2;
const USUAL_NEIGHBOURS = 40;
/** Drop smaller log ratios. */
const RATIO_MIN = 0.5;
/** Pseudo-count that shrinks each ratio towards 1. */
const SHRINKAGE = 3;
const TABLES = /^tab/;

type Counts = Map<string, number>;
type Side = { all: Counts; total: number; of: Map<string, Counts> };
type Usage = { words: string; often: string; neighbours: string; before: string; after: string };

/**
 * Counts how words with an opposite are used in the training evidence and in `glosses`. Deterministic. Needs the word
 * list.
 */
export function buildUsage(sets: readonly DataSet[], glosses: readonly string[]): Usage {
  const often: Counts = new Map();
  const sides: [Side, Side] = [
    { all: new Map(), total: 0, of: new Map() },
    { all: new Map(), total: 0, of: new Map() },
  ];
  const evidence = sets
    .filter(({ name }) => !TABLES.test(name))
    .flatMap(({ rows }) => rows.flatMap((row) => row.evidence));
  for (const text of new Set([...evidence.map((item) => item.text), ...glosses])) countText(text, often, sides);
  const ranked = [...sides[0].all].map(([word, count]): [string, number] => [
    word,
    count + (sides[1].all.get(word) ?? 0),
  ]);
  ranked.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const neighbours = ranked.slice(0, NEIGHBOURS_MAX).map(([word]) => word);
  const words = [...often.keys()].sort();
  const pack = (side: Side): string => words.map((word) => packWord(word, side, neighbours)).join(' ');
  return {
    words: words.join(' '),
    often: words.map((word) => digit(Math.log(1 + (often.get(word) ?? 0)))).join(''),
    neighbours: neighbours.join(' '),
    before: pack(sides[0]),
    after: pack(sides[1]),
  };
}

function countText(text: string, often: Counts, [before, after]: readonly [Side, Side]): void {
  for (const { start, end } of splitSentences(text)) {
    const tokens = tokenize(text.slice(start, end));
    for (const [at, token] of tokens.entries()) {
      if (token.kind !== 'word') continue;
      const [left, right] = [neighbourOf(tokens[at - 1], FIRST), neighbourOf(tokens[at + 1], LAST)];
      const opposed = token.content && entryOf(token).opposites.length > 0;
      if (opposed) count(often, token.stem);
      see(before, left, opposed ? token.stem : undefined);
      see(after, right, opposed ? token.stem : undefined);
    }
  }
}

function count(counts: Counts, word: string): void {
  counts.set(word, (counts.get(word) ?? 0) + 1);
}

function see(side: Side, neighbour: string, word: string | undefined): void {
  side.total += 1;
  count(side.all, neighbour);
  if (word === undefined) return;
  const own = side.of.get(word) ?? new Map<string, number>();
  count(own, neighbour);
  side.of.set(word, own);
}

/** The words that occur beside a word more or less often than chance. */
function packWord(word: string, side: Side, neighbours: readonly string[]): string {
  const own: Counts = side.of.get(word) ?? new Map();
  const total = [...own.values()].reduce((sum, seen) => sum + seen, 0);
  return neighbours
    .map((neighbour, rank) => {
      const seen = own.get(neighbour) ?? 0;
      if (seen < SEEN_MIN && rank >= USUAL_NEIGHBOURS) return '';
      const chance = (total * (side.all.get(neighbour) ?? 0)) / side.total;
      const ratio = Math.log((seen + SHRINKAGE) / (chance + SHRINKAGE));
      if (Math.abs(ratio) < RATIO_MIN) return '';
      return `${DIGITS[rank >> 6]}${DIGITS[rank & 63]}${digit(ratio + NOTHING / STEPS_PER_UNIT)}`;
    })
    .join('');
}

function digit(value: number): string {
  return DIGITS[Math.max(0, Math.min(DIGITS.length - 1, Math.round(value * STEPS_PER_UNIT)))] ?? '';
}
