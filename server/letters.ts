import { identityLetters } from './identity/due-letters.ts';
import { cardLetters } from './purchases/pay/card-letter.ts';

/** The letters of every room: a room that writes letters adds its own here. */
export const letters = { ...identityLetters, ...cardLetters };
