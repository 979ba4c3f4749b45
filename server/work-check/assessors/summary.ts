import type { FindingStatus, StatementStatus } from '../contract.ts';
import { clip } from '../quoting.ts';
import type { AssessedFinding, JudgedStatement, Passage } from './port.ts';
import { isUnsettled } from './port.ts';

/** How judged statements become one finding: its status, the words that say why, and the passages that decide it. */

const PASSAGES_PER_FINDING = 3;

/**
 * One finding over several statements: how many came out how, and what is at issue, the worst first. What each statement
 * rests on stands once, beside the statement. `named` is how many open ones are quoted.
 */
export function summarize(
  looked: readonly JudgedStatement[],
  all: readonly JudgedStatement[],
  named?: number,
): AssessedFinding {
  const of = (status: StatementStatus): JudgedStatement[] => looked.filter((one) => one.status === status);
  const unsettled = looked.filter(({ status }) => isUnsettled(status));
  const [contradicted, open, supported] = [of('contradicted'), bySuspicion(unsettled), of('supported')];
  const parts = [
    wrong(contradicted),
    looked.length > 1 ? tallyOf(looked) : '',
    stillOpen(open, 'Open', named),
    contradicted.length === 0 && open.length === 0 ? borneOut(supported) : '',
  ];
  return {
    status: statusOf(contradicted.length, open.length, supported.length),
    reason: parts.filter((part) => part !== '').join(' '),
    ...(open.length > 0 ? { names_open: true } : {}),
    passages: passagesOf([...contradicted, ...supported, ...open]),
    statements: indexesOf(looked, all),
  };
}

/** “9 June” is wrong: “11 June” (statement 3). */
export function wrong(contradicted: readonly JudgedStatement[]): string {
  const [first, ...rest] = contradicted;
  if (first === undefined) return '';
  const more = rest.slice(0, ISSUES_NAMED - 1).map(issueOf);
  return `${first.why}${more.length === 0 ? '' : ` Wrong as well: ${more.join('; ')}${rest.length >= ISSUES_NAMED ? ' and others' : ''}.`}`;
}

/** What is open, by the words at issue of each statement: as many as there is room for, many fields or a few sentences. */
export function stillOpen(open: readonly JudgedStatement[], opening = 'Open', most = Number.POSITIVE_INFINITY): string {
  const [only, ...more] = open;
  if (only === undefined) return '';
  if (more.length === 0) return `${opening}: ${only.why}`;
  const shown: string[] = [];
  let room = OPEN_CHARS;
  for (const issue of open.slice(0, Math.min(most, OPEN_MAX)).map(issueOf)) {
    room -= issue.length;
    if (room < 0) break;
    shown.push(issue);
  }
  return `${opening}: ${shown.join('; ')}${open.length > shown.length ? ' and others' : ''}.`;
}

/** A statement by its words, where it stands, and what of them is at issue unless that is plain: a pair, words that stand nowhere. */
function issueOf({ compared, open, statement }: JudgedStatement): string {
  const told = clip(statement.text, STATEMENT_CHARS);
  const words = compared === undefined ? open.slice(0, WORDS_NAMED) : [compared.claimed];
  const cutOff = words.map((word) => word.trim()).filter((word) => word !== '' && !told.includes(word));
  const named = cutOff.map((word) => `, “${clip(word, PAIR_CHARS)}”`).join('');
  const against = compared === undefined ? '' : ` against “${clip(compared.known, PAIR_CHARS)}”`;
  return `“${told}” (${statement.at})${named}${against}`;
}

const ISSUES_NAMED = 10;
/** Of what is open a finding names so much. */
const OPEN_CHARS = 1_200;
/** The shortest issue has some 30 characters. */
const OPEN_MAX = 40;
const WORDS_NAMED = 3;
const STATEMENT_CHARS = 110;
const PAIR_CHARS = 60;

/**
 * What the criterion asks about comes first; of it what a passage tells otherwise, then figures and names that stand
 * nowhere, then what the evidence bears out least.
 */
export function bySuspicion(open: readonly JudgedStatement[]): JudgedStatement[] {
  return [...open].sort(
    (a, b) =>
      Number(b.disputed ?? 0) - Number(a.disputed ?? 0) ||
      Number((b.relevance ?? 0) > 0) - Number((a.relevance ?? 0) > 0) ||
      b.suspect - a.suspect ||
      b.open.length - a.open.length ||
      a.score - b.score,
  );
}

/** What the evidence holds for the statement that rests on the most of it. */
function borneOut(supported: readonly JudgedStatement[]): string {
  return (supported.find((one) => one.computed !== undefined) ?? supported[0])?.why ?? '';
}

/** Where these statements stand among all. */
export function indexesOf(looked: readonly JudgedStatement[], all: readonly JudgedStatement[]): number[] {
  const places = new Map(all.map((one, index) => [one, index]));
  return looked.flatMap((one) => places.get(one) ?? []);
}

/** The passages that settle statements or tell them otherwise; what only lies closest stands beside its statement. */
export function passagesOf(judged: readonly JudgedStatement[]): Passage[] {
  const settled = judged.filter(
    ({ status, disputed, compared }) => !isUnsettled(status) || disputed === true || compared !== undefined,
  );
  const passages = settled.flatMap((one) => one.passages);
  const seen = new Map(passages.map((one) => [`${one.ref}:${one.start}:${one.end}`, one]));
  return [...seen.values()].slice(0, PASSAGES_PER_FINDING);
}

function statusOf(contradicted: number, open: number, supported: number): FindingStatus {
  if (contradicted > 0) return 'contradicted';
  if (open > 0) return supported > 0 ? 'partly_met' : 'not_assessable';
  return supported > 0 ? 'met' : 'not_assessable';
}

const COUNTED: readonly (readonly [StatementStatus, string, string])[] = [
  ['supported', 'is borne out by the evidence', 'are borne out by the evidence'],
  ['contradicted', 'is contradicted', 'are contradicted'],
  ['undecided', 'is spoken of and could not be decided', 'are spoken of and could not be decided'],
  ['not_found', 'was not found in it', 'were not found in it'],
  ['not_checked', 'could not be checked', 'could not be checked'],
];

/** "Of 5 statements, 4 are borne out by the evidence and 1 was not found in it." The proofreader recounts it. */
export function tallyOf(looked: readonly JudgedStatement[]): string {
  const parts = COUNTED.flatMap(([status, one, many]) => {
    const count = looked.filter((judged) => judged.status === status && judged.disputed !== true).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  const disputes = looked.filter(({ disputed }) => disputed === true).length;
  if (disputes > 0) parts.push(`on ${disputes} the sources contradict each other`);
  const last = parts.pop() ?? '';
  return `Of ${looked.length} ${looked.length === 1 ? 'statement' : 'statements'}, ${parts.length > 0 ? `${parts.join(', ')} and ` : ''}${last}.`;
}

/** A statement as reports quote it, with where it stands. */
export function quoted({ statement }: JudgedStatement): string {
  return `“${clip(statement.text)}” (${statement.at})`;
}
