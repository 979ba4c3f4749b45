import type { tools } from '../operations.ts';
import type { ProblemCode } from '../problems.ts';

/** Tool descriptions. MCP clients send no headers and call no paths, so name none. */

type ToolName = typeof tools extends ReadonlyMap<infer Name, unknown> ? Name : never;

export const toolWords: Readonly<Record<ToolName, { title: string; description: string }>> = {
  'svc.whoami': {
    title: 'Who am I',
    description:
      'Whose credential this is, what its grant allows, how much is used, and its credit. Money that became credit ' +
      'still counts as used; returned money does not.',
  },
  'svc.check_work': {
    title: 'Ask for a quote',
    description:
      'Submit the work, the request or criteria (or rubric) and the evidence; get a frozen quote. Nothing is bought yet. ' +
      'Save the arguments before you call.',
  },
  'svc.purchase_status': {
    title: 'Follow a purchase',
    description:
      'Read a quote or a job by its key; a quote names its job. next_step says what to do, next_actions what is ' +
      'allowed. wait_seconds waits while the job is in progress.',
  },
  'svc.authorize_purchase': {
    title: 'Accept a quote',
    description: 'Accept the frozen quote under the grant; the answer is a job. Work starts once it is paid.',
  },
  'svc.pay': {
    title: 'Pay for a job',
    description:
      'card: charges the saved card, or gives a link for the payer. x402: pays from wallet_credit, or first answers what ' +
      'to sign (version 2); repeat it unchanged with the signed payment in _meta["x402/payment"] and the same key.',
  },
  'svc.cancel_payment': {
    title: 'End an open payment',
    description:
      'Ends a payment if that is certain to work. A signed one ends when its chain can no longer execute it; until ' +
      'then the answer is payment_unknown.',
  },
  'svc.get_report': {
    title: 'Read the report',
    description: 'The report: findings, citations, checks, limitations and a verdict.',
  },
  'svc.review_delivery': {
    title: 'Accept or dispute',
    description:
      'Accepting makes the charge final. The first dispute gets a free re-check; a second one waives the ' +
      'charge and the collection goes back. Neither can be undone.',
  },
  'svc.get_receipt': {
    title: 'Read the receipt',
    description: 'The newest signed receipt: collection, charge and remedy. It does not certify the work.',
  },
  'svc.cancel_job': {
    title: 'Cancel a job',
    description: 'Cancel a job before it is delivered. What x402 collected becomes credit; a card is refunded.',
  },
};

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
