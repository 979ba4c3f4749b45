import { crc32 } from 'node:zlib';
import { randomText } from '../kernel/id.ts';
import { type Keyring, keyedHash, type SecretKey } from '../kernel/keyring.ts';

/** 30 characters of base 62 carry 178 bits. */
const secretLength = 30;
const checksumLength = 6;
const shape = new RegExp(
  `^svc_(agent|wallet|claim|oauth|refresh)_([0-9A-Za-z]{${secretLength}})([0-9a-z]{${checksumLength}})$`,
);
/** Finds tokens in other text: job input, addresses. */
const anywhere = new RegExp(`svc_(?:agent|wallet|claim|oauth|refresh)_[0-9A-Za-z]{${secretLength + checksumLength}}`);

/** `oauth` is good at `/mcp` alone. `claim` and `refresh` fetch a credential and are none themselves. */
export type TokenKind = 'agent' | 'wallet' | 'claim' | 'oauth' | 'refresh';

/** A new token: random secret plus checksum, so that scanners find leaks and typos fail before any look-up. */
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

/** Whether the text is an access token of the authorization server, which binds them all to `/mcp`. */
export function isOAuthToken(text: string): boolean {
  return text.startsWith('svc_oauth_') && isWellFormedToken(text);
}

/** Whether the text contains one of our tokens. */
export function containsToken(text: string): boolean {
  return anywhere.test(text);
}

/** The stored form: a keyed hash, useless to readers of the database. */
export function tokenHash(token: string, { tokens }: SecretKey): string {
  return keyedHash(tokens, token);
}

/** The same under each server key. */
export function tokenHashes(token: string, { all }: Keyring): string[] {
  return all.map((key) => tokenHash(token, key));
}

function checksum(kind: string, secret: string): string {
  return crc32(`${kind}:${secret}`)
    .toString(36)
    .padStart(checksumLength + 1, '0')
    .slice(-checksumLength);
}
