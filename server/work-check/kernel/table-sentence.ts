import { compareQuantities } from '../reading/compare-quantities.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { isMeasure } from '../reading/measures.ts';
import type { Quantity } from '../reading/quantity.ts';
import type { Token } from '../reading/token.ts';
import { isContent } from '../reading/tokens.ts';
import { isLight } from '../support/everyday.ts';
import type { Clause } from './clause.ts';
import type { Place } from './keyed.ts';
import {
  dayKey,
  KEYS_MAX,
  type KnownCell,
  type KnownTable,
  stemsOf,
  tablesOf,
  unitOf,
  type Words,
} from './known-table.ts';
import { markerOf } from './markers.ts';

const UNTOLD_MAX = 1;
const FIGURES_MAX = 12;

/** A sentence, with the stems that it holds. */
type Said = Clause & { held: ReadonlySet<string> };

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
  if (quantities.length === 0 || quantities.length > FIGURES_MAX || tokens.some(isMarker)) return undefined;
  const said = { ...statement, held: new Set(tokens.map(({ stem }) => stem)) };
  for (const table of tablesOf(index)) {
    const found = rowsNamed(said, table).flatMap(
      ({ row, key }) => readRow(said, table, { cells: table.rows[row] ?? [], key }) ?? [],
    );
    if (found.length > 0)
      return new Set(found.map(({ row }) => row)).size === 1 ? found.map(({ place }) => place) : undefined;
  }
  return undefined;
}

/** Markers that a sentence over a table may hold. */
const FREE = new Set(['by', 'per', 'from', 'to']);

/** Rows with the place of the cell that names them: the first one where the sentence holds it, else the only one that it holds. */
function rowsNamed({ held, quantities }: Said, { rows, names, days }: KnownTable): { row: number; key: number }[] {
  const keys = [
    ...[...held].flatMap((stem) => names.get(stem) ?? []).filter(({ row, at }) => isHeld(rows[row]?.[at], held)),
    ...[...new Set(quantities.map(dayKey))].flatMap((day) => days.get(day) ?? []),
  ];
  const places = new Map<number, Set<number>>();
  for (const { row, at } of keys) places.set(row, (places.get(row) ?? new Set()).add(at));
  // A name of so many rows names none.
  if (places.size > KEYS_MAX) return [];
  return [...places].flatMap(([row, found]) => {
    const [only = 0] = found;
    return found.size === 1 || found.has(0) ? [{ row, key: found.has(0) ? 0 : only }] : [];
  });
}

/** Whether a sentence holds all the words of a name. */
const isHeld = (name: Words | undefined, held: Said['held']): boolean =>
  name !== undefined && name.stems.length > 0 && name.stems.every((stem) => held.has(stem));

type Row = { cells: readonly KnownCell[]; key: number };
type Found = { row: Row['cells']; place: Place };

function readRow(said: Said, table: KnownTable, row: Row): Found[] | undefined {
  const { cells, key } = row;
  const name = cells[key];
  if (name === undefined) return undefined;
  const figures = said.quantities.filter((figure) => !isNamed(figure, said, name, table));
  const columns = figures.map((figure) => columnOf(figure, said, table, row));
  const beside = cells.filter((cell, at) => at !== key && cell.isText && isHeld(cell, said.held));
  // Two names in one row have roles, which only the verb tells.
  if (columns.length === 0 || columns.includes(undefined) || beside.length > (key === 0 ? 1 : 0)) return undefined;
  const heads = [key, ...columns].flatMap((at) => table.header[at ?? -1] ?? []);
  const told = new Set([name, ...heads, ...beside, table.above.wide, table.title].flatMap(({ stems }) => stems));
  if (!isTold(said, told)) return undefined;
  return columns.flatMap((at) => {
    const cell = cells[at ?? -1];
    return cell === undefined ? [] : [{ row: cells, place: placeOf(cell, table) }];
  });
}

const placeOf = ({ place: { start, end } }: KnownCell, { source }: KnownTable): Place => ({
  source,
  start,
  end: Math.max(end, start + 1),
});

/**
 * Whether a figure belongs to the name of the row, of a column that the sentence names, or to the heading: the "nine
 * months" that a table is about, "December 31, 2025" under "Year ended December 31" in the column 2025.
 */
function isNamed(figure: Quantity, { held }: Said, name: KnownCell, { header, above }: KnownTable): boolean {
  const gives = ({ figures }: Words, fits: (known: Quantity) => boolean): boolean => figures.some(fits);
  const isSame = (known: Quantity): boolean => compareQuantities(figure, known) === 'same';
  const isInYear = (known: Quantity): boolean =>
    known.kind === 'date' && known.year === undefined && known.day === figure.day && known.month === figure.month;
  const columns = header.filter((head) => isHeld(head, held));
  return (
    gives(name, isSame) ||
    (figure.kind === 'date' && name.day === dayKey(figure)) ||
    columns.some((head) => gives(head, isSame)) ||
    (isMeasure(figure) && gives(above.own, isSame)) ||
    (figure.day !== undefined &&
      gives(above.own, isInYear) &&
      columns.some((head) => gives(head, ({ year }) => year === figure.year)))
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
      !quantities.some((own) => isMeasure(own) && at === own.last + 1 && unitOf(token.lower) === own.unit),
  );
  return untold.length <= UNTOLD_MAX && !untold.some(({ capital }, at) => capital && at > 0);
}

/** The only column of the row that gives the figure and whose name the sentence holds; a column of like figures competes. */
function columnOf(
  figure: Quantity,
  { held }: Said,
  { header, above }: KnownTable,
  { cells, key }: Row,
): number | undefined {
  const gives = (at: number): boolean => {
    const [cell, head, name] = [cells[at], header[at], cells[key]];
    if (cell?.figure === undefined || head === undefined || name === undefined) return false;
    return isCell(figure, cell.figure, [head, name], { above: above.wide, units: cells });
  };
  const columns = [...header.keys()].filter((at) => at !== key && cells[at]?.figure !== undefined);
  const [only = -1, ...others] = columns;
  if (others.length === 0) return gives(only) ? only : undefined;
  const named = new Map(columns.map((at) => [at, sharedWith(held, header[at])]));
  const best = Math.max(...named.values());
  const [nearest = -1, ...rivals] = columns.filter((at) => named.get(at) === best);
  return best > 0 && rivals.length === 0 && gives(nearest) ? nearest : undefined;
}

const FACTORS: readonly (readonly [RegExp, number])[] = [
  [/\b(?:thousands?|['’]?000s?|tsd)\b/i, 1e3],
  [/\b(?:millions?|mn)\b/i, 1e6],
  [/\b(?:billions?|bn)\b/i, 1e9],
];
const scaleOf = (text: string): number => FACTORS.find(([words]) => words.test(text))?.[1] ?? 1;
/** "Except per share": what the heading leaves out of its scale. */
const EXCEPT = /\bexcept(?:ing)?\s+([^)\n]+)/i;

/**
 * Whether a cell holds a figure, in the scale and unit that its own names, the heading or a cell of its own beside it
 * give.
 */
function isCell(
  own: Quantity,
  known: Quantity,
  names: readonly Words[],
  { above, units }: { above: Words; units: readonly KnownCell[] },
): boolean {
  const name = names.map(({ text }) => text).join(' ');
  const spared = stemsOf(EXCEPT.exec(above.text)?.[1] ?? '');
  const isSpared = spared.length > 0 && spared.every((stem) => names.some(({ stems }) => stems.includes(stem)));
  const factor = scaleOf(name) > 1 ? scaleOf(name) : isSpared ? 1 : scaleOf(above.text.replace(EXCEPT, ''));
  if (own.kind === 'date' || own.kind === 'time' || known.kind !== 'number' || known.unit !== '')
    return factor === 1 && compareQuantities(own, known) === 'same';
  const isInUnit =
    !isMeasure(own) ||
    own.unit === '' ||
    [...names, above].some((words) => words.units.has(own.unit)) ||
    units.some(({ unit }) => unit === own.unit);
  return isInUnit && Math.abs(own.value - known.value * factor) <= Math.max(own.tolerance, 1e-9 * Math.abs(own.value));
}

function sharedWith(held: Said['held'], name: Words | undefined): number {
  const stems = name?.stems ?? [];
  return stems.length === 0 ? 0 : stems.filter((stem) => held.has(stem)).length / stems.length;
}
