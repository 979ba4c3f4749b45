import { sql } from '../../kernel/sql.ts';
import type { Verb } from '../../operation/verb.ts';
import type { Attested } from '../../payments/rail.ts';
import type { Context } from '../../runtime.ts';
import type * as contract from '../key-contract.ts';

/** The name of this service by its domain (did:web). */
const didOf = (baseUrl: string): string => `did:web:${encodeURIComponent(new URL(baseUrl).host)}`;

/** Signs what is offered or paid at `url` by the key of receipts, under a name that verifiers can look up. */
export function attested({ runtime, baseUrl, now }: Context, url: string): Attested {
  const { receiptSigner } = runtime;
  return { now, url, sign: (payload) => receiptSigner.sign(payload, `${didOf(baseUrl)}#${receiptSigner.kid}`) };
}

/** Every key that was not revoked: offers and receipts of x402 outlive the time that a key signs in. */
export const didDocument: Verb<typeof contract.didDocument> = async ({ ctx, db }) => {
  const rows = await db.many<{ public_jwk: { kid: string; kty: string } }>(sql`
    select public_jwk from receipt_keys where revoked_at is null order by valid_from limit 1000`);
  const did = didOf(ctx.baseUrl);
  const methods = rows.map(({ public_jwk: publicKeyJwk }) => ({
    id: `${did}#${publicKeyJwk.kid}`,
    type: 'JsonWebKey' as const,
    controller: did,
    publicKeyJwk,
  }));
  return {
    body: {
      '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
      id: did,
      verificationMethod: methods,
      assertionMethod: methods.map(({ id }) => id),
    },
  };
};
