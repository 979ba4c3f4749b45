import { accountLetters } from '../identity/account-letters.ts';
import { identityLetters } from '../identity/due-letters.ts';
import { purchaseLetters } from '../purchases/letters/due.ts';
import { cardLetters } from '../purchases/pay/card-letter.ts';

/** The letters of every room; a new room adds its own here. */
export const letters = { ...identityLetters, ...accountLetters, ...purchaseLetters, ...cardLetters };
