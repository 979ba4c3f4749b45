import type { AssessedFinding, AssessmentTask } from '../assessors/port.ts';

/** How one kind of criterion is answered. `undefined` when a reader sees that the criterion is not of its kind after all. */
export type Reader = (criterion: string, task: AssessmentTask) => AssessedFinding | undefined;

/** A kind of criterion: what a person calls it, how it is known, and who answers it. */
export type Kind = {
  name: string;
  /** For the service page and the contract: what is decided, in words. */
  decides: string;
  known: RegExp;
  read: Reader;
};

export function notAssessable(reason: string): AssessedFinding {
  return { status: 'not_assessable', reason, passages: [] };
}
