import type { Quantity } from '../reading/quantities.ts';
import type { Token } from '../reading/token.ts';
import type { Matches, Wanted, Window } from './passage-windows.ts';

/** A statement as it is looked for in the evidence. */
export type MatchedStatement = {
  tokens: readonly Token[];
  wanted: readonly Wanted[];
  matches: Matches;
  figures: readonly Quantity[];
  /** The best single passage for all of it, and the best three in a row. */
  one: Window;
  three: Window;
};
