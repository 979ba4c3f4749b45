import { type ProblemCode, problems } from './catalogue.ts';

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
  /** Commit what the operation wrote before refusing, such as a counted try. */
  keepsWrites?: true;
  /** The exact text of the first refusal, for replays. */
  replayOf?: string;
}

/** A refusal that the caller can act on. Anything else thrown is a bug and leaves as `internal`. */
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

/** Throws the problem, if there is one. */
export function refuse(refusal: Problem | null): void {
  if (refusal) throw refusal;
}

/** The RFC 9457 object of a problem as the JSON text to send. `type` is an address that explains the code. */
export function problemText(problem: Problem, request: { baseUrl: string; requestId: string }): string {
  if (problem.extras.replayOf) return problem.extras.replayOf;
  const { status, title, retryable, next } = problems[problem.code];
  return JSON.stringify({
    type: `${request.baseUrl}/problems/${problem.code}`,
    title,
    status,
    detail: problem.message,
    code: problem.code,
    retryable,
    request_id: request.requestId,
    next_step: next,
    ...(problem.extras.errors ? { errors: problem.extras.errors } : {}),
    ...problem.extras.members,
  });
}

/** The x402 answer to an unpaid request: 402, with what to sign in body and header. */
export class PaymentRequired extends Error {
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(body: Record<string, unknown>, headers: Record<string, string>) {
    super('payment required');
    this.name = 'PaymentRequired';
    this.body = body;
    this.headers = headers;
  }
}
