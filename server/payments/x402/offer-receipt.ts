import type { PaymentRequirements } from '@x402/core/types';
import { canonicalJson } from '../../kernel/json-value.ts';
import type { Attested } from '../rail.ts';
import { unixSeconds } from './authorization.ts';

/** The extension `offer-receipt` of x402 (version 1, format `jws`): what was offered and what was paid, signed by us. */
export const offerReceipt = 'offer-receipt';

const signed = {
  type: 'object',
  properties: { format: { type: 'string' }, acceptIndex: { type: 'integer' }, signature: { type: 'string' } },
  required: ['format', 'signature'],
};

const extension = (name: 'offers' | 'receipt', value: unknown, schema: object) => ({
  info: { [name]: value },
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { [name]: schema },
    required: [name],
  },
});

/** A signed offer for each requirement, in their order. */
export function signedOffers(requirements: readonly PaymentRequirements[], { url, sign }: Attested, until: Date) {
  const validUntil = Number(unixSeconds(until));
  const offers = requirements.map(({ scheme, network, asset, payTo, amount }, acceptIndex) => ({
    format: 'jws',
    acceptIndex,
    signature: sign(canonicalJson({ version: 1, resourceUrl: url, scheme, network, asset, payTo, amount, validUntil })),
  }));
  return extension('offers', offers, { type: 'array', items: signed });
}

/** A signed receipt of a confirmed payment, with its transaction: who holds it can look at the chain. */
export function signedReceipt(
  { payer, network, transaction }: { payer: string; network: string; transaction: string },
  { url, sign, now }: Attested,
) {
  const issuedAt = Number(unixSeconds(now));
  const signature = sign(canonicalJson({ version: 1, network, resourceUrl: url, payer, issuedAt, transaction }));
  return extension('receipt', { format: 'jws', signature }, signed);
}
