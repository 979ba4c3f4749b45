import type { AssessedFinding, AssessmentTask } from '../assessors/port.ts';
import { turnsOf } from '../engines/dialogue.ts';
import { personNames } from '../engines/person-names.ts';
import { findPersonalData, personalValues, shownAs } from '../engines/personal-data.ts';
import { holdsWhole } from '../reading/tokens.ts';
import { answerForm, readFormCriterion } from './form.ts';
import type { Kind, Reader } from './reader.ts';

/** What the work's form shows by counting and looking up; with `rest`, the criterion asks for more than its form. */
export function readForm(
  criterion: string,
  { work, request }: AssessmentTask,
): { finding: AssessedFinding; rest: string | undefined } | undefined {
  const rules = readFormCriterion(criterion);
  if (rules === undefined) return undefined;
  const { status, reason, rest } = answerForm(rules, work, request, criterion);
  return { finding: { status, reason, passages: [] }, rest };
}

const FOUND_SHOWN = 4;

/** "No personal data", "nobody can be identified": what the work holds that leads to a person. */
const readPersonalData: Reader = (criterion, { work, evidence, judged }) => {
  if (!ALWAYS_PERSONAL.test(criterion) && !(DENIES.test(criterion) && PERSON.test(criterion))) return undefined;
  const names = personNames(...evidence.sources.flatMap(({ text, source }) => [source, text]));
  const values = personalValues(evidence.sources.map(({ text }) => text));
  const text = typeof work.value === 'string' ? work.value : JSON.stringify(work.value);
  const found = findPersonalData(text, names, values);
  const certain = found.filter(({ certain: sure }) => sure);
  const besides = [
    ...contactNumbers(
      text,
      evidence.sources.map((source) => source.text),
    ).map((number) => `a phone number that the evidence lists (${number.slice(0, 3)}…)`),
    ...(/\bnam(?:e|es|ed|ing)\b/i.test(criterion) ? speakersIn(text, evidence) : []),
    ...(/\b(?:phone|telephone|mobile) numbers?\b/i.test(criterion)
      ? [...text.matchAll(PHONE)].map(([number]) => `what may only be a phone number (${number.slice(0, 3)}…)`)
      : []),
  ];
  const shown = [...certain.map((item) => shownAs(item, text)), ...besides].slice(0, FOUND_SHOWN);
  const statements = judged.flatMap(({ statement }, at) =>
    findPersonalData(statement.text, names, values).some(({ certain: sure }) => sure) ? [at] : [],
  );
  if (shown.length > 0 && mayBeAllowed(criterion, besides.length === 0 && certain.every(({ kind }) => kind === 'name')))
    return {
      status: 'not_assessable',
      reason: `The work holds ${shown.join(', ')}. Whether that is allowed, a person should say.`,
      passages: [],
      statements,
    };
  if (shown.length > 0)
    return { status: 'contradicted', reason: `The work holds ${shown.join(', ')}.`, passages: [], statements };
  const health = /\bhealth|\bmedical/i.test(criterion) ? HEALTH.exec(text)?.[0] : undefined;
  if (health !== undefined)
    return {
      status: 'not_assessable',
      reason: `The work holds “${health}”, which may be about somebody's health. A person should look.`,
      passages: [],
    };
  if (found.length > 0)
    return {
      status: 'not_assessable',
      reason: `The work may hold personal data: ${found
        .slice(0, FOUND_SHOWN)
        .map(({ what }) => what)
        .join(', ')}. A person should look.`,
      passages: [],
    };
  return {
    status: 'met',
    reason:
      'No e-mail address, phone number, postal address, account or identity number, and no name known from the evidence to be of a person, was found in the work.',
    passages: [],
  };
};

const mayBeAllowed = (criterion: string, onlyNames: boolean): boolean =>
  ALLOWS_SOME.test(criterion) || (onlyNames && !BARS_NAMES.test(criterion));

/** Those who speak in a chat or transcript of the evidence and are called by that name in the work. */
function speakersIn(text: string, evidence: AssessmentTask['evidence']): string[] {
  const speakers = [...new Set(turnsOf(evidence).map(({ speaker }) => speaker))];
  return speakers
    .filter((name) => name.length > 2 && holdsWhole(name, text))
    .map((name) => `the name of somebody who speaks in the evidence (${name.slice(0, 2)}…)`);
}

/** Where phone numbers are asked about, a long number that begins with 0 or + is one. */
const PHONE = /(?<![\d.,-])(?:\+\d{1,3}[ /-]?|0)\d{2,4}[ /-]?\d{3,4}[ -]?\d{2,4}(?![\d.,:])/g;

const HEALTH =
  /\b(?:ill|illness|sick|sickness|surgery|operation|pregnan\w+|diagnos\w+|disease|injur\w+|hospital\w*|medication|allerg\w+|asthma|diabet\w+|disab\w+|doctor|treatment|sprain\w*|fracture\w*|back pain|recovering|epilep\w+|depress\w+)\b/i;

/** Numbers of a work that a source with a column or line of phone numbers holds too. */
function contactNumbers(text: string, sources: readonly string[]): string[] {
  const listing = sources
    .filter((source) => /(?:phone|mobile|\btel\b|\bcell\b)/i.test(source))
    .map((source) => source.replaceAll(/[ ()/-]/g, ''));
  return [...text.matchAll(/(?<![\d.,-])\+?0\d[\d ()/-]{7,14}\d(?![\d.,])/g)]
    .map(([found]) => found)
    .filter((found) => listing.some((source) => source.includes(found.replaceAll(/[ ()/-]/g, ''))));
}

/** A name alone breaks what bars all names; "no private information" and "no names of owners who argued" may allow some. */
const BARS_NAMES =
  /\b(?:(?<!\bno )anonym\w*|no names?\b(?! (?:of|from|for|that|which|who))|without (?:any )?names?\b(?! (?:of|from|for|that|which|who))|nobody can be)/i;
/** "No personal data beyond what I asked for", "nobody else who lives in the house" */
const ALLOWS_SOME = /\b(?:beyond|except|other than|apart from|besides|unless|more than|else|who)\b/i;
const ALWAYS_PERSONAL =
  /\b(?:personal (?:data|details|information)|personally|identifiable|anonym\w*|privacy|private (?:data|details|information)|nothing private|pii|no names|(?:not|never|without) nam(?:e|ing) (?:any )?(?:individuals?|people|persons?|anyone|anybody|names)|nobody can be|(?<!\b(?:where|if|when|unless) )no (?:(?:phone|telephone|mobile) numbers?|e-?mail addresses))\b/i;
/** "Null where no phone number is known" asks for a gap. "No patient can be identified" asks about persons; "the weak region is identified" and "gives contact details" do not. */
const SOMETIMES_PERSONAL = /\b(?:identif(?:y|ies|ied|ying)|contact details|private)\b/i;
const DENIES = /\b(?:no|not|never|nobody|nothing|none|cannot|without)\b|n['’]t\b/i;
const PERSON =
  /\b(?:contact details|be identified|(?:nobody|no one|anyone|person|individual|patient|customer|client|employee|colleague|resident|tenant|respondent|participant|applicant|candidate|user|member|visitor|pupil|student)(?:['’]?s)?|people|staff|child|children)\b/i;

export const personalData: Kind = {
  name: 'personal data',
  basis: 'form',
  counts: true,
  decides: 'whether the work holds personal data: addresses, numbers, and names that the evidence gives',
  known: new RegExp(`${ALWAYS_PERSONAL.source}|${SOMETIMES_PERSONAL.source}`, 'i'),
  read: readPersonalData,
};
