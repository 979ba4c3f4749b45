import { assessEntry } from '../../criteria/kinds.ts';
import type { AssessedFinding } from '../port.ts';
import { ask } from './ask.ts';
import { controlCriterion, controlStatements } from './controls.ts';
import { type CriterionOpinion, criteriaToRead, isDecided, proveCriterion, type Readings } from './criteria.ts';
import { derive } from './derivations.ts';
import { workId } from './material.ts';
import { inBatches, type Job, type Member, type Reading, readInRounds } from './panel.ts';
import type { Questions, StatementAnswer } from './prompt.ts';
import { findQuoted, proveStatement, type StatementOpinion } from './proof.ts';
import { isRead, statementsToRead } from './statements.ts';
import { placeOf } from './wording.ts';

type Opinion = { statement: StatementOpinion | undefined } | { criterion: CriterionOpinion | undefined };

const STATEMENTS_PER_CALL = 30;
const UNPROVEN_MAX = 6;
/** Criteria are asked along with the first statements: their indexes come behind those of all statements. */
const CRITERIA_FROM = 100_000;

/** Puts statements and criteria to the panel in rounds; one call asks up to 30 statements and all criteria. */
export async function readAll(job: Job): Promise<Readings> {
  const { task } = job;
  const bases = new Map<number, AssessedFinding>();
  const criteria = criteriaToRead(job);
  for (const index of criteria) {
    const entry = task.entries[index];
    if (entry !== undefined) bases.set(index, assessEntry(entry, task));
  }
  const unproven = new Map<number, string[]>();
  const readings = await readInRounds<Opinion>({
    members: job.members,
    open: [...statementsToRead(job), ...criteria.map((index) => CRITERIA_FROM + index)],
    read: (member, indexes, seen) =>
      inBatches(batchesOf(indexes), 1, ([batch]) =>
        readBatch(job, { member, batch: batch ?? [], unproven }, (index, opinion) => {
          if ('statement' in opinion) unproven.set(index, opinion.statement?.unproven ?? []);
          seen(index, opinion);
        }),
      ),
    isSettled: (index, read) => {
      const rule = task.judged[index];
      if (rule !== undefined && index < CRITERIA_FROM) return isRead(rule, statementReadings(read));
      const base = bases.get(index - CRITERIA_FROM);
      return base !== undefined && isDecided(base, criterionReadings(read));
    },
  });
  const split: {
    statements: Map<number, Reading<StatementOpinion>[]>;
    criteria: Map<number, Reading<CriterionOpinion>[]>;
  } = {
    statements: new Map(),
    criteria: new Map(),
  };
  for (const [index, read] of readings)
    if (index < CRITERIA_FROM) split.statements.set(index, statementReadings(read));
    else split.criteria.set(index - CRITERIA_FROM, criterionReadings(read));
  return split;
}

const statementReadings = (read: readonly Reading<Opinion>[]): Reading<StatementOpinion>[] =>
  read.map(({ member, opinion }) => ({
    member,
    opinion: opinion !== undefined && 'statement' in opinion ? opinion.statement : undefined,
  }));
const criterionReadings = (read: readonly Reading<Opinion>[]): Reading<CriterionOpinion>[] =>
  read.map(({ member, opinion }) => ({
    member,
    opinion: opinion !== undefined && 'criterion' in opinion ? opinion.criterion : undefined,
  }));

/** Statements in the order of the work, 30 at a time; the criteria go with the first of them. */
function batchesOf(indexes: readonly number[]): number[][] {
  const statements = indexes.filter((index) => index < CRITERIA_FROM);
  const criteria = indexes.filter((index) => index >= CRITERIA_FROM);
  const batches: number[][] = [];
  for (let at = 0; at < Math.max(1, statements.length); at += STATEMENTS_PER_CALL)
    batches.push(statements.slice(at, at + STATEMENTS_PER_CALL));
  batches[0]?.push(...criteria);
  return batches;
}

type Asked = { is: 'statement' | 'criterion'; index: number } | { is: 'control'; isTrue: boolean };

/** `unproven` is what earlier readings left so, by statement. */
type Batch = { member: Member; batch: readonly number[]; unproven: ReadonlyMap<number, readonly string[]> };

async function readBatch(
  job: Job,
  { member, batch, unproven }: Batch,
  seen: (index: number, opinion: Opinion) => void,
): Promise<void> {
  const { questions, about } = questionsOf(job, batch, unproven);
  const { model, settings } = member;
  const answer = await ask({
    model,
    settings,
    material: job.material,
    questions,
    purse: job.purse,
    signal: job.task.signal,
  });
  if (answer === undefined) return;
  job.onAnswered(batch.length);
  const results = derive(
    answer.statements.flatMap((given) => {
      const asked = about.get(given.id);
      const rule = asked?.is === 'statement' ? job.task.judged[asked.index] : undefined;
      return rule === undefined ? [] : [{ given, text: rule.statement.text }];
    }),
    job,
  );
  for (const given of answer.statements) {
    const asked = about.get(given.id);
    if (asked?.is === 'control') {
      tallyControl(member, asked, given);
      continue;
    }
    const rule = job.task.judged[asked?.index ?? -1];
    if (asked === undefined || rule === undefined) continue;
    job.invented += findQuoted(given.quotes, job).invented;
    seen(asked.index, { statement: proveStatement(given, rule.statement, job, results) });
  }
  for (const given of answer.criteria) {
    const asked = about.get(given.id);
    if (asked?.is === 'control') {
      member.falseControls.asked += 1;
      if (given.status === 'met') member.falseControls.wrong += 1;
    } else if (asked !== undefined) seen(CRITERIA_FROM + asked.index, { criterion: proveCriterion(given, job) });
  }
}

/** A line cut from its place may claim nothing, or what another one withdraws: that is no wrong answer. */
function tallyControl(member: Member, { isTrue }: { isTrue: boolean }, given: StatementAnswer): void {
  if (isTrue && (given.status === 'no_claim' || !given.sure)) return;
  const tally = isTrue ? member.trueControls : member.falseControls;
  tally.asked += 1;
  if ((given.status === 'supported') !== isTrue) tally.wrong += 1;
}

/** The questions of one call, controls among them, each by an id that tells nothing. */
function questionsOf(
  job: Job,
  batch: readonly number[],
  unproven: Batch['unproven'],
): { questions: Questions; about: Map<string, Asked> } {
  const { task, material, chance } = job;
  const about = new Map<string, Asked>();
  const name = (prefix: string, asked: Asked): string => {
    const id = `${prefix}${about.size + 1}`;
    about.set(id, asked);
    return id;
  };
  const own = batch.filter((index) => index < CRITERIA_FROM);
  const controls = own.length === 0 ? [] : controlStatements(material, task.evidence, chance);
  const statements = chance.shuffled([...own.map((index) => ({ index })), ...controls]).map((one) => {
    if (!('index' in one)) return { id: name('q', { is: 'control', isTrue: one.isTrue }), text: one.text };
    const judged = task.judged[one.index];
    const facts = factsOf(job, one.index);
    const hints = material.ofStatement[one.index] ?? [];
    const open = unproven.get(one.index)?.slice(0, UNPROVEN_MAX) ?? [];
    return {
      id: name('q', { is: 'statement', index: one.index }),
      part: workId(one.index),
      ...(judged?.statement.record === undefined ? {} : { at: placeOf(judged.statement) }),
      text: judged?.statement.text.trim() ?? '',
      ...(hints.length === 0 ? {} : { hints }),
      ...(facts.length === 0 ? {} : { facts }),
      ...(open.length === 0 ? {} : { unproven: open }),
    };
  });
  const entries = batch.flatMap((index) => (index < CRITERIA_FROM ? [] : [index - CRITERIA_FROM]));
  const control = controlCriterion(
    task.evidence,
    `${task.work.plain} ${task.entries.map(({ label }) => label).join(' ')}`,
    chance,
  );
  const criteria = (entries.length === 0 ? [] : chance.shuffled([...entries, -1])).map((index) => ({
    id: name('c', index < 0 ? { is: 'control', isTrue: false } : { is: 'criterion', index }),
    text: task.entries[index]?.label ?? control,
  }));
  return { questions: { statements, criteria }, about };
}

/** What rules worked out against a statement, as facts to judge and not as a standing to obey. */
function factsOf({ task }: Job, index: number): string[] {
  const { by = 'rule', computed, opinions = [] } = task.judged[index] ?? {};
  return computed === undefined || !opinions.some(({ says }) => says === 'contradicts')
    ? []
    : [`${by.toUpperCase()}: ${computed}`];
}
