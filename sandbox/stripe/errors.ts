/** The fields of an error in Stripe's API reference. */
export interface ErrorBody {
  readonly type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  readonly message: string;
  readonly code?: string;
  readonly decline_code?: string;
  readonly param?: string;
  readonly charge?: string;
  readonly payment_intent?: object;
  readonly payment_method?: object;
}

/** A request that Stripe refuses: answered with the status and `{error}`. */
export class StripeFault extends Error {
  readonly status: number;
  readonly body: ErrorBody;
  /** Whether work had begun: only then does the idempotency key keep the answer. */
  readonly begun: boolean;
  constructor(status: number, body: ErrorBody, { begun = true } = {}) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.begun = begun;
  }
}

/** An impossible request: 400, kept for its key. */
export function refused(message: string, more: Omit<ErrorBody, 'type' | 'message'> = {}): StripeFault {
  return new StripeFault(400, { type: 'invalid_request_error', message, ...more });
}

/** An unreadable parameter: 400, before any work began. */
export function invalidParameter(message: string, param: string, code?: string): StripeFault {
  const body = { type: 'invalid_request_error', message, param, ...(code ? { code } : {}) } as const;
  return new StripeFault(400, body, { begun: false });
}

/** An unknown id: 404 in the path, 400 in a parameter. */
export function missing(kind: string, id: string, param = 'id'): StripeFault {
  const message = `No such ${kind}: '${id}'`;
  const status = param === 'id' ? 404 : 400;
  return new StripeFault(status, { type: 'invalid_request_error', code: 'resource_missing', message, param });
}

/** The wire form, with a link for errors that have a code. */
export function errorJson(body: ErrorBody): { error: object } {
  const link = body.code ? { doc_url: `https://stripe.com/docs/error-codes/${body.code.replaceAll('_', '-')}` } : {};
  return { error: { ...body, ...link } };
}
