import { type DayOrder, MONTHS, readDate } from './dates.ts';
import { isMeasure } from './measures.ts';
import { opensNumber } from './number-words.ts';
import { readNumber, SMALL } from './numerals.ts';
import type { Quantity } from './quantity.ts';
import { readTime, SPOKEN } from './times.ts';
import type { Token } from './token.ts';

/** Whether a figure can begin with a lower-case word: most words need no closer look. */
export const opensFigure = (lower: string): boolean =>
  SMALL.has(lower) || opensNumber(lower) || MONTHS.has(lower) || SPOKEN.has(lower);

/** Reads all figures of a token list, in order. Dates swallow their parts. */
export function readQuantities(
  tokens: readonly Token[],
  order?: DayOrder,
  mayBeYear: (token: Token) => boolean = () => true,
): Quantity[] {
  const found: Quantity[] = [];
  let at = 0;
  while (at < tokens.length) {
    const token = tokens[at];
    if (token?.kind !== 'number' && token?.form?.opensFigure !== true) {
      at += 1;
      continue;
    }
    const quantity = readDate(tokens, at, order, mayBeYear) ?? readTime(tokens, at) ?? readNumber(tokens, at);
    if (quantity === undefined) {
      at += 1;
      continue;
    }
    found.push(quantity);
    at = quantity.last + 1;
  }
  return inOneUnit(found, tokens);
}

/** "482 x 365 mm" gives both in millimetres. */
function inOneUnit(found: Quantity[], tokens: readonly Token[]): Quantity[] {
  for (let at = found.length - 2; at >= 0; at -= 1) {
    const [one, next] = [found[at], found[at + 1]];
    const joined = next !== undefined && one?.last === next.first - 2 && TIMES.has(tokens[next.first - 1]?.lower ?? '');
    if (joined && one.kind === 'number' && next.kind === 'number' && !isMeasure(one) && isMeasure(next))
      found[at] = { ...one, unit: next.unit };
  }
  return found;
}

const TIMES = new Set(['x', '×', 'by']);
