import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { compareQuantities, type Quantity, readQuantities } from '../reading/quantities.ts';
import { splitSentences } from '../reading/sentences.ts';
import { type Token, tokenize } from '../reading/tokens.ts';
import { namesOf, readNear } from './near.ts';
import { readRuns, shareHeld } from './runs.ts';
import {
  candidatesOf,
  type Matches,
  matchWords,
  SAME_BY_PREFIX,
  type Wanted,
  type Window,
  wantedOf,
  windowsOf,
} from './windows.ts';

/** Each feature with the direction the score may move when it grows: 1 up, -1 down, 0 either. */
export const FEATURES = [
  ['whole_exact', 1],
  ['whole_soft', 1],
  ['one_exact', 1],
  ['one_soft', 1],
  ['two_soft', 1],
  ['three_exact', 1],
  ['three_soft', 1],
  ['five_soft', 1],
  ['weakest_one', 1],
  ['weakest_three', 1],
  ['pairs_whole', 1],
  ['triples_whole', 1],
  ['longest_run', 1],
  ['run_density', 1],
  ['unseen_heaviest', -1],
  ['unseen_second', -1],
  ['unseen_count', -1],
  ['unseen_share', -1],
  ['figures_unseen', -1],
  ['names_unseen', -1],
  ['opposites_anywhere', -1],
  ['speaker', -1],
  // The more there is, the more is found in it by chance; and nobody gains a better score by padding.
  ['evidence_passages', -1],
  ['evidence_speaks', 0],
  ['sentences', 0],
  ['plain_share', 1],
  // Of each sentence against the passages that hold most of it; the worst or the sum over the sentences.
  ['near_unseen_heaviest', -1],
  ['near_unseen_count', -1],
  ['near_pairs', 1],
  ['near_together', 1],
  ['near_figures_unseen', -1],
  ['near_figures_rival', -1],
  ['near_names_unseen', -1],
  ['near_denial_added', -1],
  ['near_denial_lost', -1],
  ['near_opposites', -1],
  ['near_siblings', -1],
  ['near_same_end', 1],
  ['near_other_end', -1],
  ['near_order', 1],
  ['near_swapped', -1],
  ['near_hedge_lost', -1],
  ['near_strong_words', -1],
  ['near_misfit', -1],
  ['near_negated', -1],
] as const satisfies readonly (readonly [string, -1 | 0 | 1])[];

export type FeatureName = (typeof FEATURES)[number][0];
export const FEATURE_COUNT = FEATURES.length;
const PLACES = Object.fromEntries(FEATURES.map(([name], at) => [name, at])) as Record<FeatureName, number>;
/** Places of the features that the fixed part of the score reads. */
export const WHOLE_SOFT = PLACES.whole_soft;
export const WHOLE_EXACT = PLACES.whole_exact;
export const MISFIT = PLACES.near_misfit;
export const UNSEEN_SHARE = PLACES.unseen_share;
/** Stands after the features, since no training reads it: the share of all words, those of grammar too, that the evidence holds. */
export const WORDS_HELD = FEATURES.length;

export type Setter = (name: FeatureName, value: number) => void;
export type Reading = { features: Float64Array; best: number[] };

/** A statement as it is looked for in the evidence. */
export type Sought = {
  tokens: readonly Token[];
  wanted: readonly Wanted[];
  matches: Matches;
  figures: readonly Quantity[];
  /** The best single passage for all of it, and the best three in a row. */
  one: Window;
  three: Window;
};

/** Features of one statement read against the evidence, and the passages of its best window. `tokens` are its own. */
export function readFeatures(text: string, index: EvidenceIndex, tokens: readonly Token[] = tokenize(text)): Reading {
  const features = new Float64Array(FEATURE_COUNT + 1);
  const set: Setter = (name, value) => {
    features[PLACES[name]] = value;
  };
  const wanted = wantedOf(tokens);
  const weights = new Float64Array(wanted.length);
  for (const [at, { weight }] of wanted.entries()) weights[at] = weight;
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const matches = matchWords(wanted, index);
  const candidates = candidatesOf(matches, weights);
  const best = windowsOf(candidates, matches, weights, index);
  const [one, three] = [best(1), best(3)];
  set('one_soft', one.soft / total);
  set('one_exact', one.exact / total);
  set('two_soft', best(2).soft / total);
  set('three_soft', three.soft / total);
  set('three_exact', three.exact / total);
  set('five_soft', best(5).soft / total);
  const sought: Sought = { tokens, wanted, matches, figures: readQuantities(tokens), one, three };
  readWhole(sought, weights, total, index, set);
  readRuns(tokens, index, set);
  features[WORDS_HELD] = shareHeld(tokens, index);
  readNear(splitSentences(text), sought, weights, index, set);
  set('speaker', Math.min(3, tokens.filter((token) => SPEAKER.has(token.lower)).length));
  set('evidence_passages', Math.log1p(index.passages.length));
  set('evidence_speaks', speechOf(index));
  return { features, best: three.passages };
}

const SPEAKER = new Set(['i', 'my', 'me', 'you', 'your', 'yeah', 'yes', 'oh', 'wow', 'lol', "i'm", "i've", 'haha']);

const SPEECH_PASSAGES_MAX = 400;

/** Share of the words that people use of themselves and to each other: much of it in a conversation, none in a report. */
function speechOf(index: EvidenceIndex): number {
  if (index.lazy.speech !== undefined) return index.lazy.speech;
  let [spoken, words] = [0, 0];
  for (const { tokens } of index.passages.slice(0, SPEECH_PASSAGES_MAX))
    for (const { kind, lower } of tokens) {
      if (kind !== 'word') continue;
      words += 1;
      if (SPEAKER.has(lower)) spoken += 1;
    }
  index.lazy.speech = Math.min(0.1, spoken / Math.max(1, words));
  return index.lazy.speech;
}

/** What stands anywhere in the evidence, and what stands nowhere. */
function readWhole(
  { tokens, wanted, matches: { levels }, figures }: Sought,
  weights: Float64Array,
  total: number,
  index: EvidenceIndex,
  set: Setter,
): void {
  let [exact, soft, plain, opposites] = [0, 0, 0, 0];
  const unseen: number[] = [];
  for (const [at, { relations }] of wanted.entries()) {
    const [level, weight] = [levels[at] ?? 0, weights[at] ?? 0];
    soft += weight * level;
    if (level < SAME_BY_PREFIX) unseen.push(weight);
    if (level === 1) {
      exact += weight;
      plain += 1;
    } else if (relations.opposites.some((other) => index.postings.has(other))) opposites += 1;
  }
  unseen.sort((a, b) => b - a);
  set('whole_exact', exact / total);
  set('whole_soft', soft / total);
  set('plain_share', plain / Math.max(1, wanted.length));
  set('opposites_anywhere', opposites);
  set('unseen_heaviest', unseen[0] ?? 0);
  set('unseen_second', unseen[1] ?? 0);
  set('unseen_count', unseen.length);
  set('unseen_share', wanted.length === 0 ? 1 : unseen.length / wanted.length);
  const stands = figures.filter((figure) =>
    index.passages.some(
      ({ instruction, quantities }) =>
        !instruction && quantities.some((known) => compareQuantities(figure, known) === 'same'),
    ),
  );
  set('figures_unseen', figures.length - stands.length);
  set('names_unseen', namesOf(tokens).filter(({ stem }) => !index.postings.has(stem)).length);
}
