import type { JsonValue } from '@/server/kernel/json-value.ts';
import type { ReportedStatement } from '@/server/work-check/contract.ts';
import { isOnPage } from './statement-pages.ts';

/** A stretch of the work as shown. */
export interface Piece {
  text: string;
  /** The statement's number in the report, from 1. */
  statement?: number;
}

/** Lines of the work that stay together, and the statements that end in them. */
export interface Block {
  pieces: Piece[];
  statements: number[];
  /** Lines of a table: its columns align only while no line wraps. */
  isTable: boolean;
}

type Placed = Pick<ReportedStatement, 'path' | 'start' | 'end' | 'kind'>;

interface Span {
  start: number;
  end: number;
  number: number;
  kind: Placed['kind'];
}

/** The UTF-16 offsets of those bytes of a text that begin a character, or end the text. */
function offsetsOf(text: string, bytesWanted: readonly number[]): Map<number, number> {
  const wanted = [...bytesWanted].sort((a, b) => a - b);
  const offsets = new Map<number, number>();
  let next = 0;
  let [at, bytes] = [0, 0];
  const meet = () => {
    while ((wanted[next] ?? Infinity) < bytes) next += 1;
    if (wanted[next] === bytes) offsets.set(bytes, at);
  };
  for (const character of text) {
    if (next >= wanted.length) return offsets;
    meet();
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_00_00 ? 3 : 4;
    at += character.length;
  }
  meet();
  return offsets;
}

/** A text's statements in UTF-16 offsets, in order; none if any bytes are outside the text or overlap. */
function spansOf(text: string, statements: readonly Placed[]): Span[] {
  const offsetAt = offsetsOf(
    text,
    statements.flatMap(({ start, end }) => (start === undefined || end === undefined ? [] : [start, end])),
  );
  const spans: Span[] = [];
  for (const [index, { start, end, kind }] of statements.entries()) {
    const from = offsetAt.get(start ?? -1);
    const to = offsetAt.get(end ?? -1);
    if (from !== undefined && to !== undefined && from < to)
      spans.push({ start: from, end: to, number: index + 1, kind });
  }
  spans.sort((a, b) => a.start - b.start);
  return spans.filter(({ start }, index) => index === 0 || start >= (spans[index - 1]?.end ?? 0));
}

interface Line {
  start: number;
  /** End: the line feed, or the end of the text. */
  end: number;
  /** The statements that end in it. */
  spans: Span[];
  /** Whether a statement continues into a later line. */
  runsOn: boolean;
}

function linesOf(text: string, spans: readonly Span[]): Line[] {
  const lines: Line[] = [];
  let [start, next] = [0, 0];
  for (const part of text.split('\n')) {
    const end = start + part.length;
    const ended: Span[] = [];
    let span = spans[next];
    for (; span !== undefined && span.end <= end; span = spans[next]) {
      ended.push(span);
      next += 1;
    }
    lines.push({ start, end, spans: ended, runsOn: span !== undefined && span.start < end });
    start = end + 1;
  }
  return lines;
}

/** A table's header and rule contain no statement. */
const HEAD_LINES = 2;

/** The lines of tables: those with cells, and the line directly above the first. */
function tableLines(text: string, lines: readonly Line[]): Set<Line> {
  const table = new Set(lines.filter(({ spans }) => spans.some(({ kind }) => kind === 'cell')));
  for (const [index, line] of lines.entries()) {
    if (!table.has(line)) continue;
    for (let above = index - 1; above >= index - HEAD_LINES; above -= 1) {
      const head = lines[above];
      if (!head || table.has(head) || head.spans.length > 0 || text.slice(head.start, head.end).trim() === '') break;
      table.add(head);
    }
  }
  return table;
}

function piecesOf(text: string, start: number, end: number, spans: readonly Span[]): Piece[] {
  const pieces: Piece[] = [];
  const add = (piece: Piece) => {
    if (piece.text !== '') pieces.push({ ...piece, text: piece.text.replaceAll('\r', '') });
  };
  let from = start;
  for (const span of spans) {
    add({ text: text.slice(from, span.start) });
    add({ text: text.slice(span.start, span.end), statement: span.number });
    from = span.end;
  }
  add({ text: text.slice(from, end) });
  return pieces;
}

/** The first and last lines that are not blank. */
function trimmed(text: string, start: number, end: number): [number, number] {
  const lead = /^(?:[^\S\n]*\n)+/.exec(text.slice(start, end))?.[0].length ?? 0;
  const tail = /\s+$/.exec(text.slice(start + lead, end))?.[0].length ?? 0;
  return [start + lead, end - tail];
}

/** A one-line paragraph may contain hundreds of statements. */
const STATEMENTS_TOGETHER = 6;

/** Parts of at most `most` elements, about equally long; one empty part for none. */
function evenParts<T>(all: readonly T[], most: number): T[][] {
  const count = Math.max(1, Math.ceil(all.length / most));
  const length = Math.ceil(all.length / count);
  return Array.from({ length: count }, (_, index) => all.slice(index * length, (index + 1) * length));
}

const afterBlanks = (text: string, at: number): number => at + (/^[^\S\n]*/.exec(text.slice(at))?.[0].length ?? 0);

/**
 * A textual work as blocks. Each ends with a line in which a statement ends, so that results can follow that line; a
 * line with many statements is cut between them. Tables stay whole. Drops only blanks at the edges of a block.
 *
 * @param statements by UTF-8 byte offsets into the text
 */
function textBlocks(text: string, statements: readonly Placed[]): Block[] {
  const lines = linesOf(text, spansOf(text, statements));
  const table = tableLines(text, lines);
  const blocks: Block[] = [];
  let [open, spans]: [number, Span[]] = [0, []];
  const close = (end: number, isTable: boolean) => {
    const parts = isTable ? [spans] : evenParts(spans, STATEMENTS_TOGETHER);
    for (const [index, part] of parts.entries()) {
      const [from, to] = trimmed(text, open, index < parts.length - 1 ? (part.at(-1)?.end ?? end) : end);
      if (from < to)
        blocks.push({
          pieces: piecesOf(text, from, to, part),
          statements: part.map(({ number }) => number),
          isTable,
        });
      open = index < parts.length - 1 ? afterBlanks(text, to) : end;
    }
    spans = [];
  };
  for (const [index, line] of lines.entries()) {
    const isTable = table.has(line);
    const [before, next] = [lines[index - 1], lines[index + 1]];
    if (isTable && before && !table.has(before) && !before.runsOn) close(line.start, false);
    spans.push(...line.spans);
    const isOver = isTable ? !next || !table.has(next) : spans.length > 0;
    if (isOver && !line.runsOn) close(line.end, isTable);
  }
  close(text.length, false);
  return blocks;
}

/** A key in a JSON Pointer (RFC 6901). */
const pointerToken = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** The text before and after a part of indented JSON: its own line's start, its last line's, and a comma or none. */
interface Around {
  lead: string;
  indent: string;
  comma: string;
}

/**
 * Structured work as blocks of indented JSON. Each ends with a leaf that is a statement.
 *
 * @param statements by JSON Pointers into the value
 */
function jsonBlocks(value: JsonValue, statements: readonly Placed[]): Block[] {
  const numbers = new Map(statements.flatMap(({ path }, index) => (path === undefined ? [] : [[path, index + 1]])));
  const blocks: Block[] = [];
  let open: Piece[] = [];
  const add = (text: string) => {
    const last = open.at(-1);
    if (last !== undefined && last.statement === undefined) last.text += text;
    else open.push({ text });
  };
  const close = (found: number[]) => {
    if (open.length > 0) blocks.push({ pieces: open, statements: found, isTable: false });
    open = [];
  };
  const visit = (part: JsonValue, path: string, { lead, indent, comma }: Around) => {
    const entries: [string, JsonValue][] | null =
      typeof part === 'object' && part !== null ? Object.entries(part) : null;
    if (entries === null || entries.length === 0) {
      const number = numbers.get(path);
      add(`${open.length > 0 ? '\n' : ''}${lead}`);
      if (number === undefined) add(`${JSON.stringify(part)}${comma}`);
      else {
        open.push({ text: JSON.stringify(part), statement: number });
        if (comma) add(comma);
        close([number]);
      }
      return;
    }
    const isList = Array.isArray(part);
    add(`${open.length > 0 ? '\n' : ''}${lead}${isList ? '[' : '{'}`);
    for (const [index, [key, item]] of entries.entries()) {
      const inner = `${indent}  `;
      const name = isList ? '' : `${JSON.stringify(key)}: `;
      const comma = index < entries.length - 1 ? ',' : '';
      visit(item, `${path}/${pointerToken(key)}`, { lead: `${inner}${name}`, indent: inner, comma });
    }
    add(`${open.length > 0 ? '\n' : ''}${indent}${isList ? ']' : '}'}${comma}`);
  };
  visit(value, '', { lead: '', indent: '', comma: '' });
  close([]);
  return blocks;
}

/** The work as blocks; none once deleted. */
export function blocksOf(work: JsonValue, statements: readonly Placed[]): Block[] {
  if (work === null) return [];
  return typeof work === 'string' ? textBlocks(work, statements) : jsonBlocks(work, statements);
}

/** The numbers of statements that no block shows, because their place or the work is missing. */
export function statementsWithoutPlace(count: number, blocks: readonly Block[]): number[] {
  const placed = new Set(blocks.flatMap(({ statements }) => statements));
  return Array.from({ length: count }, (_, index) => index + 1).filter((number) => !placed.has(number));
}

/**
 * The blocks of a page of the work: those with one of its statements, and what stands between them. Statements of other
 * pages are plain words there.
 *
 * @param page the numbers of its first and last statement
 */
export function onPage(blocks: readonly Block[], page: { first: number; last: number }): Block[] {
  const isOn = (number: number) => isOnPage(number, page);
  let before = 0;
  return blocks.flatMap((block) => {
    const numbers = block.statements.filter(isOn);
    const isSilent = block.statements.length === 0;
    before = block.statements.at(-1) ?? before;
    if (numbers.length === 0 && !(isSilent && isOn(Math.max(before, 1)))) return [];
    const pieces = block.pieces.map((piece) =>
      piece.statement === undefined || isOn(piece.statement) ? piece : { text: piece.text },
    );
    return [{ ...block, pieces, statements: numbers }];
  });
}
