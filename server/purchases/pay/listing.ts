import type { Listing } from '../../payments/rail.ts';
import { service } from '../../service/terms.ts';

/** How the keyless check describes itself to x402 directories (extension `bazaar`), and what a payment may be named by. */

const text = { type: 'string' } as const;
const json = { type: ['string', 'object', 'array'] } as const;

/** Short enough for a header: the service contract has the whole schema. */
const body = {
  type: 'object',
  properties: {
    work_product: { ...json, description: 'The work to check.' },
    request: { ...json, description: 'What was asked for. Give this, criteria or both.' },
    criteria: { type: 'array', items: text },
    evidence: {
      type: 'array',
      minItems: 1,
      maxItems: 20,
      description: 'Texts that the work is checked against.',
      items: { type: 'object', properties: { source: text, text }, required: ['source', 'text'] },
    },
  },
  required: ['work_product', 'evidence'],
} as const;

const example = {
  work_product: '12 lamps at 21 EUR come to 240 EUR.',
  request: 'Say what the order comes to.',
  evidence: [{ source: 'order', text: 'The order is for 12 lamps at 21 EUR each.' }],
};

const bazaar = {
  info: {
    input: { type: 'http', method: 'POST', bodyType: 'json', body: example },
    output: {
      type: 'json',
      example: { job_key: 'job_1', state: 'queued', payment_state: 'collected', session: { token_type: 'Bearer' } },
    },
  },
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      input: {
        type: 'object',
        properties: {
          type: { type: 'string', const: 'http' },
          method: { type: 'string', enum: ['POST'] },
          bodyType: { type: 'string', enum: ['json'] },
          body,
        },
        required: ['type', 'bodyType', 'body'],
        additionalProperties: false,
      },
      output: { type: 'object', properties: { type: text, example: { type: 'object' } }, required: ['type'] },
    },
    required: ['input'],
  },
};

const paymentIdentifier = {
  info: { required: false },
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      required: { type: 'boolean' },
      id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
    },
    required: ['required'],
  },
};

export const listing: Listing = {
  description: service.summary,
  serviceName: 'Work Check',
  tags: ['verification', 'fact-check', 'agents', 'citations', 'evidence'],
  extensions: { bazaar, 'payment-identifier': paymentIdentifier },
};
