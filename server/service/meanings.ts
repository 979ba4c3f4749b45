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
  supported: 'The evidence bears it out, or its figures work out.',
  contradicted: 'A passage, or another place in the work, says otherwise.',
  not_found: 'No passage settles it. It may still be true.',
  not_checked: 'It claims nothing that evidence could settle.',
};

export const confidenceMeaning =
  'The share of the statements that can be checked which were decided, from 0 to 1. It is no probability of being right.';
