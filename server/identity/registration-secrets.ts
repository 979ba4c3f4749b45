import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Keyring, SecretKey } from '../kernel/keyring.ts';

/**
 * Link and codes derive from the registration's key with the server key it began with: no secret is stored, and a
 * letter sent twice says the same.
 */

/** Characters that are not confused with each other. */
const userCodeAlphabet = 'BCDFGHJKMNPQRSTVWXZ2345679';
const userCodeLength = 8;

/** The code that agent and person compare, as `KX4P-7RTM`: 8 of 26 characters, 37 bits. */
export function userCodeOf(registrationKey: string, key: SecretKey): string {
  let rest = numberOf('user-code', registrationKey, key);
  let code = '';
  for (let place = 0; place < userCodeLength; place += 1) {
    code += userCodeAlphabet[Number(rest % BigInt(userCodeAlphabet.length))];
    rest /= BigInt(userCodeAlphabet.length);
  }
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** The six digits in the letter. */
export function codeOf(registrationKey: string, key: SecretKey): string {
  return (numberOf('code', registrationKey, key) % 1_000_000n).toString().padStart(6, '0');
}

/** Whether these are the six digits in the letter, however they were grouped. */
export function codeMatches(typed: string, registrationKey: string, key: SecretKey): boolean {
  return sameText(typed.replaceAll(/[ -]/g, ''), codeOf(registrationKey, key));
}

/** Whether this is the code that the agent shows, whatever case and grouping it was typed in. */
export function userCodeMatches(typed: string, registrationKey: string, key: SecretKey): boolean {
  return sameText(plainUserCode(typed), plainUserCode(userCodeOf(registrationKey, key)));
}

/** A keyed hash of such a code, to find its request. */
export function userCodeHash(typed: string, key: SecretKey): string {
  return mac('typed user-code', plainUserCode(typed), key).toString('base64url');
}

/** The same under every server key. */
export function userCodeHashes(typed: string, keyring: Keyring): string[] {
  return keyring.all.map((key) => userCodeHash(typed, key));
}

function plainUserCode(typed: string): string {
  return typed.replaceAll(/[\s–-]/g, '').toUpperCase();
}

/** The content of the letter's link: the key, with proof that we made it. */
export function linkOf(registrationKey: string, key: SecretKey): string {
  return `${registrationKey}.${mac('link', registrationKey, key).toString('base64url')}`;
}

/** The registration of a link; null when the link is not ours. */
export function keyOfLink(link: string, { all }: Keyring): string | null {
  const [registrationKey = ''] = link.split('.', 1);
  return all.some((key) => sameText(link, linkOf(registrationKey, key))) ? registrationKey : null;
}

function mac(purpose: string, registrationKey: string, { codes }: SecretKey): Buffer {
  return createHmac('sha256', codes).update(`registration ${purpose}:${registrationKey}`).digest();
}

/** 128 bits: the remainder favours no digit noticeably. */
function numberOf(purpose: string, registrationKey: string, key: SecretKey): bigint {
  return BigInt(`0x${mac(purpose, registrationKey, key).subarray(0, 16).toString('hex')}`);
}

function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
