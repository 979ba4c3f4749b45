import { figureOfCell } from '../reading/cell-figure.ts';
import type { Statement } from '../statements.ts';
import { printedTolerance, written } from './printed.ts';
import type { RowTotal } from './row-totals.ts';

/** The figures of one row of a table, or of one element of a list, by column. */
type Row = Map<string, { value: number; text: string }>;
type Grid = Map<string, Row>;

/** How two other figures of a row give a third. */
type Operation = { sign: '−' | '+' | '×' | '%'; of: (a: number, b: number) => number };

const OPERATIONS: readonly Operation[] = [
  { sign: '−', of: (a, b) => a - b },
  { sign: '+', of: (a, b) => a + b },
  { sign: '×', of: (a, b) => a * b },
  { sign: '%', of: (a, b) => (b === 0 ? Number.NaN : (a / b) * 100) },
];

/** Other rows in which a calculation must come out before it says anything about a row; one more, and by figures that tell, before it accuses. */
const ROWS_ALIKE = 2;
const COLUMNS_MAX = 12;

/**
 * What two other figures of its row give for a cell, where they give it in every other row of the table, too: "Marketable"
 * is "Harvested" less "Sorted out". A row in which it does not come out is wrong only beside three that do.
 */
export function rowRelation(statement: Statement, all: readonly Statement[]): RowTotal | undefined {
  const place = placeIn(statement);
  const grid = place === undefined ? undefined : gridsOf(all).get(place.table);
  const own = grid?.get(place?.row ?? '');
  const column = statement.record?.column ?? '';
  const claimed = own?.get(column);
  if (grid === undefined || own === undefined || claimed === undefined || own.size > COLUMNS_MAX) return undefined;
  const others = [...grid.values()].filter((row) => row !== own && row.has(column));
  if (others.length < ROWS_ALIKE) return undefined;
  // What is worked out stands behind what it comes from: else two figures would bear each other out.
  const before = [...own.keys()].slice(0, [...own.keys()].indexOf(column));
  for (const relation of relationsOf(before)) {
    if (!others.every((row) => comesOut(row, column, relation)) || isIdle(others, relation)) continue;
    const holds = comesOut(own, column, relation);
    if (holds || others.filter((row) => isTelling(row, relation)).length > ROWS_ALIKE)
      return { holds, says: inWords(own, relation) };
  }
  return undefined;
}

/** Two columns, and what is done with them. */
type Relation = { a: string; b: string; operation: Operation };

/** Sums and products once, whichever comes first. */
function* relationsOf(columns: readonly string[]): Generator<Relation> {
  for (const a of columns)
    for (const b of columns)
      for (const operation of OPERATIONS) {
        const isMirrored = (operation.sign === '+' || operation.sign === '×') && a > b;
        if (a !== b && !isMirrored) yield { a, b, operation };
      }
}

function comesOut(row: Row, column: string, { a, b, operation: { of } }: Relation): boolean {
  const [result, one, other] = [row.get(column), row.get(a), row.get(b)];
  if (result === undefined || one === undefined || other === undefined) return false;
  return Math.abs(of(one.value, other.value) - result.value) <= printedTolerance(result.text) * 1.01;
}

/** Nothing added or taken away, or times one: that gives a figure from itself. */
const isIdle = (rows: readonly Row[], { a, b, operation: { sign } }: Relation): boolean =>
  [a, b].some((column) =>
    rows.every((row) => {
      const value = row.get(column)?.value ?? 0;
      return value === 0 || (sign === '×' && value === 1) || (sign === '%' && value === 100);
    }),
  );

/** Small counts and noughts come out by chance. */
const TELLING_MIN = 10;
const isTelling = (row: Row, { a, b }: Relation): boolean => {
  const values = [a, b].map((column) => Math.abs(row.get(column)?.value ?? 0));
  return values.every((value) => value > 0) && values.some((value) => value >= TELLING_MIN || !Number.isInteger(value));
};

function inWords(row: Row, { a, b, operation: { sign, of } }: Relation): string {
  const [one, other] = [row.get(a)?.value ?? 0, row.get(b)?.value ?? 0];
  const value = written(Math.round(of(one, other) * 100) / 100);
  return sign === '%'
    ? `${written(one)} of ${written(other)} is ${value} percent`
    : `${written(one)} ${sign} ${written(other)} = ${value}`;
}

const grids = new WeakMap<readonly Statement[], Map<string, Grid>>();

function gridsOf(all: readonly Statement[]): Map<string, Grid> {
  const known = grids.get(all);
  if (known !== undefined) return known;
  const made = new Map<string, Grid>();
  for (const statement of all) {
    const place = placeIn(statement);
    const { record } = statement;
    if (place === undefined || record === undefined) continue;
    const value = figureOfCell(record.value, record.column)?.value;
    if (value === undefined) continue;
    const grid = made.get(place.table) ?? new Map<string, Row>();
    const row: Row = grid.get(place.row) ?? new Map();
    row.set(record.column, { value, text: record.value });
    grid.set(place.row, row);
    made.set(place.table, grid);
  }
  grids.set(all, made);
  return made;
}

/** The table and row of a cell, or the list and element of a field. */
function placeIn({ at, kind, place }: Statement): { table: string; row: string } | undefined {
  if (kind === 'cell') {
    const [, table = '', row = ''] = /^(table \d+), (row \d+)/.exec(at) ?? [];
    return { table, row };
  }
  if (!('path' in place)) return undefined;
  const [, table = '', row = ''] = /^(.*)\/(\d+)\/[^/]+$/.exec(place.path) ?? [];
  return row === '' ? undefined : { table, row };
}
