import type { AssessedFinding, AssessmentTask } from '../assessors/port.ts';
import type { FindingBasis } from '../contract.ts';

/** How one kind of criterion is answered. `undefined` when a reader sees that the criterion is not of its kind after all. */
export type Reader = (criterion: string, task: AssessmentTask) => AssessedFinding | undefined;

/** A kind of criterion: what a person calls it, how it is known, and who answers it. */
export type Kind = {
  name: string;
  /** For the service page and the contract: what is decided, in words. */
  decides: string;
  known: RegExp;
  /** What its answers rest on. */
  basis: FindingBasis;
  /**
   * It counts, or looks for literal words and named fields: what it does not find is missing. Any other kind leaves that
   * to a reader; it accuses only by a statement that is contradicted.
   */
  counts?: true;
  /** What it calls met rests on marks of citation, not on the figures beside them. */
  marks?: true;
  /** It asks whether something is said; whether that is right is told under the statements. */
  said?: true | undefined;
  read: Reader;
};

export function notAssessable(reason: string): AssessedFinding {
  return { status: 'not_assessable', reason, passages: [] };
}
