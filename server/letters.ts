import { identityLetters } from './identity/due-letters.ts';

/** The letters of every room: a room that writes letters adds its own here. */
export const letters = { ...identityLetters };
