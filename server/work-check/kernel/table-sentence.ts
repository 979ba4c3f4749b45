import { unitOfColumn } from '../engines/units.ts';
import { compareQuantities } from '../reading/compare-quantities.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { isMeasure } from '../reading/measures.ts';
import { readQuantities } from '../reading/quantities.ts';
import type { Quantity } from '../reading/quantity.ts';
import type { Cell, Table } from '../reading/tables.ts';
import type { Token } from '../reading/token.ts';
import { isContent, tokenize } from '../reading/tokens.ts';
import { isLight } from '../support/everyday.ts';
import type { Clause } from './clause.ts';
import type { Place } from './keyed.ts';
import { markerOf } from './markers.ts';

const UNTOLD_MAX = 1;
const CELLS_MAX = 4_000;

/**
 * The cells that give a sentence its figures: each stands in one row, in the column that the sentence names, and the
 * words of the sentence are those of that row, of these columns and of what stands over the table. Undefined where a word,
 * marker or figure of the sentence is left over, or another row or column fits as well.
 */
export function cellsOf(statement: Clause, index: EvidenceIndex): Place[] | undefined {
  const { tokens, quantities } = statement;
  if (
    quantities.length === 0 ||
    tokens.some(({ kind, lower }) => kind === 'word' && markerOf(lower) !== undefined && !FREE.has(lower))
  )
    return undefined;
  for (const table of index.tables) {
    if (table.rows.length * table.header.length > CELLS_MAX) continue;
    const found = table.rows.flatMap((cells) => readRow(statement, table, cells, index) ?? []);
    if (found.length > 0)
      return new Set(found.map(({ row }) => row)).size === 1 ? found.map(({ place }) => place) : undefined;
  }
  return undefined;
}

/** Markers that a sentence over a table may hold. */
const FREE = new Set(['by', 'per', 'from', 'to']);

type Found = { row: readonly Cell[]; place: Place };

function readRow(
  { tokens, quantities }: Clause,
  table: Table,
  cells: readonly Cell[],
  index: EvidenceIndex,
): Found[] | undefined {
  const [name] = cells;
  if (name === undefined || !holdsKey(tokens, name.text)) return undefined;
  const above = aboveOf(table, index);
  const told = new Set(wordsOf(`${name.text} ${above} ${index.sources[table.source]?.source ?? ''}`));
  const places: Found[] = [];
  for (const figure of quantities) {
    if (isNamed(figure, tokens, name, table)) continue;
    const column = columnOf(figure, tokens, { table, cells, above }) ?? -1;
    const [cell, head] = [cells[column], table.header[column]];
    if (cell === undefined || head === undefined) return undefined;
    for (const word of wordsOf(head.text)) told.add(word);
    places.push({
      row: cells,
      place: { source: table.source, start: cell.start, end: Math.max(cell.end, cell.start + 1) },
    });
  }
  for (const { text: cell } of cells) if (holdsKey(tokens, cell)) for (const word of wordsOf(cell)) told.add(word);
  return places.length > 0 && isTold({ tokens, quantities }, told) ? places : undefined;
}

const ABOVE_CHARS = 240;

/** What stands over a table: its heading, the scale of its figures. */
function aboveOf({ source, header }: Table, index: EvidenceIndex): string {
  const start = header[0]?.start ?? 0;
  return index.sources[source]?.text.slice(Math.max(0, start - ABOVE_CHARS), start) ?? '';
}

/** Whether a figure belongs to the name of the row, or of a column that the sentence names. */
function isNamed(figure: Quantity, tokens: readonly Token[], name: Cell, { header }: Table): boolean {
  const holds = (text: string): boolean =>
    readQuantities(tokenize(text)).some((known) => compareQuantities(figure, known) === 'same');
  return holds(name.text) || header.some(({ text }) => holdsKey(tokens, text) && holds(text));
}

/** Whether the words of a sentence are told by the row, but for one that is no name. */
function isTold({ tokens, quantities }: Clause, told: ReadonlySet<string>): boolean {
  const untold = tokens.filter(
    (token, at) =>
      isContent(token) &&
      !told.has(token.stem) &&
      !isLight(token.lower) &&
      !quantities.some(({ first, last }) => at >= first && at <= last),
  );
  return untold.length <= UNTOLD_MAX && !untold.some(({ capital }, at) => capital && at > 0);
}

/** The only column of the row that gives the figure and whose name the sentence holds; a column of like figures competes. */
function columnOf(
  figure: Quantity,
  tokens: readonly Token[],
  { table: { header }, cells, above }: { table: Table; cells: readonly Cell[]; above: string },
): number | undefined {
  const figures = cells.map(({ text }) => readQuantities(tokenize(text), undefined, () => false)[0]);
  const gives = (at: number): boolean => {
    const known = figures[at];
    return known !== undefined && isCell(figure, known, `${header[at]?.text ?? ''} ${cells[0]?.text ?? ''}`, above);
  };
  const named = header.map(({ text }) => sharedWith(tokens, text));
  const columns = [...header.keys()].filter((at) => at > 0 && figures[at] !== undefined);
  if (columns.length === 1) return gives(columns[0] ?? -1) ? columns[0] : undefined;
  const best = Math.max(...columns.map((at) => named[at] ?? 0));
  const nearest = columns.filter((at) => named[at] === best);
  return best > 0 && nearest.length === 1 && gives(nearest[0] ?? -1) ? nearest[0] : undefined;
}

const FACTORS: readonly (readonly [RegExp, number])[] = [
  [/\b(?:thousands?|['’]?000s?|tsd)\b/i, 1e3],
  [/\b(?:millions?|mn)\b/i, 1e6],
  [/\b(?:billions?|bn)\b/i, 1e9],
];
const scaleOf = (text: string): number => FACTORS.find(([words]) => words.test(text))?.[1] ?? 1;
/** "Except per share": what the heading leaves out of its scale. */
const EXCEPT = /\bexcept(?:ing)?\s+([^)\n]+)/i;

/** Whether a cell holds a figure, in the scale and unit that its own name or the heading gives. */
function isCell(own: Quantity, known: Quantity, name: string, above: string): boolean {
  const spared = wordsOf(EXCEPT.exec(above)?.[1] ?? '');
  const isSpared = spared.length > 0 && spared.every((stem) => wordsOf(name).includes(stem));
  const factor = scaleOf(name) > 1 ? scaleOf(name) : isSpared ? 1 : scaleOf(above.replace(EXCEPT, ''));
  if (own.kind === 'date' || own.kind === 'time' || known.kind !== 'number' || known.unit !== '')
    return factor === 1 && compareQuantities(own, known) === 'same';
  const unit = isMeasure(own) ? own.unit : '';
  if (
    unit !== '' &&
    !tokenize(`${name} ${above}`).some(
      ({ lower, stem }) => lower === unit || stem === unit || unitOfColumn(`x ${lower}`) === unit,
    )
  )
    return false;
  return Math.abs(own.value - known.value * factor) <= Math.max(own.tolerance, 1e-9 * Math.abs(own.value));
}

const wordsOf = (text: string): string[] =>
  tokenize(text.replaceAll('_', ' '))
    .filter(isContent)
    .map(({ stem }) => stem);

/** Whether a sentence holds all the words of a name. */
function holdsKey(tokens: readonly Token[], name: string): boolean {
  const words = wordsOf(name);
  const held = new Set(tokens.map(({ stem }) => stem));
  return words.length > 0 && words.every((stem) => held.has(stem));
}

function sharedWith(tokens: readonly Token[], name: string): number {
  const words = wordsOf(name);
  const held = new Set(tokens.map(({ stem }) => stem));
  return words.length === 0 ? 0 : words.filter((stem) => held.has(stem)).length / words.length;
}
