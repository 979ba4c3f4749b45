import { figureOfCell } from './reading/cell-figure.ts';
import type { Cell, Table } from './reading/tables.ts';
import type { Token } from './reading/token.ts';
import { isContent, stem, tokenize } from './reading/tokens.ts';
import type { Statement } from './statements.ts';

/** A sum or count that a table holds without stating it, and what the statement gives for it. */
export type Total = { table: Table; cells: Cell[]; value: number; claimed: number; said: string; named: string };

const SUM_WORDS = new Set(['total', 'sum', 'altogether', 'overall'].map(stem));
const COUNT_WORDS = new Set(['row', 'line', 'entry', 'record', 'item', 'position'].map(stem));
/** A column that plain "total" means when it is the only one of its kind. */
const AMOUNT_WORDS = new Set(['amount', 'price', 'cost', 'value', 'sum', 'total', 'net', 'gross'].map(stem));
const OWN_TOTAL = /^(?:grand |sub)?-?(?:total|sum)\b/i;
/** Prices of one unit, rates and shares add up to nothing. */
const ADDS_UP_TO_NOTHING = /\b(?:per|rate|unit|each|single|average|avg|mean|share|percent\w*|pct|ratio)\b|%/i;
/** Half of the last cent, for sums of rounded figures. */
const ROUNDING = 0.005;

/**
 * Reads a statement as a sum over a column, such as "the total units are 3,341" or a field `total_amount`, or as a count of
 * rows, and works it out from the table. Undefined when the statement is neither, or no single column is meant.
 */
export function readTotal(statement: Statement, tables: readonly Table[]): Total | undefined {
  const words = statement.tokens.filter((token) => token.kind === 'word').map((token) => token.stem);
  const [figure, ...others] = statement.quantities.filter(({ kind }) => kind === 'number' || kind === 'money');
  if (figure === undefined || others.length > 0 || isWorded(statement)) return undefined;
  const said = statement.text.slice(figure.start, figure.end);
  for (const table of tables) {
    const rows = table.rows.filter((cells) => !OWN_TOTAL.test(cells[0]?.text ?? ''));
    // What the table states itself is looked up, not worked out.
    if (rows.length < 2 || rows.length < table.rows.length) continue;
    const first = rows.flatMap((cells) => cells.slice(0, 1));
    if (isCount(statement, words, figure.unit))
      return { table, cells: first, value: rows.length, claimed: figure.value, said, named: 'the number of rows' };
    if (!words.some((word) => SUM_WORDS.has(word))) continue;
    const column = columnMeant(statement, words, table.header, rows);
    if (column === undefined) continue;
    const cells = rows.flatMap((line) => line.slice(column, column + 1));
    const values = cells.map(({ text }) => figureOfCell(text, table.header[column]?.text ?? '')?.value);
    if (values.some((value) => value === undefined)) continue;
    const value = values.reduce((sum: number, next) => sum + (next ?? 0), 0);
    const named = `the sum of ${table.header[column]?.text ?? ''}`;
    return { table, cells, value: Math.round(value * 1e6) / 1e6, claimed: figure.value, said, named };
  }
  return undefined;
}

/** A cell or field of several words, such as "sum of the four lines above", gives no figure. */
const isWorded = ({ record }: Statement): boolean =>
  record !== undefined && tokenize(record.value).filter(({ kind }) => kind === 'word').length > 2;

/** Whether the statement gives a total as the table has it. */
export function agrees({ value, claimed, cells }: Total): boolean {
  return Math.abs(value - claimed) <= ROUNDING * cells.length + 1e-9 * Math.abs(value);
}

/** Only where rows are counted in so many words: "3 rows in all", or a field such as `row_count`. */
function isCount({ record }: Statement, words: readonly string[], unit: string): boolean {
  const counts = words.includes('count') || words.includes(stem('number')) || words.some((word) => SUM_WORDS.has(word));
  return counts && (COUNT_WORDS.has(unit) || (record !== undefined && words.some((word) => COUNT_WORDS.has(word))));
}

function columnMeant(
  statement: Statement,
  words: readonly string[],
  header: readonly Cell[],
  rows: readonly Cell[][],
): number | undefined {
  const own = new Set(words);
  const contentOf = (cell: Cell): Token[] => tokenize(cell.text).filter(isContent);
  const numeric = header.flatMap((cell, at) =>
    rows.every((line) => figureOfCell(line[at]?.text ?? '', cell.text) !== undefined) &&
    !ADDS_UP_TO_NOTHING.test(cell.text.replaceAll('_', ' '))
      ? [{ cell, at }]
      : [],
  );
  const named = numeric.filter(({ cell }) => {
    const content = contentOf(cell);
    return content.length > 0 && content.every((token) => own.has(token.stem));
  });
  if (named.length > 1) return undefined;
  const [column] = named;
  if (column !== undefined) return isNarrowed(statement, contentOf(column.cell)) ? undefined : column.at;
  if (statement.record === undefined) return undefined;
  const amounts = numeric.filter(({ cell }) => contentOf(cell).some((token) => AMOUNT_WORDS.has(token.stem)));
  const [amount, ...more] = amounts;
  if (amount === undefined || more.length > 0) return undefined;
  return isNarrowed(statement, contentOf(amount.cell)) ? undefined : amount.at;
}

/** Whether any other word may narrow the sum down to some of the rows: `total_matched`, "the total of late orders". */
function isNarrowed({ tokens, quantities }: Statement, column: readonly Token[]): boolean {
  return tokens.some(
    (token) =>
      isContent(token) &&
      token.kind === 'word' &&
      !SUM_WORDS.has(token.stem) &&
      !AMOUNT_WORDS.has(token.stem) &&
      !column.some(({ stem: known }) => known === token.stem) &&
      !quantities.some((figure) => token.start >= figure.start && token.end <= figure.end),
  );
}
