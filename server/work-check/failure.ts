export type CheckFailureCode = 'source_unavailable' | 'assessor_failed' | 'report_invalid';

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
