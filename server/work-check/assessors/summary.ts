import type { FindingStatus, StatementStatus } from '../contract.ts';
import { clip } from '../quoting.ts';
import type { AssessedFinding, JudgedStatement, Passage } from './port.ts';

/** How judged statements become one finding: its status, the words that say why, and the passages that decide it. */

const PASSAGES_PER_FINDING = 5;
const STATEMENTS_QUOTED = 3;

/**
 * One finding over several statements. An accusation comes first with its quotes; any other finding opens with its count,
 * which a reader takes away in one look.
 */
export function summarize(looked: readonly JudgedStatement[], all: readonly JudgedStatement[]): AssessedFinding {
  const of = (status: StatementStatus): JudgedStatement[] => looked.filter((one) => one.status === status);
  const [contradicted, open, supported] = [of('contradicted'), bySuspicion(of('not_found')), of('supported')];
  const parts = contradicted.slice(0, STATEMENTS_QUOTED).map(({ why }) => why);
  for (const { why } of open.slice(0, Math.max(0, STATEMENTS_QUOTED - contradicted.length))) parts.push(why);
  const also = alsoOpen([...contradicted, ...open].slice(STATEMENTS_QUOTED));
  if (also !== '') parts.push(also);
  if (contradicted.length === 0 && open.length === 0 && supported[0] !== undefined) parts.push(...borneOut(supported));
  if (looked.length > 1) parts.splice(contradicted.length > 0 ? parts.length : 0, 0, tallyOf(looked));
  return {
    status: statusOf(contradicted.length, open.length, supported.length),
    reason: parts.join(' '),
    passages: passagesOf([...contradicted, ...supported, ...open]),
    statements: indexesOf(looked, all),
  };
}

/** What else is open, by its first words: each stands in full beside the work. */
export function alsoOpen(rest: readonly JudgedStatement[], opening = 'Also open'): string {
  const shown = rest
    .slice(0, ALSO_NAMED)
    .map(({ statement }) => `“${clip(statement.text, ALSO_CHARS)}” (${statement.at})`);
  if (shown.length === 0) return '';
  return `${opening}: ${shown.join(', ')}${rest.length > ALSO_NAMED ? ' and others' : ''}.`;
}

const ALSO_NAMED = 6;
const ALSO_CHARS = 90;

/** What a passage tells otherwise comes first, then figures and names that stand nowhere, then the ones that the evidence bears out least. */
export function bySuspicion(open: readonly JudgedStatement[]): JudgedStatement[] {
  return [...open].sort(
    (a, b) =>
      Number(b.disputed ?? 0) - Number(a.disputed ?? 0) ||
      b.suspect - a.suspect ||
      b.open.length - a.open.length ||
      a.score - b.score,
  );
}

/** What the evidence holds for the statement that rests on the most of it. */
function borneOut(supported: readonly JudgedStatement[]): string[] {
  const computed = supported.find((one) => one.computed !== undefined);
  const [first] = supported;
  const shown = computed ?? first;
  return shown === undefined ? [] : [shown.why];
}

/** Where these statements stand among all. */
export function indexesOf(looked: readonly JudgedStatement[], all: readonly JudgedStatement[]): number[] {
  const places = new Map(all.map((one, index) => [one, index]));
  return looked.flatMap((one) => places.get(one) ?? []);
}

export function passagesOf(judged: readonly JudgedStatement[]): Passage[] {
  const seen = new Map(
    judged.flatMap(({ passages }) => passages.map((one) => [`${one.ref}:${one.start}:${one.end}`, one])),
  );
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
