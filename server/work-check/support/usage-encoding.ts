import type { Token } from '../reading/token.ts';

/** How the table of usage is written, for the command that counts it and the reading of it. */
export const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
export const STEPS_PER_UNIT = 7;
/** The digit that stands for a log ratio of nothing. */
export const NOTHING = 32;
export const FIRST = '^';
export const LAST = '$';
const NUMBER = '#';

/** What a token is as a neighbour: all figures are alike, and so are the ends of a sentence. */
export function neighbourOf(token: Token | undefined, end: typeof FIRST | typeof LAST): string {
  if (token === undefined) return end;
  return token.kind === 'number' ? NUMBER : token.stem;
}
