import { written } from './engines/derivation.ts';
import type { Fault } from './fault.ts';
import { figureOfCell, isCount } from './reading/cell-figure.ts';
import type { EvidenceIndex } from './reading/evidence-index.ts';
import { compareQuantities, type Quantity, readQuantities } from './reading/quantities.ts';
import type { Cell, Table } from './reading/tables.ts';
import { tokenize } from './reading/tokens.ts';
import type { Statement } from './statements.ts';
import { agrees, readTotal, type Total } from './totals.ts';

/** The row and column a statement names, and whether the value there is the claimed one. */
export type BoundCell = {
  passage: { source: number; start: number; end: number };
  agrees: boolean;
  fault: Fault | undefined;
  /** For a sum or a count: what was worked out, such as "the sum of Amount". */
  worked?: string;
};

/** Text of a cell without differences of case, spacing and punctuation. */
function plainCell(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}.%+-]+/gu, ' ')
    .replaceAll(/(?<=\d) (?=\d{3}\b)/g, '')
    .trim();
}

/**
 * Finds the cell that a statement of the form "column of row: value", or a field of a record, names; or works out the sum or
 * count that it gives.
 */
export function readCell(statement: Statement, index: EvidenceIndex): BoundCell | undefined {
  const tables = index.tables;
  if (tables.length === 0) return undefined;
  for (const { column, row, value } of namings(statement)) {
    for (const table of tables) {
      const at = table.header.findIndex((cell) => plainCell(cell.text) === column);
      if (at === -1) continue;
      const named = table.rows.filter((cells) =>
        row.some((key) => cells.some((cell, other) => other !== at && plainCell(cell.text) === key)),
      );
      const best = named.length > 1 ? mostNamed(named, row, at) : named;
      const joined = joinedRows(statement, table, at);
      if (joined.length > 0) {
        const cells = joined.map((line) => line[at]).filter((cell) => cell !== undefined);
        if (cells.length > 0) return boundTo(statement, value, cells, table, index, true);
      }
      // A row that shares some values, but not the name, is another record.
      const identity = plainCell(statement.record?.identity ?? '');
      if (identity !== '' && !best.some((cells) => cells.some((cell) => plainCell(cell.text) === identity))) continue;
      const cells = best.map((line) => line[at]).filter((cell) => cell !== undefined);
      if (cells.length === 0) continue;
      const isOne = best.length < 2 || !shareName(best, row, at);
      return boundTo(statement, value, cells, table, index, isOne);
    }
  }
  const total = readTotal(statement, tables);
  return total === undefined ? undefined : boundToTotal(statement, total, index);
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

function mostNamed(rows: Cell[][], keys: readonly string[], column: number): Cell[][] {
  const count = (cells: Cell[]): number =>
    keys.filter((key) => cells.some((cell, at) => at !== column && plainCell(cell.text) === key)).length;
  const most = Math.max(...rows.map(count));
  return rows.filter((cells) => count(cells) === most);
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
  cells: Cell[],
  table: Table,
  index: EvidenceIndex,
  isOne: boolean,
): BoundCell | undefined {
  const agreeing = cells.find((cell) => sameValue(value, cell.text, statement.record?.column ?? ''));
  const [first] = cells;
  const cell = agreeing ?? first ?? { text: '', start: 0, end: 1 };
  const place = { source: table.source, start: cell.start, end: Math.max(cell.end, cell.start + 1) };
  if (agreeing !== undefined) return { passage: place, agrees: true, fault: undefined };
  const several = isOne ? undefined : ofSeveral(value, cells, statement.record?.column ?? '');
  if (several !== undefined) return boundToSeveral(statement, value, several, { place, cells, index });
  const passage = index.passages.findIndex(
    (candidate) => candidate.source === table.source && candidate.start <= cell.start && candidate.end >= cell.end,
  );
  const fault: Fault = { kind: 'cell', contradicts: true, claimed: value, known: cell.text || 'nothing', passage };
  return { passage: place, agrees: false, fault: statement.instruction ? undefined : fault };
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

function sameValue(claimed: string, cell: string, column: string): boolean {
  if (plainCell(claimed) === plainCell(cell)) return true;
  const figuresIn = (text: string): Quantity[] =>
    readQuantities(tokenize(text), undefined, () => !isCount(text.trim(), column));
  const [a, b] = [figuresIn(claimed), figuresIn(cell)];
  const [first, second] = [a[0], b[0]];
  return (
    a.length === 1 &&
    b.length === 1 &&
    first !== undefined &&
    second !== undefined &&
    compareQuantities(first, second) === 'same' &&
    onlyFigure(claimed) &&
    onlyFigure(cell)
  );
}

/** Whether a value is a figure and little else, so that comparing figures compares the value. */
function onlyFigure(text: string): boolean {
  return tokenize(text).filter(({ kind }) => kind === 'word').length <= 2;
}
