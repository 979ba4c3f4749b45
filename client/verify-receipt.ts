import canonicalize from 'canonicalize';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';

/** A receipt as the service sends it; only what verification reads is named. */
export interface SignedReceipt {
  receipt_key: string;
  signature: { kid: string; alg: string; jws: string };
  [field: string]: unknown;
}

/**
 * Checks a receipt without asking the service: its signature must be by one of the published keys, and must cover
 * exactly what the receipt says (the RFC 8785 form of the receipt without `signature`). Throws a sentence when not.
 */
export async function verifyReceipt(receipt: SignedReceipt, keys: JSONWebKeySet): Promise<void> {
  const { signature, ...stated } = receipt;
  const { payload } = await compactVerify(signature.jws, createLocalJWKSet(keys), { algorithms: ['EdDSA'] });
  if (new TextDecoder().decode(payload) !== canonicalize(stated)) {
    throw new Error('The signature is good, but it covers something else than this receipt says.');
  }
}
