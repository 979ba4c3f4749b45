/**
 * `assessor_unreachable`: the provider of a model does not answer, whatever it is sent. `assessor_unusable`: a model
 * answered, twice, what is no answer. `assessor_failed`: it refused what it was sent, or the check ended otherwise.
 */
export type CheckFailureCode =
  | 'source_unavailable'
  | 'assessor_unreachable'
  | 'assessor_unusable'
  | 'assessor_failed'
  | 'report_invalid';

/**
 * A check that cannot be delivered: the charge stays 0. `detail` is safe to show to the buyer and holds none of the
 * submitted content.
 */
export class CheckFailure extends Error {
  readonly code: CheckFailureCode;
  readonly detail: string;

  constructor(code: CheckFailureCode, detail: string, options?: { cause?: unknown }) {
    super(`${code}: ${detail}`, options);
    this.name = 'CheckFailure';
    this.code = code;
    this.detail = detail;
  }
}
