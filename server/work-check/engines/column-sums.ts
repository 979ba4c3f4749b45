import { figureOfCell } from '../reading/cell-figure.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import type { Quantity } from '../reading/quantities.ts';
import type { Table } from '../reading/tables.ts';
import { tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { printedTolerance, written } from './derivation.ts';

/** A figure that a table of the evidence gives when a column is summed, whole or by the values of another column. */
export type ColumnSum = {
  value: number;
  says: string;
  /** The value that the rows share whose figures were added; empty for all rows. */
  group: string;
  /** The name of its column, and how many rows were added. */
  name: string;
  rows: number;
  source: number;
  start: number;
  end: number;
};

/** A column of prices, weights or rates of one unit: times a column of counts it gives amounts. */
const OF_ONE = /\b(?:per|price|rate|unit|each)\b/i;
const TOTAL_ROW = /^(?:all|total|sum|overall|together|altogether)\b/i;
const SUMS_MAX = 400;

/** Every sum of a column of figures, and of its rows that share a value of another column. Made once for a work. */
export function columnSums(index: EvidenceIndex): ColumnSum[] {
  const sums: ColumnSum[] = [];
  for (const table of index.tables) {
    const rows = table.rows.filter((cells) => !TOTAL_ROW.test(cells[0]?.text ?? ''));
    if (rows.length < 2) continue;
    for (const { column, name, values, of } of [...figuresOf(table, rows), ...productsOf(table, rows)]) {
      add(sums, table, rows, values, column, name, '', '');
      for (const [by, group] of table.header.entries()) {
        if (by === column) continue;
        const groups = new Set(rows.map((cells) => cells[by]?.text ?? ''));
        if (groups.size < 2 || (of === 'counts' && groups.size === rows.length)) continue;
        for (const one of groups) {
          const own = rows.flatMap((cells, at) => (cells[by]?.text === one ? [at] : []));
          if (own.length >= 2 || of === 'products')
            add(
              sums,
              table,
              own.map((at) => rows[at] ?? []),
              own.map((at) => values[at] ?? 0),
              column,
              name,
              one,
              ` where ${group.text} is ${one}`,
            );
        }
      }
    }
    if (sums.length > SUMS_MAX) break;
  }
  return sums.slice(0, SUMS_MAX);
}

/** A figure for each row: those of a column, or what two columns give together. */
type Figures = { column: number; name: string; values: number[]; of: 'counts' | 'products' };

function figuresOf({ header }: Table, rows: Table['rows']): Figures[] {
  return header.flatMap((head, column) => {
    const values = rows.map((cells) => figureOfCell(cells[column]?.text ?? '', head.text)?.value);
    return values.some((value) => value === undefined)
      ? []
      : [{ column, name: head.text, values: values as number[], of: 'counts' as const }];
  });
}

/** Counts times what one of them weighs or costs. */
function productsOf(table: Table, rows: Table['rows']): Figures[] {
  const columns = figuresOf(table, rows);
  const isOfOne = ({ name }: Figures): boolean => OF_ONE.test(name.replaceAll('_', ' '));
  return columns.filter(isOfOne).flatMap((of) =>
    columns
      .filter((count) => !isOfOne(count) && count.values.every(Number.isInteger))
      .map((count) => ({
        column: count.column,
        name: `${count.name} × ${of.name}`,
        of: 'products' as const,
        values: count.values.map((value, at) => Math.round(value * (of.values[at] ?? 0) * 1e6) / 1e6),
      })),
  );
}

function add(
  sums: ColumnSum[],
  { source }: Table,
  rows: Table['rows'],
  values: readonly number[],
  column: number,
  head: string,
  group: string,
  where: string,
): void {
  const value = Math.round(values.reduce((sum, one) => sum + one, 0) * 1e6) / 1e6;
  const cells = rows.flatMap((row) => row[column] ?? []);
  sums.push({
    value,
    says: `the sum of ${head}${where}, ${values.map(written).join(' + ')} = ${written(value)}`,
    group,
    name: head,
    rows: values.length,
    source,
    start: cells[0]?.start ?? 0,
    end: cells.at(-1)?.end ?? 1,
  });
}

/** The sum that gives a figure of a statement: of all rows, or of those whose shared value the statement names. */
export function sumGiving(
  figure: Quantity,
  { tokens, under }: Pick<Statement, 'tokens' | 'under'>,
  sums: readonly ColumnSum[],
): ColumnSum | undefined {
  const stems = new Set([...tokens, ...tokenize(under)].map(({ stem }) => stem));
  return sums.find(({ value, group }) => Math.abs(value - figure.value) < 0.0051 && holdsAll(group, stems));
}

const holdsAll = (words: string, stems: ReadonlySet<string>): boolean =>
  tokenize(words).every(({ stem, kind }) => kind === 'mark' || stems.has(stem));

const OF_A_MEAN =
  /\b(?:averag\w*|mean|per|an? (?:day|week|month|quarter|year)|each (?:day|week|month|quarter|year))\b/i;

/** The mean that gives a figure of a statement that speaks of one, and of its column: "orders averaged 1,215 a month". */
export function meanGiving(
  figure: Quantity,
  { text, tokens, under }: Pick<Statement, 'text' | 'tokens' | 'under'>,
  sums: readonly ColumnSum[],
): string | undefined {
  if (!OF_A_MEAN.test(text)) return undefined;
  const stems = new Set([...tokens, ...tokenize(under)].map(({ stem }) => stem));
  const tolerance = printedTolerance(text.slice(figure.start, figure.end));
  for (const { value, rows, name, group } of sums) {
    const isNamed = tokenize(name).some(({ stem, content }) => content && stems.has(stem));
    const mean = value / rows;
    if (!isNamed || rows < 2 || Math.abs(mean - figure.value) > tolerance || !holdsAll(group, stems)) continue;
    return `the mean of ${name}, ${written(value)} / ${rows} = ${written(Math.round(mean * 100) / 100)}`;
  }
  return undefined;
}
