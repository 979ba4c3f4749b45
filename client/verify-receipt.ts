import canonicalize from 'canonicalize';
import { compactVerify, decodeProtectedHeader } from 'jose';
import type { PublicKey } from './contract.ts';

/** A receipt as the service sends it: the fields that verification reads. */
export interface SignedReceipt {
  receipt_key: string;
  signature: { kid: string; alg: string; jws: string };
  [field: string]: unknown;
}

/**
 * The published keys (RFC 7517), each with the time it signs in: `valid_to` is null for the current one. `revoked_at`
 * means that somebody else may have held the key since before that.
 */
export interface PublishedKeys {
  keys: (PublicKey & { valid_from?: string; valid_to?: string | null; revoked_at?: string | null })[];
}

/** What a verified receipt rests on. */
export interface Verified {
  /**
   * When the receipt's key was revoked, if that came after the receipt's own date; else null. A thief can backdate, so
   * compare such a receipt with a copy kept from before, or with the service's.
   */
  keyRevokedAt: string | null;
}

/** All fields allowed beside a receipt and in its signature header: anything else was added by somebody else. */
const signatureMembers = ['alg', 'jws', 'kid'];
const headerMembers = ['alg', 'kid'];

/** Allowed clock difference, and overlap after a key was replaced. */
const toleranceMs = 300_000;

/**
 * Verifies a receipt offline: its signature must be by the published key it names, made while that key was valid, over
 * exactly the receipt (its RFC 8785 form without `signature`), with no extra fields. Refuses a receipt issued at or
 * after its key's revocation, without tolerance; marks one from before. Throws a sentence on failure.
 */
export async function verifyReceipt(receipt: SignedReceipt, published: PublishedKeys): Promise<Verified> {
  const keys = keysIn(published);
  const { signature, ...stated } = receipt;
  const { kid, alg, jws } = signature;
  const header = decodeProtectedHeader(jws);
  const isPlain = sameNames(signature, signatureMembers) && sameNames(header, headerMembers);
  if (!isPlain) throw new Error('The signature says more, or less, than kid, alg and jws.');
  if (header.kid !== kid || header.alg !== alg || alg !== 'EdDSA') {
    throw new Error('The signature was made with another key or algorithm than the receipt says.');
  }
  const key = keys.find((one) => one.kid === kid);
  if (!key) throw new Error(`No published key is called ${kid}.`);
  // A copy, since jose freezes the key. Its `importJWK` would add the tables of all encryption: 1 kB in a browser.
  const { payload } = await compactVerify(jws, { ...key }, { algorithms: ['EdDSA'] });
  if (new TextDecoder().decode(payload) !== canonicalize(stated)) {
    throw new Error('The signature is good, but it covers something else than this receipt says.');
  }
  const issued = Date.parse(String(stated.issued_at));
  const from = Date.parse(key.valid_from ?? '');
  const to = key.valid_to ? Date.parse(key.valid_to) : Number.POSITIVE_INFINITY;
  const keyRevokedAt = key.revoked_at ?? null;
  if (keyRevokedAt !== null && !(issued < Date.parse(keyRevokedAt))) {
    throw new Error(`The receipt was issued after its key had been revoked (${keyRevokedAt}).`);
  }
  if (!(issued >= from - toleranceMs && issued <= to + toleranceMs))
    throw new Error('The receipt was issued while its key was not valid.');
  return { keyRevokedAt };
}

/** What the caller gave, which may be another file. */
function keysIn(published: PublishedKeys | null): PublishedKeys['keys'] {
  const keys = published?.keys;
  if (Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null)) return keys;
  throw new Error('These are no keys: take them from /.well-known/jwks.json of the seller.');
}

function sameNames(object: object, names: readonly string[]): boolean {
  return Object.keys(object).toSorted().join() === names.join();
}
