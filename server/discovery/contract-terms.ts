import { assessment } from '../availability/assessment.ts';
import { toText, toWire } from '../kernel/money.ts';
import { bytesOfAnAnswer } from '../operation/rate-limit.ts';
import { disputeReasons } from '../purchases/contract.ts';
import type { Runtime } from '../runtime.ts';
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
} from '../service/terms.ts';
import { sourceBounds } from '../sources/contract.ts';
import { bounds, unsupportedWorkKinds, workKinds } from '../work-check/contract.ts';
import { dataProcessing } from './data-processing.ts';

/** The service contract's terms by name. Their test reads them from a copy of the server. */
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
    ...inputTerms(),
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
    rate_limit_answer_bytes: bytesOfAnAnswer,
    default_grant: {
      ...defaultGrant,
      per_job_limit_microcents: toWire(defaultGrant.per_job_limit_microcents),
      daily_limit_microcents: toWire(defaultGrant.daily_limit_microcents),
    },
    assessment: assessment(runtime.configuration.assessor),
    data_processing: dataProcessing(runtime.configuration.assessor),
    x402: x402Terms(runtime),
    environment: runtime.configuration.environment,
    operator: runtime.configuration.operator,
    pages: pagesOf(runtime.configuration.baseUrl),
    ...(runtime.configuration.environment === 'test'
      ? { test_funds: testFunds(portOf(runtime.configuration.baseUrl)) }
      : {}),
  };
}

/** The bounds of a request and of its report (specification 5). */
function inputTerms() {
  return {
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
  };
}

/** The port as buyers know it, at whichever door. */
function portOf(baseUrl: string): number {
  return Number(new URL(baseUrl).port || 3_000);
}

/** What people read about the seller and the handling of their data. */
function pagesOf(baseUrl: string) {
  return { terms: `${baseUrl}/terms`, privacy: `${baseUrl}/privacy`, contact: `${baseUrl}/contact` };
}

/** What a stock x402 client must know and configure. */
function x402Terms({ rails }: Pick<Runtime, 'rails'>) {
  return {
    x402_version: 2,
    scheme: 'exact',
    networks: [...(rails.get('x402')?.networks ?? [])],
    payment_header: 'PAYMENT-SIGNATURE',
    version_1: 'not taken: an X-PAYMENT header is answered 402',
    client_setting:
      `The x402Client of @x402/fetch stops at 1 USD a payment. Allow exactly ${toText(price)}: ` +
      `client.setSpendControls({ maxAmountPerPayment: '${priceInDollars}' }). That of @x402/axios has no such setting and no limit.`,
  };
}
