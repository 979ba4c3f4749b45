// Longer than 300 lines: the features of one sentence, one function each, in the order of the list.
import type { EvidenceIndex, Passage } from '../reading/evidence-index.ts';
import { answerOf, deniedStems } from '../reading/negation.ts';
import { compareQuantities, type Quantity, readQuantities } from '../reading/quantities.ts';
import type { Span } from '../reading/sentences.ts';
import type { Token } from '../reading/token.ts';
import { HEDGES, INSISTS, sounds, type Tone } from '../reading/tone.ts';
import { type FeatureName, type Features, noFeatures, PLACE } from './feature-list.ts';
import type { LexiconEntry } from './lexicon.ts';
import { areSiblings, entryOf } from './lexicon.ts';
import type { MatchedStatement } from './matched-statement.ts';
import { candidatesOf, SAME_BY_PREFIX, SAME_BY_SYNONYM, type Wanted, windowsOf } from './passage-windows.ts';
import { otherEnd } from './scales.ts';
import { misfitOf } from './usage.ts';

/** One sentence of a statement beside the passages that hold most of it. */
type SentenceInContext = {
  tokens: readonly Token[];
  wanted: readonly Wanted[];
  /** How well those passages hold each wanted word. */
  levels: readonly number[];
  near: readonly Passage[];
  figures: readonly Quantity[];
};

/** How the sentences of a statement make one feature: `worst` the greatest, `least` the smallest. */
type Manner = 'worst' | 'least' | 'sum' | 'mean';
const OVER_SENTENCES = placed([
  ['weakest_one', 'least'],
  ['weakest_three', 'least'],
  ['near_unseen_heaviest', 'worst'],
  ['near_unseen_count', 'mean'],
  ['near_pairs', 'mean'],
  ['near_together', 'mean'],
  ['near_figures_unseen', 'mean'],
  ['near_figures_rival', 'sum'],
  ['near_names_unseen', 'mean'],
  ['near_denial_added', 'sum'],
  ['near_denial_lost', 'sum'],
  ['near_opposites', 'sum'],
  ['near_siblings', 'mean'],
  ['near_same_end', 'mean'],
  ['near_other_end', 'sum'],
  ['near_order', 'mean'],
  ['near_swapped', 'mean'],
  ['near_hedge_lost', 'worst'],
  ['near_strong_words', 'sum'],
  ['near_misfit', 'sum'],
  ['near_negated', 'sum'],
]);

function placed(named: readonly (readonly [FeatureName, Manner])[]): readonly (readonly [number, Manner])[] {
  return named.map(([name, how]) => [PLACE[name], how]);
}

/** What is seen of one sentence stands at the place of its feature; over several sentences the worst or the sum counts. */
type Seen = Features;

function overSentences(seen: readonly Seen[], how: Manner, place: number): number {
  let worst = 0;
  let least = 1;
  let sum = 0;
  for (const sentence of seen) {
    const value = sentence[place] ?? 0;
    worst = Math.max(worst, value);
    least = Math.min(least, value);
    sum += value;
  }
  switch (how) {
    case 'worst':
      return worst;
    case 'least':
      return least;
    case 'sum':
      return sum;
    case 'mean':
      return sum / Math.max(1, seen.length);
    default:
      return how satisfies never;
  }
}

/** Features of each sentence of a statement beside the passages that hold most of it. */
export function readSentenceFeatures(
  spans: readonly Span[],
  sought: MatchedStatement,
  weights: readonly number[],
  index: EvidenceIndex,
  features: Features,
): void {
  const seen: Seen[] = [];
  for (const [at, { end }] of (spans.length > 0 ? spans : [{ start: 0, end: Number.POSITIVE_INFINITY }]).entries()) {
    const from = at === 0 ? 0 : (spans[at - 1]?.end ?? 0);
    const tokens =
      spans.length <= 1 ? sought.tokens : sought.tokens.filter((token) => token.start >= from && token.end <= end);
    const sentence = readSentence(tokens, spans.length <= 1, sought, weights, index);
    if (sentence !== undefined) seen.push(sentence);
  }
  features[PLACE.sentences] = Math.min(6, seen.length);
  for (const [place, how] of OVER_SENTENCES) features[place] = overSentences(seen, how, place);
}

function readSentence(
  tokens: readonly Token[],
  only: boolean,
  sought: MatchedStatement,
  weights: readonly number[],
  index: EvidenceIndex,
): Seen | undefined {
  const { wanted, matches, figures } = sought;
  let [within, one, three] = [weights, sought.one, sought.three];
  if (!only) {
    const own = new Set<string>();
    for (const token of tokens) own.add(token.stem);
    within = weights.map((weight, at) => (own.has(wanted[at]?.stem ?? '') ? weight : 0));
    const candidates = candidatesOf(matches, within);
    const best = windowsOf(candidates, matches, within, index);
    [one, three] = [best(1), best(3)];
  }
  let total = 0;
  for (const weight of within) total += weight;
  if (total === 0) return undefined;
  const near: Passage[] = [];
  for (const at of three.passages) {
    const passage = index.passages[at];
    if (passage !== undefined) near.push(passage);
  }
  const levels: number[] = [];
  const part: Wanted[] = [];
  for (let at = 0; at < wanted.length; at += 1) {
    const word = wanted[at];
    if (word === undefined || within[at] === 0) continue;
    part.push(word);
    levels.push(three.levels[at] ?? 0);
  }
  const beside: SentenceInContext = {
    tokens,
    wanted: part,
    levels,
    near,
    figures: only ? figures : readQuantities(tokens),
  };
  const seen = noFeatures();
  seen[PLACE.weakest_one] = one.soft / total;
  seen[PLACE.weakest_three] = three.soft / total;
  readUnseen(beside, seen);
  readPairs(beside, seen);
  readFigures(beside, seen);
  readTone(beside, seen);
  readSwaps(beside, seen);
  readEnds(beside, seen);
  readUnlikely(beside, seen);
  readOrder(beside, seen);
  return seen;
}

function readUnseen({ tokens, wanted, levels, near }: SentenceInContext, seen: Seen): void {
  let heaviest = 0;
  let count = 0;
  for (let at = 0; at < wanted.length; at += 1) {
    const word = wanted[at];
    if (word === undefined || (levels[at] ?? 0) >= SAME_BY_PREFIX || standsIn(near, word.stem)) continue;
    count += 1;
    heaviest = Math.max(heaviest, word.weight);
  }
  let names = 0;
  for (const { stem } of namesOf(tokens)) if (!standsIn(near, stem)) names += 1;
  seen[PLACE.near_unseen_heaviest] = heaviest;
  seen[PLACE.near_unseen_count] = count;
  seen[PLACE.near_names_unseen] = names;
}

function standsIn(near: readonly Passage[], stem: string): boolean {
  for (const passage of near) {
    if (passage.stems.has(stem)) return true;
    for (const token of passage.tokens) if (token.stem === stem) return true;
  }
  return false;
}

/** How far apart two words that are neighbours in a statement may stand in a passage. */
const TOGETHER_SPAN = 4;

function readPairs({ tokens, near }: SentenceInContext, seen: Seen): void {
  const content: string[] = [];
  for (const token of tokens) if (token.content) content.push(token.stem);
  let next = 0;
  let together = 0;
  for (let at = 1; at < content.length; at += 1) {
    const before = content[at - 1] ?? '';
    const stem = content[at] ?? '';
    let gap = Number.POSITIVE_INFINITY;
    for (const passage of near) gap = Math.min(gap, gapBetween(passage.content, before, stem));
    if (gap === 1) next += 1;
    if (gap <= TOGETHER_SPAN) together += 1;
  }
  const count = Math.max(1, content.length - 1);
  seen[PLACE.near_pairs] = next / count;
  seen[PLACE.near_together] = together / count;
}

/** The least number of content words from one to another in a passage; infinite when one of them is not there. */
function gapBetween(stems: readonly string[], before: string, stem: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let at = stems.indexOf(before); at !== -1; at = stems.indexOf(before, at + 1))
    for (let other = Math.max(0, at - TOGETHER_SPAN); other <= at + TOGETHER_SPAN; other += 1)
      if (stems[other] === stem) least = Math.min(least, other > at ? other - at : at - other + 1);
  return least;
}

function readFigures({ figures, near }: SentenceInContext, seen: Seen): void {
  if (figures.length === 0) return;
  const compared = (match: 'same' | 'different', figure: Quantity): boolean =>
    near.some((passage) => passage.quantities.some((known) => compareQuantities(figure, known) === match));
  const away = figures.filter((figure) => !compared('same', figure));
  seen[PLACE.near_figures_unseen] = away.length;
  seen[PLACE.near_figures_rival] = away.filter((figure) => compared('different', figure)).length;
}

/** How far the answer that opens a statement and what comes after it are at odds with each other, or with the passages. */
function answerClash(tokens: readonly Token[], denies: boolean, near: readonly Passage[], nearDenies: boolean): number {
  switch (answerOf(tokens)) {
    case 'yes':
      return denies ? 0.5 : 0;
    case 'no':
      if (denies) return 0;
      return nearDenies || near.some((passage) => answerOf(passage.tokens) === 'no') ? 0.5 : 1;
    default:
      return 0;
  }
}

function readTone({ tokens, near }: SentenceInContext, seen: Seen): void {
  const denied = deniedStems(tokens);
  const nearDenied: string[][] = [];
  for (const passage of near) nearDenied.push(...deniedStems(passage.tokens));
  seen[PLACE.near_denial_added] =
    (denied.length === 0 ? 0 : denialsAdded(denied, nearDenied)) +
    answerClash(tokens, denied.length > 0, near, nearDenied.length > 0);
  seen[PLACE.near_denial_lost] = nearDenied.length === 0 ? 0 : denialsLost(tokens, denied, nearDenied);
  seen[PLACE.near_hedge_lost] =
    holdsAny(tokens, HEDGES) || !near.some((passage) => holdsAny(passage.tokens, HEDGES)) ? 0 : 1;
  const strong = new Set<string>();
  for (const token of tokens) if (sounds(token, INSISTS)) strong.add(token.lower);
  for (const passage of strong.size > 0 ? near : []) for (const { lower } of passage.tokens) strong.delete(lower);
  seen[PLACE.near_strong_words] = strong.size;
}

function denialsAdded(denied: readonly string[][], nearDenied: readonly string[][]): number {
  const theirs = nearDenied.flat();
  return denied.filter((group) => !group.some((stem) => theirs.includes(stem))).length;
}

/** How many of the denials of the passages fall on words that the sentence states. */
function denialsLost(tokens: readonly Token[], denied: readonly string[][], nearDenied: readonly string[][]): number {
  const own = denied.flat();
  const isStated = (stem: string): boolean =>
    !own.includes(stem) && tokens.some((token) => token.content && token.stem === stem);
  return nearDenied.filter((group) => group.every(isStated)).length;
}

function holdsAny(tokens: readonly Token[], tone: Tone): boolean {
  for (const token of tokens) if (sounds(token, tone)) return true;
  return false;
}

const holds = (words: readonly Wanted[], stem: string): boolean => {
  for (const word of words) if (word.stem === stem) return true;
  return false;
};

/** Words that took the place of another: an opposite, or another kind of the same thing. */
function readSwaps({ wanted, levels, near }: SentenceInContext, seen: Seen): void {
  const isFree = (stem: string): boolean => near.some(({ stems }) => stems.has(stem)) && !holds(wanted, stem);
  let opposites = 0;
  const apart: Wanted[] = [];
  for (let at = 0; at < wanted.length; at += 1) {
    const word = wanted[at];
    const level = levels[at] ?? 0;
    if (word === undefined || level === 1 || word.token.kind === 'number') continue;
    if (word.entry.opposites.some(isFree)) opposites += 1;
    else if (level < SAME_BY_SYNONYM && word.entry.broader.length > 0) apart.push(word);
  }
  seen[PLACE.near_opposites] = opposites;
  seen[PLACE.near_siblings] = apart.length === 0 ? 0 : countSwapped(apart, wanted, near);
}

/** How many words are another kind of something whose kind in the passages the sentence does not name. */
function countSwapped(apart: readonly Wanted[], wanted: readonly Wanted[], near: readonly Passage[]): number {
  const kinds: LexiconEntry[] = [];
  for (const { tokens } of near)
    for (const token of tokens) {
      const entry = token.content ? entryOf(token) : undefined;
      if (entry !== undefined && entry.broader.length > 0) kinds.push(entry);
    }
  const isSwapped = ({ entry }: Wanted): boolean =>
    kinds.some((other) => areSiblings(entry, other) && !holds(wanted, other.stem));
  return apart.filter(isSwapped).length;
}

/** Words of a scale that are not in the passages: how many have their own end there, and how many only the other. */
function readEnds({ wanted, levels, near }: SentenceInContext, seen: Seen): void {
  let same = 0;
  let other = 0;
  let known: Set<number> | undefined;
  for (let at = 0; at < wanted.length; at += 1) {
    const word = wanted[at];
    if (word === undefined || levels[at] === 1) continue;
    const own = word.entry.ends;
    if (own.length === 0) continue;
    known ??= endsIn(near, wanted);
    if (own.some((end) => known?.has(end))) same += 1;
    else if (own.some((end) => known?.has(otherEnd(end)))) other += 1;
  }
  seen[PLACE.near_same_end] = same;
  seen[PLACE.near_other_end] = other;
}

const NEGATING = /^(?:un|in|im|ir|il|dis|non|mis|ab?)/;

/**
 * Of words that the passages do not hold and that have an opposite: how much better the opposite would fit between the
 * words around each, and how many of them deny by their form. What no one would write of itself wants a source.
 */
function readUnlikely({ tokens, wanted, levels }: SentenceInContext, seen: Seen): void {
  let misfit = 0;
  let negated = 0;
  for (let at = 0; at < wanted.length; at += 1) {
    const word = wanted[at];
    if (word === undefined || word.token.kind !== 'word' || (levels[at] ?? 0) >= SAME_BY_SYNONYM) continue;
    const { stem, token, entry } = word;
    const { opposites } = entry;
    if (opposites.length === 0) continue;
    misfit += misfitOf(tokens, tokens.indexOf(token));
    if ((NEGATING.test(stem) && opposites.some((other) => stem.endsWith(other))) || token.lower.endsWith('less'))
      negated += 1;
  }
  seen[PLACE.near_misfit] = misfit;
  seen[PLACE.near_negated] = negated;
}

/** The ends of scales that the passages name in words which the statement does not share. */
function endsIn(near: readonly Passage[], wanted: readonly Wanted[]): Set<number> {
  const found = new Set<number>();
  for (const { tokens } of near)
    for (const token of tokens) {
      if (!token.content) continue;
      const { ends } = entryOf(token);
      if (ends.length === 0 || holds(wanted, token.stem)) continue;
      for (const end of ends) found.add(end);
    }
  return found;
}

/** Neighbouring words that stand in the same order in the passage that shares most of them, and those that do not. */
function readOrder({ wanted, near }: SentenceInContext, seen: Seen): void {
  let most = -1;
  for (const { content } of near) {
    let kept = 0;
    let swapped = 0;
    let shared = 0;
    let first = -1;
    for (const { stem } of wanted) {
      const place = content.indexOf(stem);
      if (place === -1) continue;
      shared += 1;
      if (shared > 1) {
        if (first < content.lastIndexOf(stem)) kept += 1;
        else swapped += 1;
      }
      first = place;
    }
    if (shared <= most) continue;
    most = shared;
    seen[PLACE.near_order] = kept / Math.max(1, shared - 1);
    seen[PLACE.near_swapped] = swapped;
  }
}

/** Capitalised words inside a sentence; a text all in capitals has none. */
export function namesOf(tokens: readonly Token[]): Token[] {
  const names: Token[] = [];
  let words = 0;
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.kind === 'word') words += 1;
    if (token?.capital && token.content && at > 0 && token.lower.length > 2) names.push(token);
  }
  return names.length > 3 && names.length >= words - 1 ? [] : names;
}
