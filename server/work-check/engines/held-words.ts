import type { Token } from '../reading/token.ts';
import { everydayFor, isLight } from '../support/everyday.ts';
import { entryOf } from '../support/lexicon.ts';

/** Whether a token is a word that tells something by itself. */
export const isWord = (token: Token): boolean => token.content && token.kind === 'word' && !isLight(token.stem);

/** How many words of content two runs share, light ones too. */
export function sharedCount(own: readonly Token[], known: readonly Token[]): number {
  const stems = new Set(known.flatMap(({ content, kind, stem }) => (content && kind === 'word' ? [stem] : [])));
  return new Set(own.flatMap(({ content, stem }) => (content && stems.has(stem) ? [stem] : []))).size;
}

/** Whether words hold one, or one that says the same. */
export function holds(words: readonly Token[], token: Token): boolean {
  const { synonyms } = entryOf(token);
  const everyday = everydayFor(token.stem);
  return words.some(
    ({ stem }) => stem === token.stem || everyday.includes(stem) || (!token.capital && synonyms.includes(stem)),
  );
}

/** The share of the weight of words that others hold. */
export function shareHeld(words: readonly Token[], others: readonly Token[]): number {
  let [held, total] = [0, 0];
  for (const token of words) {
    const { rarity } = entryOf(token);
    total += rarity;
    if (holds(others, token)) held += rarity;
  }
  return total === 0 ? 1 : held / total;
}
