import { assessEntry } from '../../criteria/kinds.ts';
import type { Entry } from '../../entries.ts';
import { clip } from '../../quoting.ts';
import { isInstruction } from '../../reading/instructions.ts';
import { tokenize } from '../../reading/tokens.ts';
import type { AssessedFinding, JudgedStatement, Passage } from '../port.ts';
import { quoted } from '../summary.ts';
import { workId } from './material.ts';
import { type Job, type Member, mayLower, mayRaise, type Reading } from './panel.ts';
import type { CriterionAnswer } from './prompt.ts';
import { comparedOf, findQuoted, type StatementOpinion } from './proof.ts';
import { findQuote, textOf } from './quotes.ts';
import { listed, placeOf, quotation, type Said, withReason } from './wording.ts';

/** How criteria come out: what is counted stays, the rest is what readings find in the work, held against its statements. */

export type CriterionOpinion = {
  status: CriterionAnswer['status'];
  sure: boolean;
  statements: number[];
  /** Words of the work. */
  words: string[];
  passages: Passage[];
  compared?: { claimed: string; known: string };
  reason: string;
};

export type Criteria = { findings: AssessedFinding[]; disputed: number; unread: number };
type Read = readonly Reading<CriterionOpinion>[];

/** What models read, by the index of each statement and of each entry. */
export type Readings = {
  statements: ReadonlyMap<number, readonly Reading<StatementOpinion>[]>;
  criteria: ReadonlyMap<number, Read>;
};

const STATEMENTS_NAMED = 8;
const WORDS_CHARS_MAX = 200;

/** The entries put to a model: not what is counted, not the work as a whole, and nothing that speaks to the assessor. */
export function criteriaToRead({ task }: Job): number[] {
  return task.entries.flatMap((entry, index) =>
    isPutToModels(entry) && !isFinal(assessEntry(entry, task)) ? [index] : [],
  );
}

const isFinal = ({ basis, status }: AssessedFinding): boolean => basis === 'form' && status !== 'not_assessable';

const isPutToModels = ({ from, label }: Entry): boolean =>
  from !== 'work' && from !== 'request' && !isInstruction(label, tokenize(label));

/**
 * What an answer about a criterion is worth. Undefined when it settles nothing: the words and parts of the work that it
 * names must stand there, and "contradicted" names the words on both sides or rests on a wrong statement.
 */
export function proveCriterion(given: CriterionAnswer, job: Job): CriterionOpinion | undefined {
  const { status, sure, reason } = given;
  const { task, material } = job;
  const { cut, whole, invented } = findQuoted(given.quotes, job);
  job.invented += invented;
  const known = new Map(task.judged.map((_, index) => [workId(index), index]));
  const ids = given.statements.map((id) => id.trim());
  const statements = [...new Set(ids.flatMap((id) => known.get(id) ?? []))].slice(0, STATEMENTS_NAMED);
  const between = ids.flatMap((id) => (known.has(id) ? [] : (material.parts.get(id) ?? [])));
  const copied = findQuote(given.words, task.work.plain);
  const words = copied === undefined ? between.slice(0, 2) : [task.work.plain.slice(copied.start, copied.end)];
  const opinion = {
    status,
    sure,
    reason,
    statements,
    words: words.map((one) => clip(one, WORDS_CHARS_MAX)),
    passages: cut,
  };
  const shows = statements.length > 0 || words.length > 0;
  if (status === 'met' || status === 'partly_met') return shows || given.statements.length === 0 ? opinion : undefined;
  if (status !== 'contradicted') return opinion;
  const texts = [...statements.flatMap((at) => task.judged[at]?.statement.text ?? []), ...between, task.work.plain];
  for (const text of texts) {
    const compared = comparedOf(given, text, { cut, whole }, task);
    if (compared !== undefined) return { ...opinion, compared };
  }
  return statements.length > 0 ? opinion : undefined;
}

const counts = (member: Member, { status }: CriterionOpinion): boolean =>
  status === 'met' || status === 'partly_met' ? mayRaise(member) : mayLower(member);

const givenBy = (read: Read): { member: Member; opinion: CriterionOpinion }[] =>
  read.flatMap(({ member, opinion }) =>
    opinion !== undefined && counts(member, opinion) ? [{ member, opinion }] : [],
  );

/** Whether one more reading is not needed: a sure answer that accuses nobody, or two that agree. */
export function isDecided(entry: AssessedFinding, read: Read): boolean {
  const given = givenBy(read);
  const [first, second] = given;
  if (first === undefined) return false;
  // A model that differs from itself breaks no tie.
  if (second !== undefined)
    return given.length >= 3 || first.member === second.member || first.opinion.status === second.opinion.status;
  return first.opinion.sure && first.opinion.status === 'met' && entry.basis !== 'judgement';
}

/** Findings over the settled statements. */
export function settleCriteria(
  job: Job,
  judged: readonly JudgedStatement[],
  readings: Pick<Readings, 'criteria' | 'statements'>,
): Criteria {
  const task = { ...job.task, judged };
  let [disputed, unread] = [0, 0];
  const findings = task.entries.map((entry, index): AssessedFinding => {
    const base = assessEntry(entry, task);
    const read = readings.criteria.get(index);
    if (read === undefined) return base;
    if (read.length === 0) {
      unread += 1;
      return unpaid(base);
    }
    const given = givenBy(read);
    const status = statusOf(base, given, { judged, readings: readings.statements });
    if (status === undefined && given.length > 1) disputed += 1;
    return status === undefined ? doubted(base, given) : composed(job, judged, given, { ...base, status });
  });
  return { findings, disputed, unread };
}

function unpaid(base: AssessedFinding): AssessedFinding {
  return {
    ...base,
    status: 'not_assessable',
    reason: 'The budget of this check was spent before a language model had read all that this rests on.',
  };
}

/**
 * What readings come to: `met` takes one sure reading, or two where taste is asked for, and no statement that it rests on
 * may be wrong unseen or open by its figures; an accusation takes two. Undefined where they differ.
 */
function statusOf(
  base: AssessedFinding,
  given: readonly { member: Member; opinion: CriterionOpinion }[],
  { judged, readings }: { judged: readonly JudgedStatement[]; readings: Readings['statements'] },
): AssessedFinding['status'] | undefined {
  const of = (status: CriterionOpinion['status']): CriterionOpinion[] =>
    given.flatMap(({ opinion }) => (opinion.status === status ? [opinion] : []));
  const named = given.flatMap(({ opinion }) => opinion.statements.flatMap((at) => judged[at] ?? []));
  const isWrong = named.some(({ status }) => status === 'contradicted');
  if (of('contradicted').length >= 2 || (of('contradicted').length === 1 && isWrong)) return 'contradicted';
  // That nothing does it takes two models to say.
  if (new Set(given.flatMap(({ member, opinion }) => (opinion.status === 'missing' ? [member] : []))).size >= 2)
    return 'missing';
  const met = of('met');
  if (met.length > 0 && met.length === given.length) {
    const unseen = given.some(({ member, opinion }) =>
      opinion.statements.some((at) => judged[at]?.status === 'contradicted' && !sawWrong(member, readings.get(at))),
    );
    const isSure = met.length >= 2 || (met[0]?.sure === true && base.basis !== 'judgement');
    return restingOn(named, unseen) ?? (isSure ? 'met' : undefined);
  }
  for (const status of ['not_assessable', 'partly_met'] as const) if (of(status).length >= 2) return status;
  const accusing = of('contradicted').length + of('missing').length;
  if (accusing > 0) return undefined;
  return met.length >= 2 ? 'met' : given.length === 1 ? 'not_assessable' : undefined;
}

/** What the statements that it rests on make of a criterion that was read as met; undefined where they leave it so. */
function restingOn(named: readonly JudgedStatement[], unseen: boolean): AssessedFinding['status'] | undefined {
  const isWrong = ({ status }: JudgedStatement): boolean => status === 'contradicted';
  if (named.some(isWrong) && named.every(isWrong)) return unseen ? 'contradicted' : 'partly_met';
  if (unseen) return 'partly_met';
  const isDoubted = named.some(({ status, compared }) => status === 'undecided' && compared !== undefined);
  return isDoubted ? 'not_assessable' : undefined;
}

/** Whether a model itself called a statement wrong: then what it says of a criterion takes that into account. */
const sawWrong = (member: Member, read: readonly Reading<StatementOpinion>[] = []): boolean =>
  read.some((one) => one.member === member && one.opinion?.counts?.says === 'contradicts');

function composed(
  job: Job,
  judged: readonly JudgedStatement[],
  given: readonly { member: Member; opinion: CriterionOpinion }[],
  base: AssessedFinding,
): AssessedFinding {
  const { status } = base;
  const decisive = given.filter(({ opinion }) => opinion.status === status);
  const [first] = decisive.length > 0 ? decisive : given;
  if (first === undefined) return base;
  const { opinion, member } = first;
  const names = listed((decisive.length > 0 ? decisive : given).map((vote) => vote.member.name));
  const named = opinion.statements.flatMap((index) => judged[index] ?? []);
  const held = [
    ...named.map(({ statement }) => statement.text),
    ...opinion.words,
    ...opinion.passages.map((one) => textOf(one, job.task)),
  ].join(' ');
  return {
    status,
    ...(base.by === undefined ? {} : { by: base.by }),
    basis: base.basis ?? 'content',
    reason: withReason(saidOf(job, names, { ...opinion, status }, named), member.name, opinion.reason, held),
    passages: opinion.passages,
    quotes: opinion.words,
    ...(opinion.statements.length > 0 ? { statements: opinion.statements } : {}),
  };
}

function saidOf(job: Job, names: string, opinion: CriterionOpinion, named: readonly JudgedStatement[]): Said {
  const [passage] = opinion.passages;
  const evidence = passage === undefined ? '' : quotation(passage, job.task);
  const [first] = named;
  const [words] = opinion.words;
  const own = words === undefined ? (first === undefined ? '' : quoted(first)) : `“${words}”`;
  const reads = (reading: string, shown = ''): Said => ({ names, reading: `As ${names} reads it, ${reading}`, shown });
  switch (opinion.status) {
    case 'met':
      return reads(own === '' ? 'the work as a whole does this' : `${own} does this`);
    case 'contradicted': {
      const right = corrected(opinion, named, evidence);
      return right === undefined ? reads(`${own} breaks this`, evidence) : reads(right.reading, right.shown);
    }
    case 'missing':
      return { names, reading: `As ${names} read it, the work does not do this`, shown: '' };
    case 'partly_met':
      return reads('the work does a part of this', own);
    case 'not_assessable':
      return reads('this is not settled', own);
    default:
      return opinion.status satisfies never;
  }
}

/** “9 June” (statement 3) should be “11 June”: where that stands, or how it was worked out. */
function corrected(
  { compared }: CriterionOpinion,
  named: readonly JudgedStatement[],
  evidence: string,
): Omit<Said, 'names'> | undefined {
  const wrong = named.find(({ status }) => status === 'contradicted');
  const pair = compared ?? wrong?.compared;
  if (pair === undefined) return undefined;
  const shown = (compared === undefined ? wrong?.computed : undefined) ?? evidence;
  const placed = wrong ?? named[0];
  const at = placed === undefined ? '' : ` (${placeOf(placed.statement)})`;
  return { reading: `“${pair.claimed}”${at} should be “${pair.known}”`, shown };
}

/** Readings differ, and nothing proven decides between them. */
function doubted(
  base: AssessedFinding,
  given: readonly { member: Member; opinion: CriterionOpinion }[],
): AssessedFinding {
  const [one] = given;
  if (one === undefined)
    return base.status === 'met' || base.status === 'missing' || base.status === 'contradicted'
      ? base
      : { ...base, status: 'not_assessable' };
  const views = [...new Set(given.map(({ opinion }) => opinion.status.replaceAll('_', ' ')))];
  const accuser = given.find(({ opinion }) => opinion.compared !== undefined)?.opinion.compared;
  const pair = accuser === undefined ? '' : ` At issue: “${accuser.claimed}” / “${accuser.known}”.`;
  return {
    ...base,
    status: 'not_assessable',
    reason: `Readings of this by ${listed(given.map(({ member }) => member.name))} came to ${listed(views)}.${pair}`,
  };
}
