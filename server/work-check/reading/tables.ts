export type Cell = { text: string; start: number; end: number };
/** A table in a source; every row is as long as the header. */
export type Table = { source: number; header: Cell[]; rows: Cell[][] };

const COLUMNS_MAX = 60;
const ROWS_MAX = 2_000;

/** Tables of a text, in Markdown, with bars, as CSV with commas or semicolons, or with tabs: a header and rows with the same number of cells. */
export function readTables(text: string, source: number): Table[] {
  const tables: Table[] = [];
  // A header needs a row below it.
  if (!text.includes('\n')) return tables;
  let current: Cell[][] = [];
  const close = (): void => {
    const [header, ...rows] = current;
    if (header !== undefined && rows.length > 0) tables.push({ source, header, rows });
    current = [];
  };
  let offset = 0;
  for (const line of text.split('\n')) {
    const cells = splitRow(line, offset);
    offset += line.length + 1;
    if (cells === undefined) {
      close();
      continue;
    }
    if (cells.every(({ text: cell }) => /^:?-{2,}:?$/.test(cell))) continue;
    if (current[0] !== undefined && current[0].length !== cells.length) close();
    if (current.length < ROWS_MAX) current.push(cells);
  }
  close();
  return tables;
}

/** A list mark in front, and a space behind a comma. */
const LIST_ENTRY = /^\s*(?:[-*•]|\d{1,3}[.)])\s.*,\s/;

const isTwice = (line: string, mark: string): boolean =>
  line.indexOf(mark, line.indexOf(mark) + 1) > line.indexOf(mark);

function splitRow(line: string, offset: number): Cell[] | undefined {
  const bare = line.replace(/\r$/, '');
  // "1. Dresden: 12,843.50 euros, 412 returns" is an entry of a list.
  if (LIST_ENTRY.test(bare) && !/[|\t]/.test(bare)) return undefined;
  const mark = markOf(bare);
  if (mark === undefined) return undefined;
  const cells = cellsOf(bare, mark, offset);
  // A bar at the end closes a row only where one opens it: else an empty cell follows it.
  if (mark === '|' && cells[0]?.text === '') {
    cells.shift();
    if (cells.at(-1)?.text === '') cells.pop();
  }
  return cells.length >= 2 && cells.length <= COLUMNS_MAX ? cells : undefined;
}

/** What parts the cells of a row. */
function markOf(line: string): string | undefined {
  if (line.includes('|')) return '|';
  if (line.includes('\t')) return '\t';
  return [';', ','].find((mark) => isTwice(line, mark));
}

/** The cells of a row; marks within quotation marks part none of a CSV. */
function cellsOf(bare: string, mark: string, offset: number): Cell[] {
  const cells: Cell[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at <= bare.length; at += 1) {
    if ((mark === ',' || mark === ';') && bare[at] === '"') quoted = !quoted;
    if (at < bare.length && (bare[at] !== mark || quoted)) continue;
    const raw = bare.slice(start, at);
    const lead = raw.length - raw.trimStart().length;
    const value = raw.trim();
    cells.push({
      text: grouped(value.replace(/^"(.*)"$/, '$1')),
      start: offset + start + lead,
      end: offset + start + lead + value.length,
    });
    start = at + 1;
  }
  return cells;
}

/** "12 400.50 kr" with a space that does not break, so that it is one figure; lengths stay. */
const grouped = (value: string): string =>
  /^\D*\d{1,3}(?: \d{3})+(?:[.,]\d{1,3})?\D*$/.test(value) ? value.replaceAll(/(?<=\d) (?=\d{3})/g, APART) : value;

/** A space that does not break a line. */
const APART = '\u00A0';

/** A line where a comma stands between two values without a space, one of them a figure. */
const TIGHT_COMMA = /[^,\s],(?=[^,\s])[^\n]*\d/;

/**
 * A text with the commas of its CSV rows as semicolons, so that "99.97,12,208" reads as three figures, and with the spaces
 * within the figures of cells as ones that do not break; lengths stay. A row with a space behind a comma is prose.
 */
export function separateValues(text: string, tables: readonly Table[]): string {
  const changed: [at: number, mark: string][] = [];
  for (const { header, rows } of tables) {
    const lines = [header, ...rows];
    for (const { text: cell, start, end } of lines.flat())
      if (cell.length === end - start && cell.includes(APART))
        for (const [at, mark] of cell.split('').entries()) if (mark === APART) changed.push([start + at, mark]);
    if (!TIGHT_COMMA.test(text)) continue;
    const ends = lines.map((cells) => cells.slice(0, -1).flatMap(({ end }) => (text[end] === ',' ? [end] : [])));
    const tight = lines.every((cells, at) => {
      const seams = ends[at] ?? [];
      return seams.length === cells.length - 1 && seams.every((end) => text[end + 1] !== ' ');
    });
    if (tight) changed.push(...ends.flat().map((at): [number, string] => [at, ';']));
  }
  if (changed.length === 0) return text;
  let [separated, from] = ['', 0];
  for (const [at, mark] of changed.sort(([one], [other]) => one - other)) {
    separated += text.slice(from, at) + mark;
    from = at + 1;
  }
  return separated + text.slice(from);
}
