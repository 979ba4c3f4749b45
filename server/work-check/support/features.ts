import { type EvidenceIndex, isHeld } from '../reading/evidence-index.ts';
import { compareQuantities, readQuantities } from '../reading/quantities.ts';
import { splitSentences } from '../reading/sentences.ts';
import type { Token } from '../reading/token.ts';
import { tokenize } from '../reading/tokens.ts';
import { SPEAKS, sounds } from '../reading/tone.ts';
import { type Features, noFeatures, PLACE } from './feature-list.ts';
import type { MatchedStatement } from './matched-statement.ts';
import { candidatesOf, matchWords, SAME_BY_PREFIX, type Wanted, wantedOf, windowsOf } from './passage-windows.ts';
import { readRuns } from './runs.ts';
import { namesOf, readSentenceFeatures } from './sentence-features.ts';

export type Reading = { features: Features; best: number[] };

/**
 * Features of one statement read against the evidence, and the passages of its best window. `tokens` and `wanted` are
 * its own.
 */
export function readFeatures(
  text: string,
  index: EvidenceIndex,
  tokens: readonly Token[] = tokenize(text),
  wanted: readonly Wanted[] = wantedOf(tokens),
): Reading {
  const features = noFeatures();
  const weights: number[] = [];
  let sum = 0;
  for (const { weight } of wanted) {
    weights.push(weight);
    sum += weight;
  }
  const total = sum || 1;
  const matches = matchWords(wanted, index);
  const candidates = candidatesOf(matches, weights);
  const best = windowsOf(candidates, matches, weights, index);
  const [one, three] = [best(1), best(3)];
  features[PLACE.one_soft] = one.soft / total;
  features[PLACE.one_exact] = one.exact / total;
  features[PLACE.two_soft] = best(2).soft / total;
  features[PLACE.three_soft] = three.soft / total;
  features[PLACE.three_exact] = three.exact / total;
  features[PLACE.five_soft] = best(5).soft / total;
  const sought: MatchedStatement = { tokens, wanted, matches, figures: readQuantities(tokens), one, three };
  readWhole(sought, weights, total, index, features);
  readRuns(tokens, index, features);
  readSentenceFeatures(splitSentences(text), sought, weights, index, features);
  features[PLACE.speaker] = Math.min(3, countSpeakers(tokens));
  features[PLACE.evidence_passages] = Math.log1p(index.passages.length);
  features[PLACE.evidence_speaks] = speechOf(index);
  return { features, best: three.passages };
}

function countSpeakers(tokens: readonly Token[]): number {
  let count = 0;
  for (const token of tokens) if (sounds(token, SPEAKS)) count += 1;
  return count;
}

const SPEECH_PASSAGES_MAX = 400;

/** Share of the words that people use of themselves and to each other: much of it in a conversation, none in a report. */
function speechOf(index: EvidenceIndex): number {
  if (index.lazy.speech !== undefined) return index.lazy.speech;
  let spoken = 0;
  let words = 0;
  for (const { tokens } of index.passages.slice(0, SPEECH_PASSAGES_MAX)) {
    for (const { kind } of tokens) if (kind === 'word') words += 1;
    spoken += countSpeakers(tokens);
  }
  index.lazy.speech = Math.min(0.1, spoken / Math.max(1, words));
  return index.lazy.speech;
}

/** What stands anywhere in the evidence, and what stands nowhere. */
function readWhole(
  { tokens, wanted, matches: { levels }, figures }: MatchedStatement,
  weights: readonly number[],
  total: number,
  index: EvidenceIndex,
  features: Features,
): void {
  let exact = 0;
  let soft = 0;
  let plain = 0;
  let opposites = 0;
  let unseen = 0;
  let [heaviest, second] = [0, 0];
  for (let at = 0; at < wanted.length; at += 1) {
    const level = levels[at] ?? 0;
    const weight = weights[at] ?? 0;
    soft += weight * level;
    if (level < SAME_BY_PREFIX) {
      unseen += 1;
      second = Math.max(second, Math.min(heaviest, weight));
      heaviest = Math.max(heaviest, weight);
    }
    if (level === 1) {
      exact += weight;
      plain += 1;
    } else if (wanted[at]?.entry.opposites.some((other) => isHeld(index, other))) opposites += 1;
  }
  features[PLACE.whole_exact] = exact / total;
  features[PLACE.whole_soft] = soft / total;
  features[PLACE.plain_share] = plain / Math.max(1, wanted.length);
  features[PLACE.opposites_anywhere] = opposites;
  features[PLACE.unseen_heaviest] = heaviest;
  features[PLACE.unseen_second] = second;
  features[PLACE.unseen_count] = unseen;
  features[PLACE.unseen_share] = wanted.length === 0 ? 1 : unseen / wanted.length;
  const stands = figures.filter((figure) =>
    index.passages.some(
      ({ instruction, quantities }) =>
        !instruction && quantities.some((known) => compareQuantities(figure, known) === 'same'),
    ),
  );
  features[PLACE.figures_unseen] = figures.length - stands.length;
  let names = 0;
  for (const { stem } of namesOf(tokens)) if (!isHeld(index, stem)) names += 1;
  features[PLACE.names_unseen] = names;
}
