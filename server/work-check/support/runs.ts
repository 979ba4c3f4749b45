import type { EvidenceIndex, Flow, HeldWord } from '../reading/evidence-index.ts';
import type { Token } from '../reading/token.ts';
import { type Features, PLACE, WORDS_HELD } from './feature-list.ts';

/** A word that stands in more places than this is looked up in the last of them. */
const PLACES_MAX = 60;

/** A word of content of a statement, and the passages that hold it. */
type Content = { stem: string; passages: readonly number[] };

/** Features of words that the evidence holds, those of grammar too, and that stand there in the order of the statement. */
export function readRuns(tokens: readonly Token[], index: EvidenceIndex, features: Features): void {
  const content: Content[] = [];
  const words: (HeldWord | undefined)[] = [];
  const own = new Set<string>();
  let held = 0;
  for (const { kind, stem, content: isContent } of tokens) {
    if (kind === 'mark') continue;
    const word = index.words.get(stem);
    words.push(word);
    if (isContent) content.push({ stem, passages: word?.passages ?? [] });
    if (own.has(stem)) continue;
    own.add(stem);
    if (word !== undefined) held += 1;
  }
  features[WORDS_HELD] = held / Math.max(1, own.size);
  let pairs = 0;
  let triples = 0;
  for (let at = 1; at < content.length; at += 1) {
    const follow = furthestRun(index, content, at - 1);
    if (follow >= 2) pairs += 1;
    if (follow >= 3) triples += 1;
  }
  features[PLACE.pairs_whole] = pairs / Math.max(1, content.length - 1);
  features[PLACE.triples_whole] = triples / Math.max(1, content.length - 2);
  let longest = 0;
  let squares = 0;
  let at = 0;
  while (at < words.length) {
    const run = longestRun(index.flow, words, at);
    longest = Math.max(longest, run);
    squares += run * run;
    at += Math.max(1, run);
  }
  features[PLACE.longest_run] = longest / Math.max(1, words.length);
  features[PLACE.run_density] = Math.sqrt(squares) / Math.max(1, words.length);
}

/** How many content words from `from` on, up to three, stand one after the other in some passage. */
function furthestRun(index: EvidenceIndex, content: readonly Content[], from: number): number {
  const { stem: first, passages } = content[from] ?? { stem: '', passages: [] };
  const second = content[from + 1]?.stem;
  const third = content[from + 2]?.stem;
  let furthest = 1;
  for (let place = 0; place < passages.length && place < PLACES_MAX; place += 1) {
    const stems = index.passages[passages[place] ?? -1]?.content ?? [];
    for (let at = stems.indexOf(first); at !== -1; at = stems.indexOf(first, at + 1)) {
      if (stems[at + 1] !== second) continue;
      if (third !== undefined && stems[at + 2] === third) return 3;
      furthest = 2;
    }
  }
  return furthest;
}

/** How many words of a statement from `from` on stand one after the other somewhere; those that stand nowhere are undefined. */
function longestRun(flow: Flow, words: readonly (HeldWord | undefined)[], from: number): number {
  let longest = 0;
  let place = words[from]?.last ?? -1;
  for (let places = 0; place >= 0 && places < PLACES_MAX; places += 1) {
    let length = 1;
    let next = words[from + 1];
    while (next !== undefined && flow.words[place + length] === next) {
      length += 1;
      next = words[from + length];
    }
    if (length > longest) longest = length;
    place = flow.before[place] ?? -1;
  }
  return longest;
}
