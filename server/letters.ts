import { identityLetters } from './identity/due-letters.ts';

/** The letters of every room; a new room adds its own here. */
export const letters = { ...identityLetters };
