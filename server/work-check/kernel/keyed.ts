import { inAnotherUnit, isConverted } from '../engines/measured-columns.ts';
import type { Records } from '../engines/records.ts';
import { UNIT_WORDS } from '../engines/units.ts';
import { compareQuantities } from '../reading/compare-quantities.ts';
import { dayOrderOf } from '../reading/dates.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { readQuantities } from '../reading/quantities.ts';
import { compareCell, plainCell } from '../reading/same-value.ts';
import type { Table } from '../reading/tables.ts';
import type { Token } from '../reading/token.ts';
import { isContent, tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { everydayFor } from '../support/everyday.ts';
import { entryOf } from '../support/lexicon.ts';
import { markerOf } from './markers.ts';

/** A stretch of one source. */
export type Place = { source: number; start: number; end: number };

/** Words of a field's name that say nothing of what it holds. */
const EMPTY = new Set(
  'name value text data field entry item info details number no nr id title label line product task test ticket event position'.split(
    ' ',
  ),
);
const KEY_SHARED_MIN = 0.5;
const HEADING_CHARS = 240;

/**
 * Whether a value of the evidence is that of a field or cell of the work: it is equal, and its keys are. In a table the
 * column is the one whose name is nearest and the row the only one that the record's other values name; elsewhere the
 * sentence names the field beside the value and the stretch is the record's own. Scales in headings must be the same.
 */
export function isKeyed(statement: Statement, at: Place, index: EvidenceIndex, records: Records): boolean {
  const { record } = statement;
  if (record === undefined) return false;
  const table = index.tables.find((one) => cellAt(one, at) !== undefined);
  return table === undefined ? isLabelled(statement, at, index, records) : isInCell(statement, table, at, index);
}

type CellPlace = { row: number; column: number };

function cellAt(table: Table, { source, start, end }: Place): CellPlace | undefined {
  if (table.source !== source) return undefined;
  for (const [row, cells] of table.rows.entries())
    for (const [column, cell] of cells.entries())
      if (cell.start <= start && Math.max(cell.end, cell.start + 1) >= end) return { row, column };
  return undefined;
}

function isInCell(statement: Statement, table: Table, at: Place, index: EvidenceIndex): boolean {
  const { record } = statement;
  const place = cellAt(table, at);
  if (record === undefined || place === undefined) return false;
  const { row, column } = place;
  const cell = table.rows[row]?.[column];
  const text = index.sources[table.source]?.text ?? '';
  const measured = inAnotherUnit(plainCell(record.column), table);
  const isInUnit = measured?.at === column && cell !== undefined && isConverted(record.value, cell, measured) === true;
  if (cell === undefined || !(isInUnit || isEqual(record.value, cell.text, record.column, text))) return false;
  if (isInUnit) return isRowOf(statement, table, place);
  if (!sameScale(statement, table, column, index)) return false;
  const headers = table.header.map(({ text }) => text);
  const labels = table.rows.map((cells) => cells[0]?.text ?? '');
  // "Item | Value": the name of the field stands in the row.
  if (nearest(record.column, headers) === column) return isRowOf(statement, table, place);
  return column > 0 && nearest(record.column, labels) === row && isColumnOf(statement, headers, column);
}

/** The row is the only one that the most of the record's other values name. */
function isRowOf({ record }: Statement, { rows }: Table, { row, column }: CellPlace): boolean {
  if (rows.length === 1) return true;
  const same = rows.filter((cells) => plainCell(cells[column]?.text ?? '') === plainCell(record?.value ?? ''));
  // The name of the record itself.
  if (record?.value === record?.identity && same.length === 1) return true;
  const keys = new Set([...(record?.keys ?? []), record?.identity ?? ''].map(plainCell).filter((key) => key !== ''));
  const named = rows.map(
    (cells) => new Set(cells.flatMap(({ text }, at) => (at !== column && keys.has(plainCell(text)) ? [at] : []))).size,
  );
  const most = Math.max(...named);
  return most > 0 && named[row] === most && named.filter((count) => count === most).length === 1;
}

/** Of several columns of values the one that the record or the way to the field names. */
function isColumnOf({ record, under }: Statement, headers: readonly string[], column: number): boolean {
  if (headers.length === 2) return true;
  const named = [...(record?.keys ?? []), record?.identity ?? '', under].some(
    (key) => plainCell(key) !== '' && nearest(key, headers) === column,
  );
  return named;
}

const orderOf = (text: string) => {
  const order = dayOrderOf(text);
  return order === undefined ? (['day first', 'month first'] as const) : [order];
};

const isEqual = (claimed: string, known: string, column: string, text: string): boolean =>
  compareCell(claimed, known, { column, orders: orderOf(text), others: [] }) === 'same';

/** The one of several names that shares the most words with a wanted one, if one does more than all others. */
function nearest(wanted: string, names: readonly string[]): number | undefined {
  const own = keyOf(wanted);
  if (own.size === 0) return undefined;
  const scores = names.map((name) => {
    if (plainCell(name) === plainCell(wanted)) return 2;
    const known = keyOf(name);
    const shared = [...own].filter((stem) => known.has(stem)).length;
    return shared === 0 ? 0 : shared / new Set([...own, ...known]).size;
  });
  const best = Math.max(...scores);
  return best >= KEY_SHARED_MIN && scores.filter((score) => score === best).length === 1
    ? scores.indexOf(best)
    : undefined;
}

/** The words of a name that tell what it is of. */
function keyOf(name: string): Set<string> {
  const words = tokenize(name.replaceAll(/[_-]/g, ' ')).filter(isContent);
  const telling = words.filter(({ lower }) => !EMPTY.has(lower) && !UNIT_WORDS.has(lower));
  return new Set((telling.length > 0 ? telling : words).map(({ stem }) => stem));
}

const SCALE = /\b(?:in|of|us\$|usd|eur|€|\$|£)?\s*(thousands?|millions?|billions?|tsd|000s?|mn|bn|['’]000)\b/i;

/** "(in thousands)" over a table or in its column goes along with the value. */
function sameScale(
  { record, under }: Statement,
  { header, source }: Table,
  column: number,
  index: EvidenceIndex,
): boolean {
  const text = index.sources[source]?.text ?? '';
  const from = header[0]?.start ?? 0;
  const above = text.slice(Math.max(0, from - HEADING_CHARS), from);
  const scale = SCALE.exec(header[column]?.text ?? '')?.[1] ?? SCALE.exec(above)?.[1];
  if (scale === undefined || readQuantities(tokenize(record?.value ?? '')).length === 0) return true;
  return SCALE.exec(`${record?.column} ${under} ${record?.value}`)?.[1]?.slice(0, 4) === scale.slice(0, 4);
}

/** Beside its name in one sentence or line, in the record's own stretch of the source, and asserted there. */
function isLabelled(statement: Statement, at: Place, index: EvidenceIndex, records: Records): boolean {
  const { record, place } = statement;
  if (record === undefined || !('path' in place)) return false;
  const passage = index.passages.find(
    ({ source, start, end }) => source === at.source && start <= at.start && end > at.start,
  );
  const source = index.sources[at.source];
  if (passage === undefined || source === undefined || passage.instruction) return false;
  const said = source.text.slice(at.start, Math.max(at.end, at.start + 1));
  if (!isEqual(record.value, said, record.column, source.text) && !isFigureOf(record.value, said)) return false;
  if (records.identityOf(place.path) !== undefined) {
    const own = records.regionsOf(place.path);
    if (!own.some((region) => region.source === at.source && region.start <= at.start && region.end >= at.start))
      return false;
  }
  const beside = stretchAround(passage.tokens, at);
  if (beside.some(({ kind, lower }) => kind === 'word' && TAKES_BACK.has(markerOf(lower) ?? ''))) return false;
  if (record.value === record.identity && tokenize(record.column).every(({ lower }) => EMPTY.has(lower))) return true;
  const wanted = [...keyOf(record.column)];
  return wanted.length > 0 && wanted.every((stem) => beside.some((token) => isNamedBy(stem, token)));
}

const TAKES_BACK = new Set(['denial', 'condition']);

const isNamedBy = (stem: string, token: Token): boolean =>
  token.stem === stem || entryOf(token).synonyms.includes(stem) || everydayFor(token.stem).includes(stem);

function isFigureOf(claimed: string, said: string): boolean {
  const [[own, ...more], [known, ...others]] = [claimed, said].map((text) => readQuantities(tokenize(text))) as [
    ReturnType<typeof readQuantities>,
    ReturnType<typeof readQuantities>,
  ];
  return (
    own !== undefined &&
    known !== undefined &&
    more.length + others.length === 0 &&
    compareQuantities(own, known) === 'same'
  );
}

const STOPS = new Set([';', '|', '.', '\n']);

/** The words around a place, up to the figures and full stops beside it. */
function stretchAround(tokens: readonly Token[], { start, end }: Place): Token[] {
  const first = tokens.findIndex((token) => token.end > start);
  const last = tokens.findLastIndex((token) => token.start < end);
  const stops = (token: Token | undefined): boolean =>
    token === undefined || (token.kind === 'mark' && STOPS.has(token.lower)) || token.kind === 'number';
  let from = first;
  while (from > 0 && !stops(tokens[from - 1])) from -= 1;
  let to = last;
  while (to < tokens.length - 1 && !stops(tokens[to + 1])) to += 1;
  return tokens.slice(Math.max(0, from), to + 1);
}
