import type { Span } from './sentences.ts';
import type { Cell, Table } from './tables.ts';

/** A text in quotes, and its name before it. */
const TEXT = String.raw`"(?:[^"\\\n]|\\.)*"`;
const PAIR = String.raw`${TEXT}\s*:\s*(?:${TEXT}|-?\d[\d.eE+-]*|true|false|null)`;
const RECORD = new RegExp(String.raw`\{\s*${PAIR}(?:\s*,\s*${PAIR})*\s*\}`, 'g');
const PARTS = new RegExp(String.raw`(${TEXT})\s*:\s*(${TEXT}|[^\s,}]+)`, 'g');
/** All that stands between two records of one list. */
const APART = /^[\s,]*$/;
const RECORDS_MAX = 5_000;
const ROWS_MAX = 2_000;

type JsonRecord = Span & { names: Cell[]; values: Cell[] };

/** What the JSON in a text tells, such as the answer of a tool: its flat records, and lists of like records as tables. */
export type JsonRows = { records: Span[]; tables: Table[] };

/** Reads the JSON objects in a text that hold only plain values, wherever they stand. */
export function readJsonRows(text: string, source: number): JsonRows {
  const records: JsonRecord[] = [];
  if (!text.includes('{')) return { records, tables: [] };
  for (const match of text.matchAll(RECORD)) {
    if (records.length >= RECORDS_MAX) break;
    records.push(recordAt(match[0], match.index));
  }
  return { records: records.map(({ start, end }) => ({ start, end })), tables: tablesOf(text, records, source) };
}

function recordAt(raw: string, start: number): JsonRecord {
  const [names, values]: [Cell[], Cell[]] = [[], []];
  for (const { 0: pair, 1: name = '', 2: value = '', index } of raw.matchAll(PARTS)) {
    names.push(cellOf(name, start + index));
    values.push(cellOf(value, start + index + pair.length - value.length));
  }
  return { start, end: start + raw.length, names, values };
}

function cellOf(raw: string, start: number): Cell {
  if (!raw.startsWith('"')) return { text: raw === 'null' ? '' : raw, start, end: start + raw.length };
  return { text: unquoted(raw), start: start + 1, end: start + raw.length - 1 };
}

function unquoted(raw: string): string {
  try {
    return String(JSON.parse(raw));
  } catch {
    return raw.slice(1, -1);
  }
}

/** Runs of records with the same names; each row has its values in the order of the first record's names. */
function tablesOf(text: string, records: readonly JsonRecord[], source: number): Table[] {
  const tables: Table[] = [];
  let current: Table | undefined;
  for (const [at, record] of records.entries()) {
    const before = records[at - 1];
    const isNext = before !== undefined && APART.test(text.slice(before.end, record.start));
    const row = current && isNext && current.rows.length < ROWS_MAX ? rowUnder(current.header, record) : undefined;
    if (row) current?.rows.push(row);
    else {
      current = { source, header: record.names, rows: [record.values] };
      tables.push(current);
    }
  }
  return tables.filter(({ header, rows }) => header.length >= 2 && rows.length >= 2);
}

function rowUnder(header: readonly Cell[], { names, values }: JsonRecord): Cell[] | undefined {
  if (names.length !== header.length) return undefined;
  const row = header.map(({ text }) => values[names.findIndex((name) => name.text === text)]);
  return row.includes(undefined) ? undefined : (row as Cell[]);
}

/** Whether what was read as rows with commas begins within a record. */
export function isWithin({ header: [first] }: Table, { records }: JsonRows): boolean {
  return first !== undefined && records.some(({ start, end }) => first.start >= start - 1 && first.start < end);
}

/** Sentences of a text with each record as one of its own. */
export function withRecords(sentences: readonly Span[], records: readonly Span[]): Span[] {
  if (records.length === 0) return [...sentences];
  const outside = sentences.flatMap(({ start, end }) => {
    const parts: Span[] = [];
    let from = start;
    for (const record of records) {
      if (record.end <= from) continue;
      if (record.start >= end) break;
      if (record.start > from) parts.push({ start: from, end: record.start });
      from = record.end;
    }
    if (from < end) parts.push({ start: from, end });
    return parts;
  });
  return [...outside, ...records].sort((one, other) => one.start - other.start);
}
