import type { Statement } from '../statements.ts';

/** Fewer other values show no habit. */
const OTHERS_MIN = 3;
const PLAIN = /^-?\d+(?:\.\d+)?$/;

/** The column of a cell, or the path of a field with the places of lists left out. */
function columnOf({ record, place }: Statement): string | undefined {
  if (record === undefined) return undefined;
  return 'path' in place ? place.path.replaceAll(/\/\d+(?=\/|$)/g, '/#') : record.column;
}

/** Statements by column: made once for a work. */
export function columnsOf(statements: readonly Statement[]): Map<string, Statement[]> {
  const columns = new Map<string, Statement[]>();
  for (const statement of statements) {
    const column = columnOf(statement);
    if (column !== undefined) columns.set(column, [...(columns.get(column) ?? []), statement]);
  }
  return columns;
}

/** "35.50 EUR" where all other values of the column are plain numbers: says so. */
export function oddShape(statement: Statement, columns: ReadonlyMap<string, Statement[]>): string | undefined {
  const { record } = statement;
  if (record === undefined || PLAIN.test(record.value) || !/\d/.test(record.value)) return undefined;
  const others = (columns.get(columnOf(statement) ?? '') ?? []).filter((one) => one !== statement);
  if (others.length < OTHERS_MIN || !others.every((one) => PLAIN.test(one.record?.value ?? ''))) return undefined;
  return `It is the only value of ${others.length + 1} there that is no plain number.`;
}
