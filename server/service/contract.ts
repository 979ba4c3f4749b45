import { z } from 'zod';
import { defineOperation } from '../operation/operation.ts';
import { railNames } from '../payments/contract.ts';
import { CheckRequest, Measured, Verdict } from '../work-check/contract.ts';
import { service } from './terms.ts';

/** The two documents to read before signing in (specification 2). Pure. */

const railState = z.enum(['available', 'unavailable']);
const reasons = z.array(z.string()).meta({ description: 'Reason codes. The list may grow.' });
const integer = z.int().min(0);

/** What an operator can switch off: all sales, registrations, or one rail. */
export const switchNames = ['service', 'registrations', ...railNames] as const;
export type SwitchName = (typeof switchNames)[number];

export const Signing = z.object({
  formats: z.array(z.string()),
  default_format: z.literal('siwe'),
  signature: z.literal('eip191_personal_sign'),
  chain_id: z.int(),
  network: z.string(),
  domain: z.string(),
  challenge_ttl_seconds: integer,
  session_ttl_seconds: integer,
  contract_wallets: z.literal('unsupported'),
});

export const Availability = z
  .object({
    checked_at: z.iso.datetime(),
    contract_version: z.string(),
    price: z.object({ amount_microcents: integer, currency: z.literal('USD'), pricing_status: z.literal('approved') }),
    purchasable_rails: z.array(z.enum(railNames)),
    rails: z.object({
      card: z.object({ methods: z.array(z.string()), mode: z.string(), reasons, state: railState }),
      x402: z.object({ networks: z.array(z.string()), reasons, state: railState }),
    }),
    reasons,
    registrations: z.object({ state: z.enum(['open', 'closed']), reasons }),
    service_key: z.string(),
    state: railState,
  })
  .meta({ id: 'Availability' });

/** `terms.assessment`: who assesses, what is decided, what the words mean, and the measured accuracy. */
export const Assessment = z.object({
  assessor: z.string(),
  languages: z.array(z.string()),
  decides: z.array(z.object({ kind: z.string(), decides: z.string() })),
  verdicts: z.record(Verdict, z.string()),
  confidence: z.string(),
  fields: z.record(z.string(), z.string()),
  recheck: z.string(),
  accuracy: z.string(),
  measured: Measured.nullable(),
});

const cacheSeconds = 300;

export const discovery = defineOperation({
  name: 'discovery',
  summary: 'Discovery: what is sold here and where to call. An agent reads this first.',
  method: 'GET',
  path: '/.well-known/svc',
  audience: ['public'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({}),
  output: z
    .object({
      interface: z.literal(service.interface),
      service: z.string(),
      summary: z.string(),
      endpoints: z.record(z.string(), z.string()),
      first_service: z.object({ contract: z.url(), service_key: z.string(), state: railState }),
      instructions: z.url(),
      manifest: z.url(),
      mcp: z.object({ tools: z.array(z.string()), url: z.url() }),
      openapi: z.url(),
      registration: z.object({ method: z.literal('POST'), state: z.enum(['open', 'closed']), url: z.url() }),
      service_page: z.url(),
      wallet: z.object({ challenge: z.url(), verify: z.url(), signing: Signing }),
    })
    .meta({ id: 'Discovery' }),
  success: [200],
  problems: [],
  cacheSeconds,
});

const anyObject = z.record(z.string(), z.unknown());

export const serviceContract = defineOperation({
  name: 'service_contract',
  summary:
    'Read the contract of the work check: price, terms, schemas, flow, recovery, availability and a sample report.',
  method: 'GET',
  path: `/api/agent/v1/services/${service.serviceKey}`,
  audience: ['public'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({}),
  output: z
    .object({
      schema_version: z.literal(service.contractSchema),
      service_key: z.string(),
      name: z.string(),
      summary: z.string(),
      first_party: z.literal(true),
      contract_version: z.string(),
      price: z.object({
        amount_microcents: integer,
        currency: z.literal('USD'),
        price_type: z.literal('fixed'),
        pricing_status: z.literal('approved'),
      }),
      terms: anyObject,
      input_schema: anyObject,
      output_schema: anyObject,
      example_request: CheckRequest,
      purchase_flow: z.array(z.object({ step: z.string(), method: z.string(), path: z.string(), purpose: z.string() })),
      recovery: z.array(z.string()),
      acceptance_criteria: z.array(z.string()),
      authentication: anyObject,
      availability: Availability,
      interfaces: z.object({
        mcp: z.object({ tools: z.array(z.string()), url: z.url() }),
        rest: z.url(),
      }),
      sample_report: anyObject,
    })
    .meta({ id: 'ServiceContract' }),
  success: [200],
  problems: [],
  cacheSeconds,
});

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
