import type { AssessedFinding, AssessmentTask, JudgedStatement } from '../assessors/port.ts';
import { alsoOpen, bySuspicion, indexesOf, summarize } from '../assessors/summary.ts';
import { findPlaceholders, triviality } from '../engines/placeholders.ts';
import type { Entry } from '../entries.ts';
import { clip } from '../quoting.ts';
import { absence } from './absence.ts';
import { agreement } from './agreement.ts';
import { choice } from './choice.ts';
import { citing, quoting } from './citing.ts';
import { coverage } from './coverage.ts';
import { fields } from './fields.ts';
import { personalData, readForm } from './form-kind.ts';
import { mentions } from './mentions.ts';
import { nulls } from './nulls.ts';
import { order } from './order.ts';
import { presence } from './presence.ts';
import { type Kind, notAssessable } from './reader.ts';
import { recordShape } from './record-shape.ts';
import { records } from './records.ts';
import { schema } from './schema-kind.ts';
import { about, topicOf } from './subject.ts';
import { sums } from './sums.ts';
import { currencies } from './units-carried.ts';

const isUnsettled = ({ status }: JudgedStatement): boolean => status === 'contradicted' || status === 'not_found';

/** What only a person, or a language model, can tell; what is open on its subject is where to begin. */
const judgement: Kind = {
  name: 'judgement',
  decides: 'nothing: tone, usefulness and clarity are for a person or a language model',
  known:
    /\b(?:tone|polite\w*|friendl\w+|professional\w*|well[- ]written|readable|engaging|persuasive|elegant|creative|helpful\w*|empath\w*|concise\w*|style|grammar|flows?|natural|appropriate\w*|reasonable|sensible|insight\w*|understand\w*|follow it|comfortable|reassuring|useful|helps? an?|councillor|decide on|clear to|easy to|sounds?|reads? like|taken seriously|makes? people|would (?:convince|understand)|will (?:manage|feel|want)|interesting|pleasant|nicely|blame\w*|jargon|suitable|spelling|(?:past|present) tense|(?:british|american|plain|simple) english|short enough|(?:kept|keeps?|told|tells?) apart)\b/i,
  read: (criterion, { judged }) => {
    const open = bySuspicion(about(topicOf(criterion), judged).filter(isUnsettled));
    const also = alsoOpen(open, 'Not borne out so far');
    return {
      ...notAssessable(
        `This asks for a judgement that rules cannot make. A person should read the work with it in mind. ${also}`.trim(),
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
  mentions,
  personalData,
  schema,
  currencies,
  sums,
  recordShape,
  nulls,
  records,
  quoting,
  citing,
  order,
  choice,
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

/** Answers one entry: the work as a whole by its statements, a criterion by its form, else by the first kind that reads it. */
export function assessEntry({ label, from }: Entry, task: AssessmentTask): AssessedFinding {
  if (from === 'work' || from === 'request') return answerWork(task);
  const form = readForm(label, task);
  if (form !== undefined && (form.rest === undefined || form.finding.status === 'missing')) return form.finding;
  const finding = byKind(label, task);
  // A criterion that asks for form and more is met when both are.
  return form === undefined ? finding : { ...finding, reason: `${form.finding.reason} ${finding.reason}` };
}

function byKind(label: string, task: AssessmentTask): AssessedFinding {
  for (const { known, read } of kinds) {
    if (!known.test(label)) continue;
    const finding = read(label, task);
    if (finding !== undefined) return finding;
  }
  return notAssessable('Rules could not tell what this asks for. A person should read the work with it in mind.');
}

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
  return summarize(checkable, judged);
}
