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
  // "May" in "May 3".
  const isMarker = ({ kind, lower }: Token, at: number): boolean =>
    kind === 'word' &&
    markerOf(lower) !== undefined &&
    !FREE.has(lower) &&
    !quantities.some(({ first, last }) => at >= first && at <= last);
  if (quantities.length === 0 || tokens.some(isMarker)) return undefined;
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

function readRow(clause: Clause, table: Table, cells: readonly Cell[], index: EvidenceIndex): Found[] | undefined {
  const { tokens, quantities } = clause;
  const key = keyOf(clause, table, cells);
  const name = key === undefined ? undefined : cells[key];
  if (key === undefined || name === undefined) return undefined;
  const above = aboveOf(table, index);
  const figures = quantities.filter((figure) => !isNamed(figure, tokens, { name, table, above: above.own }));
  const columns = figures.map((figure) => columnOf(figure, tokens, { table, cells, key, above: above.wide }));
  const beside = cells.filter((cell, at) => at !== key && isText(cell) && holdsKey(tokens, cell.text));
  // Two names in one row have roles, which only the verb tells.
  if (columns.length === 0 || columns.includes(undefined) || beside.length > (key === 0 ? 1 : 0)) return undefined;
  const heads = [key, ...columns].flatMap((at) => table.header[at ?? -1] ?? []);
  const texts = [name, ...heads, ...beside].map(({ text }) => text);
  const told = wordsOf([...texts, above.wide, index.sources[table.source]?.source ?? ''].join(' '));
  if (!isTold(clause, new Set(told))) return undefined;
  return columns.flatMap((at) => {
    const cell = cells[at ?? -1];
    return cell === undefined ? [] : [{ row: cells, place: placeOf(cell, table) }];
  });
}

const placeOf = ({ start, end }: Cell, { source }: Table): Place => ({ source, start, end: Math.max(end, start + 1) });

/** The place of the cell that names the row: the first one where the sentence holds it, else one that no other row has. */
function keyOf({ tokens, quantities }: Clause, { rows }: Table, cells: readonly Cell[]): number | undefined {
  const [first] = cells;
  if (first !== undefined && holdsKey(tokens, first.text)) return 0;
  const places = [...cells.keys()].filter((at) => {
    const text = cells[at]?.text ?? '';
    const isHeld = isText({ text }) ? holdsKey(tokens, text) : isDay(text, quantities);
    return isHeld && rows.filter((row) => row[at]?.text === text).length === 1;
  });
  return places.length === 1 ? places[0] : undefined;
}

/** Whether a cell names something, and is no figure. */
const isText = ({ text }: Pick<Cell, 'text'>): boolean =>
  /\p{L}{3}/u.test(text) && readQuantities(tokenize(text)).length === 0;

/** Whether a cell is a day or a month that the sentence names: "2026-03" for March 2026. */
function isDay(cell: string, quantities: readonly Quantity[]): boolean {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(cell) ?? [];
  if (month !== undefined)
    return quantities.some((own) => own.day === undefined && own.year === Number(year) && own.month === Number(month));
  const [date, ...more] = readQuantities(tokenize(cell));
  return (
    more.length === 0 &&
    date?.kind === 'date' &&
    date.month !== undefined &&
    quantities.some((own) => own.day === date.day && compareQuantities(own, date) === 'same')
  );
}

const ABOVE_CHARS = 240;

/** What stands over a table: its heading, the scale of its figures. `own` begins below the table before it. */
type Above = { own: string; wide: string };

function aboveOf({ source, header }: Table, index: EvidenceIndex): Above {
  const end = header[0]?.start ?? 0;
  const from = Math.max(0, end - ABOVE_CHARS);
  const before = index.tables.flatMap((table) =>
    table.source === source ? (table.rows.at(-1)?.at(-1)?.end ?? 0) : [],
  );
  const text = index.sources[source]?.text ?? '';
  return { own: text.slice(Math.max(from, ...before.filter((at) => at <= end)), end), wide: text.slice(from, end) };
}

/**
 * Whether a figure belongs to the name of the row, of a column that the sentence names, or to the heading: the "nine
 * months" that a table is about, "December 31, 2025" under "Year ended December 31" in the column 2025.
 */
function isNamed(
  figure: Quantity,
  tokens: readonly Token[],
  { name, table: { header }, above }: { name: Cell; table: Table; above: string },
): boolean {
  const isHeld = (text: string, fits: (known: Quantity) => boolean): boolean =>
    readQuantities(tokenize(text)).some(fits);
  const isSame = (known: Quantity): boolean => compareQuantities(figure, known) === 'same';
  const isInYear = (known: Quantity): boolean =>
    known.kind === 'date' && known.year === undefined && known.day === figure.day && known.month === figure.month;
  const columns = header.filter(({ text }) => holdsKey(tokens, text));
  return (
    isHeld(name.text, isSame) ||
    isDay(name.text, [figure]) ||
    columns.some(({ text }) => isHeld(text, isSame)) ||
    (isMeasure(figure) && isHeld(above, isSame)) ||
    (figure.day !== undefined &&
      isHeld(above, isInYear) &&
      columns.some(({ text }) => isHeld(text, ({ year }) => year === figure.year)))
  );
}

/** Whether the words of a sentence are told by the row, but for one that is no name. */
function isTold({ tokens, quantities }: Clause, told: ReadonlySet<string>): boolean {
  const untold = tokens.filter(
    (token, at) =>
      isContent(token) &&
      !told.has(token.stem) &&
      !isLight(token.lower) &&
      !quantities.some(({ first, last }) => at >= first && at <= last) &&
      !quantities.some((own) => isMeasure(own) && at === own.last + 1 && isUnit(token.lower, own.unit)),
  );
  return untold.length <= UNTOLD_MAX && !untold.some(({ capital }, at) => capital && at > 0);
}

/** Whether a word is a unit, short or long: "mg" of milligrams. */
const isUnit = (word: string, unit: string): boolean =>
  /^[\p{L}µ]{1,12}$/u.test(word) && unit !== '' && readQuantities(tokenize(`1 ${word}`))[0]?.unit === unit;

/** The only column of the row that gives the figure and whose name the sentence holds; a column of like figures competes. */
function columnOf(
  figure: Quantity,
  tokens: readonly Token[],
  { table: { header }, cells, key, above }: { table: Table; cells: readonly Cell[]; key: number; above: string },
): number | undefined {
  const hasUnit = isMeasure(figure) && cells.some(({ text }) => isUnit(text, figure.unit));
  const figures = cells.map(({ text }) => readQuantities(tokenize(text), undefined, () => false)[0]);
  const gives = (at: number): boolean => {
    const known = figures[at];
    const name = `${header[at]?.text ?? ''} ${cells[key]?.text ?? ''} ${hasUnit ? figure.unit : ''}`;
    return known !== undefined && isCell(figure, known, name, above);
  };
  const named = header.map(({ text }) => sharedWith(tokens, text));
  const columns = [...header.keys()].filter((at) => at !== key && figures[at] !== undefined);
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
