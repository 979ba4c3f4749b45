import { bounds, type StatementStatus } from '../../contract.ts';
import { decide, type Opinion } from '../../kernel/decide.ts';
import { clip } from '../../quoting.ts';
import { isUnsettled, type JudgedStatement } from '../port.ts';
import type { Job, Member, Reading } from './panel.ts';
import { mayLower, mayRaise } from './panel.ts';
import type { StatementOpinion } from './proof.ts';
import { textOf } from './quotes.ts';
import { listed, placeOf, quotation, type Said, withReason } from './wording.ts';

/** How statements come out once models have read them beside the rules: every opinion goes to the one table. */

export type Settled = {
  judged: JudgedStatement[];
  /** What the models settled that the rules had left open. */
  settled: number;
  /** Statements on which two readings differ and none decided. */
  disputed: number;
  /** Statements that the budget did not pay for. */
  unread: number;
};

/** Enough to see what was read; the citation holds it whole. */
const QUOTE_CHARS = 90;
const SETTLED_SCORE = { supported: 0.9, contradicted: 0.05 } as const;

/** The statements put to a model: all but instructions; what rules prove may be withdrawn elsewhere. */
export function statementsToRead({ task: { judged } }: Job): number[] {
  return judged.flatMap(({ statement }, index) => (!statement.instruction && index < bounds.statements ? [index] : []));
}

type Read = readonly Reading<StatementOpinion>[];

const counts = (member: Member, { status }: StatementOpinion): boolean =>
  status === 'supported' ? mayRaise(member) : mayLower(member);

/** What rules and readings say of a statement together. */
function opinionsOf(rule: JudgedStatement, read: Read): Opinion[] {
  const readings = read.flatMap(({ member, opinion }): Opinion[] => {
    if (opinion?.counts === undefined || !counts(member, opinion)) return [];
    return [{ by: member.name, from: 'reading', ...opinion.counts, proof: { is: 'read', quotes: opinion.passages } }];
  });
  return [...rule.opinions, ...readings];
}

/** Where a statement stands after its readings; advice stays unchecked unless somebody finds it wrong. */
function statusOf(rule: JudgedStatement, read: Read): StatementStatus {
  if (rule.opinions.length === 0 && rule.status !== 'not_found' && rule.status !== 'undecided') {
    const wrong = read.filter(({ opinion }) => opinion?.counts?.says === 'contradicts');
    if (wrong.length === 0) return rule.status;
  }
  const given = read.flatMap(({ opinion }) => opinion ?? []);
  // That a field is null says that nothing is given: where no reading accuses, there is no gap; two must look where rules
  // found something near.
  const accuses = ({ status }: StatementOpinion): boolean => status === 'contradicted' || status === 'changed';
  if (
    rule.statement.record?.value === 'null' &&
    isUnsettled(rule.status) &&
    given.length >= (rule.status === 'not_found' ? 1 : 2) &&
    !given.some(accuses)
  )
    return 'not_checked';
  const claimsNothing = given.length > 0 && given.every(({ status }) => status === 'no_claim');
  if (claimsNothing && given.length >= READINGS_OF_NO_CLAIM) return 'not_checked';
  return decide(opinionsOf(rule, read)).status;
}

/** That a statement says nothing that could be true or false takes two readings. */
const READINGS_OF_NO_CLAIM = 2;

/** Whether another reading could not change where a statement stands, or need not be asked for. */
export function isRead(rule: JudgedStatement, read: Read): boolean {
  const given = read.flatMap(({ opinion }) => opinion ?? []);
  if (given.length >= READINGS_MAX) return true;
  if (given.length === 2)
    return agreeing(given) ? !isUnproven(given) || statusOf(rule, read) === 'supported' : isOfOne(read);
  const [only] = given;
  if (only === undefined || !only.sure) return false;
  return only.status === 'supported'
    ? statusOf(rule, read) === 'supported'
    : only.status === 'not_found' && (rule.status === 'not_found' || rule.status === 'supported');
}

const READINGS_MAX = 3;

/** Read as true, and not proven by what was quoted: the next reading is told what lacks. */
const isUnproven = (given: readonly StatementOpinion[]): boolean => given.some(({ unproven }) => unproven.length > 0);

/** A model that differs from itself breaks no tie. */
const isOfOne = (read: Read): boolean => new Set(read.map(({ member }) => member)).size === 1;

const agreeing = (given: readonly StatementOpinion[]): boolean =>
  new Set(given.map(({ status }) => (status === 'changed' ? 'contradicted' : status))).size === 1;

/** The statements as they come out, with what decided each. */
export function settleStatements(job: Job, readings: ReadonlyMap<number, Read>): Settled {
  let [settled, disputed, unread] = [0, 0, 0];
  const judged = job.task.judged.map((rule, index) => {
    const read = readings.get(index);
    if (read === undefined) return rule;
    if (read.length === 0) {
      unread += 1;
      return rule;
    }
    const status = statusOf(rule, read);
    const given = read.flatMap(({ opinion }) => opinion ?? []);
    if (status === 'undecided' && !agreeing(given)) disputed += 1;
    if (isUnsettled(rule.status) && !isUnsettled(status)) settled += 1;
    return composed(job, rule, read, status);
  });
  return { judged, settled, disputed, unread };
}

function composed(job: Job, rule: JudgedStatement, read: Read, status: StatementStatus): JudgedStatement {
  const opinions = opinionsOf(rule, read);
  const next = { ...rule, status, opinions };
  const says = status === 'supported' ? 'supports' : status === 'contradicted' ? 'contradicts' : undefined;
  const decisive = read.filter(({ opinion }) => says !== undefined && opinion?.counts?.says === says);
  const [first] = decisive;
  const opinion = first?.opinion;
  if (first === undefined || opinion === undefined) return openAfter(job, next, read);
  const names = listed(decisive.map(({ member }) => member.name));
  const held = [
    rule.statement.text,
    opinion.computed ?? '',
    ...opinion.passages.map((one) => textOf(one, job.task)),
  ].join(' ');
  const { compared: _, computed: __, ...rest } = next;
  return {
    ...rest,
    why: withReason(saidOf(job, rule, names, opinion), first.member.name, opinion.reason, held),
    passages: opinion.passages,
    by: names,
    accounted: says === 'supports' ? [...rule.accounted, ...rule.open] : rule.accounted,
    open: says === 'supports' ? [] : rule.open,
    suspect: 0,
    score: status === 'supported' ? SETTLED_SCORE.supported : SETTLED_SCORE.contradicted,
    ...(opinion.compared === undefined ? {} : { compared: opinion.compared }),
    ...(opinion.computed === undefined ? {} : { computed: opinion.computed }),
  };
}

/** How a reading that decides is told. */
function saidOf({ task }: Job, { statement }: JudgedStatement, names: string, opinion: StatementOpinion): Said {
  const { counts, compared, computed, passages } = opinion;
  const [passage] = passages;
  const words = passage === undefined ? '' : clip(textOf(passage, task), QUOTE_CHARS);
  if (counts?.says === 'supports')
    return { names, reading: `As ${names} reads it, “${words}” bears it out`, shown: '' };
  const claimed = `“${clip(compared?.claimed ?? statement.text)}” (${placeOf(statement)})`;
  const quote = passage === undefined ? '' : quotation(passage, task);
  const shown = computed ?? `${quote} says “${compared?.known ?? ''}”`;
  return { names, reading: `As ${names} reads it, ${claimed} is wrong`, shown };
}

/** What is open says who read it how. */
function openAfter(job: Job, next: JudgedStatement, read: Read): JudgedStatement {
  const { status, statement } = next;
  const about = `“${clip(statement.text)}” (${statement.at})`;
  const against = read.find(({ opinion }) => opinion?.counts?.says === 'contradicts');
  const silent = read.filter(({ opinion }) => opinion?.status === 'not_found');
  const names = (some: Read): string => listed(some.map(({ member }) => member.name));
  const [passage] = against?.opinion?.passages ?? [];
  if (status === 'not_checked')
    return {
      ...next,
      open: [],
      suspect: 0,
      why: `${about} claims nothing that evidence could settle, as ${names(read)} reads it.`,
    };
  if (against?.opinion?.compared !== undefined && status === 'undecided')
    return {
      ...next,
      compared: against.opinion.compared,
      passages: against.opinion.passages,
      suspect: 2,
      why: `Readings differ on ${about}: ${against.member.name} holds “${against.opinion.compared.known}”${passage === undefined ? '' : ` in ${quotation(passage, job.task)}`} against “${against.opinion.compared.claimed}”.`,
    };
  if (status === 'not_found' && silent.length > 0)
    return { ...next, why: `${about} does not appear in the evidence, as ${names(silent)} reads it.` };
  if (status === 'undecided' && read.some(({ opinion }) => opinion?.status === 'supported'))
    return {
      ...next,
      why: read.some(({ opinion }) => opinion?.counts?.typed === true)
        ? `One reading bears ${about} out, and no other says the same.`
        : `${about} was read as borne out, but its figures and names were not all proven from the passages quoted.`,
    };
  return next;
}
