import { type EvidenceIndex, passagesWith } from '../reading/evidence-index.ts';
import type { Token } from '../reading/token.ts';
import type { LexiconEntry } from './lexicon.ts';
import { entryOf } from './lexicon.ts';

/** A content word that the evidence should hold, once for each stem of a statement. */
export type Wanted = { stem: string; weight: number; token: Token; entry: LexiconEntry };

/** How well a word is found: 1 as it stands, less through a relation. */
export const SAME_BY_SYNONYM = 0.85;
const SAME_BY_BROADER = 0.6;
export const SAME_BY_PREFIX = 0.5;
const PREFIX = 5;
/** A word in more passages than this is common in the evidence at hand. */
const COMMON_PASSAGES = 120;
const CANDIDATES_MAX = 48;
/** Leaves room for the rounding of sums. */
const NEARLY = 0.999_999;

export function wantedOf(tokens: readonly Token[]): Wanted[] {
  const seen = new Set<string>();
  const wanted: Wanted[] = [];
  for (const token of tokens) {
    if (!token.content || seen.has(token.stem)) continue;
    seen.add(token.stem);
    const entry = entryOf(token);
    wanted.push({ stem: token.stem, weight: entry.rarity, token, entry });
  }
  return wanted;
}

/** One number for each wanted word. So few of them are cheaper in a plain list than in a typed array. */
type Levels = number[];

function levelsOf({ length }: readonly unknown[]): Levels {
  const levels: Levels = [];
  for (let at = 0; at < length; at += 1) levels.push(0);
  return levels;
}

/** For each passage that holds any, how well it holds each wanted word. */
type Rows = Map<number, Levels>;

export type Matches = {
  rows: Rows;
  /** How well the evidence as a whole holds each wanted word. */
  levels: Levels;
};

/** Stems of the evidence by their first letters. Only asked for when a word is found in no other way. */
function stemsLike(stem: string, index: EvidenceIndex): readonly string[] {
  index.lazy.prefixes ??= byPrefix(index);
  return index.lazy.prefixes.get(stem.slice(0, PREFIX)) ?? [];
}

function byPrefix({ words }: EvidenceIndex): Map<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const [stem, { passages }] of words) {
    if (passages.length === 0 || stem.length < PREFIX) continue;
    const key = stem.slice(0, PREFIX);
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [stem]);
    else list.push(stem);
  }
  return lists;
}

/** Looks every wanted word up in the evidence, as it stands and through its entry. */
export function matchWords(wanted: readonly Wanted[], index: EvidenceIndex): Matches {
  const rows: Rows = new Map();
  const levels = levelsOf(wanted);
  const common: { stem: string; at: number; level: number }[] = [];
  const put = (passage: number, at: number, level: number): void => {
    let row = rows.get(passage);
    if (row === undefined) {
      row = levelsOf(wanted);
      rows.set(passage, row);
    }
    if ((row[at] ?? 0) < level) row[at] = level;
  };
  const mark = (stem: string, at: number, level: number): void => {
    const passages = passagesWith(index, stem);
    if (passages.length === 0) return;
    if ((levels[at] ?? 0) < level) levels[at] = level;
    if (passages.length > COMMON_PASSAGES) common.push({ stem, at, level });
    else for (const passage of passages) put(passage, at, level);
  };
  for (let at = 0; at < wanted.length; at += 1) {
    const word = wanted[at];
    if (word === undefined) continue;
    const { stem, token, entry } = word;
    mark(stem, at, 1);
    if (token.kind === 'number') continue;
    for (const other of entry.synonyms) mark(other, at, SAME_BY_SYNONYM);
    for (const other of entry.broader) mark(other, at, SAME_BY_BROADER);
    if (levels[at] === 0 && stem.length >= PREFIX)
      for (const other of stemsLike(stem, index)) if (!entry.opposites.includes(other)) mark(other, at, SAME_BY_PREFIX);
  }
  // A word of most passages chooses none of them: it is only looked up where rarer words already led.
  const led = common.length > 0 ? [...rows.keys()] : [];
  for (const { stem, at, level } of common) {
    const passages = led.length > 0 ? led : passagesWith(index, stem).slice(0, COMMON_PASSAGES);
    for (const passage of passages) if (index.passages[passage]?.stems.has(stem)) put(passage, at, level);
  }
  return { rows, levels };
}

export type Window = { soft: number; exact: number; passages: number[]; levels: Levels };

/** A passage with how much of the wanted weight it holds. */
export type Candidate = { passage: number; score: number };

/** Passages ranked by how much of the wanted weight they hold; only the first ones are looked at more closely. */
export function candidatesOf({ rows }: Matches, weights: readonly number[]): Candidate[] {
  const scored: Candidate[] = [];
  for (const [passage, row] of rows) scored.push({ passage, score: weigh(row, weights) });
  scored.sort((a, b) => b.score - a.score || a.passage - b.passage);
  return scored.slice(0, CANDIDATES_MAX);
}

function weigh(levels: Levels, weights: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < levels.length; at += 1) sum += (weights[at] ?? 0) * (levels[at] ?? 0);
  return sum;
}

/** The best window of each size. Evidence of fewer passages than that has one window, found once. */
export function windowsOf(
  candidates: readonly Candidate[],
  matches: Matches,
  weights: readonly number[],
  index: EvidenceIndex,
): (size: number) => Window {
  const found = new Map<number, Window>();
  return (size) => {
    const held = Math.max(1, Math.min(size, index.passages.length));
    const window = found.get(held) ?? bestWindow(candidates, matches, weights, index, held);
    found.set(held, window);
    return window;
  };
}

/** The best run of `size` passages of one source around the candidates; `soft` and `exact` are weights found in it. */
function bestWindow(
  candidates: readonly Candidate[],
  { rows }: Matches,
  weights: readonly number[],
  index: EvidenceIndex,
  size: number,
): Window {
  const best = { soft: 0, start: -1 };
  const seen = new Set<number>();
  const levels = levelsOf(weights);
  for (const { passage, score } of candidates) {
    // No passage from here on holds more, so no window that is new holds more than this of each of its passages.
    if (size * score < best.soft * NEARLY) break;
    for (let start = passage; start >= 0 && start > passage - size; start -= 1) {
      if (seen.has(start)) continue;
      seen.add(start);
      if (!fillWindow(levels, rows, index, start, size)) continue;
      const soft = weigh(levels, weights);
      if (soft > best.soft || (soft === best.soft && start < best.start)) {
        best.soft = soft;
        best.start = start;
      }
    }
  }
  let exact = 0;
  const passages: number[] = [];
  if (best.start < 0) return { soft: 0, exact, passages, levels: levelsOf(weights) };
  fillWindow(levels, rows, index, best.start, size);
  for (let at = 0; at < levels.length; at += 1) if (levels[at] === 1) exact += weights[at] ?? 0;
  const source = index.passages[best.start]?.source;
  for (let at = best.start; at < best.start + size; at += 1)
    if (index.passages[at]?.source === source) passages.push(at);
  return { soft: best.soft, exact, passages, levels };
}

/** Sets `levels` to the best of each word in the window, and tells whether a window starts there. */
function fillWindow(levels: Levels, rows: Rows, index: EvidenceIndex, start: number, size: number): boolean {
  for (let word = 0; word < levels.length; word += 1) levels[word] = 0;
  const source = index.passages[start]?.source;
  if (source === undefined) return false;
  for (let at = start; at < start + size; at += 1) {
    if (index.passages[at]?.source !== source) break;
    const row = rows.get(at);
    if (row === undefined) continue;
    for (let word = 0; word < levels.length; word += 1) {
      const level = row[word] ?? 0;
      if (level > (levels[word] ?? 0)) levels[word] = level;
    }
  }
  return true;
}
