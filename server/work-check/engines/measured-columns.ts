import { figureOfCell } from '../reading/cell-figure.ts';
import type { Cell, Table } from '../reading/tables.ts';
import { convert, unitOfColumn } from './units.ts';

/** A column in one unit, and the same column in another: `weight_kg` and "Weight (g)". */
export type MeasuredColumn = { at: number; name: string; from: string; to: string };

/** The one column of a table that a column's name names in another unit. Undefined when the units do not convert. */
export function inAnotherUnit(column: string, { header }: Table): MeasuredColumn | undefined {
  const to = unitOfColumn(column);
  if (to === '') return undefined;
  const bare = withoutUnit(column);
  const found = header.flatMap(({ text }, at) => {
    const name = words(text);
    const from = unitOfColumn(name);
    const isSame = from !== '' && from !== to && withoutUnit(name) === bare && convert(1, from, to) !== undefined;
    return isSame ? [{ at, name: text, from, to }] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Whether a value is a cell's in the other unit. Undefined when either is no figure. */
export function isConverted(value: string, cell: Cell, { name, from, to }: MeasuredColumn): boolean | undefined {
  const [own, known] = [figureOfCell(value, ''), figureOfCell(cell.text, name)];
  const converted = known && convert(known.value, from, to);
  if (own === undefined || converted === undefined) return undefined;
  // A work may round what it converts.
  const decimals = /\.(\d+)/.exec(value)?.[1]?.length ?? 0;
  return Math.abs(converted - own.value) <= 0.5 / 10 ** decimals;
}

const words = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}%]+/gu, ' ')
    .trim();

const withoutUnit = (column: string): string => words(column).split(' ').slice(0, -1).join(' ');
