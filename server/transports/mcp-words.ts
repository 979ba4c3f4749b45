import { toText, toWire } from '../kernel/money.ts';
import type { tools } from '../operations.ts';
import type { ProblemCode } from '../problems/catalogue.ts';
import { price, service } from '../service/terms.ts';

/** Tool descriptions. MCP clients send no headers and call no paths, so name none. */

type ToolName = typeof tools extends ReadonlyMap<infer Name, unknown> ? Name : never;

/** In the unit that people think in, and in that of the arguments. */
const cost = `${toText(price)} (${toWire(price)} microcents)`;

/** Each says what it is for, what it costs, when to use it, and one example of its arguments. */
export const toolWords: Readonly<Record<ToolName, { title: string; description: string }>> = {
  'svc.whoami': {
    title: 'Who am I',
    description:
      'Whose credential this is, what its grant allows, how much is used, and its credit. Free. Use this when you want ' +
      `to know whether ${cost} still fit before you ask for a check. Money that became credit still counts as used; ` +
      'returned money does not. Example: {}',
  },
  'svc.check_work': {
    title: 'Ask for a quote',
    description:
      'Asks for a check of work that an agent made: which of its statements the evidence supports, contradicts or is ' +
      'silent on, with citations, and a verdict. Use this when somebody will rely on an answer, report, summary or ' +
      `extraction. A check costs ${cost}; asking is free: you get a frozen quote, and nothing is bought yet. Save the ` +
      'arguments before you call. Example: {"work_product": "12 lamps at 21 EUR come to 240 EUR.", "request": "What does ' +
      `the order come to?", "evidence": ["12 lamps at 21 EUR each."], "max_price_microcents": ${toWire(price)}, "idempotency_key": "check-1"}`,
  },
  'svc.purchase_status': {
    title: 'Follow a purchase',
    description:
      'Reads a quote or a job by its key; a quote names its job. Free. Use this when you wait for a check, or lost an ' +
      'answer: next_step says what to do, next_actions what is allowed. Example: {"job_key": "job_1", "wait_seconds": 25}',
  },
  'svc.authorize_purchase': {
    title: 'Accept a quote',
    description:
      'Accepts a frozen quote within the grant; the answer is a job. Takes no money yet: work starts once the job is ' +
      'paid. Use this when you want the check at the quoted price. ' +
      `Example: {"quote_key": "quote_1", "terms_version": "${service.termsVersion}"}`,
  },
  'svc.pay': {
    title: 'Pay for a job',
    description:
      `Pays for a job: ${cost}. Use this when a job awaits payment. card charges the saved card, or gives a link for the ` +
      'payer to open. x402 pays from wallet_credit, or first answers what to sign (version 2): repeat the call unchanged ' +
      'with the signed payment as payment (or in _meta["x402/payment"]) and the same key. ' +
      'Example: {"job_key": "job_1", "rail": "card", "idempotency_key": "pay-1"}',
  },
  'svc.cancel_payment': {
    title: 'End an open payment',
    description:
      'Ends an open payment if that is certain to work. Free. Use this when you want to pay in another way. A signed ' +
      'one ends when its chain can no longer execute it; until then the answer is payment_unknown. ' +
      'Example: {"job_key": "job_1"}',
  },
  'svc.get_report': {
    title: 'Read the report',
    description:
      'The report of a delivered job: findings, citations, checks, limitations and a verdict. Free. Use this when the ' +
      'state is delivered or redelivered. Example: {"job_key": "job_1"}',
  },
  'svc.review_delivery': {
    title: 'Accept or dispute',
    description:
      'Accepts or disputes a report. Use this when you have read it. Accepting makes the charge final. The first dispute ' +
      'gets a free re-check; a second one waives the charge and the money goes back. Neither can be undone. ' +
      'Example: {"job_key": "job_1", "decision": "accept"}',
  },
  'svc.get_receipt': {
    title: 'Read the receipt',
    description:
      'The newest signed receipt: what was collected, charged and given back. It does not certify the work. Free. Use ' +
      'this when a purchase must be accounted for. Example: {"job_key": "job_1"}',
  },
  'svc.cancel_job': {
    title: 'Cancel a job',
    description:
      'Cancels a job before it is delivered. Free. Use this when the check is no longer needed. What x402 collected ' +
      'becomes credit; a card is refunded. Example: {"job_key": "job_1"}',
  },
};

/** Tools that move no money and promise none, for directories that ask for such a list. */
export const readerTools: readonly ToolName[] = [
  'svc.whoami',
  'svc.check_work',
  'svc.purchase_status',
  'svc.get_report',
  'svc.get_receipt',
];

/** Shorter words for arguments that only a reader of the whole contract would understand. */
export const argumentWords: Readonly<Record<string, string>> = {
  max_price_microcents: `The most you will pay, in microcents: ${toWire(price)} is ${toText(price)}, the price.`,
  correction_request: 'What the included re-check should do, such as {"finding": 2}.',
  report_digest:
    'The report you mean; required to accept a corrected one. Give it to dispute, too: a late repeat is then refused, and ' +
    'not taken for the second dispute.',
  max_evidence_age_seconds: 'No evidence may be older: compares observed_at of each item.',
  idempotency_key: 'A name of yours for this call; save it first. A repeat with it has no second effect.',
};

/** A signed payment as an argument: models and many hosts cannot set `_meta`. */
export const paymentArgument = {
  type: 'object',
  title: 'Payment',
  description: 'The signed x402 payment (version 2), after a first call told what to sign.',
} as const;

/** How long `svc.purchase_status` waits, as an argument: REST uses a header. */
export const waitSeconds = {
  type: 'integer',
  title: 'Wait seconds',
  minimum: 0,
  maximum: 25,
  description: 'How long to wait for a change.',
} as const;

/** Replaces `next` texts that speak of headers and paths. */
export const mcpNext: Partial<Record<ProblemCode, string>> = {
  malformed_request: 'Send well-formed JSON.',
  idempotency_key_required: 'Choose a key, save it with the arguments, and send it as idempotency_key.',
  idempotency_in_progress: 'Repeat the same call after the seconds in _meta["svc/retry-after-seconds"].',
  invalid_token: 'Give the connection a valid credential as its bearer token; a wallet signs in again.',
  grant_scope_missing: 'Ask the customer to widen the grant, or use what it covers; svc.whoami shows it.',
  payment_unknown:
    'Do not pay again. Repeat the same call after the seconds in _meta["svc/retry-after-seconds"]; the outcome is being ' +
    'looked up.',
  source_unavailable: 'Name only refs that the account holds, or ask the customer to add the document.',
  rate_limited: 'Wait for the seconds in _meta["svc/retry-after-seconds"].',
  service_unavailable: 'Read reasons; try again later only where retryable is true.',
};
