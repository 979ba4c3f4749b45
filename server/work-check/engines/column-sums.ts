import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { readQuantities } from '../reading/quantities.ts';
import { readTables, type Table } from '../reading/tables.ts';
import { tokenize } from '../reading/tokens.ts';
import { written } from './derivation.ts';

/** A figure that a table of the evidence gives when a column is summed, whole or by the values of another column. */
export type ColumnSum = { value: number; says: string; source: number; start: number; end: number };

const TOTAL_ROW = /^(?:all|total|sum|overall|together|altogether)\b/i;
const SUMS_MAX = 400;

/** Every sum of a column of figures, and of its rows that share a value of another column. Made once for a work. */
export function columnSums(index: EvidenceIndex): ColumnSum[] {
  index.lazy.tables ??= index.sources.flatMap(({ text }, source) => readTables(text, source));
  const sums: ColumnSum[] = [];
  for (const table of index.lazy.tables) {
    const rows = table.rows.filter((cells) => !TOTAL_ROW.test(cells[0]?.text ?? ''));
    for (const [column, head] of table.header.entries()) {
      const values = rows.map((cells) => numberOf(cells[column]?.text ?? ''));
      if (values.some((value) => value === undefined) || rows.length < 2) continue;
      add(sums, table, rows, values as number[], column, head.text, '');
      for (const [by, group] of table.header.entries()) {
        if (by === column) continue;
        const names = new Set(rows.map((cells) => cells[by]?.text ?? ''));
        if (names.size < 2 || names.size === rows.length) continue;
        for (const name of names) {
          const own = rows.flatMap((cells, at) => (cells[by]?.text === name ? [at] : []));
          if (own.length >= 2)
            add(
              sums,
              table,
              own.map((at) => rows[at] ?? []),
              own.map((at) => values[at] ?? 0),
              column,
              head.text,
              ` where ${group.text} is ${name}`,
            );
        }
      }
    }
    if (sums.length > SUMS_MAX) break;
  }
  return sums.slice(0, SUMS_MAX);
}

function add(
  sums: ColumnSum[],
  { source }: Table,
  rows: Table['rows'],
  values: readonly number[],
  column: number,
  head: string,
  where: string,
): void {
  const value = Math.round(values.reduce((sum, one) => sum + one, 0) * 1e6) / 1e6;
  const cells = rows.flatMap((row) => row[column] ?? []);
  sums.push({
    value,
    says: `the sum of ${head}${where}, ${values.map(written).join(' + ')} = ${written(value)}`,
    source,
    start: cells[0]?.start ?? 0,
    end: cells.at(-1)?.end ?? 1,
  });
}

function numberOf(text: string): number | undefined {
  const [figure, ...more] = readQuantities(tokenize(text));
  if (figure === undefined || more.length > 0 || figure.kind === 'date' || figure.kind === 'time') return undefined;
  return tokenize(text).filter(({ kind }) => kind === 'word').length <= 1 ? figure.value : undefined;
}
