import { assessEntry } from '../../criteria/kinds.ts';
import type { Entry } from '../../entries.ts';
import { isInstruction } from '../../reading/instructions.ts';
import { tokenize } from '../../reading/tokens.ts';
import type { AssessedFinding, JudgedStatement, Passage } from '../port.ts';
import { quoted } from '../summary.ts';
import { ask } from './ask.ts';
import { controlCriterion, shuffled } from './controls.ts';
import { workId } from './material.ts';
import { inBatches, type Job, type Member, mayLower, mayRaise, type Reading, readInRounds, votesOf } from './panel.ts';
import type { CriterionAnswer } from './prompt.ts';
import { comparedOf, findQuoted, textOf } from './proof.ts';
import { listed, quotation, reasonGiven } from './wording.ts';

/** How criteria come out: by the rules over the settled statements, then by what models read in the work. */

type CriterionOpinion = {
  status: CriterionAnswer['status'];
  sure: boolean;
  statements: number[];
  passages: Passage[];
  compared?: { claimed: string; known: string };
  reason: string;
};

export type Criteria = { findings: AssessedFinding[]; disputed: number; unread: number };

const CRITERIA_PER_CALL = 10;
const STATEMENTS_NAMED = 5;
const PASSAGES_MAX = 5;

/**
 * Findings over settled statements. What the rules call missing or contradicted stays so, and so does what they counted in
 * the form of the work; the rest a model may raise or lower as far as its quotes carry.
 */
export async function settleCriteria(
  job: Job,
  judged: readonly JudgedStatement[],
  unreadStatements: number,
): Promise<Criteria> {
  const { task } = job;
  const settledTask = { ...task, judged };
  const byRules = task.entries.map((entry) => assessEntry(entry, task));
  const bases = task.entries.map((entry, index) => {
    const rule = byRules[index];
    return rule !== undefined && isFinal(rule) ? rule : assessEntry(entry, settledTask);
  });
  const open = bases.flatMap((base, index) => (isFinal(base) || !isPutToModels(task.entries[index]) ? [] : [index]));
  const readings = await readInRounds<CriterionOpinion>({
    members: job.members,
    open,
    read: (member, indexes, seen) =>
      inBatches(shuffled(indexes), CRITERIA_PER_CALL, (batch) => readBatch(job, judged, member, batch, seen)),
    isSettled: (index, read) => decisionOf(statusOf(bases[index]), read) !== undefined,
  });
  let [disputed, unread] = [0, 0];
  const findings = bases.map((base, index): AssessedFinding => {
    const read = readings.get(index);
    if (read === undefined)
      return unreadStatements > 0 && base.status === 'met' && !isFinal(base) ? unpaid(base) : base;
    if (read.length === 0) {
      unread += 1;
      return unpaid(base);
    }
    const status = decisionOf(base.status, read);
    if (status === undefined && new Set(votesOf(read, counts).map(({ member }) => member)).size > 1) disputed += 1;
    return composed(job, judged, base, read, status);
  });
  return { findings, disputed, unread };
}

const statusOf = (finding: AssessedFinding | undefined): AssessedFinding['status'] =>
  finding?.status ?? 'not_assessable';

/** Whether no model can move a finding: the rules accuse, or counted something that rests on no statement. */
function isFinal({ status, statements = [] }: AssessedFinding): boolean {
  return status === 'missing' || status === 'contradicted' || (status === 'met' && statements.length === 0);
}

/** Statements together are counted, not asked about; a criterion that speaks to the assessor is put to nobody. */
function isPutToModels(entry: Entry | undefined): boolean {
  return entry !== undefined && entry.from !== 'work' && !isInstruction(entry.label, tokenize(entry.label));
}

function unpaid(base: AssessedFinding): AssessedFinding {
  return {
    ...base,
    status: 'not_assessable',
    reason: 'The budget of this check was spent before a language model had read all that this rests on.',
  };
}

async function readBatch(
  job: Job,
  judged: readonly JudgedStatement[],
  member: Member,
  batch: readonly number[],
  seen: (index: number, opinion: CriterionOpinion | undefined) => void,
): Promise<void> {
  const { task, material, purse } = job;
  const control = controlCriterion(
    task.evidence,
    `${task.work.plain} ${task.entries.map(({ label }) => label).join(' ')}`,
  );
  const asked = shuffled([...batch, -1]).map((index, at) => ({ index, id: `q${at + 1}` }));
  const criteria = asked.map(({ index, id }) => ({
    id,
    text: task.entries[index]?.label ?? control,
    passages: material.ofEntry[index] ?? [],
  }));
  const standing = Object.fromEntries(judged.map(({ status }, index) => [workId(index), status]));
  const { model, settings } = member;
  const questions = { statements: [], criteria, standing };
  const answer = await ask({ model, settings, material, questions, purse, signal: task.signal });
  if (answer === undefined) return;
  job.onAnswered(batch.length);
  const answers = new Map(answer.criteria.map((given) => [given.id, given]));
  for (const { index, id } of asked) {
    const given = answers.get(id);
    if (given === undefined) continue;
    if (index >= 0) {
      seen(index, proveCriterion(given, job, judged));
      continue;
    }
    member.falseControls.asked += 1;
    if (given.status === 'met') member.falseControls.wrong += 1;
  }
}

/**
 * What an answer about a criterion is worth. Undefined when it settles nothing: "met" names statements that are borne out
 * and none that is not; "contradicted" names the words of such a statement and those of a passage.
 */
function proveCriterion(
  given: CriterionAnswer,
  job: Job,
  judged: readonly JudgedStatement[],
): CriterionOpinion | undefined {
  const { status, sure, reason } = given;
  const { cut, whole, invented } = findQuoted(given.quotes, job);
  job.invented += invented;
  const known = new Map(judged.map((_, index) => [workId(index), index]));
  const statements = [...new Set(given.statements.flatMap((id) => known.get(id.trim()) ?? []))].slice(
    0,
    STATEMENTS_NAMED,
  );
  const named = statements.flatMap((index) => judged[index] ?? []);
  const opinion = { status, sure, reason, statements, passages: cut };
  if (status === 'met') {
    const borne = named.filter((one) => one.status === 'supported');
    if (borne.length === 0 || named.some((one) => one.status === 'contradicted' || one.status === 'not_found'))
      return undefined;
    const passages = [...cut, ...borne.flatMap((one) => one.passages)].slice(0, PASSAGES_MAX);
    return passages.length === 0 ? undefined : { ...opinion, passages };
  }
  if (status !== 'contradicted') return opinion;
  for (const { statement } of named) {
    const compared = comparedOf(given, statement.text, cut, whole, job.task);
    if (compared !== undefined) return { ...opinion, compared };
  }
  return undefined;
}

const counts = (member: Member, { status }: CriterionOpinion): boolean =>
  status === 'met' || status === 'partly_met' ? mayRaise(member) : mayLower(member);

const FROM_WORST = ['contradicted', 'missing', 'not_assessable', 'partly_met', 'met'] as const;

/** What a finding comes to; undefined while it is open. That something is missing takes two models to say. */
function decisionOf(
  base: AssessedFinding['status'],
  read: readonly Reading<CriterionOpinion>[],
): AssessedFinding['status'] | undefined {
  const votes = votesOf(read, counts);
  const [first] = votes;
  if (votes.length === 1 && first?.opinion.sure === true && first.opinion.status === base) return base;
  for (const status of FROM_WORST) {
    const same = votes.filter(({ opinion }) => opinion.status === status);
    if (same.length < 2) continue;
    if (status === 'missing' && new Set(same.map(({ member }) => member)).size < 2)
      return lower(base, 'not_assessable');
    // A part is open while one of its statements is: only the evidence closes it.
    if (status === 'met') return base === 'not_assessable' ? 'met' : base;
    return status === 'contradicted' || status === 'missing' ? status : lower(base, status);
  }
  return undefined;
}

/** The worse of two open findings: what the material does not decide, then what it decides in part. */
function lower(base: AssessedFinding['status'], said: AssessedFinding['status']): AssessedFinding['status'] {
  return FROM_WORST.indexOf(said) < FROM_WORST.indexOf(base) ? said : base;
}

function composed(
  job: Job,
  judged: readonly JudgedStatement[],
  base: AssessedFinding,
  read: readonly Reading<CriterionOpinion>[],
  status: AssessedFinding['status'] | undefined,
): AssessedFinding {
  if (status === base.status) return base;
  const votes = votesOf(read, counts);
  if (status === undefined)
    return base.status === 'met' && votes.some(({ opinion }) => opinion.status !== 'met') ? doubted(base, votes) : base;
  const decisive = votes.filter(({ opinion }) => opinion.status === status);
  const [first] = decisive;
  if (first === undefined) return doubted(base, votes);
  const { opinion, member } = first;
  const names = listed(decisive.map((vote) => vote.member.name));
  const named = opinion.statements.flatMap((index) => judged[index] ?? []);
  const held = [
    ...named.map(({ statement }) => statement.text),
    ...opinion.passages.map((one) => textOf(one, job.task)),
  ].join(' ');
  const said = saidOf(job, names, opinion, named[0]);
  return {
    status,
    reason: said + reasonGiven(member.name, opinion.reason, held),
    passages: opinion.passages,
    ...(opinion.statements.length > 0 ? { statements: opinion.statements } : {}),
  };
}

function saidOf(job: Job, names: string, opinion: CriterionOpinion, named: JudgedStatement | undefined): string {
  const [passage] = opinion.passages;
  const evidence = passage === undefined ? '' : quotation(passage, job.task);
  const own = named === undefined ? '' : quoted(named);
  switch (opinion.status) {
    case 'met':
      return `As ${names} reads it, ${own} does this; it is held against ${evidence}.`;
    case 'contradicted':
      return `As ${names} reads it, ${own} breaks this: ${evidence} says otherwise.`;
    case 'missing':
      return `As ${names} read it, the work does not do this.`;
    case 'partly_met':
      return `As ${names} reads it, the work does a part of this${own === '' ? '' : `: ${own}`}.`;
    case 'not_assessable':
      return `As ${names} reads it, the material does not decide this.`;
    default:
      return opinion.status satisfies never;
  }
}

/** The rules found it met, a model did not, and no quotation decides between them. */
function doubted(
  base: AssessedFinding,
  votes: readonly { member: Member; opinion: CriterionOpinion }[],
): AssessedFinding {
  const against = votes.filter(({ opinion }) => opinion.status !== base.status);
  const names = listed(against.map(({ member }) => member.name));
  return {
    ...base,
    status: base.status === 'met' ? 'not_assessable' : base.status,
    reason: base.status === 'met' ? `The rules found this met, but ${names} did not read it so.` : base.reason,
  };
}
