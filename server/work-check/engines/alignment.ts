import type { Token } from '../reading/token.ts';
import { entryOf } from '../support/lexicon.ts';

/** Two runs of words side by side: which stand for each other, in order, and the gaps where the two differ. */
export type Alignment = {
  /** Share of the weight of the statement's words of content that have a partner. */
  share: number;
  /** The same for words alone: a figure may be the very thing that differs. */
  word_share: number;
  gaps: Gap[];
};

/** Where the words between two pairs differ: token indexes, the end not included. */
export type Gap = { own: [number, number]; known: [number, number]; anchored: 'both' | 'one' };

/** Longer runs are cut: alignment takes time as the product of both lengths. */
const TOKENS_MAX = 90;

/** Aligns two token runs by the longest common sequence of words and figures; marks are passed over. */
export function align(own: readonly Token[], known: readonly Token[]): Alignment {
  const [a, b] = [wordsOf(own), wordsOf(known)];
  const lengths = commonLengths(a, b);
  const gaps: Gap[] = [];
  let [i, j, matched] = [0, 0, 0];
  let [lastI, lastJ] = [0, 0];
  let pairs = 0;
  const close = (toI: number, end: number, ends: boolean): void => {
    // At the end of the statement the passage may go on: as many of its words stand in the place of the statement's.
    const toJ = ends ? Math.min(end, lastJ + toI - lastI) : end;
    if (toI > lastI && toJ > lastJ)
      gaps.push({
        own: [a[lastI]?.at ?? 0, (a[toI - 1]?.at ?? 0) + 1],
        known: [b[lastJ]?.at ?? 0, (b[toJ - 1]?.at ?? 0) + 1],
        anchored: pairs > 0 && !ends ? 'both' : 'one',
      });
  };
  let words = 0;
  while (i < a.length && j < b.length) {
    const [x, y] = [a[i], b[j]];
    if (x === undefined || y === undefined) break;
    if (x.token.stem === y.token.stem) {
      close(i, j, false);
      pairs += 1;
      matched += x.weight;
      if (x.token.kind === 'word') words += x.weight;
      i += 1;
      j += 1;
      [lastI, lastJ] = [i, j];
    } else if ((lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0)) i += 1;
    else j += 1;
  }
  close(a.length, b.length, true);
  return {
    share: matched / weightOf(a),
    word_share: words / weightOf(a.filter(({ token }) => token.kind === 'word')),
    gaps,
  };
}

type Word = { token: Token; at: number; weight: number };

function wordsOf(tokens: readonly Token[]): Word[] {
  const words: Word[] = [];
  for (let at = 0; at < tokens.length && words.length < TOKENS_MAX; at += 1) {
    const token = tokens[at];
    if (token === undefined || token.kind === 'mark') continue;
    words.push({ token, at, weight: token.content ? entryOf(token).rarity : 0 });
  }
  return words;
}

const weightOf = (words: readonly Word[]): number => words.reduce((sum, { weight }) => sum + weight, 0) || 1;

/** Lengths of the longest common sequence of every pair of tails. */
function commonLengths(a: readonly Word[], b: readonly Word[]): number[][] {
  const table: number[][] = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = table[i];
      if (row === undefined) continue;
      const same = a[i]?.token.stem === b[j]?.token.stem;
      // A word of content in common counts more than one of grammar.
      row[j] = same
        ? (table[i + 1]?.[j + 1] ?? 0) + (a[i]?.token.content ? 3 : 1)
        : Math.max(table[i + 1]?.[j] ?? 0, row[j + 1] ?? 0);
    }
  return table;
}
