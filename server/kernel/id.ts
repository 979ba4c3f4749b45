import { randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Every key says what it names. */
export type KeyPrefix =
  | 'acct'
  | 'member'
  | 'session'
  | 'agent'
  | 'cred'
  | 'challenge'
  | 'reg'
  | 'letter'
  | 'grant'
  | 'quote'
  | 'job'
  | 'pay'
  | 'refund'
  | 'review'
  | 'rcpt'
  | 'source'
  | 'req';

/** 22 characters of base 62 carry 130 bits: keys cannot be guessed. */
const keyLength = 22;

/** A fresh, unguessable key such as `job_4fPz…`. It is opaque: nothing may be read out of it. */
export function newKey(prefix: KeyPrefix): string {
  return `${prefix}_${randomText(keyLength)}`;
}

/** `length` characters of base 62 from the system's secure random source, without modulo bias. */
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 under 256: bytes above it would favour the first letters.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}
