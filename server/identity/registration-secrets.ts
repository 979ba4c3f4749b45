import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The link and the codes of a registration are made from its key with the server's own: nothing that confirms is
 * stored, and a letter that is written twice says the same.
 */

/** Letters and digits that nobody takes for one another. */
const userCodeAlphabet = 'BCDFGHJKMNPQRSTVWXZ2345679';
const userCodeLength = 8;

/** The code that agent and person compare, as `KX4P-7RTM`: 8 of 26 characters, 37 bits. */
export function userCodeOf(registrationKey: string, secretKey: string): string {
  let rest = numberOf('user-code', registrationKey, secretKey);
  let code = '';
  for (let place = 0; place < userCodeLength; place += 1) {
    code += userCodeAlphabet[Number(rest % BigInt(userCodeAlphabet.length))];
    rest /= BigInt(userCodeAlphabet.length);
  }
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** The six digits in the letter. */
export function codeOf(registrationKey: string, secretKey: string): string {
  return (numberOf('code', registrationKey, secretKey) % 1_000_000n).toString().padStart(6, '0');
}

/** Whether these are the six digits in the letter, however they were grouped. */
export function codeMatches(typed: string, registrationKey: string, secretKey: string): boolean {
  return sameText(typed.replaceAll(/[ -]/g, ''), codeOf(registrationKey, secretKey));
}

/** Whether this is the code that the agent shows, whatever case and grouping it was typed in. */
export function userCodeMatches(typed: string, registrationKey: string, secretKey: string): boolean {
  return sameText(plainUserCode(typed), plainUserCode(userCodeOf(registrationKey, secretKey)));
}

/** What is kept of such a code, to find its request by: a keyed hash of it, however it was typed. */
export function userCodeHash(typed: string, secretKey: string): string {
  return mac('typed user-code', plainUserCode(typed), secretKey).toString('base64url');
}

function plainUserCode(typed: string): string {
  return typed.replaceAll(/[\s–-]/g, '').toUpperCase();
}

/** What the link in the letter carries: the key, and a proof that the letter was ours. */
export function linkOf(registrationKey: string, secretKey: string): string {
  return `${registrationKey}.${mac('link', registrationKey, secretKey).toString('base64url')}`;
}

/** The registration that a link is about; null when the link is not one of ours. */
export function keyOfLink(link: string, secretKey: string): string | null {
  const [registrationKey = ''] = link.split('.', 1);
  return sameText(link, linkOf(registrationKey, secretKey)) ? registrationKey : null;
}

function mac(purpose: string, registrationKey: string, secretKey: string): Buffer {
  return createHmac('sha256', secretKey).update(`registration ${purpose}:${registrationKey}`).digest();
}

/** 128 bits: what is left of them after a division favours no digit that anybody could notice. */
function numberOf(purpose: string, registrationKey: string, secretKey: string): bigint {
  return BigInt(`0x${mac(purpose, registrationKey, secretKey).subarray(0, 16).toString('hex')}`);
}

function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
