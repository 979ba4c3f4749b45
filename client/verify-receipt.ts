import canonicalize from 'canonicalize';
import { compactVerify, decodeProtectedHeader, importJWK, type JWK } from 'jose';

/** A receipt as the service sends it; only what verification reads is named. */
export interface SignedReceipt {
  receipt_key: string;
  signature: { kid: string; alg: string; jws: string };
  [field: string]: unknown;
}

/**
 * The published keys (RFC 7517), each with the time that it signs in: `valid_to` is null for the one in use. One with
 * `revoked_at` may be in somebody else's hands since before that.
 */
export interface PublishedKeys {
  keys: (JWK & { valid_from?: string; valid_to?: string | null; revoked_at?: string | null })[];
}

/** What a receipt that verifies rests on. */
export interface Verified {
  /**
   * When its key was revoked, after the instant that the receipt gives as its own; null when it was not. Whoever stole the
   * key could write any instant there: compare such a receipt with one kept from before, or with the service's.
   */
  keyRevokedAt: string | null;
}

/** What stands beside a receipt, and in the header of its signature: anything else was put there by somebody else. */
const signatureMembers = ['alg', 'jws', 'kid'];
const headerMembers = ['alg', 'kid'];

/** Clocks differ so far; a key that was just replaced may still be in use. */
const toleranceMs = 300_000;

/**
 * Checks a receipt without asking the service: its signature must be by the published key that it names, made while that
 * key was valid, and must cover exactly what the receipt says (the RFC 8785 form of the receipt without `signature`).
 * Nothing may be added. A receipt issued at or after the revocation of its key is refused, without any tolerance; one from
 * before is named as such. Throws a sentence when not.
 */
export async function verifyReceipt(receipt: SignedReceipt, { keys }: PublishedKeys): Promise<Verified> {
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
  const { payload } = await compactVerify(jws, await importJWK(key, 'EdDSA'), { algorithms: ['EdDSA'] });
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

function sameNames(object: object, names: readonly string[]): boolean {
  return Object.keys(object).toSorted().join() === names.join();
}
