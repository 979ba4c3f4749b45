import { z } from 'zod';
import { defineOperation } from '../operation/operation.ts';

/** The public keys that receipts and offers are verified with. Pure. */

const cacheSeconds = 300;

export const receiptKeys = defineOperation({
  name: 'receipt_keys',
  summary: 'Every public key that ever signed a receipt, as a JSON Web Key Set (RFC 7517).',
  method: 'GET',
  path: '/.well-known/jwks.json',
  audience: ['public'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({}),
  output: z.object({ keys: z.array(z.looseObject({ kid: z.string(), kty: z.string() })) }).meta({ id: 'ReceiptKeys' }),
  success: [200],
  problems: ['service_unavailable'],
  cacheSeconds,
});

export const didDocument = defineOperation({
  name: 'did_document',
  summary: 'The keys that sign x402 offers and receipts, under the name of this domain (did:web).',
  method: 'GET',
  path: '/.well-known/did.json',
  audience: ['public'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({}),
  output: z
    .object({
      '@context': z.array(z.url()),
      id: z.string(),
      verificationMethod: z.array(
        z.object({
          id: z.string(),
          type: z.literal('JsonWebKey'),
          controller: z.string(),
          publicKeyJwk: z.looseObject({ kid: z.string(), kty: z.string() }),
        }),
      ),
      assertionMethod: z.array(z.string()),
    })
    .meta({ id: 'DidDocument' }),
  success: [200],
  problems: ['service_unavailable'],
  cacheSeconds,
});
