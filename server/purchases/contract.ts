// Longer than 300 lines: one contract, the operations of a purchase in the order money moves.
import { z } from 'zod';
import { GrantDecision } from '../identity/contract.ts';
import { defineOperation } from '../operation/operation.ts';
import { methodsOf, payableBy, railNames, railSummaries, requestedMethods } from '../payments/contract.ts';
import './report-contract.ts';
import { lasting, service } from '../service/terms.ts';
import {
  bounds,
  CheckRequest,
  checkRequestFields,
  deterministicChecks,
  Forecast,
  Report,
} from '../work-check/contract.ts';
import { text } from '../work-check/input-fields.ts';
import { checkRules } from './request-contract.ts';
import { approvalStates, chargeStates, jobStates, paymentStates, quoteStates, reviewStates } from './states.ts';

/** The operations of a purchase, in the order money moves (specification 5 to 10). Pure. */

const instant = z.iso.datetime();
const microcents = z.int().min(0);
const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
/** Keys are opaque and short; a longer one matches nothing. */
const key = z.string().min(1).max(64);

const Price = z
  .object({
    amount_microcents: microcents,
    currency: z.literal('USD'),
    price_type: z.literal('fixed'),
    pricing_status: z.literal('approved'),
  })
  .meta({ id: 'Price' });

export const NextAction = z
  .object({
    action: z.enum(['authorize', 'approve', 'pay', 'cancel_payment', 'cancel', 'report', 'review', 'receipt']),
    actor: z.enum(['agent', 'payer', 'customer']),
    method: z.enum(['GET', 'POST']),
    href: z.string(),
    mcp_tool: z.string(),
    description: z.string(),
    body: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'A body you can send as it is: the likeliest of several.' }),
    bodies: z.array(z.record(z.string(), z.unknown())).optional().meta({
      description:
        'Every other body you can send as it is, such as another way to pay, or a dispute where body accepts. Send only one.',
    }),
    mcp_arguments: z.record(z.string(), z.unknown()).meta({ description: 'The same for mcp_tool: key and body.' }),
    expires_at: instant.optional(),
  })
  .meta({ id: 'NextAction' });
export type NextAction = z.infer<typeof NextAction>;
/** A request body that works as it stands. */
export type Asked = NonNullable<NextAction['body']>;

const nextStep = z.string().meta({ description: 'What to do now, in a sentence. next_actions lists what is allowed.' });

/** What a person was asked about a quote, and the answer. */
const QuoteApproval = z
  .object({
    approval_key: key,
    state: z.enum(approvalStates),
    expires_at: instant.meta({ description: 'The end of the quote: a yes ends with it.' }),
    page: z.url().meta({ description: 'For the customer: shows the purchase and takes the decision.' }),
  })
  .meta({ id: 'QuoteApproval' });

export const Quote = z
  .object({
    quote_key: key,
    state: z.enum(quoteStates),
    service_key: z.string(),
    contract_version: z.string(),
    terms_version: z.string(),
    created_at: instant,
    expires_at: instant,
    price: Price,
    max_price_microcents: microcents,
    grant_digest: digest.meta({ description: 'The decision it was asked for under: grant_decisions of the receipts.' }),
    input_digest: digest.meta({
      description:
        'Over the RFC 8785 form of the request without idempotency_key and max_price_microcents, each evidence item as ' +
        '{source, observed_at, digest}.',
    }),
    evidence: z.array(
      z.object({
        ref: z.string(),
        source: z.string(),
        digest: digest.meta({ description: 'Over the UTF-8 bytes of the text.' }),
        bytes: z.int(),
        observed_at: z.string().nullable(),
      }),
    ),
    planned_checks: z.array(
      z.object({ check: z.enum(deterministicChecks), will_run: z.boolean(), skip_reason: z.string().optional() }),
    ),
    forecast: Forecast.meta({ description: 'What can be decided of this work, before anybody pays.' }),
    rails: z.array(z.object({ rail: z.enum(railNames), methods: z.array(z.string()), networks: z.array(z.string()) })),
    refund_policy: z.string(),
    approval: QuoteApproval.nullable().meta({ description: 'Null while nobody was asked.' }),
    next_step: nextStep,
    next_actions: z.array(NextAction),
    job_key: key.nullable(),
  })
  .meta({ id: 'Quote' });
export type Quote = z.infer<typeof Quote>;

export const Job = z
  .object({
    job_key: key,
    quote_key: key,
    state: z.enum(jobStates),
    payment_state: z.enum(paymentStates),
    charge_state: z.enum(chargeStates),
    review_state: z.enum(reviewStates),
    price: Price,
    payment: z
      .object({
        payment_key: key,
        rail: z.enum(railNames),
        method: z.string(),
        continuation_url: z.url().optional().meta({ description: 'While it waits for its payer: the page to pay on.' }),
        expires_at: instant.optional(),
      })
      .optional()
      .meta({ description: 'The open payment, if there is one.' }),
    payable_by: z.array(z.enum(payableBy)).meta({
      description:
        'What can pay within your grant while the job awaits payment, otherwise empty; may grow. A job with no room under the limits can only ' +
        'be paid with wallet_credit.',
    }),
    created_at: instant,
    deadlines: z.object({
      pay_by: instant,
      deliver_by: instant.nullable(),
      review_by: instant.nullable(),
    }),
    progress: z.object({ stage: z.string(), percent: z.int().min(0).max(100) }),
    report_digest: digest.nullable(),
    failure: z.string().nullable(),
    timeline: z.array(z.object({ at: instant, event: z.string(), state: z.string() })),
    next_step: nextStep,
    next_actions: z.array(NextAction),
  })
  .meta({ id: 'Job' });
export type Job = z.infer<typeof Job>;

/** The answer to a card payment that is not collected yet. */
export const PendingPayment = z
  .object({
    job_key: key,
    payment_key: key,
    payment_state: z.enum(['requires_payer', 'processing']),
    method: z.string(),
    continuation_url: z
      .url()
      .nullable()
      .meta({ description: 'For the payer, who needs no account. Opening it moves no money.' }),
    expires_at: instant.nullable(),
    next_step: nextStep,
    next_actions: z.array(NextAction),
  })
  .meta({ id: 'PendingPayment' });
export type PendingPayment = z.infer<typeof PendingPayment>;

const remedyKinds = ['none', 'correction', 'refund', 'wallet_credit', 'reversal'] as const;

export const Receipt = z
  .object({
    receipt_version: z.literal(service.receiptVersion),
    receipt_key: key,
    job_key: key,
    issued_at: instant,
    sequence: z.int().min(1),
    previous_receipt_digest: digest
      .nullable()
      .meta({ description: 'Over the signed payload of the receipt before this one; null on the first.' }),
    quote_digest: digest.meta({ description: 'Over the frozen content of the quote.' }),
    grant_digest: digest.meta({
      description: 'Over the RFC 8785 form of the decision on the grant under which the payment began.',
    }),
    input_digest: digest.meta({ description: 'As in the quote.' }),
    report_digest: digest.nullable().meta({ description: 'Over the RFC 8785 form of the report as delivered.' }),
    collection: z.object({
      state: z.enum(paymentStates),
      rail: z.enum(railNames),
      method: z.string(),
      amount_microcents: microcents,
      currency: z.literal('USD'),
      collected_at: instant,
      reference: z.string(),
    }),
    charge: z.object({
      state: z.enum(chargeStates),
      amount_microcents: microcents,
      finalized_at: instant.nullable(),
      basis: z.string(),
    }),
    remedy: z.object({
      kind: z.enum(remedyKinds),
      state: z.string(),
      amount_microcents: microcents,
      reason: z.string().nullable(),
      at: instant.nullable(),
      reference: z
        .string()
        .optional()
        .meta({ description: "For a refund: its transaction, or the card provider's refund." }),
    }),
    business_authority: z.literal('advisory_only'),
    receipt_certifies_work: z.literal(false),
    terms_version: z.string(),
    signature: z.object({ kid: z.string(), alg: z.literal('EdDSA'), jws: z.string() }).meta({
      description:
        'jws is a compact JWS (RFC 7515). Its payload is the RFC 8785 form of the receipt without signature; its header has ' +
        'the same kid and alg. The key is in /.well-known/jwks.json, with its validity.',
    }),
  })
  .meta({ id: 'Receipt' });
export type Receipt = z.infer<typeof Receipt>;

export const Evidence = z
  .object({
    job_key: key,
    delete_after: instant,
    deleted_at: instant.nullable(),
    bought_by: z.object({
      agent_key: z.string().meta({ description: 'Key of the principal; for a wallet its address in lower case.' }),
      kind: z.enum(['agent', 'wallet']),
      name: z.string().nullable(),
    }),
    submitted: z
      .object({
        request: z.union([z.string(), z.looseObject({})]).nullable(),
        criteria: z.array(z.union([z.string(), z.looseObject({})])),
        work_product: z.union([z.string(), z.looseObject({}), z.array(z.unknown())]),
      })
      .nullable()
      .meta({ description: 'What was asked for and what came of it. Null once it has been deleted.' }),
    items: z.array(
      z.object({
        ref: z.string(),
        source: z.string(),
        digest,
        bytes: z.int(),
        observed_at: z.string().nullable(),
        text: z.string().nullable().meta({
          description: 'Null once it has been deleted or removed, or when the grant no longer covers governed refs.',
        }),
      }),
    ),
  })
  .meta({ id: 'Evidence' });
export type Evidence = z.infer<typeof Evidence>;

const QuoteKey = z.strictObject({ quote_key: key.meta({ description: 'From the quote.' }) });
export const JobKey = z.strictObject({ job_key: key.meta({ description: 'From the job.' }) });

export const checkWork = defineOperation({
  name: 'check_work',
  summary: 'Submit the work, the request or criteria and the evidence; get a frozen quote. Nothing is bought yet.',
  method: 'POST',
  path: '/api/agent/v1/checks',
  audience: ['agent'],
  effect: 'write',
  idempotency: 'required',
  input: CheckRequest.safeExtend({
    max_price_microcents: z.int().min(0).meta({ description: 'The most the buyer will pay, in microcents.' }),
  }).superRefine(checkRules),
  totalInput: { maxBytes: bounds.total_input_bytes, without: ['max_price_microcents'] },
  output: Quote,
  success: [201],
  problems: [
    'invalid_token',
    'grant_scope_missing',
    'idempotency_key_required',
    'idempotency_key_conflict',
    'idempotency_in_progress',
    'unsupported_work_kind',
    'credential_in_input',
    'price_above_max',
    'source_unavailable',
    'service_unavailable',
  ],
  limit: 'quotes',
  maxBytes: 2 * 1024 * 1024,
  tool: 'svc.check_work',
});

export const purchase = defineOperation({
  name: 'purchase',
  summary: 'Read a quote again, with its job if there is one.',
  method: 'GET',
  path: '/api/agent/v1/purchases/{quote_key}',
  audience: ['agent', 'member'],
  effect: 'read',
  idempotency: 'none',
  input: QuoteKey,
  output: Quote,
  success: [200],
  problems: ['invalid_token', 'not_found'],
  tool: 'svc.purchase_status',
});

export const authorize = defineOperation({
  name: 'authorize',
  summary: 'Accept the frozen quote under the grant. Work starts after payment is collected.',
  method: 'POST',
  path: '/api/agent/v1/purchases/{quote_key}/authorize',
  audience: ['agent'],
  effect: 'write',
  idempotency: 'optional',
  input: QuoteKey.extend({
    terms_version: z.string().min(1).max(32).meta({ description: 'The current version, from the quote.' }),
  }),
  output: Job,
  success: [201, 200],
  problems: [
    'invalid_token',
    'grant_scope_missing',
    'purchases_blocked',
    'grant_limit_exceeded',
    'approval_required',
    'approval_declined',
    'not_found',
    'idempotency_key_conflict',
    'idempotency_in_progress',
    'quote_expired',
    'terms_version_mismatch',
    'service_unavailable',
  ],
  tool: 'svc.authorize_purchase',
});

export const pay = defineOperation({
  name: 'pay',
  summary: railSummaries.pay,
  method: 'POST',
  path: '/api/agent/v1/jobs/{job_key}/payments',
  audience: ['agent'],
  effect: 'money',
  idempotency: 'required',
  input: JobKey.extend({
    rail: z.enum(railNames).meta({ description: "One of the quote's rails." }),
    method: z.enum(requestedMethods).optional().meta({ description: railSummaries.payMethod }),
    network: z.string().max(64).optional().meta({
      description: 'The chain to pay on; any supported one by default. Another chain needs another idempotency_key.',
    }),
  }).superRefine(({ rail, method }, ctx) => {
    if (method === undefined || methodsOf[rail].includes(method)) return;
    const message = `The rail ${rail} takes no method ${method}, only ${methodsOf[rail].join(' and ')}.`;
    ctx.addIssue({ code: 'custom', path: ['method'], message, params: { code: 'unsupported_method' } });
  }),
  output: z.union([Job, PendingPayment]),
  outputs: { 200: Job, 202: PendingPayment },
  success: [200, 202],
  paid: true,
  problems: [
    'invalid_token',
    'grant_scope_missing',
    'purchases_blocked',
    'grant_limit_exceeded',
    'not_found',
    'idempotency_key_required',
    'idempotency_key_conflict',
    'action_not_allowed',
    'payment_unknown',
    'payment_already_used',
    'source_unavailable',
    'card_declined',
    'service_unavailable',
  ],
  tool: 'svc.pay',
});

export const cancelPayment = defineOperation({
  name: 'cancel_payment',
  summary: railSummaries.cancelPayment,
  method: 'POST',
  path: '/api/agent/v1/jobs/{job_key}/payments/cancel',
  audience: ['agent', 'member'],
  effect: 'money',
  idempotency: 'optional',
  input: JobKey,
  output: Job,
  success: [200],
  problems: ['invalid_token', 'not_found', 'idempotency_key_conflict', 'action_not_allowed', 'payment_unknown'],
  tool: 'svc.cancel_payment',
});

export const job = defineOperation({
  name: 'job',
  summary:
    'Read the state of a job. next_actions lists exactly what is allowed now. Prefer: wait=25 waits for a change.',
  method: 'GET',
  path: '/api/agent/v1/jobs/{job_key}',
  audience: ['agent', 'member'],
  effect: 'read',
  idempotency: 'none',
  input: JobKey,
  output: Job,
  success: [200],
  waits: true,
  problems: ['invalid_token', 'not_found'],
  tool: 'svc.purchase_status',
});

export const report = defineOperation({
  name: 'report',
  summary: 'Read the delivered report: findings, citations, checks, limitations and a verdict.',
  method: 'GET',
  path: '/api/agent/v1/jobs/{job_key}/report',
  audience: ['agent', 'member'],
  effect: 'read',
  readsReplica: true,
  idempotency: 'none',
  input: JobKey.extend({
    report_digest: digest.optional().meta({ description: 'Reads an earlier report.' }),
    view: z.enum(['whole', 'summary']).optional().meta({
      description: 'summary leaves proven statements out, 40,000 characters at most: the default over MCP.',
    }),
  }),
  output: Report,
  success: [200],
  problems: ['invalid_token', 'not_found', 'report_not_ready', 'action_not_allowed'],
  tool: 'svc.get_report',
});

export const evidence = defineOperation({
  name: 'evidence',
  summary:
    'Read the work, the evidence and the governed sources retrieved for them. ' +
    `Texts are kept for ${lasting('retention')}; digests stay.`,
  method: 'GET',
  path: '/api/agent/v1/jobs/{job_key}/evidence',
  audience: ['agent', 'member'],
  effect: 'read',
  readsReplica: true,
  idempotency: 'none',
  input: JobKey,
  output: Evidence,
  success: [200],
  problems: ['invalid_token', 'not_found'],
});

/** Why a report may be disputed (specification 9.1). */
export const disputeReasons = [
  'check_not_performed',
  'criteria_not_evaluated',
  'citation_invalid',
  'report_incomplete',
  'wrong_input_assessed',
  'other',
] as const;

export type DisputeReason = (typeof disputeReasons)[number];

/** Length of a reviewer's own words, in characters. */
export const maxDetail = 2_000;

const Review = JobKey.extend({
  decision: z.enum(['accept', 'dispute']).meta({ description: 'Accept the report, or dispute it with a reason.' }),
  reason: z.enum(disputeReasons).optional().meta({ description: 'Needed to dispute.' }),
  // A character has at most four bytes; the bound in characters decides.
  detail: text(4 * maxDetail, 'refused')
    .max(maxDetail)
    .optional()
    .meta({ description: 'What is wrong with the report, in your words.' }),
  correction_request: checkRequestFields.correction_request,
  report_digest: digest.optional().meta({
    description:
      'The report you mean; required to accept a corrected one. A dispute without it disputes the newest report: sent ' +
      'again after the re-check with another idempotency key, it is the second dispute and waives the charge. With ' +
      'report_digest that request is refused with report_changed.',
  }),
}).superRefine(({ decision, ...rest }, ctx) => {
  if (decision === 'dispute' && rest.reason === undefined) {
    ctx.addIssue({
      code: 'custom',
      path: ['reason'],
      message: 'A dispute needs a reason.',
      params: { code: 'required' },
    });
  }
  for (const field of ['reason', 'detail', 'correction_request'] as const) {
    if (decision === 'dispute' || rest[field] === undefined) continue;
    const message = `Only a dispute can have a ${field}.`;
    ctx.addIssue({ code: 'custom', path: [field], message, params: { code: 'unknown_field' } });
  }
});

export const deleteContent = defineOperation({
  name: 'delete_content',
  summary: 'Delete what was submitted early, once the review is closed. Digests, reports and receipts stay.',
  method: 'DELETE',
  path: '/api/agent/v1/jobs/{job_key}/content',
  audience: ['agent', 'member'],
  effect: 'write',
  idempotency: 'none',
  input: JobKey,
  output: Evidence,
  success: [200],
  problems: ['invalid_token', 'grant_scope_missing', 'not_found', 'action_not_allowed'],
  destroys: true,
});

export const review = defineOperation({
  name: 'review',
  summary:
    'Accept the report, which makes the charge final, or dispute it with a reason. The first dispute gets a free ' +
    're-check; a second one waives the charge and refunds the collection.',
  method: 'POST',
  path: '/api/agent/v1/jobs/{job_key}/review',
  audience: ['agent', 'member'],
  effect: 'write',
  idempotency: 'optional',
  maxBytes: 32 * 1024,
  input: Review,
  output: Job,
  success: [200],
  problems: [
    'invalid_token',
    'grant_scope_missing',
    'producer_may_not_accept',
    'not_found',
    'idempotency_key_conflict',
    'idempotency_in_progress',
    'action_not_allowed',
    'report_changed',
    'dispute_window_closed',
  ],
  repeatsByKeyOnly: true,
  destroys: true,
  tool: 'svc.review_delivery',
});

export const receipt = defineOperation({
  name: 'receipt',
  summary: 'Read the newest signed receipt, with collection, charge and remedy. A receipt does not certify the work.',
  method: 'GET',
  path: '/api/agent/v1/jobs/{job_key}/receipt',
  audience: ['agent', 'member'],
  effect: 'read',
  readsReplica: true,
  idempotency: 'none',
  input: JobKey,
  output: Receipt,
  success: [200],
  problems: ['invalid_token', 'not_found', 'action_not_allowed'],
  tool: 'svc.get_receipt',
});

export const receiptChain = defineOperation({
  name: 'receipt_chain',
  summary: 'Read every receipt of a job, oldest first. Each names the digest of the one before.',
  method: 'GET',
  path: '/api/agent/v1/jobs/{job_key}/receipts',
  audience: ['agent', 'member'],
  effect: 'read',
  readsReplica: true,
  idempotency: 'none',
  input: JobKey,
  output: z
    .object({
      receipts: z.array(Receipt),
      grant_decisions: z.array(GrantDecision).meta({
        description: 'What the quote and the receipts name by grant_digest, in the order it was decided.',
      }),
    })
    .meta({ id: 'ReceiptChain' }),
  success: [200],
  problems: ['invalid_token', 'not_found'],
});

export const cancel = defineOperation({
  name: 'cancel',
  summary: railSummaries.cancel,
  method: 'POST',
  path: '/api/agent/v1/jobs/{job_key}/cancel',
  audience: ['agent', 'member'],
  effect: 'write',
  idempotency: 'optional',
  input: JobKey,
  output: Job,
  success: [200],
  problems: [
    'invalid_token',
    'not_found',
    'idempotency_key_conflict',
    'idempotency_in_progress',
    'action_not_allowed',
    'payment_unknown',
  ],
  tool: 'svc.cancel_job',
  destroys: true,
});
