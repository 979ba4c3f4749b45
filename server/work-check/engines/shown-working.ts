import { figureOfCell } from '../reading/cell-figure.ts';
import { readQuantities } from '../reading/quantities.ts';
import { tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { printedTolerance, written } from './printed.ts';
import type { RowTotal } from './row-totals.ts';

/** A row in whose words another figure comes out, before one that does not is wrong. */
const ROWS_THAT_HOLD = 1;
const ROWS_MAX = 200;

/**
 * A figure of a row that says in another cell how it is worked out: "80 h at 120.00", "10 % of direct costs", "sum of the
 * four lines above", "direct costs plus overheads".
 */
export function shownWorking(statement: Statement, all: readonly Statement[]): RowTotal | undefined {
  const own = workedIn(statement, all);
  if (own === undefined || own.holds) return own;
  const others = columnOf(statement, all).filter((one) => one !== statement && workedIn(one, all)?.holds === true);
  return others.length >= ROWS_THAT_HOLD ? own : undefined;
}

function workedIn(statement: Statement, all: readonly Statement[]): RowTotal | undefined {
  const { record, kind } = statement;
  if (kind !== 'cell' || record === undefined) return undefined;
  const claimed = figureOfCell(record.value, record.column);
  if (claimed === undefined || claimed.kind === 'percent') return undefined;
  const words = record.keys.filter(
    (one, at) => one !== record.identity && figureOfCell(one, record.names[at] ?? '') === undefined,
  );
  for (const one of words) {
    const worked = product(one) ?? fromRows(one, statement, all);
    if (worked === undefined) continue;
    const holds = Math.abs(worked.value - claimed.value) <= printedTolerance(record.value) * 1.01;
    return { holds, says: `${worked.says} = ${written(Math.round(worked.value * 1e4) / 1e4)}` };
  }
  return undefined;
}

type Worked = { value: number; says: string };

/** What stands between factors: "at", "×", with what is counted before it. */
const TIMES = /^\s*(?:\p{L}[\p{L}.-]*\s+){0,3}(?:at|à|@|x|×|\*|times)\s*(?:[€$£]|EUR|USD|GBP|CHF)?\s*$/iu;
/** What may stand behind the last factor. */
const TAIL = /^\s*(?:[€$£]|EUR|USD|GBP|CHF)?\s*(?:each|(?:per|a|an|\/)\s*\p{L}+)?\s*\.?$/iu;

/** "80 h at 120.00", "12 × 200", "260 at 2.50 each". */
function product(text: string): Worked | undefined {
  const [one, other, ...more] = readQuantities(tokenize(text));
  if (one === undefined || other === undefined || more.length > 0 || text.slice(0, one.start).trim() !== '')
    return undefined;
  const counts = [one, other].every(({ kind }) => kind === 'number' || kind === 'money');
  if (!counts || !TIMES.test(text.slice(one.end, other.start)) || !TAIL.test(text.slice(other.end))) return undefined;
  return { value: one.value * other.value, says: `${written(one.value)} × ${written(other.value)}` };
}

const SHARE = /^([\d.]+) ?(?:%|percent) of (?:the )?(.{2,60})$/i;
const ABOVE = /^(?:sum|total) of (?:the )?(?:(\w+) )?(?:lines?|rows?|items?|positions?) above\.?$/i;
const TWO = /^(.{2,60}?) (plus|minus|less|\+|−|-) (?:the )?(.{2,60})$/i;

/** A share of another row, the sum of the rows above, or two rows put together, in the same column. */
function fromRows(text: string, statement: Statement, all: readonly Statement[]): Worked | undefined {
  const share = SHARE.exec(text);
  const above = ABOVE.exec(text);
  const two = TWO.exec(text);
  if (share === null && above === null && two === null) return undefined;
  const column = columnOf(statement, all);
  if (share !== null) return shareOf(share, column);
  if (above !== null) return sumAbove(above, statement, column);
  return two === null ? undefined : ofTwo(two, column);
}

const amountIn = ({ record }: Statement): number | undefined =>
  figureOfCell(record?.value ?? '', record?.column ?? '')?.value;

function amountOf(name: string, column: readonly Statement[]): number | undefined {
  const row = column.find(({ record }) => plain(record?.identity ?? '') === plain(name));
  return row && amountIn(row);
}

function shareOf([, percent, name = '']: RegExpExecArray, column: readonly Statement[]): Worked | undefined {
  const [rate, base] = [Number(percent), amountOf(name, column)];
  if (base === undefined) return undefined;
  return { value: (base * rate) / 100, says: `${written(rate)} percent of ${written(base)}` };
}

function sumAbove([, told]: RegExpExecArray, statement: Statement, column: readonly Statement[]): Worked | undefined {
  const before = column.slice(0, column.indexOf(statement)).flatMap((one) => amountIn(one) ?? []);
  const count = told === undefined ? before.length : readQuantities(tokenize(`${told} lines`))[0]?.value;
  if (count === undefined || count < 2 || count > before.length) return undefined;
  const parts = before.slice(-count);
  return { value: parts.reduce((sum, one) => sum + one, 0), says: parts.map(written).join(' + ') };
}

function ofTwo(
  [, first = '', sign = '', second = '']: RegExpExecArray,
  column: readonly Statement[],
): Worked | undefined {
  const [one, other] = [amountOf(first, column), amountOf(second, column)];
  if (one === undefined || other === undefined) return undefined;
  return /plus|\+/i.test(sign)
    ? { value: one + other, says: `${written(one)} + ${written(other)}` }
    : { value: one - other, says: `${written(one)} − ${written(other)}` };
}

const plain = (text: string): string =>
  text
    .replaceAll(/\*\*|__|`/g, '')
    .trim()
    .toLowerCase();

const tableOf = (at: string): string => /^table \d+/.exec(at)?.[0] ?? '';

/** The cells of a statement's column in its table, from top to bottom. */
function columnOf({ at, record }: Statement, all: readonly Statement[]): Statement[] {
  const table = tableOf(at);
  return all.filter((one) => one.record?.column === record?.column && tableOf(one.at) === table).slice(0, ROWS_MAX);
}
