import { crc32 } from 'node:zlib';
import { randomText } from '../kernel/id.ts';
import { type Keyring, keyedHash, type SecretKey } from '../kernel/keyring.ts';

/** 30 characters of base 62 carry 178 bits. */
const secretLength = 30;
const checksumLength = 6;
const shape = new RegExp(`^svc_(agent|wallet|claim)_([0-9A-Za-z]{${secretLength}})([0-9a-z]{${checksumLength}})$`);
/** Finds tokens inside other text: job input, addresses. */
const anywhere = new RegExp(`svc_(?:agent|wallet|claim)_[0-9A-Za-z]{${secretLength + checksumLength}}`);

/** `claim` fetches a credential and is none itself. */
export type TokenKind = 'agent' | 'wallet' | 'claim';

/** A fresh token: random secret plus checksum, so that scanners find leaks and a typo fails before any look-up. */
export function newToken(kind: TokenKind): string {
  const secret = randomText(secretLength);
  return `svc_${kind}_${secret}${checksum(kind, secret)}`;
}

/** Whether the text can be a token at all. */
export function isWellFormedToken(text: string): boolean {
  const [, kind, secret, sum] = shape.exec(text) ?? [];
  if (!kind || !secret || !sum) return false;
  return checksum(kind, secret) === sum;
}

/** Whether a token of this service stands anywhere in the text. */
export function containsToken(text: string): boolean {
  return anywhere.test(text);
}

/** What is kept of a token: a keyed hash, worthless to whoever reads the database. */
export function tokenHash(token: string, { tokens }: SecretKey): string {
  return keyedHash(tokens, token);
}

/** The same under each of the server's keys: one of them is what was kept. */
export function tokenHashes(token: string, { all }: Keyring): string[] {
  return all.map((key) => tokenHash(token, key));
}

function checksum(kind: string, secret: string): string {
  return crc32(`${kind}:${secret}`)
    .toString(36)
    .padStart(checksumLength + 1, '0')
    .slice(-checksumLength);
}
