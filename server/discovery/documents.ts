import { z } from 'zod';
import { availability } from '../availability/availability.ts';
import type * as contract from '../availability/discovery-contract.ts';
import { signInChainId } from '../identity/wallet.ts';
import { canonicalJson, digestOf } from '../kernel/digest.ts';
import { toWire } from '../kernel/money.ts';
import type { Verb } from '../operation/verb.ts';
import { operations, tools } from '../operations.ts';
import type { Context } from '../runtime.ts';
import { price, seconds, service } from '../service/terms.ts';
import { Report } from '../work-check/contract.ts';
import { exampleRequest, sampleReport } from '../work-check/sample.ts';
import { contractTerms } from './contract-terms.ts';

/** The endpoints that the discovery document names (specification 2.1). */
const endpointNames = [
  'authorize',
  'cancel',
  'cancel_payment',
  'check_work',
  'job',
  'me',
  'pay',
  'purchase',
  'receipt',
  'report',
  'review',
  'rotate_credential',
] as const;

const endpoints = Object.fromEntries(
  endpointNames.map((name) => [name, `${operations[name].method} ${operations[name].path}`]),
);

export const discovery: Verb<typeof contract.discovery> = async ({ ctx }) => {
  const { state, registrations } = await availability(ctx.runtime, ctx.now);
  const at = (path: string) => `${ctx.baseUrl}${path}`;
  return {
    body: {
      interface: service.interface,
      service: service.name,
      summary: service.summary,
      endpoints,
      first_service: {
        contract: at(operations.service_contract.path),
        service_key: service.serviceKey,
        state,
      },
      instructions: at('/docs.md'),
      manifest: at(operations.discovery.path),
      mcp: mcp(ctx.baseUrl),
      openapi: at('/openapi.json'),
      registration: { method: 'POST', state: registrations.state, url: at(operations.register.path) },
      service_page: at('/'),
      wallet: {
        challenge: at(operations.wallet_challenge.path),
        verify: at(operations.wallet_verify.path),
        signing: signing(ctx.baseUrl),
      },
    },
  };
};

/** The second door to the same operations (specification 13.1). */
function mcp(baseUrl: string) {
  return { tools: [...tools.keys()], url: `${baseUrl}/mcp?profile=buyer` };
}

/** Signing parameters of the wallet sign-in (specification 4.5). */
function signing(baseUrl: string): z.input<typeof contract.Signing> {
  return {
    formats: ['siwe', 'legacy'],
    default_format: 'siwe',
    signature: 'eip191_personal_sign',
    chain_id: signInChainId,
    network: `eip155:${signInChainId}`,
    domain: new URL(baseUrl).host,
    challenge_ttl_seconds: seconds.challengeLifetime,
    session_ttl_seconds: seconds.walletSession,
    contract_wallets: 'unsupported',
  };
}

export const serviceContract: Verb<typeof contract.serviceContract> = async ({ ctx }) => {
  const body = await contractBody(ctx);
  // `checked_at` is not part of what the ETag covers.
  const { checked_at: _, ...standing } = body.availability;
  const settled = canonicalJson({ ...body, availability: standing });
  return { body, headers: { ETag: `"${digestOf(settled).slice('sha256:'.length)}"` } };
};

async function contractBody(ctx: Context): Promise<z.input<(typeof contract.serviceContract)['output']>> {
  return {
    schema_version: service.contractSchema,
    service_key: service.serviceKey,
    name: service.name,
    summary: service.summary,
    first_party: true,
    contract_version: service.contractVersion,
    price: {
      amount_microcents: toWire(price),
      currency: 'USD',
      price_type: 'fixed',
      pricing_status: 'approved',
    },
    terms: contractTerms(ctx.runtime),
    ...schemas(),
    example_request: exampleRequest,
    purchase_flow: purchaseFlow(),
    recovery,
    acceptance_criteria: acceptanceCriteria,
    authentication: authentication(ctx.baseUrl),
    availability: await availability(ctx.runtime, ctx.now),
    interfaces: {
      mcp: mcp(ctx.baseUrl),
      rest: `${ctx.baseUrl}/api/agent/v1`,
    },
    sample_report: await sample(),
  };
}

let assessed: ReturnType<typeof sampleReport> | undefined;

/** A real report on the example, made once per process. */
function sample(): ReturnType<typeof sampleReport> {
  assessed ??= sampleReport();
  return assessed;
}

/** The body of `check_work`. The key may come as a header instead. */
const quoteBody = operations.check_work.input.safeExtend({
  idempotency_key: z.string().min(1).max(255).optional().meta({
    description: 'Required, here or as the Idempotency-Key header. Choose one for each check and save it first.',
  }),
});

let derived: { input_schema: Record<string, unknown>; output_schema: Record<string, unknown> } | undefined;

/** Input and output schemas, made once per process. */
function schemas() {
  derived ??= {
    input_schema: z.toJSONSchema(quoteBody, { io: 'input', unrepresentable: 'any' }),
    output_schema: z.toJSONSchema(Report, {
      io: 'output',
      unrepresentable: 'any',
      // Within version 1 a report may gain fields (specification 2.5).
      override({ jsonSchema }) {
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      },
    }),
  };
  return derived;
}

/** The steps of a purchase, in order (specification 7 to 10). */
function purchaseFlow() {
  const step = (name: string, operation: { method: string; path: string; summary: string }) => ({
    step: name,
    method: operation.method,
    path: operation.path,
    purpose: operation.summary,
  });
  return [
    step('quote', operations.check_work),
    step('authorize', operations.authorize),
    step('pay', operations.pay),
    step('follow', operations.job),
    step('report', operations.report),
    step('review', operations.review),
    step('receipt', operations.receipt),
  ];
}

const recovery = [
  'Repeat any request with the same idempotency key and the same body. A changed body under the same key is a conflict.',
  'A time-out on your side cancels nothing and is no reason to buy again: read the job.',
  'Repeat an uncertain payment as it was, with the same key and the same signature.',
  'After signing in again the same principal sees the same quotes, jobs, reports and receipts.',
  'An overdue review stays pending. Silence is never acceptance.',
];

const acceptanceCriteria = [
  'Every stated criterion has a finding. When no criteria are given, the original request has one.',
  'Each statement of the work that can be checked is listed with its status; past the 500th, how many were left out.',
  'A verdict of revise names what is wrong. What could not be settled is said to be so, and accuses the work of nothing.',
  'Every citation names supplied evidence or a source that the service retrieved, and the report says which.',
  'Deterministic checks are listed as performed, skipped or failed, and a failed check caps the verdict.',
  'The verdict, the limitations and whether a person must approve the work before use are stated apart.',
  "The report is an assessment for the buyer's review. It does not certify the work and cannot accept itself.",
];

function authentication(baseUrl: string) {
  return {
    scheme: 'bearer',
    header: 'Authorization: Bearer <credential>',
    registration: {
      url: `${baseUrl}${operations.register.path}`,
      claim: `${baseUrl}${operations.claim.path}`,
      modes: ['new_customer', 'link_existing'],
      terms_version: service.termsVersion,
    },
    wallet: {
      challenge: `${baseUrl}${operations.wallet_challenge.path}`,
      verify: `${baseUrl}${operations.wallet_verify.path}`,
      signing: signing(baseUrl),
    },
    credential_handling: 'Keep credentials in protected storage; never put one in a prompt, in job input or in a URL.',
  };
}
