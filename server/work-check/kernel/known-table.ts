import { unitOfColumn } from '../engines/units.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { readQuantities } from '../reading/quantities.ts';
import type { Quantity } from '../reading/quantity.ts';
import type { Cell, Table } from '../reading/tables.ts';
import { isContent, tokenize } from '../reading/tokens.ts';

/** Words of a table, read once for all sentences of a check. */
export type Words = {
  text: string;
  /** Stems of its words. */
  stems: readonly string[];
  figures: readonly Quantity[];
  /** Its words, short or long, as units: "mg" and milligram. */
  units: ReadonlySet<string>;
};

export type KnownCell = Words & {
  place: Cell;
  /** Its first figure, which counts no noun. */
  figure: Quantity | undefined;
  /** The unit that it is: "mg" alone. */
  unit: string | undefined;
  /** The only day or month that it gives, as `dayKey` has it. */
  day: string | undefined;
  /** Whether it names something, and is no figure. */
  isText: boolean;
};

/** A cell that may name its row. */
type Key = { row: number; at: number };

export type KnownTable = {
  source: number;
  header: readonly KnownCell[];
  rows: readonly (readonly KnownCell[])[];
  /** What stands over it; `own` begins below the table before it. */
  above: { own: Words; wide: Words };
  /** The title of its source. */
  title: Words;
  /** Cells that name a row, by the rarest of their stems, and by day. */
  names: ReadonlyMap<string, readonly Key[]>;
  days: ReadonlyMap<string, readonly Key[]>;
};

const CELLS_MAX = 4_000;
const ABOVE_CHARS = 240;

const known = new WeakMap<EvidenceIndex, KnownTable[]>();

/** The tables of the evidence that sentences are held against; very large ones are left out. */
export function tablesOf(index: EvidenceIndex): KnownTable[] {
  const found = known.get(index);
  if (found !== undefined) return found;
  const read = index.tables
    .filter(({ rows, header }) => rows.length * header.length <= CELLS_MAX)
    .map((table) => readTable(table, index));
  known.set(index, read);
  return read;
}

function readTable(table: Table, index: EvidenceIndex): KnownTable {
  const rows = table.rows.map((cells) => cells.map(readCell));
  return {
    source: table.source,
    header: table.header.map(readCell),
    rows,
    above: aboveOf(table, index),
    title: readWords(index.sources[table.source]?.source ?? ''),
    ...keysOf(rows),
  };
}

function readWords(text: string): Words {
  const tokens = tokenize(text.replaceAll('_', ' '));
  return {
    text,
    stems: stemsOf(text),
    figures: readQuantities(tokenize(text)),
    units: new Set(tokens.flatMap(({ lower, stem }) => [lower, stem, unitOfColumn(`x ${lower}`)])),
  };
}

/** The stems of a name's words; "net_gbp" is two. */
export const stemsOf = (text: string): string[] =>
  tokenize(text.replaceAll('_', ' '))
    .filter(isContent)
    .map(({ stem }) => stem);

function readCell(place: Cell): KnownCell {
  const words = readWords(place.text);
  return {
    ...words,
    place,
    figure: readQuantities(tokenize(place.text), undefined, () => false)[0],
    unit: unitOf(place.text),
    day: dayOf(words),
    isText: /\p{L}{3}/u.test(place.text) && words.figures.length === 0,
  };
}

/** The unit that a word is, short or long; undefined for any other. */
export const unitOf = (word: string): string | undefined =>
  /^[\p{L}µ]{1,12}$/u.test(word) ? readQuantities(tokenize(`1 ${word}`))[0]?.unit : undefined;

function aboveOf({ source, header }: Table, index: EvidenceIndex): KnownTable['above'] {
  const end = header[0]?.start ?? 0;
  const from = Math.max(0, end - ABOVE_CHARS);
  let below = from;
  for (const table of index.tables) {
    const last = table.rows.at(-1)?.at(-1)?.end ?? 0;
    if (table.source === source && last <= end) below = Math.max(below, last);
  }
  const text = index.sources[source]?.text ?? '';
  return { own: readWords(text.slice(below, end)), wide: readWords(text.slice(from, end)) };
}

/** Any first cell may name its row; of the others those that no other row has. */
function keysOf(rows: KnownTable['rows']): Pick<KnownTable, 'names' | 'days'> {
  const [texts, stems] = [new Map<string, number>(), new Map<string, number>()];
  const count = (counts: Map<string, number>, of: string): unknown => counts.set(of, (counts.get(of) ?? 0) + 1);
  for (const cells of rows)
    for (const [at, cell] of cells.entries()) {
      count(texts, `${at} ${cell.text}`);
      for (const stem of new Set(cell.stems)) count(stems, stem);
    }
  const [names, days] = [new Map<string, Key[]>(), new Map<string, Key[]>()];
  const add = (keys: Map<string, Key[]>, under: string, key: Key): unknown =>
    keys.set(under, [...(keys.get(under) ?? []), key].slice(0, KEYS_KEPT));
  for (const [row, cells] of rows.entries())
    for (const [at, cell] of cells.entries()) {
      const isAlone = texts.get(`${at} ${cell.text}`) === 1;
      if (cell.day !== undefined && isAlone) add(days, cell.day, { row, at });
      const rarest = [...cell.stems].sort((a, b) => (stems.get(a) ?? 0) - (stems.get(b) ?? 0))[0];
      if (rarest !== undefined && (at === 0 || (cell.isText && isAlone))) add(names, rarest, { row, at });
    }
  return { names, days };
}

/** What names more rows than this names none. */
export const KEYS_MAX = 20;
/** One more tells that there are too many. */
const KEYS_KEPT = KEYS_MAX + 1;

/** The only day or month that a cell gives, "2026-03" for March 2026, as `days` has it. */
function dayOf({ text, figures }: Words): string | undefined {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (month !== undefined) return dayKey({ year: Number(year), month: Number(month) });
  const [date, ...more] = figures;
  return more.length === 0 && date?.kind === 'date' && date.month !== undefined ? dayKey(date) : undefined;
}

/** Under which a day of a sentence finds the rows that it names. */
export const dayKey = ({ year, month, day }: Partial<Pick<Quantity, 'year' | 'month' | 'day'>>): string =>
  `${year ?? ''}-${month ?? ''}-${day ?? ''}`;
