import { isNegated } from '../contradictions.ts';
import type { EvidenceIndex, Passage } from '../reading/evidence-index.ts';
import { compareQuantities, type Quantity, readQuantities } from '../reading/quantities.ts';
import { splitSentences } from '../reading/sentences.ts';
import { isContent, type Token, tokenize } from '../reading/tokens.ts';
import { areSiblings, broaderThan, oppositesOf, rarity, synonymsOf } from './lexicon.ts';

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
const AT = new Map<string, number>(FEATURES.map(([name], index) => [name, index]));

const CANDIDATES_MAX = 48;
const SAME_BY_SYNONYM = 0.85;
const SAME_BY_BROADER = 0.6;
const SAME_BY_PREFIX = 0.5;
const PREFIX = 5;
/** A word in more passages than this is common in the evidence at hand. */
const COMMON_PASSAGES = 120;
const _NEAR = 3;

type Cells = Map<number, Map<number, number>>;
type Wanted = { stem: string; weight: number; token: Token };

/** What is looked up again for every statement read against the same evidence. */
type Texture = {
  pairs: Set<string>;
  triples: Set<string>;
  prefixes: Map<string, string[]>;
  runs: Map<string, number[]>;
  flow: string[];
};
const textures = new WeakMap<EvidenceIndex, Texture>();

function textureOf(index: EvidenceIndex): Texture {
  const known = textures.get(index);
  if (known !== undefined) return known;
  const texture: Texture = { pairs: new Set(), triples: new Set(), prefixes: new Map(), runs: new Map(), flow: [] };
  for (const passage of index.passages) {
    if (passage.instruction) continue;
    const stems = passage.tokens.filter(isContent).map((token) => token.stem);
    for (let at = 1; at < stems.length; at += 1) {
      texture.pairs.add(`${stems[at - 1]} ${stems[at]}`);
      if (at > 1) texture.triples.add(`${stems[at - 2]} ${stems[at - 1]} ${stems[at]}`);
    }
    for (const token of passage.tokens) {
      if (token.kind === 'mark') continue;
      const at = texture.flow.push(token.stem) - 1;
      const places = texture.runs.get(token.stem);
      if (places === undefined) texture.runs.set(token.stem, [at]);
      else if (places.length < 60) places.push(at);
    }
    texture.flow.push('');
  }
  for (const stem of index.postings.keys()) {
    if (stem.length < PREFIX) continue;
    const key = stem.slice(0, PREFIX);
    const list = texture.prefixes.get(key);
    if (list === undefined) texture.prefixes.set(key, [stem]);
    else list.push(stem);
  }
  textures.set(index, texture);
  return texture;
}

export type Reading = { features: Float64Array; best: number[] };

/** Features of one statement read against the evidence, and the passages of its best window. */
export function readFeatures(text: string, index: EvidenceIndex): Reading {
  const features = new Float64Array(FEATURE_COUNT);
  const set = (name: FeatureName, value: number): void => {
    features[AT.get(name) ?? 0] = value;
  };
  const tokens = tokenize(text);
  const texture = textureOf(index);
  const wanted = wantedOf(tokens);
  const total = wanted.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const { cells, levels, exact } = matchCells(wanted, index, texture);
  set('whole_exact', wanted.reduce((sum, { weight }, at) => sum + (exact[at] ? weight : 0), 0) / total);
  set('whole_soft', wanted.reduce((sum, { weight }, at) => sum + weight * (levels[at] ?? 0), 0) / total);
  set('plain_share', exact.filter(Boolean).length / Math.max(1, wanted.length));

  const windows = [1, 2, 3, 5].map((size) => bestWindow(wanted, cells, index, size));
  const [one, two, three, five] = windows;
  set('one_soft', (one?.soft ?? 0) / total);
  set('one_exact', (one?.exact ?? 0) / total);
  set('two_soft', (two?.soft ?? 0) / total);
  set('three_soft', (three?.soft ?? 0) / total);
  set('three_exact', (three?.exact ?? 0) / total);
  set('five_soft', (five?.soft ?? 0) / total);
  const best = three?.passages ?? [];
  const near = best.map((at) => index.passages[at]).filter((passage) => passage !== undefined);
  const nearStems = new Set(near.flatMap((passage) => passage.tokens.map((token) => token.stem)));

  readSentences(text, cells, wanted, index, set);
  readRuns(tokens, texture, near, set);
  readUnseen(wanted, levels, nearStems, three?.levels ?? new Map(), set);
  readFigures(tokens, index, near, set);
  readNames(text, tokens, index, nearStems, set);
  readTone(tokens, near, set);
  readSwaps(wanted, three?.levels ?? new Map(), near, set);
  set('evidence_passages', Math.log1p(index.passages.length));
  return { features, best };
}

type Set_ = (name: FeatureName, value: number) => void;

function wantedOf(tokens: readonly Token[]): Wanted[] {
  const seen = new Set<string>();
  const wanted: Wanted[] = [];
  for (const token of tokens) {
    if (!isContent(token) || seen.has(token.stem)) continue;
    seen.add(token.stem);
    wanted.push({ stem: token.stem, weight: rarity(token.stem), token });
  }
  return wanted;
}

/** For each passage, which wanted words it holds and how well: 1 exact, less through a relation. */
function matchCells(
  wanted: readonly Wanted[],
  index: EvidenceIndex,
  texture: Texture,
): { cells: Cells; levels: number[]; exact: boolean[] } {
  const cells: Cells = new Map();
  const levels: number[] = wanted.map(() => 0);
  const common: { stem: string; at: number; level: number }[] = [];
  const put = (passage: number, at: number, level: number): void => {
    let row = cells.get(passage);
    if (row === undefined) {
      row = new Map();
      cells.set(passage, row);
    }
    if ((row.get(at) ?? 0) < level) row.set(at, level);
  };
  const mark = (stem: string, at: number, level: number): void => {
    const passages = index.postings.get(stem);
    if (passages === undefined) return;
    if ((levels[at] ?? 0) < level) levels[at] = level;
    if (passages.length > COMMON_PASSAGES) common.push({ stem, at, level });
    else for (const passage of passages) put(passage, at, level);
  };
  const exact = wanted.map(({ stem, token }, at) => {
    mark(stem, at, 1);
    const found = levels[at] === 1;
    if (token.kind === 'number') return found;
    for (const other of synonymsOf(stem)) mark(other, at, SAME_BY_SYNONYM);
    for (const other of broaderThan(stem)) mark(other, at, SAME_BY_BROADER);
    if (levels[at] === 0 && stem.length >= PREFIX)
      for (const other of texture.prefixes.get(stem.slice(0, PREFIX)) ?? []) {
        if (!oppositesOf(stem).includes(other)) mark(other, at, SAME_BY_PREFIX);
      }
    return found;
  });
  // A word of most passages chooses none of them: it is only looked up where rarer words already led.
  const led = [...cells.keys()];
  for (const { stem, at, level } of common) {
    const passages = led.length > 0 ? led : (index.postings.get(stem) ?? []).slice(0, COMMON_PASSAGES);
    for (const passage of passages) if (index.passages[passage]?.stems.has(stem)) put(passage, at, level);
  }
  return { cells, levels, exact };
}

type Window = { soft: number; exact: number; passages: number[]; levels: Map<number, number> };

function bestWindow(wanted: readonly Wanted[], cells: Cells, index: EvidenceIndex, size: number): Window {
  const scored = [...cells].map(([passage, row]) => {
    let score = 0;
    for (const [at, level] of row) score += (wanted[at]?.weight ?? 0) * level;
    return { passage, score };
  });
  scored.sort((a, b) => b.score - a.score || a.passage - b.passage);
  let best: Window = { soft: 0, exact: 0, passages: [], levels: new Map() };
  const starts = new Set<number>();
  for (const { passage } of scored.slice(0, CANDIDATES_MAX))
    for (let back = 0; back < size; back += 1) starts.add(passage - back);
  for (const start of starts) {
    const source = index.passages[start]?.source;
    if (source === undefined) continue;
    const levels = new Map<number, number>();
    const passages: number[] = [];
    for (let at = start; at < start + size; at += 1) {
      if (index.passages[at]?.source !== source) break;
      passages.push(at);
      for (const [word, level] of cells.get(at) ?? []) if ((levels.get(word) ?? 0) < level) levels.set(word, level);
    }
    let soft = 0;
    let exact = 0;
    for (const [word, level] of levels) {
      const weight = wanted[word]?.weight ?? 0;
      soft += weight * level;
      if (level === 1) exact += weight;
    }
    if (soft > best.soft || (soft === best.soft && start < (best.passages[0] ?? Number.POSITIVE_INFINITY)))
      best = { soft, exact, passages, levels };
  }
  return best;
}

/** The weakest sentence of a statement of several decides much. */
function readSentences(text: string, cells: Cells, wanted: readonly Wanted[], index: EvidenceIndex, set: Set_): void {
  const spans = splitSentences(text);
  let [weakestOne, weakestThree] = [1, 1];
  for (const { start, end } of spans.length > 0 ? spans : [{ start: 0, end: text.length }]) {
    const own = new Set(tokenize(text.slice(start, end)).map((token) => token.stem));
    const within = wanted.map((word) => (own.has(word.stem) ? word : { ...word, weight: 0 }));
    const total = within.reduce((sum, { weight }) => sum + weight, 0);
    if (total === 0) continue;
    weakestOne = Math.min(weakestOne, bestWindow(within, cells, index, 1).soft / total);
    weakestThree = Math.min(weakestThree, bestWindow(within, cells, index, 3).soft / total);
  }
  set('weakest_one', weakestOne);
  set('weakest_three', weakestThree);
}

function readRuns(tokens: readonly Token[], texture: Texture, near: readonly Passage[], set: Set_): void {
  const content = tokens.filter(isContent).map((token) => token.stem);
  const nearPairs = new Set<string>();
  for (const passage of near) {
    const stems = passage.tokens.filter(isContent).map((token) => token.stem);
    for (let at = 1; at < stems.length; at += 1) nearPairs.add(`${stems[at - 1]} ${stems[at]}`);
  }
  let [pairs, nearby, triples] = [0, 0, 0];
  for (let at = 1; at < content.length; at += 1) {
    const pair = `${content[at - 1]} ${content[at]}`;
    if (texture.pairs.has(pair)) pairs += 1;
    if (nearPairs.has(pair)) nearby += 1;
    if (at > 1 && texture.triples.has(`${content[at - 2]} ${pair}`)) triples += 1;
  }
  set('pairs_whole', pairs / Math.max(1, content.length - 1));
  set('pairs_three', nearby / Math.max(1, content.length - 1));
  set('triples_whole', triples / Math.max(1, content.length - 2));
  const flow = tokens.filter((token) => token.kind !== 'mark').map((token) => token.stem);
  let [longest, squares, at] = [0, 0, 0];
  while (at < flow.length) {
    let run = 0;
    for (const place of texture.runs.get(flow[at] ?? '') ?? []) {
      let length = 0;
      while (at + length < flow.length && texture.flow[place + length] === flow[at + length]) length += 1;
      if (length > run) run = length;
    }
    longest = Math.max(longest, run);
    squares += run * run;
    at += Math.max(1, run);
  }
  set('longest_run', longest / Math.max(1, flow.length));
  set('run_density', Math.sqrt(squares) / Math.max(1, flow.length));
}

function readUnseen(
  wanted: readonly Wanted[],
  levels: readonly number[],
  nearStems: ReadonlySet<string>,
  nearLevels: ReadonlyMap<number, number>,
  set: Set_,
): void {
  const unseen = wanted.filter((_, at) => (levels[at] ?? 0) < SAME_BY_PREFIX).map(({ weight }) => weight);
  unseen.sort((a, b) => b - a);
  set('unseen_heaviest', unseen[0] ?? 0);
  set('unseen_second', unseen[1] ?? 0);
  set('unseen_count', unseen.length);
  set('unseen_share', unseen.length / Math.max(1, wanted.length));
  const away = wanted.filter(({ stem }, at) => !nearStems.has(stem) && (nearLevels.get(at) ?? 0) < SAME_BY_PREFIX);
  set('unseen_near_heaviest', Math.max(0, ...away.map(({ weight }) => weight)));
  set('unseen_near_count', away.length);
}

function readFigures(tokens: readonly Token[], index: EvidenceIndex, near: readonly Passage[], set: Set_): void {
  const figures = readQuantities(tokens);
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
  set: Set_,
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

function readTone(tokens: readonly Token[], near: readonly Passage[], set: Set_): void {
  const own = new Set(tokens.map((token) => token.lower));
  const theirs = new Set(near.flatMap((passage) => passage.tokens.map((token) => token.lower)));
  const any = (words: ReadonlySet<string>, present: ReadonlySet<string>): boolean =>
    [...words].some((word) => present.has(word));
  const middle = near[0];
  const denies = isNegated(tokens);
  const nearDenies = near.some((passage) => isNegated(passage.tokens));
  set('denies', denies ? 1 : 0);
  set(
    'negation_differs',
    denies && !nearDenies
      ? 2
      : !denies && middle !== undefined && near.every((passage) => isNegated(passage.tokens))
        ? 1
        : 0,
  );
  const hedged = any(HEDGES, own);
  const nearHedged = any(HEDGES, theirs);
  set('hedge_lost', !hedged && nearHedged ? 1 : 0);
  set('strong_words', [...STRONG].filter((word) => own.has(word) && !theirs.has(word)).length);
  set('speaker', Math.min(3, tokens.filter((token) => SPEAKER.has(token.lower)).length));
}

/** Words that took the place of another: an opposite, a sibling, or the same words in another order. */
function readSwaps(
  wanted: readonly Wanted[],
  nearLevels: ReadonlyMap<number, number>,
  near: readonly Passage[],
  set: Set_,
): void {
  const stems = new Set(wanted.map(({ stem }) => stem));
  const free = [...new Set(near.flatMap((passage) => [...passage.stems]))].filter((stem) => !stems.has(stem));
  let [opposites, siblings] = [0, 0];
  for (const [at, { stem, token }] of wanted.entries()) {
    if (nearLevels.get(at) === 1 || token.kind === 'number') continue;
    const against = oppositesOf(stem);
    if (against.length > 0 && free.some((other) => against.includes(other))) opposites += 1;
    else if (
      (nearLevels.get(at) ?? 0) < SAME_BY_SYNONYM &&
      broaderThan(stem).length > 0 &&
      free.some((other) => areSiblings(stem, other))
    )
      siblings += 1;
  }
  set('opposites', opposites);
  set('siblings', siblings);
  const { kept, swapped } = orderIn(wanted, near);
  set('order_kept', kept);
  set('swapped', swapped);
}

function orderIn(wanted: readonly Wanted[], near: readonly Passage[]): { kept: number; swapped: number } {
  let best = { kept: 0, swapped: 0, shared: -1 };
  for (const passage of near) {
    const first = new Map<string, number>();
    const last = new Map<string, number>();
    for (const [at, token] of passage.tokens.entries()) {
      if (!first.has(token.stem)) first.set(token.stem, at);
      last.set(token.stem, at);
    }
    const shared = wanted.filter(({ stem }) => first.has(stem));
    let [kept, swapped] = [0, 0];
    for (let at = 1; at < shared.length; at += 1) {
      const [a, b] = [shared[at - 1]?.stem ?? '', shared[at]?.stem ?? ''];
      if ((first.get(a) ?? 0) < (last.get(b) ?? 0)) kept += 1;
      else swapped += 1;
    }
    if (shared.length > best.shared)
      best = { kept: kept / Math.max(1, shared.length - 1), swapped, shared: shared.length };
  }
  return best;
}
