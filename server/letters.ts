import { identityLetters } from './identity/due-letters.ts';
import { cardLetters } from './purchases/pay/card-letter.ts';

/** The letters of every room; a new room adds its own here. */
export const letters = { ...identityLetters, ...cardLetters };
