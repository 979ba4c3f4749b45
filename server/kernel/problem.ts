/**
 * Everything that can be refused, as a catalogue (RFC 9457; interface.md 1). `title` names the condition, `next` tells
 * an agent what to do about it. Each code has a page of its own at `/problems/{code}`.
 */
export const problems = {
  malformed_request: {
    status: 400,
    retryable: false,
    title: 'The request is not well-formed',
    next: 'Send one JSON object as UTF-8 with content-type application/json.',
  },
  idempotency_key_required: {
    status: 400,
    retryable: false,
    title: 'This operation needs an idempotency key',
    next: 'Choose a key, save it with the request, and send it as idempotency_key in the body or as the Idempotency-Key header.',
  },
  idempotency_key_mismatch: {
    status: 400,
    retryable: false,
    title: 'Header and body carry different idempotency keys',
    next: 'Send the key once, or the same key in both places.',
  },
  credential_in_url: {
    status: 400,
    retryable: false,
    title: 'A credential was sent in the address',
    next: 'Send it in the Authorization header. Rotate it now: addresses are logged along the way.',
  },
  invalid_token: {
    status: 401,
    retryable: false,
    title: 'The credential is missing, unknown or has ended',
    next: 'Send Authorization: Bearer with a valid credential. A wallet signs in again; an agent claims or rotates its credential.',
  },
  signature_invalid: {
    status: 401,
    retryable: false,
    title: 'The wallet signature does not match the challenge',
    next: 'Sign the exact message of a fresh challenge with the key of the address it names.',
  },
  grant_scope_missing: {
    status: 403,
    retryable: false,
    title: 'The grant does not cover this',
    next: 'Ask the customer to widen the grant, or use what it covers. GET /api/agent/v1/me shows it.',
  },
  grant_limit_exceeded: {
    status: 403,
    retryable: false,
    title: 'A limit of the grant would be exceeded',
    next:
      'Pay or cancel the jobs that next_actions names. After resets_at, where the limit is daily, ask for a new quote. A ' +
      'customer can raise the limits of an agent; those of a wallet are fixed.',
  },
  purchases_blocked: {
    status: 403,
    retryable: false,
    title: 'New purchases are blocked',
    next: 'Ask the customer to settle it with the service. Reports and receipts stay readable.',
  },
  producer_may_not_accept: {
    status: 403,
    retryable: false,
    title: 'The producer of the work may not accept the report on it',
    next: 'Let the customer or another of its agents review the report.',
  },
  not_found: {
    status: 404,
    retryable: false,
    title: 'There is nothing here for this caller',
    next: 'Check the key. Keys of other principals answer the same way.',
  },
  method_not_allowed: {
    status: 405,
    retryable: false,
    title: 'This address does not take that method',
    next: 'Use the method that the OpenAPI document names.',
  },
  idempotency_key_conflict: {
    status: 409,
    retryable: false,
    title: 'The idempotency key was used with another body',
    next: 'Repeat the saved request unchanged, or choose a new key for a new request, such as a payment on another chain.',
  },
  idempotency_in_progress: {
    status: 409,
    retryable: true,
    title: 'The first request with this key is still running',
    next: 'Repeat the same request after Retry-After.',
  },
  fresh_sign_in_required: {
    status: 403,
    retryable: false,
    title: 'This needs a fresh sign-in',
    next: 'Sign in again and repeat it within 10 minutes.',
  },
  registration_declined: {
    status: 403,
    retryable: false,
    title: 'The customer declined the registration',
    next: 'Stop here, and ask the customer before registering again.',
  },
  action_not_allowed: {
    status: 409,
    retryable: false,
    title: 'The action is not allowed in this state',
    next: 'Take one of next_actions instead.',
  },
  quote_expired: { status: 409, retryable: false, title: 'The quote has expired', next: 'Ask for a new quote.' },
  report_not_ready: {
    status: 409,
    retryable: true,
    title: 'There is no report yet',
    next: 'Read the job until it is delivered.',
  },
  payment_unknown: {
    status: 409,
    retryable: true,
    title: 'It is not known yet whether a payment went through',
    next: 'Do not pay again. Repeat the same request after Retry-After; the outcome is being looked up.',
  },
  payment_already_used: {
    status: 409,
    retryable: false,
    title: 'This payment signature belongs to another job',
    next: 'Sign a payment of its own for each job.',
  },
  report_changed: {
    status: 409,
    retryable: false,
    title: 'The digest is not that of the newest report',
    next: 'Read the report again and decide on it by its digest.',
  },
  dispute_window_closed: {
    status: 409,
    retryable: false,
    title: 'The review window has passed',
    next: 'Accept the report, or leave the review to the service. Nothing is charged by silence.',
  },
  terms_version_mismatch: {
    status: 409,
    retryable: false,
    title: 'These are not the current terms',
    next: 'Read the current terms version in the service contract and send it.',
  },
  source_unavailable: {
    status: 409,
    retryable: false,
    title: 'A governed source is not there to be retrieved',
    next: 'Name only refs that GET /api/agent/v1/sources lists, or ask the customer to add the document.',
  },
  source_limit_reached: {
    status: 409,
    retryable: false,
    title: 'The account holds as many governed sources as it may',
    next: 'Remove one that is no longer needed, then add this one.',
  },
  source_name_taken: {
    status: 409,
    retryable: false,
    title: 'Another governed source of the account has this name',
    next: 'Remove that one first, or choose another name.',
  },
  challenge_expired: {
    status: 410,
    retryable: false,
    title: 'The challenge has expired or was used',
    next: 'Ask for a fresh challenge.',
  },
  registration_expired: {
    status: 410,
    retryable: false,
    title: 'The registration has expired',
    next: 'Register again.',
  },
  credential_already_released: {
    status: 410,
    retryable: false,
    title: 'The secret was handed out before, and is handed out once',
    next: 'Use what the first answer carried. If it is lost, rotate, ask the customer to release again, or register again.',
  },
  input_too_large: {
    status: 413,
    retryable: false,
    title: 'The input is too large',
    next: 'Shorten the input. The bounds stand in the service contract.',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    title: 'The body is not plain JSON',
    next: 'Send content-type application/json without a content-encoding.',
  },
  validation_failed: {
    status: 422,
    retryable: false,
    title: 'A field breaks a rule',
    next: 'Mend the fields that errors points at.',
  },
  credential_in_input: {
    status: 422,
    retryable: false,
    title: 'The job input contains a credential of this service',
    next: 'Remove it, and rotate it now: job input is stored.',
  },
  unsupported_work_kind: {
    status: 422,
    retryable: false,
    title: 'This kind of work is not checked here',
    next: 'Send a supported work_kind, or leave it out.',
  },
  price_above_max: {
    status: 422,
    retryable: false,
    title: 'The price is above the ceiling that the buyer set',
    next: 'Raise max_price_microcents to the price in the service contract, or do not buy.',
  },
  contract_wallet_unsupported: {
    status: 422,
    retryable: false,
    title: 'Contract wallets cannot sign in',
    next: 'Sign in with an externally owned account.',
  },
  code_invalid: {
    status: 422,
    retryable: false,
    title: 'This is not the code of the registration',
    next: 'Ask the customer for the code in the letter while attempts_remaining is above 0; after that only the link confirms.',
  },
  rate_limited: { status: 429, retryable: true, title: 'Too many requests', next: 'Wait for Retry-After.' },
  internal: {
    status: 500,
    retryable: true,
    title: 'Something broke on our side',
    next: 'Repeat the same request with the same idempotency key. Quote request_id if it stays.',
  },
  registrations_closed: {
    status: 503,
    retryable: false,
    title: 'Nobody can register right now',
    next: 'Sign in with a wallet, or ask whoever runs the service when it opens.',
  },
  service_unavailable: {
    status: 503,
    retryable: true,
    title: 'This cannot be sold, or not over this rail, right now',
    next: 'Read reasons. Where retryable is true, try again after Retry-After; else use another rail that the quote lists.',
  },
} as const satisfies Record<string, { status: number; retryable: boolean; title: string; next: string }>;

export type ProblemCode = keyof typeof problems;

/** One field at fault: `pointer` is a JSON pointer (RFC 6901) into the input. */
export interface FieldError {
  pointer: string;
  code: string;
  detail: string;
  limit?: number;
  actual?: number;
}

export interface ProblemExtras {
  errors?: FieldError[];
  /** Further members of the problem object, such as `remaining_microcents` or `reasons`. */
  members?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** What the operation wrote before it refused is kept: a try that was counted stays counted. */
  keepsWrites?: true;
  /** The exact text of the refusal that the same request met before. */
  replayOf?: string;
}

/** A refusal that a caller can act on. Whatever else is thrown is a bug and leaves as `internal`. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly extras: ProblemExtras;

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    this.name = 'Problem';
    this.code = code;
    this.extras = extras;
  }

  get status(): number {
    return problems[this.code].status;
  }
}

/** Refuses where there is a reason to. */
export function refuse(refusal: Problem | null): void {
  if (refusal) throw refusal;
}

/** The RFC 9457 object of a problem as the JSON text to send. `type` is an address that explains the code. */
export function problemText(problem: Problem, request: { baseUrl: string; requestId: string }): string {
  if (problem.extras.replayOf) return problem.extras.replayOf;
  const { status, title, retryable } = problems[problem.code];
  return JSON.stringify({
    type: `${request.baseUrl}/problems/${problem.code}`,
    title,
    status,
    detail: problem.message,
    code: problem.code,
    retryable,
    request_id: request.requestId,
    ...(problem.extras.errors ? { errors: problem.extras.errors } : {}),
    ...problem.extras.members,
  });
}

/** The x402 answer to a request that is not paid yet: status 402, with what to sign in body and header. */
export class PaymentRequired extends Error {
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(body: Record<string, unknown>, headers: Record<string, string>) {
    // Half of all requests to pay end so: nobody reads where, and finding it out would cost more than the answer.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super('payment required');
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'PaymentRequired';
    this.body = body;
    this.headers = headers;
  }
}
