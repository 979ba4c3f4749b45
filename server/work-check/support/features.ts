import { isNegated } from '../contradictions.ts';
import type { EvidenceIndex, Passage } from '../reading/evidence-index.ts';
import { compareQuantities, type Quantity, readQuantities } from '../reading/quantities.ts';
import { splitSentences } from '../reading/sentences.ts';
import { isContent, type Token, tokenize } from '../reading/tokens.ts';
import { areSiblings, broaderThan, oppositesOf } from './lexicon.ts';
import {
  bestWindow,
  candidatesOf,
  type Matches,
  matchWords,
  SAME_BY_PREFIX,
  SAME_BY_SYNONYM,
  type Wanted,
  wantedOf,
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
  ['pairs_three', 1],
  ['triples_whole', 1],
  ['longest_run', 1],
  ['run_density', 1],
  ['unseen_heaviest', -1],
  ['unseen_second', -1],
  ['unseen_count', -1],
  ['unseen_share', -1],
  ['unseen_near_heaviest', -1],
  ['unseen_near_count', -1],
  ['figures_unseen', -1],
  ['figures_unseen_near', -1],
  ['figures_rival', -1],
  ['names_unseen', -1],
  ['names_unseen_near', -1],
  ['negation_differs', -1],
  ['denies', -1],
  ['opposites', -1],
  ['siblings', -1],
  ['order_kept', 1],
  ['swapped', -1],
  ['hedge_lost', -1],
  ['strong_words', -1],
  ['speaker', -1],
  ['evidence_passages', 0],
  ['plain_share', 1],
] as const satisfies readonly (readonly [string, -1 | 0 | 1])[];

export type FeatureName = (typeof FEATURES)[number][0];
export const FEATURE_COUNT = FEATURES.length;
/** Places of the two features that carry the coverage prior. */
export const WHOLE_SOFT = FEATURES.findIndex(([name]) => name === 'whole_soft');
export const THREE_SOFT = FEATURES.findIndex(([name]) => name === 'three_soft');
const PLACES = Object.fromEntries(FEATURES.map(([name], at) => [name, at])) as Record<FeatureName, number>;

export type Reading = { features: Float64Array; best: number[] };

type Setter = (name: FeatureName, value: number) => void;

/** What is read from: the wanted words, how the evidence holds them, and the window that holds most of them. */
type Found = {
  wanted: readonly Wanted[];
  weights: Float64Array;
  total: number;
  matches: Matches;
  /** How well the best window holds each wanted word. */
  nearLevels: Float64Array;
  near: readonly Passage[];
  nearStems: ReadonlySet<string>;
};

/** Features of one statement read against the evidence, and the passages of its best window. */
export function readFeatures(text: string, index: EvidenceIndex): Reading {
  const features = new Float64Array(FEATURE_COUNT);
  const set: Setter = (name, value) => {
    features[PLACES[name]] = value;
  };
  const tokens = tokenize(text);
  const wanted = wantedOf(tokens);
  const weights = Float64Array.from(wanted, ({ weight }) => weight);
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const matches = matchWords(wanted, index);
  const candidates = candidatesOf(matches, weights);
  const [one, two, three, five] = [1, 2, 3, 5].map((size) => bestWindow(candidates, matches, weights, index, size));
  set('one_soft', (one?.soft ?? 0) / total);
  set('one_exact', (one?.exact ?? 0) / total);
  set('two_soft', (two?.soft ?? 0) / total);
  set('three_soft', (three?.soft ?? 0) / total);
  set('three_exact', (three?.exact ?? 0) / total);
  set('five_soft', (five?.soft ?? 0) / total);
  const best = three?.passages ?? [];
  const near = best.map((at) => index.passages[at]).filter((passage) => passage !== undefined);
  const nearStems = new Set<string>();
  for (const passage of near) for (const { stem } of passage.tokens) nearStems.add(stem);
  const nearLevels = three?.levels ?? new Float64Array(wanted.length);
  const found: Found = { wanted, weights, total, matches, nearLevels, near, nearStems };
  readWhole(found, set);
  set('weakest_one', (one?.soft ?? 0) / total);
  set('weakest_three', (three?.soft ?? 0) / total);
  readSentences(text, found, index, set);
  readRuns(tokens, found, index, set);
  readUnseen(found, set);
  readFigures(tokens, index, near, set);
  readNames(text, tokens, index, nearStems, set);
  readTone(tokens, near, set);
  readSwaps(found, set);
  set('evidence_passages', Math.log1p(index.passages.length));
  return { features, best };
}

function readWhole({ wanted, weights, total, matches: { levels } }: Found, set: Setter): void {
  let [exact, soft, plain] = [0, 0, 0];
  for (let at = 0; at < weights.length; at += 1) {
    const [level, weight] = [levels[at] ?? 0, weights[at] ?? 0];
    soft += weight * level;
    if (level !== 1) continue;
    exact += weight;
    plain += 1;
  }
  set('whole_exact', exact / total);
  set('whole_soft', soft / total);
  set('plain_share', plain / Math.max(1, wanted.length));
}

/** Of a statement of several sentences, the weakest decides much. */
function readSentences(text: string, found: Found, index: EvidenceIndex, set: Setter): void {
  const spans = splitSentences(text);
  if (spans.length <= 1) return;
  const { wanted, weights, matches } = found;
  let [weakestOne, weakestThree] = [1, 1];
  for (const { start, end } of spans) {
    const own = new Set(tokenize(text.slice(start, end)).map((token) => token.stem));
    const within = weights.map((weight, at) => (own.has(wanted[at]?.stem ?? '') ? weight : 0));
    const total = within.reduce((sum, weight) => sum + weight, 0);
    if (total === 0) continue;
    const candidates = candidatesOf(matches, within);
    weakestOne = Math.min(weakestOne, bestWindow(candidates, matches, within, index, 1).soft / total);
    weakestThree = Math.min(weakestThree, bestWindow(candidates, matches, within, index, 3).soft / total);
  }
  set('weakest_one', weakestOne);
  set('weakest_three', weakestThree);
}

/** Words of the evidence one after the other, each linked to the place before where it stood. */
type Flow = { stems: string[]; last: Map<string, number>; before: number[] };
const flows = new WeakMap<EvidenceIndex, Flow>();
const PLACES_MAX = 60;

function flowOf(index: EvidenceIndex): Flow {
  const known = flows.get(index);
  if (known !== undefined) return known;
  const flow: Flow = { stems: [], last: new Map(), before: [] };
  for (const passage of index.passages) {
    if (passage.instruction) continue;
    for (const { kind, stem } of passage.tokens) {
      if (kind === 'mark') continue;
      flow.before.push(flow.last.get(stem) ?? -1);
      flow.last.set(stem, flow.stems.push(stem) - 1);
    }
    flow.before.push(-1);
    flow.stems.push('');
  }
  flows.set(index, flow);
  return flow;
}

function readRuns(tokens: readonly Token[], { near }: Found, index: EvidenceIndex, set: Setter): void {
  const content: string[] = [];
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'mark') continue;
    words.push(token.stem);
    if (token.content) content.push(token.stem);
  }
  let [pairs, nearby, triples] = [0, 0, 0];
  for (let at = 1; at < content.length; at += 1) {
    const [before, stem] = [content[at - 1] ?? '', content[at] ?? ''];
    if (near.some((passage) => follows(passage.content, before, stem))) nearby += 1;
    const follow = furthestRun(index, content, at - 1);
    if (follow >= 2) pairs += 1;
    if (follow >= 3) triples += 1;
  }
  set('pairs_whole', pairs / Math.max(1, content.length - 1));
  set('pairs_three', nearby / Math.max(1, content.length - 1));
  set('triples_whole', triples / Math.max(1, content.length - 2));
  const flow = flowOf(index);
  let [longest, squares, at] = [0, 0, 0];
  while (at < words.length) {
    const run = longestRun(flow, words, at);
    longest = Math.max(longest, run);
    squares += run * run;
    at += Math.max(1, run);
  }
  set('longest_run', longest / Math.max(1, words.length));
  set('run_density', Math.sqrt(squares) / Math.max(1, words.length));
}

function follows(stems: readonly string[], before: string, stem: string): boolean {
  for (let at = stems.indexOf(before); at !== -1; at = stems.indexOf(before, at + 1))
    if (stems[at + 1] === stem) return true;
  return false;
}

/** How many content words from `from` on, up to three, stand one after the other in some passage. */
function furthestRun(index: EvidenceIndex, content: readonly string[], from: number): number {
  const [first = '', second, third] = content.slice(from, from + 3);
  let furthest = 1;
  for (const passage of (index.postings.get(first) ?? []).slice(0, PLACES_MAX)) {
    const stems = index.passages[passage]?.content ?? [];
    for (let at = stems.indexOf(first); at !== -1; at = stems.indexOf(first, at + 1)) {
      if (stems[at + 1] !== second) continue;
      if (third !== undefined && stems[at + 2] === third) return 3;
      furthest = 2;
    }
  }
  return furthest;
}

function longestRun(flow: Flow, words: readonly string[], from: number): number {
  let longest = 0;
  let place = flow.last.get(words[from] ?? '') ?? -1;
  for (let places = 0; place >= 0 && places < PLACES_MAX; places += 1) {
    let length = 1;
    while (from + length < words.length && flow.stems[place + length] === words[from + length]) length += 1;
    if (length > longest) longest = length;
    place = flow.before[place] ?? -1;
  }
  return longest;
}

function readUnseen({ wanted, matches: { levels }, nearLevels, nearStems }: Found, set: Setter): void {
  const unseen: number[] = [];
  let [away, heaviest] = [0, 0];
  for (const [at, { stem, weight }] of wanted.entries()) {
    if ((levels[at] ?? 0) < SAME_BY_PREFIX) unseen.push(weight);
    if (nearStems.has(stem) || (nearLevels[at] ?? 0) >= SAME_BY_PREFIX) continue;
    away += 1;
    heaviest = Math.max(heaviest, weight);
  }
  unseen.sort((a, b) => b - a);
  set('unseen_heaviest', unseen[0] ?? 0);
  set('unseen_second', unseen[1] ?? 0);
  set('unseen_count', unseen.length);
  set('unseen_share', unseen.length / Math.max(1, wanted.length));
  set('unseen_near_heaviest', heaviest);
  set('unseen_near_count', away);
}

function readFigures(tokens: readonly Token[], index: EvidenceIndex, near: readonly Passage[], set: Setter): void {
  const figures = readQuantities(tokens);
  if (figures.length === 0) return;
  const same = (figure: Quantity, passages: readonly Passage[]): boolean =>
    passages.some((passage) => passage.quantities.some((known) => compareQuantities(figure, known) === 'same'));
  const open = index.passages.filter((passage) => !passage.instruction);
  const unseen = figures.filter((figure) => !same(figure, open));
  const away = figures.filter((figure) => !same(figure, near));
  const rival = away.filter((figure) =>
    near.some((passage) => passage.quantities.some((known) => compareQuantities(figure, known) === 'different')),
  );
  set('figures_unseen', unseen.length);
  set('figures_unseen_near', away.length);
  set('figures_rival', rival.length);
}

function readNames(
  text: string,
  tokens: readonly Token[],
  index: EvidenceIndex,
  nearStems: ReadonlySet<string>,
  set: Setter,
): void {
  const capitals = tokens.filter((token, at) => token.capital && isContent(token) && at > 0 && token.lower.length > 2);
  const shouting = text === text.toUpperCase();
  const names = shouting ? [] : capitals;
  set('names_unseen', names.filter(({ stem }) => !index.postings.has(stem)).length);
  set('names_unseen_near', names.filter(({ stem }) => !nearStems.has(stem)).length);
}

const HEDGES = new Set(
  'may might could can possibly perhaps likely probably suggest appear seem potential potentially about approximately around nearly almost some'.split(
    ' ',
  ),
);
const STRONG = new Set(
  'all every always only never none entirely completely must definitely certainly exclusively guarantee prove'.split(
    ' ',
  ),
);
const SPEAKER = new Set(['i', 'my', 'me', 'you', 'your', 'yeah', 'yes', 'oh', 'wow', 'lol', "i'm", "i've", 'haha']);

function readTone(tokens: readonly Token[], near: readonly Passage[], set: Setter): void {
  const any = (words: ReadonlySet<string>, among: readonly Token[]): boolean =>
    among.some((token) => words.has(token.lower));
  const denies = isNegated(tokens);
  const nearDenies = near.some((passage) => isNegated(passage.tokens));
  set('denies', denies ? 1 : 0);
  set(
    'negation_differs',
    denies && !nearDenies
      ? 2
      : !denies && near.length > 0 && near.every((passage) => isNegated(passage.tokens))
        ? 1
        : 0,
  );
  const nearHedged = near.some((passage) => any(HEDGES, passage.tokens));
  set('hedge_lost', nearHedged && !any(HEDGES, tokens) ? 1 : 0);
  const strong = new Set(tokens.flatMap(({ lower }) => (STRONG.has(lower) ? [lower] : [])));
  for (const { tokens: theirs } of strong.size > 0 ? near : []) for (const { lower } of theirs) strong.delete(lower);
  set('strong_words', strong.size);
  set('speaker', Math.min(3, tokens.filter((token) => SPEAKER.has(token.lower)).length));
}

/** Words that took the place of another: an opposite, a sibling, or the same words in another order. */
function readSwaps({ wanted, nearLevels, near }: Found, set: Setter): void {
  const stems = new Set(wanted.map(({ stem }) => stem));
  const free = new Set<string>();
  /** The free words of the window by what is broader than they are. */
  const under = new Map<string, string[]>();
  for (const passage of near) {
    for (const stem of passage.content) {
      if (stems.has(stem) || free.has(stem)) continue;
      free.add(stem);
      for (const above of broaderThan(stem)) {
        const list = under.get(above);
        if (list === undefined) under.set(above, [stem]);
        else list.push(stem);
      }
    }
  }
  let [opposites, siblings] = [0, 0];
  for (const [at, { stem, token }] of wanted.entries()) {
    const level = nearLevels[at] ?? 0;
    if (level === 1 || token.kind === 'number') continue;
    if (oppositesOf(stem).some((other) => free.has(other))) opposites += 1;
    else if (
      level < SAME_BY_SYNONYM &&
      broaderThan(stem).some((above) => under.get(above)?.some((other) => areSiblings(stem, other)))
    )
      siblings += 1;
  }
  set('opposites', opposites);
  set('siblings', siblings);
  const { kept, swapped } = orderIn(wanted, near);
  set('order_kept', kept);
  set('swapped', swapped);
}

/** Pairs of neighbouring words that stand in the same order in the passage that shares most of them, and those that do not. */
function orderIn(wanted: readonly Wanted[], near: readonly Passage[]): { kept: number; swapped: number } {
  let best = { kept: 0, swapped: 0, shared: -1 };
  for (const { content } of near) {
    let [kept, swapped, shared, first] = [0, 0, 0, -1];
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
    if (shared > best.shared) best = { kept: kept / Math.max(1, shared - 1), swapped, shared };
  }
  return best;
}
