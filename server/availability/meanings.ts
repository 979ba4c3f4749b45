import type { FindingStatus, StatementStatus, Verdict } from '../work-check/contract.ts';

/** The meaning of a report's words, for the service contract and the pages. Pure. */

/** The meaning of each verdict, best first. */
export const verdictMeanings: Readonly<Record<Verdict, string>> = {
  supported:
    'Every criterion is met, and the evidence bears out every statement that can be checked. The report says which could not be checked.',
  insufficient_evidence:
    'Not everything could be settled, or the evidence is incomplete or too old. It accuses the work of nothing.',
  revise:
    'Something is wrong, and the report names it: a contradiction with the words on both sides, a rule of form that is broken, a required item that is proven absent, or a failed check of the structure.',
  escalate:
    'A person has to decide: text in the material tries to instruct the assessor, sources contradict each other, assessors disagree, or a check of the report itself failed.',
};

export const findingMeanings: Readonly<Record<FindingStatus, string>> = {
  met: 'The work does what the criterion asks.',
  partly_met: 'The work does a part of it; the reason names the rest.',
  missing: 'A rule of form is broken, or something required is shown not to be in the work.',
  contradicted: 'The evidence, or the work itself, says otherwise. The reason quotes both.',
  not_assessable: 'It could not be settled, or is for a person to judge.',
};

export const statementMeanings: Readonly<Record<StatementStatus, string>> = {
  supported: 'Proven: the evidence says it, or its figures work out.',
  contradicted: 'A passage, or another place in the work, says otherwise.',
  undecided: 'The evidence speaks of it, and what it says could not settle it. A person decides.',
  not_found: 'The evidence is silent on it. It may still be true.',
  not_checked: 'It claims nothing that evidence could settle.',
};

export const confidenceMeaning =
  'The share of the statements that can be checked which were decided, from 0 to 1. It is no probability of being right.';

/** Members of a report that a name does not explain. */
export const fieldMeanings = {
  model_verdict:
    'The verdict of the assessor alone. A failed check or an instruction in the material can only lower it.',
  checked_result:
    'True if no check failed and every finding was settled. It says nothing of whether the work is right.',
  score:
    'How strongly the evidence bears out the statements, from 0 to 1: a mean over all of them. Not calibrated, and no verdict follows from it.',
  requires_human_review:
    'A person should read the report: the verdict is escalate or insufficient_evidence, or human_approval_required is true.',
} as const;
