import type { EvidenceIndex } from '../reading/evidence-index.ts';
import type { Token } from '../reading/tokens.ts';
import { PLACE } from './feature-list.ts';

/** Words of the evidence one after the other, each linked to the place before where it stood. */
export type Flow = { stems: string[]; last: Map<string, number>; before: number[] };
/** A word that stands in more places than this is looked up in the last of them. */
const PLACES_MAX = 60;

function flowOf(index: EvidenceIndex): Flow {
  if (index.lazy.flow !== undefined) return index.lazy.flow;
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
  index.lazy.flow = flow;
  return flow;
}

/** The share of the words of a statement, each stem counted once and words of grammar too, that the evidence holds. */
export function shareHeld(tokens: readonly Token[], index: EvidenceIndex): number {
  const { last } = flowOf(index);
  const own = new Set<string>();
  for (const { kind, stem } of tokens) if (kind !== 'mark') own.add(stem);
  let held = 0;
  for (const stem of own) if (last.has(stem)) held += 1;
  return held / Math.max(1, own.size);
}

/** Features of words that stand in the evidence in the order of the statement. */
export function readRuns(tokens: readonly Token[], index: EvidenceIndex, features: Float64Array): void {
  const content: string[] = [];
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'mark') continue;
    words.push(token.stem);
    if (token.content) content.push(token.stem);
  }
  let [pairs, triples] = [0, 0];
  for (let at = 1; at < content.length; at += 1) {
    const follow = furthestRun(index, content, at - 1);
    if (follow >= 2) pairs += 1;
    if (follow >= 3) triples += 1;
  }
  features[PLACE.pairs_whole] = pairs / Math.max(1, content.length - 1);
  features[PLACE.triples_whole] = triples / Math.max(1, content.length - 2);
  const flow = flowOf(index);
  let [longest, squares, at] = [0, 0, 0];
  while (at < words.length) {
    const run = longestRun(flow, words, at);
    longest = Math.max(longest, run);
    squares += run * run;
    at += Math.max(1, run);
  }
  features[PLACE.longest_run] = longest / Math.max(1, words.length);
  features[PLACE.run_density] = Math.sqrt(squares) / Math.max(1, words.length);
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
