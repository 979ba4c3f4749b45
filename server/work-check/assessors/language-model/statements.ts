import { bounds, type StatementStatus } from '../../contract.ts';
import { clip } from '../../quoting.ts';
import type { JudgedStatement } from '../port.ts';
import { ask } from './ask.ts';
import { controlStatements, shuffled } from './controls.ts';
import { inBatches, type Job, type Member, mayLower, mayRaise, type Reading, readInRounds, votesOf } from './panel.ts';
import { findQuoted, proveStatement, type StatementOpinion, textOf } from './proof.ts';
import { listed, quotation, reasonGiven } from './wording.ts';

/** How statements come out once models have read them beside the rules. */

export type Settled = {
  judged: JudgedStatement[];
  /** What the models settled that the rules had left open. */
  settled: number;
  /** Statements on which two models differ and no third decided. */
  disputed: number;
  /** Statements that the budget did not pay for. */
  unread: number;
};

const STATEMENTS_PER_CALL = 30;
const SETTLED_SCORE = { supported: 0.9, contradicted: 0.05 } as const;
const OPEN_SCORE_MAX = 0.45;

/** Reads the statements that a model can still move: the rules' contradictions stand as they are. */
export async function settleStatements(job: Job): Promise<Settled> {
  const { judged } = job.task;
  const open = judged.flatMap(({ status, statement }, index) =>
    status !== 'contradicted' && !statement.instruction && index < bounds.statements ? [index] : [],
  );
  const readings = await readInRounds<StatementOpinion>({
    members: job.members,
    open,
    read: (member, indexes, seen) =>
      inBatches(shuffled(indexes), STATEMENTS_PER_CALL, (batch) => readBatch(job, member, batch, seen)),
    isSettled: (index, read) => decisionOf(judged[index]?.status ?? 'not_checked', read) !== undefined,
  });
  let [settled, disputed, unread] = [0, 0, 0];
  const outcome = judged.map((rule, index) => {
    const read = readings.get(index);
    if (read === undefined) return rule;
    if (read.length === 0) unread += 1;
    const status = decisionOf(rule.status, read);
    if (status === undefined && isDisputed(read)) disputed += 1;
    const next = composed(job, rule, read, status);
    if (isOpen(rule.status) && !isOpen(next.status)) settled += 1;
    return next;
  });
  return { judged: outcome, settled, disputed, unread };
}

const isOpen = (status: StatementStatus): boolean => status === 'not_found' || status === 'not_checked';

async function readBatch(
  job: Job,
  member: Member,
  batch: readonly number[],
  seen: (index: number, opinion: StatementOpinion | undefined) => void,
): Promise<void> {
  const { task, material } = job;
  const controls = controlStatements(material, task.evidence);
  const asked = shuffled([...batch.map((index) => ({ index })), ...controls]).map((about, at) => ({
    about,
    id: `q${at + 1}`,
  }));
  const questions = asked.map(({ about, id }) => ({
    id,
    text: 'index' in about ? (task.judged[about.index]?.statement.text.trim() ?? '') : about.text,
    passages: 'index' in about ? (material.ofStatement[about.index] ?? []) : [],
  }));
  const { model, settings } = member;
  const answer = await ask({
    model,
    settings,
    material,
    questions: { statements: questions, criteria: [] },
    purse: job.purse,
    signal: task.signal,
  });
  if (answer === undefined) return;
  job.onAnswered(batch.length);
  const answers = new Map(answer.statements.map((given) => [given.id, given]));
  for (const { about, id } of asked) {
    const given = answers.get(id);
    if (given === undefined) continue;
    if (!('index' in about)) {
      const tally = about.isTrue ? member.trueControls : member.falseControls;
      tally.asked += 1;
      if ((given.status === 'supported') !== about.isTrue) tally.wrong += 1;
      continue;
    }
    const rule = task.judged[about.index];
    if (rule === undefined) continue;
    job.invented += findQuoted(given.quotes, job).invented;
    // What only confirms the rules rests on their passages and needs no other.
    const confirms = given.status === 'supported' && rule.status === 'supported';
    const { status, sure, reason } = given;
    seen(about.index, confirms ? { status, sure, reason, passages: [] } : proveStatement(given, rule.statement, job));
  }
}

const counts = (member: Member, { status }: StatementOpinion): boolean =>
  status === 'supported' ? mayRaise(member) : mayLower(member);

/** Whether an answer says no more than the rules do. */
const agrees = (rule: StatementStatus, said: StatementOpinion['status']): boolean =>
  said === rule || (rule === 'not_checked' && said === 'not_found');

/**
 * Where a statement stands. The rules and one sure model that agree settle it; otherwise two readings must agree. Undefined
 * while it is open.
 */
function decisionOf(rule: StatementStatus, read: readonly Reading<StatementOpinion>[]): StatementStatus | undefined {
  const votes = votesOf(read, counts);
  const [first] = votes;
  if (votes.length === 1 && first?.opinion.sure === true && agrees(rule, first.opinion.status)) return rule;
  for (const status of ['contradicted', 'not_found', 'supported'] as const)
    if (votes.filter(({ opinion }) => opinion.status === status).length >= 2)
      return agrees(rule, status) ? rule : status;
  return undefined;
}

function isDisputed(read: readonly Reading<StatementOpinion>[]): boolean {
  const votes = votesOf(read, counts);
  return votes.some(({ opinion, member }) =>
    votes.some((other) => other.member !== member && other.opinion.status !== opinion.status),
  );
}

function composed(
  job: Job,
  rule: JudgedStatement,
  read: readonly Reading<StatementOpinion>[],
  status: StatementStatus | undefined,
): JudgedStatement {
  if (status === rule.status) return rule;
  const votes = votesOf(read, counts);
  const decisive = votes.filter(({ opinion }) => opinion.status === status);
  const [first] = decisive;
  const names = listed(decisive.map(({ member }) => member.name));
  const [passage] = first?.opinion.passages ?? [];
  if (first !== undefined && passage !== undefined && (status === 'supported' || status === 'contradicted')) {
    const { opinion, member } = first;
    const held = [rule.statement.text, ...opinion.passages.map((one) => textOf(one, job.task))].join(' ');
    const quote = quotation(passage, job.task);
    const why =
      status === 'supported'
        ? `As ${names} reads it, ${quote} bears it out.`
        : `As ${names} reads it, ${quote} says otherwise than “${clip(opinion.compared?.claimed ?? rule.statement.text)}” (${rule.statement.at}).`;
    return {
      statement: rule.statement,
      status,
      why: why + reasonGiven(member.name, opinion.reason, held),
      passages: opinion.passages,
      accounted: status === 'supported' ? [...rule.accounted, ...rule.open] : rule.accounted,
      open: status === 'supported' ? [] : rule.open,
      suspect: 0,
      score: SETTLED_SCORE[status],
      ...(opinion.compared === undefined ? {} : { compared: opinion.compared }),
    };
  }
  return rule.status === 'supported' ? lowered(rule, votes) : rule;
}

/** A statement that the rules found borne out and a model did not: nothing is accused, nothing counts as found. */
function lowered(
  rule: JudgedStatement,
  votes: readonly { member: Member; opinion: StatementOpinion }[],
): JudgedStatement {
  const against = votes.filter(({ opinion }) => opinion.status !== 'supported');
  if (against.length === 0) return rule;
  const { statement, passages, score, accounted, open } = rule;
  const names = listed(against.map(({ member }) => member.name));
  return {
    statement,
    status: 'not_found',
    passages,
    accounted,
    open,
    suspect: 1,
    score: Math.min(score, OPEN_SCORE_MAX),
    why: `The rules found it in the evidence, but ${names} did not read it so; it counts as not found.`,
  };
}
