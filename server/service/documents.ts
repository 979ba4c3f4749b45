import { z } from 'zod';
import type { Verb } from '../door/verb.ts';
import { signInChainId } from '../identity/wallet.ts';
import { canonicalJson, digestOf } from '../kernel/digest.ts';
import { toText, toWire } from '../kernel/money.ts';
import { operations, tools } from '../operations.ts';
import { disputeReasons } from '../purchases/contract.ts';
import type { Context, Runtime } from '../runtime.ts';
import { sourceBounds } from '../sources/contract.ts';
import { bounds, Report, unsupportedWorkKinds, workKinds } from '../work-check/contract.ts';
import { exampleRequest, sampleReport } from '../work-check/sample.ts';
import { assessment } from './assessment.ts';
import { availability } from './availability.ts';
import type * as contract from './contract.ts';
import { dataProcessing } from './data-processing.ts';
import {
  daySeconds,
  defaultGrant,
  includedCorrections,
  lasting,
  price,
  priceInDollars,
  seconds,
  service,
  testFunds,
} from './terms.ts';

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
      instructions: at('/docs'),
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
  // When it was looked at is no part of what the buyer holds on to.
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

/** The sample is a real report on the example, made once a process. */
function sample(): ReturnType<typeof sampleReport> {
  assessed ??= sampleReport();
  return assessed;
}

/** What `check_work` takes in its body. The key may come as a header instead. */
const quoteBody = operations.check_work.input.safeExtend({
  idempotency_key: z.string().min(1).max(255).optional().meta({
    description: 'Required, here or as the Idempotency-Key header. Choose one for each check and save it first.',
  }),
});

let derived: { input_schema: Record<string, unknown>; output_schema: Record<string, unknown> } | undefined;

/** The schemas of what goes in and what comes out. They never change while a process lives. */
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

/** The terms as the service contract carries them, by name. The test of the terms asks a copy of the server. @public */
export function contractTerms(runtime: Pick<Runtime, 'configuration' | 'rails'>) {
  return {
    terms_version: service.termsVersion,
    business_authority: 'advisory_only',
    review_authority: 'buyer',
    producer_may_accept: false,
    receipt_certifies_work: false,
    collection: 'prepaid',
    payment_rails: ['card', 'x402'],
    work_kinds: [...workKinds],
    unsupported_work_kinds: [...unsupportedWorkKinds],
    not_offered: [
      "general certification of an agent's reliability",
      'running, testing or validating arbitrary software',
      'confirming that an action happened in an external system',
      'legal, medical or financial opinions',
    ],
    supplied_content: 'evidence_to_assess_never_instructions_or_authority',
    independent_retrieval: 'governed_context_refs_under_the_grant_only',
    payment_grants_source_access: false,
    url_fetching: 'not_offered_in_v1',
    evidence_items_min: 1,
    evidence_items_max: bounds.evidence_items,
    evidence_item_max_bytes: bounds.evidence_item_bytes,
    evidence_source_max_bytes: bounds.source_bytes,
    criteria_max: bounds.criteria,
    criterion_max_bytes: bounds.criterion_bytes,
    request_max_bytes: bounds.request_bytes,
    work_product_max_bytes: bounds.work_product_bytes,
    expected_schema_max_bytes: bounds.expected_schema_bytes,
    rubric_max_bytes: bounds.rubric_bytes,
    criteria_and_rubric_entries_max: bounds.assessed_entries,
    correction_request_max_bytes: bounds.correction_bytes,
    label_max_bytes: bounds.label_bytes,
    context_refs_max: bounds.context_refs,
    context_ref_max_bytes: bounds.context_ref_bytes,
    governed_sources_max: sourceBounds.documents_per_account,
    governed_source_max_bytes: sourceBounds.document_bytes,
    total_input_max_bytes: bounds.total_input_bytes,
    findings_max: bounds.findings,
    max_evidence_age_seconds_min: 1,
    included_corrections: includedCorrections,
    dispute_reasons: [...disputeReasons],
    price: { amount_microcents: toWire(price), currency: 'USD', price_type: 'fixed', pricing_status: 'approved' },
    wallet_challenge_ttl_seconds: seconds.challengeLifetime,
    wallet_session_ttl_seconds: seconds.walletSession,
    quote_ttl_seconds: seconds.quoteLifetime,
    pay_window_seconds: seconds.payWindow,
    delivery_target_seconds: seconds.deliveryTarget,
    execution_deadline_seconds: seconds.executionDeadline,
    review_deadline_seconds: seconds.reviewWindow,
    review_window_seconds: seconds.reviewWindow,
    retention_days: seconds.retention / daySeconds,
    retention:
      `Submitted work and evidence are deleted ${lasting('retention')} after purchase and only a digest remains; the delivered report ` +
      'and the receipt are kept.',
    rate_limits: Object.entries(runtime.configuration.rateLimits).map(([limit, { quota, windowSeconds }]) => ({
      limit,
      quota,
      window_seconds: windowSeconds,
    })),
    default_grant: {
      ...defaultGrant,
      per_job_limit_microcents: toWire(defaultGrant.per_job_limit_microcents),
      daily_limit_microcents: toWire(defaultGrant.daily_limit_microcents),
    },
    assessment: assessment(runtime.configuration.assessor),
    data_processing: dataProcessing(runtime.configuration.assessor),
    x402: x402Terms(runtime),
    environment: runtime.configuration.environment,
    ...(runtime.configuration.environment === 'test' ? { test_funds: testFunds } : {}),
  };
}

/** What a stock x402 client needs to know, and to be told. */
function x402Terms({ rails }: Pick<Runtime, 'rails'>) {
  return {
    x402_version: 2,
    scheme: 'exact',
    networks: [...(rails.get('x402')?.networks ?? [])],
    payment_header: 'PAYMENT-SIGNATURE',
    version_1: 'not taken: an X-PAYMENT header is answered 402',
    client_setting:
      `Stock clients stop at 1 USD a payment. Allow exactly ${toText(price)}: ` +
      `client.setSpendControls({ maxAmountPerPayment: '${priceInDollars}' }) of an x402Client from @x402/fetch or @x402/axios.`,
  };
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
