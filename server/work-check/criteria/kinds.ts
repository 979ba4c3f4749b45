import type { AssessedFinding, AssessmentTask, JudgedStatement } from '../assessors/port.ts';
import { isUnsettled } from '../assessors/port.ts';
import { bySuspicion, indexesOf, stillOpen, summarize } from '../assessors/summary.ts';
import type { FindingStatus } from '../contract.ts';
import { findPlaceholders, triviality } from '../engines/placeholders.ts';
import type { Entry } from '../entries.ts';
import { clip } from '../quoting.ts';
import { tokenize } from '../reading/tokens.ts';
import { absence } from './absence.ts';
import { agreement } from './agreement.ts';
import { citing, quoting } from './citing.ts';
import { conceptsAsked } from './concepts.ts';
import { coverage } from './coverage.ts';
import { fields } from './fields.ts';
import { readFormCriterion } from './form.ts';
import { personalData, readForm } from './form-kind.ts';
import { order } from './order.ts';
import { presence } from './presence.ts';
import { type Kind, notAssessable } from './reader.ts';
import { records } from './records.ts';
import { schema } from './schema-kind.ts';
import { about, shareOf, topicOf } from './subject.ts';
import { sums } from './sums.ts';
import { currencies } from './units-carried.ts';

const isAtIssue = ({ status }: JudgedStatement): boolean => status === 'contradicted' || isUnsettled(status);

/** What only a person, or a language model, can tell; what is open on its subject is where to begin. */
const judgement: Kind = {
  name: 'judgement',
  basis: 'judgement',
  decides: 'nothing: tone, usefulness and clarity are for a person or a language model',
  known:
    /\b(?:tone|polite\w*|friendl\w+|professional\w*|well[- ]written|readable|engaging|persuasive|elegant|creative|helpful\w*|empath\w*|concise\w*|style|grammar|flows?|natural|appropriate\w*|reasonable|sensible|insight\w*|understand\w*|follow it|comfortable|reassuring|useful|helps? an?|councillor|decide on|clear to|easy to|sounds?|reads? like|taken seriously|makes? people|would (?:convince|understand)|will (?:manage|feel|want)|interesting|pleasant|nicely|blame\w*|jargon|suitable|spelling|(?:past|present) tense|(?:british|american|plain|simple) english|short enough|(?:kept|keeps?|told|tells?) apart)\b/i,
  read: (criterion, { judged }) => {
    const open = bySuspicion(about(topicOf(criterion), judged).filter(isAtIssue));
    return {
      ...notAssessable(
        'This asks for a judgement that rules cannot make. A person should read the work with it in mind.',
      ),
      statements: indexesOf(open, judged),
    };
  },
};

/** Asks of what the work is about, not of the work, that it covers something. */
const FULFILS = /\b(?:whoever|fulfils?|meets? (?:all|every|each)|satisf(?:y|ies))\b/i;

/** "Both positive and negative findings": two answers are asked for, not a list. */
const BOTH_SIDES = /\bboth (?:positive|benefits|advantages|pros|strengths)\b/i;

/** The kinds of criteria, in the order in which they are tried. To teach a new one, add it here. */
const kinds: readonly Kind[] = [
  judgement,
  personalData,
  schema,
  currencies,
  sums,
  records,
  quoting,
  citing,
  order,
  absence,
  { ...agreement, known: FULFILS },
  { ...presence, known: BOTH_SIDES },
  coverage,
  fields,
  agreement,
  presence,
];

/** Answered before the kinds are tried: what is counted and looked up leaves nothing to weigh. */
const form: Pick<Kind, 'name' | 'decides'> = {
  name: 'form',
  decides:
    'whether words, sentences, headings, bullets, tables, columns, fields, language and reading level are as asked, by counting',
};

/** What the service page, the guide and the contract list: each kind once, in words; last the one that decides nothing. */
export const decidedKinds: readonly Pick<Kind, 'name' | 'decides'>[] = [
  form,
  ...kinds.filter((kind, at) => kind !== judgement && kinds.findIndex(({ name }) => name === kind.name) === at),
  judgement,
].map(({ name, decides }) => ({ name, decides }));

/** Whether rules may answer a criterion, by its words alone: what asks for taste needs a reader. */
export const isForRules = (label: string): boolean =>
  readFormCriterion(label) !== undefined ||
  (!judgement.known.test(label) &&
    (conceptsAsked(label).length > 0 ||
      kinds.some(
        (kind) => kind !== presence && kind !== judgement && kind.known !== presence.known && kind.known.test(label),
      )));

/** Answers one entry: the work as a whole by its statements, a criterion by its form, else by the first kind that reads it. */
export function assessEntry({ label, from }: Entry, task: AssessmentTask): AssessedFinding {
  if (from === 'work' || from === 'request') return answerWork(task);
  const form = readForm(label, task);
  if (form !== undefined && (form.rest === undefined || form.finding.status === 'missing'))
    return { ...form.finding, by: 'form', basis: 'form' };
  const topic = topicOf(label);
  const judged = task.judged.map((one) => ({ ...one, relevance: shareOf(topic, one.statement) }));
  // A criterion that asks for form and more is met when both are: the rest is read apart, as its words ask for nothing of form.
  const finding = byKind(form?.rest ?? label, { ...task, judged });
  // What is open of the content says nothing of form.
  return form === undefined
    ? withOpen(finding, judged)
    : { ...finding, reason: `${form.finding.reason} ${finding.reason}` };
}

function byKind(label: string, task: AssessmentTask): AssessedFinding {
  for (const kind of kinds) {
    if (!kind.known.test(label)) continue;
    const finding = kind.read(label, task);
    if (finding === undefined) continue;
    const asksMore = agreement.known.test(label);
    const asked = asksMore ? { ...kind, said: undefined } : kind;
    const right = asksForRight(label, task);
    const accuses = kind.basis === 'statements' || asksMore || right;
    const status = statusOf(finding, { ...asked, accuses, right }, task);
    return { by: kind.name, basis: kind.basis, ...finding, status };
  }
  const unread = notAssessable(
    'Rules could not tell what this asks for. A person should read the work with it in mind.',
  );
  const open = bySuspicion(task.judged.filter(isAtIssue));
  return { ...unread, statements: indexesOf(open, task.judged) };
}

/** Whoever settles an open criterion begins with what is not borne out: of what it rests on, then of what it asks about. */
function withOpen(finding: AssessedFinding, judged: readonly JudgedStatement[]): AssessedFinding {
  if (
    finding.names_open === true ||
    finding.basis === 'form' ||
    !['partly_met', 'not_assessable'].includes(finding.status)
  )
    return finding;
  const rests = new Set((finding.statements ?? []).map((at) => judged[at]));
  const isLooked = (one: JudgedStatement): boolean => rests.has(one) || (one.relevance ?? 0) > 0;
  const open = bySuspicion(
    judged.filter((one) => isAtIssue(one) && isLooked(one) && finding.quoted?.includes(one) !== true),
  );
  const [own, others] = [open.filter((one) => rests.has(one)), open.filter((one) => !rests.has(one))];
  return { ...finding, reason: `${finding.reason} ${stillOpen([...own, ...others], 'Not borne out so far')}`.trim() };
}

/** "The cause that the service report established", "the full conditions": asks that what is said is right, not only that it is said. */
function asksForRight(label: string, { evidence }: AssessmentTask): boolean {
  if (RIGHT.test(label)) return true;
  const titles = new Set(evidence.sources.flatMap(({ source }) => stemsOf(source)));
  return [...label.matchAll(OF_SOURCE)].some(([, words = '']) => stemsOf(words).some((stem) => titles.has(stem)));
}

const RIGHT =
  /\b(?:valid|certain(?:ty)?|really|actual(?:ly)?|full|fully|exact(?:ly)?|right(?:ly)?|correct(?:ly)?|true|(?<!to the )latest(?! (?:first|at the top|on top|to))|in force)\b/i;
const OF_SOURCE = /\b(?:that|as|than|from|by|to|in|per|of|with|order|way) (?:the|its|their)((?: [\p{L}\d-]+){1,4})/giu;

const stemsOf = (text: string): string[] => tokenize(text).flatMap(({ content, stem }) => (content ? [stem] : []));

/**
 * A kind that does not count accuses only where it asks whether something is right, by a statement that is contradicted: "one row
 * for each month" is not broken by a wrong sum. What it calls met may rest on no figure that is not proven; where it asks
 * only whether something is said, on none that is doubted.
 */
function statusOf(
  { status, statements = [], counted }: AssessedFinding,
  { counts, marks, said, basis, accuses, right }: Kind & { accuses: boolean; right: boolean },
  { judged }: AssessmentTask,
): FindingStatus {
  const named = statements.flatMap((at) => judged[at] ?? []);
  const isUnproven = right && (named.length === 0 || named.some(isAtIssue));
  if (counts === true || counted === true) return status === 'met' && isUnproven ? 'not_assessable' : status;
  if (status === 'met' && marks !== true) {
    if (isUnproven) return 'not_assessable';
    return basis === 'form' ? 'met' : metBy(named, said === true);
  }
  if (status !== 'missing' && status !== 'contradicted') return status;
  return accuses && named.some(isContradicted) ? 'contradicted' : 'not_assessable';
}

const isContradicted = ({ status }: JudgedStatement): boolean => status === 'contradicted';

/** What the statements that it rests on leave of a criterion that is met by its words. */
function metBy(named: readonly JudgedStatement[], isSaid: boolean): FindingStatus {
  if (named.some(({ status, compared }) => status === 'undecided' && compared !== undefined)) return 'not_assessable';
  const isOpen = ({ status, statement, suspect }: JudgedStatement): boolean =>
    status !== 'supported' && statement.quantities.length > 0 && (!isSaid || suspect > 0);
  return named.some(isOpen) ? 'partly_met' : 'met';
}

/** The finding on the whole work quotes so many: the buyer's criteria name the others, and `statements` has all. */
const WORST_OF_WORK = 3;

function answerWork({ judged, work, request, evidence }: AssessmentTask): AssessedFinding {
  const trivial = triviality(work.value);
  if (trivial !== undefined) return { status: 'missing', reason: trivial, passages: [] };
  const filler = findPlaceholders(
    work.plain,
    request,
    evidence.sources.map(({ text }) => text),
  ).find(({ kind }) => kind === 'filler');
  const checkable = judged.filter(({ status }) => status !== 'not_checked');
  if (filler !== undefined)
    return {
      ...summarize(checkable, judged),
      status: 'missing',
      reason: `The work still holds text of a template: “${clip(work.plain.slice(filler.start, filler.end))}”.`,
    };
  if (checkable.length === 0) return notAssessable('The work makes no statement that could be checked.');
  return summarize(checkable, judged, WORST_OF_WORK);
}
