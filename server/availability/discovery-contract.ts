import { z } from 'zod';
import { defineOperation } from '../operation/operation.ts';
import { service } from '../service/terms.ts';
import { CheckRequest } from '../work-check/contract.ts';
import { Availability, railState } from './contract.ts';

/** The two documents to read before signing in (specification 2). Pure. */

const integer = z.int().min(0);

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
