import { figureOfCell } from '../reading/cell-figure.ts';
import type { Statement } from '../statements.ts';
import { printedTolerance, written } from './printed.ts';
import { isSlip } from './slip.ts';

/** `slip`: what is given for the total is a slip of it. */
export type RowTotal = { holds: boolean; says: string; slip?: boolean };

const TOTAL = /^(?:row |grand )?(?:total|sum|all|overall|together)\b/i;
/** Rows whose total comes out before another that does not is wrong rather than something else. */
const ROWS_THAT_HOLD = 2;

/** Shares add up to nothing that a total would give. */
function numberOf(text: string, name: string): number | undefined {
  const figure = figureOfCell(text, name);
  return figure?.kind === 'percent' ? undefined : figure?.value;
}

/**
 * The parts added up beside what is given as their total. A figure between its parts that they do not add up to is a mean
 * or a share of them: no sum was meant.
 */
function summed(claimed: number | undefined, parts: readonly number[], text: string): RowTotal | undefined {
  if (claimed === undefined || parts.length < 2) return undefined;
  const sum = parts.reduce((total, part) => total + part, 0);
  const holds = Math.abs(sum - claimed) <= parts.length * printedTolerance(text) * 1.01;
  const least = Math.min(...parts);
  if (!holds && least >= 0 && claimed > least && claimed < Math.max(...parts)) return undefined;
  return {
    holds,
    slip: !holds && isSlip(claimed, sum),
    says: `${parts.map(written).join(' + ')} = ${written(Math.round(sum * 1e6) / 1e6)}`,
  };
}

function sumOfRow({ record, kind }: Statement): RowTotal | undefined {
  if (kind !== 'cell' || record === undefined || !TOTAL.test(record.column)) return undefined;
  const claimed = numberOf(record.value, record.column);
  const parts = record.keys.flatMap((one, at) =>
    one === record.identity ? [] : (numberOf(one, record.names[at] ?? '') ?? []),
  );
  return summed(claimed, parts, record.value);
}

/**
 * The total at the end of a row of the work's own table beside the figures of that row. One that does not come out is
 * wrong only where other rows of its column do: else the column may hold something else.
 */
export function rowTotal(statement: Statement, all: readonly Statement[]): RowTotal | undefined {
  const own = sumOfRow(statement);
  if (own === undefined || own.holds) return own;
  const others = all.filter((one) => one !== statement && one.record?.column === statement.record?.column);
  return others.filter((one) => sumOfRow(one)?.holds === true).length >= ROWS_THAT_HOLD ? own : undefined;
}

/** A cell of a row of totals with the cells above it in its column; a table is told from the next by its number. */
function sumOfColumn({ record, kind, at }: Statement, all: readonly Statement[]): RowTotal | undefined {
  if (kind !== 'cell' || record === undefined || !TOTAL.test(record.identity ?? '')) return undefined;
  const table = tableOf(at);
  const claimed = numberOf(record.value, record.column);
  const parts = all.flatMap((one) =>
    one.record?.column === record.column && tableOf(one.at) === table && !TOTAL.test(one.record.identity ?? '')
      ? (numberOf(one.record.value, record.column) ?? [])
      : [],
  );
  return summed(claimed, parts, record.value);
}

const tableOf = (at: string): string => /^table \d+/.exec(at)?.[0] ?? '';

/**
 * A total below the figures of its column in the work's own table. One that does not come out is wrong only where it is a
 * slip of the sum: else the row may hold something else, as means or changes.
 */
export function columnTotal(statement: Statement, all: readonly Statement[]): RowTotal | undefined {
  const own = sumOfColumn(statement, all);
  return own === undefined || own.holds || own.slip === true ? own : undefined;
}
