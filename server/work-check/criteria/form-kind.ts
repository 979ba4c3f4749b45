import type { AssessedFinding, AssessmentTask } from '../assessors/port.ts';
import { findPersonalData, maskPersonalData } from '../engines/personal-data.ts';
import { personNames } from '../engines/person-names.ts';
import { answerForm, readFormCriterion } from './form.ts';
import type { Kind, Reader } from './reader.ts';

/** What the work's form shows by counting and looking up; with `rest`, the criterion asks for more than its form. */
export function readForm(criterion: string, { work, request }: AssessmentTask): { finding: AssessedFinding; rest: string | undefined } | undefined {
  const rules = readFormCriterion(criterion);
  if (rules === undefined) return undefined;
  const { status, reason, rest } = answerForm(rules, work, request, criterion);
  return { finding: { status, reason, passages: [] }, rest };
}

const FOUND_SHOWN = 4;

/** "No personal data", "nobody can be identified": what the work holds that leads to a person. */
const readPersonalData: Reader = (_, { work, evidence, judged }) => {
  const names = personNames(...evidence.sources.map(({ text }) => text));
  const text = typeof work.value === 'string' ? work.value : JSON.stringify(work.value);
  const found = findPersonalData(text, names);
  const certain = found.filter(({ certain: sure }) => sure);
  const shown = certain.slice(0, FOUND_SHOWN).map(({ start, end, what }) => `${what} (“${maskPersonalData(text.slice(start, end), names)}”)`);
  const statements = judged.flatMap(({ statement }, at) => (findPersonalData(statement.text, names).some(({ certain: sure }) => sure) ? [at] : []));
  if (certain.length > 0) return { status: 'contradicted', reason: `The work holds ${shown.join(', ')}.`, passages: [], statements };
  if (found.length > 0) return { status: 'not_assessable', reason: `The work may hold personal data: ${found.slice(0, FOUND_SHOWN).map(({ what }) => what).join(', ')}. A person should look.`, passages: [] };
  return { status: 'met', reason: 'No e-mail address, phone number, postal address, account or identity number, and no name that the evidence gives for a person, was found in the work.', passages: [] };
};

export const personalData: Kind = {
  name: 'personal data',
  decides: 'whether the work holds personal data: addresses, numbers, and names that the evidence gives',
  known: /\b(?:personal (?:data|details|information)|personally|identif(?:y|ied|iable)|anonym\w*|privacy|private|pii|no names|contact details|nobody can be)\b/i,
  read: readPersonalData,
};
