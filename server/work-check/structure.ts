import { inAnotherUnit, isConverted, type MeasuredColumn } from './engines/measured-columns.ts';
import { written } from './engines/printed.ts';
import type { Fault } from './fault.ts';
import { figureOfCell } from './reading/cell-figure.ts';
import { type DayOrder, dayOrderOf } from './reading/dates.ts';
import type { EvidenceIndex } from './reading/evidence-index.ts';
import { compareCell, plainCell } from './reading/same-value.ts';
import type { Cell, Table } from './reading/tables.ts';
import type { Statement } from './statements.ts';
import { agrees, readTotal, type Total } from './totals.ts';

/** The row and column a statement names, and whether the value there is the claimed one. */
export type BoundCell = {
  passage: { source: number; start: number; end: number };
  agrees: boolean;
  fault: Fault | undefined;
  /** For a sum or a count: what was worked out, such as "the sum of Amount". */
  worked?: string;
  /** The unit of the cell, where the statement has another: "in gram". */
  inUnit?: string;
};

/**
 * Finds the cell that a statement of the form "column of row: value", or a field of a record, names; or works out the sum or
 * count that it gives.
 */
export function readCell(statement: Statement, index: EvidenceIndex): BoundCell | undefined {
  const tables = index.tables;
  if (tables.length === 0) return undefined;
  for (const { column, row, value } of namings(statement)) {
    for (const table of tables) {
      const own = table.header.findIndex((cell) => plainCell(cell.text) === column);
      const measured = own === -1 ? inAnotherUnit(column, table) : undefined;
      const at = measured?.at ?? own;
      if (at === -1) continue;
      const rows = rowsOf(statement, row, table, at);
      const cells = rows.map((line) => line[at]).filter((cell) => cell !== undefined);
      if (cells.length === 0) continue;
      const isOne = cells.length < 2 || !shareName(rows, row, at);
      if (measured === undefined) return boundTo(statement, value, { cells, table, at, isOne }, index);
      const found = isOne ? boundToMeasured(statement, value, cells, { table, measured, index }) : undefined;
      if (found !== undefined) return found;
    }
  }
  const total = readTotal(statement, tables);
  return total === undefined ? undefined : boundToTotal(statement, total, index);
}

/** The rows of a table that a statement names, other than by a column. */
function rowsOf(statement: Statement, keys: readonly string[], table: Table, column: number): Cell[][] {
  const joined = joinedRows(statement, table, column);
  if (joined.length > 0) return joined;
  const best = mostNamed(table.rows, new Set(keys), column);
  // A row that shares some values, but not the name, is another record.
  const identity = plainCell(statement.record?.identity ?? '');
  const isNamed = best.some((cells) => cells.some((cell) => plainCell(cell.text) === identity));
  return identity === '' || isNamed ? best : [];
}

/**
 * The rows of a table that a record belongs to by a column of the same name: a lesson with `subject` "Maths" to the row whose
 * Subject is Maths. None where the table has several columns beside that one: then the record may differ in another.
 */
function joinedRows({ record }: Statement, { header, rows }: Table, column: number): Cell[][] {
  if (record === undefined || header.length !== JOINED_COLUMNS) return [];
  const other = 1 - column;
  const name = plainCell(header[other]?.text ?? '');
  const field = record.names.findIndex((one) => plainCell(one) === name);
  const key = plainCell(record.keys[field] ?? '');
  const found = key === '' ? [] : rows.filter((cells) => plainCell(cells[other]?.text ?? '') === key);
  return found.length === 1 ? found : [];
}

/** A table that gives each of one thing one of another. */
const JOINED_COLUMNS = 2;

/** The rows that hold the most of some keys, each once; none where no row holds any. */
function mostNamed(rows: Cell[][], keys: ReadonlySet<string>, column: number): Cell[][] {
  const counts = rows.map((cells) => {
    const held = new Set<string>();
    for (const [at, { text }] of cells.entries()) {
      const key = plainCell(text);
      if (at !== column && keys.has(key)) held.add(key);
    }
    return held.size;
  });
  const most = counts.reduce((best, count) => Math.max(best, count), 0);
  return most === 0 ? [] : rows.filter((_, at) => counts[at] === most);
}

/** The ways to read a statement as column, row and value. */
function namings({ text, record }: Statement): { column: string; row: string[]; value: string }[] {
  const found: { column: string; row: string[]; value: string }[] = [];
  if (record !== undefined)
    found.push({ column: plainCell(record.column), row: record.keys.map(plainCell), value: record.value });
  for (const colon of text.matchAll(/:\s+/g)) {
    const head = text.slice(0, colon.index);
    for (const of of head.matchAll(/ of /g))
      found.push({
        column: plainCell(head.slice(0, of.index)),
        row: [plainCell(head.slice(of.index + 4))],
        value: text.slice(colon.index + colon[0].length),
      });
  }
  return found.filter(
    ({ column, row, value }) => column !== '' && value.trim() !== '' && row.some((key) => key !== ''),
  );
}

function boundTo(
  statement: Statement,
  value: string,
  { cells, table, at, isOne }: { cells: readonly Cell[]; table: Table; at: number; isOne: boolean },
  index: EvidenceIndex,
): BoundCell | undefined {
  const order = dayOrderOf(index.sources[table.source]?.text ?? '');
  const orders: readonly DayOrder[] = order === undefined ? ['day first', 'month first'] : [order];
  const others = table.rows.flatMap(({ [at]: cell }) =>
    cell === undefined || cells.includes(cell) ? [] : [cell.text],
  );
  const matches = cells.map(({ text }) =>
    compareCell(value, text, { column: statement.record?.column ?? '', orders, others }),
  );
  const agreeing = cells[matches.indexOf('same')];
  const [first] = cells;
  const cell = agreeing ?? first ?? { text: '', start: 0, end: 1 };
  const place = { source: table.source, start: cell.start, end: Math.max(cell.end, cell.start + 1) };
  if (agreeing !== undefined) return { passage: place, agrees: true, fault: undefined };
  if (matches.includes('unclear')) return undefined;
  const several = isOne ? undefined : ofSeveral(value, cells, statement.record?.column ?? '');
  if (several !== undefined) return boundToSeveral(statement, value, several, { place, cells, index });
  const passage = index.passages.findIndex(
    (candidate) => candidate.source === table.source && candidate.start <= cell.start && candidate.end >= cell.end,
  );
  const fault: Fault = { kind: 'cell', contradicts: true, claimed: value, known: cell.text || 'nothing', passage };
  return { passage: place, agrees: false, fault: statement.instruction ? undefined : fault };
}

/** A cell of the same column in another unit. Undefined when the two are no figures. */
function boundToMeasured(
  statement: Statement,
  value: string,
  cells: readonly Cell[],
  { table, measured, index }: { table: Table; measured: MeasuredColumn; index: EvidenceIndex },
): BoundCell | undefined {
  const [cell] = cells;
  if (cell === undefined) return undefined;
  const isSame = isConverted(value, cell, measured);
  if (isSame === undefined) return undefined;
  const place = { source: table.source, start: cell.start, end: Math.max(cell.end, cell.start + 1) };
  if (isSame) return { passage: place, agrees: true, fault: undefined };
  const passage = index.passages.findIndex(
    ({ source, start, end }) => source === table.source && start <= cell.start && end >= cell.end,
  );
  const fault: Fault = { kind: 'cell', contradicts: true, claimed: value, known: cell.text, passage };
  const inUnit = `in ${measured.from}s`;
  return { passage: place, agrees: false, fault: statement.instruction ? undefined : fault, inUnit };
}

/** Whether rows bear one name in one column. A number in common is no name. */
const shareName = (rows: readonly Cell[][], keys: readonly string[], column: number): boolean =>
  keys.some(
    (key) =>
      /\p{L}/u.test(key) &&
      (rows[0] ?? []).some((_, at) => at !== column && rows.every((cells) => plainCell(cells[at]?.text ?? '') === key)),
  );

/** What a figure is of several rows that bear the same name. */
type OfSeveral = { sum: number; is: 'their sum' | 'of some of them' | 'neither' };

/** "1,102" where the rows of that name have 540 and 562. Undefined unless all of them have figures. */
function ofSeveral(value: string, cells: readonly Cell[], column: string): OfSeveral | undefined {
  const claimed = figureOfCell(value, column)?.value;
  const figures = cells.flatMap(({ text }) => figureOfCell(text, column)?.value ?? []);
  if (cells.length < 2 || claimed === undefined || figures.length < cells.length) return undefined;
  const sum = figures.reduce((total, figure) => total + figure, 0);
  if (Math.abs(sum - claimed) < SAME_SUM) return { sum, is: 'their sum' };
  const isMean = Math.abs(sum / figures.length - claimed) < SAME_SUM;
  return { sum, is: isMean || mayBePart(figures, claimed) ? 'of some of them' : 'neither' };
}

const SAME_SUM = 0.0051;
/** With more rows, some of them add up to almost anything. */
const PART_ROWS_MAX = 10;

/** Whether some of the figures may add up to one: the rows of one month, say. */
function mayBePart(figures: readonly number[], claimed: number): boolean {
  if (figures.length > PART_ROWS_MAX) return true;
  let sums = [0];
  for (const figure of figures) sums = [...sums, ...sums.map((sum) => sum + figure)];
  return sums.some((sum) => Math.abs(sum - claimed) < SAME_SUM);
}

function boundToSeveral(
  statement: Statement,
  value: string,
  { sum, is }: OfSeveral,
  { place, cells, index }: { place: BoundCell['passage']; cells: readonly Cell[]; index: EvidenceIndex },
): BoundCell | undefined {
  if (is === 'of some of them') return undefined;
  const worked = `the sum of ${cells.length} rows`;
  const passage = { ...place, end: Math.max(place.end, cells.at(-1)?.end ?? 0) };
  if (is === 'their sum') return { passage, agrees: true, fault: undefined, worked };
  const at = index.passages.findIndex(
    ({ source, start, end }) => source === place.source && start <= place.start && end > place.start,
  );
  const known = written(Math.round(sum * 1e6) / 1e6);
  const fault: Fault = { kind: 'cell', contradicts: true, claimed: value, known, passage: at };
  return { passage, agrees: false, fault: statement.instruction ? undefined : fault, worked };
}

function boundToTotal(statement: Statement, total: Total, index: EvidenceIndex): BoundCell {
  const [start, end] = [total.cells[0]?.start ?? 0, total.cells.at(-1)?.end ?? 1];
  const place = { source: total.table.source, start, end: Math.max(end, start + 1) };
  if (agrees(total)) return { passage: place, agrees: true, fault: undefined, worked: total.named };
  const passage = index.passages.findIndex(
    (candidate) => candidate.source === place.source && candidate.end > start && candidate.start <= start,
  );
  const known = String(total.value);
  const fault: Fault = { kind: 'cell', contradicts: true, claimed: total.said, known, passage };
  return { passage: place, agrees: false, fault: statement.instruction ? undefined : fault, worked: total.named };
}
