import type { JsonValue } from '../../kernel/json-value.ts';
import { type Span, splitSentences } from '../reading/sentences.ts';
import { readTables, type Table } from '../reading/tables.ts';

/** A count that a text can be given in good faith: readers differ on whether titles or list marks count. */
export type Measure = { low: number; high: number };

const exact = (value: number): Measure => ({ low: value, high: value });

/** Words as blanks part them; marks without letter or digit are none. */
export function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
}

export type Block = Span & { text: string };

const MARK = /^[ \t]{0,12}(?:([-*•–‣])|(\d{1,3})[.)])[ \t]+(?=\S)/;

/** A line with where it stands. */
function linesOf(text: string): Block[] {
  const lines: Block[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    lines.push({ text: line.replace(/\r$/, ''), start, end: start + line.length });
    start += line.length + 1;
  }
  return lines;
}

export type ListItem = Block & { numbered: boolean; nested: boolean };

/** Items of the lists in a text, each up to the next mark or empty line. A lone numbered line is a date or a title. */
export function listItems(text: string): ListItem[] {
  const items: ListItem[] = [];
  let current: ListItem | undefined;
  let outer = 0;
  for (const line of linesOf(text)) {
    const mark = MARK.exec(line.text);
    if (mark !== null && !/^[ \t]*(?:[-*_][ \t]*){3,}$/.test(line.text)) {
      const indent = /^[ \t]*/.exec(line.text)?.[0].length ?? 0;
      if (current === undefined) outer = indent;
      const start = line.start + mark[0].length;
      current = {
        text: line.text.slice(mark[0].length),
        start,
        end: line.end,
        numbered: mark[2] !== undefined,
        nested: indent > outer,
      };
      items.push(current);
    } else if (line.text.trim() === '') {
      current = undefined;
    } else if (current !== undefined && /^[ \t]/.test(line.text)) {
      current.text += ` ${line.text.trim()}`;
      current.end = line.end;
    } else current = undefined;
  }
  const numbered = items.filter((item) => item.numbered).length;
  return numbered === 1 ? items.filter((item) => !item.numbered) : items;
}

export type Heading = Block & { marked: boolean };

const HEADING_WORDS_MAX = 12;

/** Lines marked as headings, and short lines of their own that end without a stop. */
export function headingsOf(text: string): Heading[] {
  const lines = linesOf(text);
  const around = lines.map((line) => line.text.trim());
  return lines.flatMap((line, at): Heading[] => {
    const bare = around[at] ?? '';
    const marked = /^#{1,6}\s+(.+?)\s*#*$/.exec(bare)?.[1] ?? /^(?:\*\*|__)([^*_]+)(?:\*\*|__):?$/.exec(bare)?.[1];
    if (marked !== undefined) return [{ ...line, text: marked.replaceAll(/\*\*|__/g, ''), marked: true }];
    if (bare === '' || MARK.test(line.text) || bare.includes('|')) return [];
    if (/^(?:=+|-{3,})$/.test(around[at + 1] ?? '')) return [{ ...line, text: bare, marked: true }];
    return standsAsHeading(around, at) ? [{ ...line, text: bare.replace(/:$/, ''), marked: false }] : [];
  });
}

/** A short line that opens a paragraph, ends without a stop, and has something below it. */
function standsAsHeading(lines: readonly string[], at: number): boolean {
  const bare = lines[at] ?? '';
  if (/[.!?;,]["'”’)]*$/.test(bare) || /^(?:=+|-+)$/.test(bare) || !/^[\p{Lu}\p{N}]/u.test(bare)) return false;
  const opens = at === 0 || lines[at - 1] === '';
  const heads = (lines[at + 1] ?? '') !== '' || (lines[at + 2] ?? '') !== '';
  return opens && heads && wordsOf(bare).length <= HEADING_WORDS_MAX;
}

/** The text below a heading of this name, up to the next heading. */
export function sectionOf(text: string, name: string): string | undefined {
  const headings = headingsOf(text);
  const at = headings.findIndex((heading) => sameName(heading.text, name));
  const heading = headings[at];
  if (heading !== undefined) return text.slice(heading.end, headings[at + 1]?.start ?? text.length);
  // "Limits. The bikes stayed in …" at the start of a paragraph.
  for (const block of blocksOf(text)) {
    const lead = /^(?:\*\*|__)?([\p{L}][\p{L}\p{N} -]{1,40}?)(?:\*\*|__)?[.:](?:\*\*|__)?\s/u.exec(block.text);
    if (lead !== null && sameName(lead[1] ?? '', name)) return block.text.slice(lead[0].length);
  }
  return undefined;
}

const sameName = (a: string, b: string): boolean => plainName(a) === plainName(b);

/** Names of fields, columns and headings without case, marks and plural. */
export function plainName(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/ies$/, 'y')
    .replace(/(?<=[^s\s]{2})s$/, '');
}

/** Stretches of text between empty lines. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  for (const line of linesOf(text)) {
    const last = blocks.at(-1);
    if (line.text.trim() === '') blocks.push({ text: '', start: line.end, end: line.end });
    else if (last === undefined || last.text === '') blocks.push({ ...line });
    else {
      last.text += `\n${line.text}`;
      last.end = line.end;
    }
  }
  return blocks.filter((block) => block.text !== '');
}

/** The words of the text outside its titles and tables, and all; of what is a table and nothing else all but the titles. */
export function countWords(text: string): Measure {
  const all = wordsOf(text).length;
  const wordsIn = (titles: readonly { text: string }[]): number =>
    titles.reduce((sum, heading) => sum + wordsOf(heading.text).length, 0);
  const plain = withoutTables(text);
  const outside = wordsOf(plain).length - wordsIn(headingsOf(plain));
  return { low: Math.max(outside > 0 ? outside : all - wordsIn(headingsOf(text)), 0), high: all };
}

/** The text with an empty line for each line of a table. */
function withoutTables(whole: string): string {
  const rows = tablesIn(whole).flatMap(({ header, rows: below }) => [header, ...below].map(([cell]) => cell?.start));
  return linesOf(whole)
    .map(({ text, start, end }) => (rows.some((row) => row !== undefined && row >= start && row <= end) ? '' : text))
    .join('\n');
}

/** Sentences that end as such, and all stretches that may count as one. Tables, marked headings and a title hold none. */
export function countSentences(whole: string): Measure {
  const titles = new Set(headingsOf(whole).flatMap(({ start, marked }) => (marked || start === 0 ? [start] : [])));
  const own = linesOf(whole).map((line) => (titles.has(line.start) ? '' : line.text));
  const text = withoutTables(own.join('\n'));
  const spans = splitSentences(text);
  const ended = spans.filter(({ start, end }) => /[.!?…]["'”’)\]*_]*$/.test(text.slice(start, end))).length;
  return spans.length <= 1 ? exact(spans.length) : { low: ended, high: spans.length };
}

/** Paragraphs of prose, and all blocks. */
export function countParagraphs(text: string): Measure {
  const blocks = blocksOf(text);
  const headings = new Set(headingsOf(text).map(({ start }) => start));
  const prose = blocks.filter(
    (block) =>
      !(headings.has(block.start) && !block.text.includes('\n')) &&
      !MARK.test(block.text) &&
      !block.text.includes('|') &&
      countSentences(block.text).low > 0,
  );
  return { low: Math.min(prose.length, blocks.length), high: blocks.length };
}

/** A value of structured work with its place. */
export type Leaf = { path: string; key: string; value: JsonValue };

/** The values of structured work; `path` as people write it, such as `lines[2].amount`. */
export function leavesOf(value: JsonValue): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (item: JsonValue, path: string, key: string): void => {
    if (Array.isArray(item)) for (const [at, part] of item.entries()) visit(part, `${path}[${at}]`, key);
    else if (typeof item === 'object' && item !== null)
      for (const [name, part] of Object.entries(item)) visit(part, path === '' ? name : `${path}.${name}`, name);
    else leaves.push({ path, key, value: item });
  };
  visit(value, '', '');
  return leaves;
}

const PROSE_WORDS_MIN = 4;

/** Whether a value of structured work is running text. */
export const isProse = ({ value }: Leaf): boolean =>
  typeof value === 'string' && wordsOf(value).length >= PROSE_WORDS_MIN;

export type Readability = { grade: number; ease: number; words: number; sentences: number };

/** Flesch–Kincaid grade level (Kincaid 1975) and Flesch reading ease (Flesch 1948) of the whole sentences of a text. */
export function readabilityOf(text: string): Readability | undefined {
  const sentences = splitSentences(text)
    .map(({ start, end }) => text.slice(start, end))
    .filter((sentence) => /[.!?]["'”’)]*$/.test(sentence));
  const words = sentences.flatMap((sentence) => wordsOf(sentence)).filter((word) => /\p{L}/u.test(word));
  if (sentences.length === 0 || words.length === 0) return undefined;
  const syllables = words.reduce((sum, word) => sum + syllablesOf(word), 0);
  const length = words.length / sentences.length;
  const weight = syllables / words.length;
  return {
    grade: Math.round((0.39 * length + 11.8 * weight - 15.59) * 10) / 10,
    ease: Math.round((206.835 - 1.015 * length - 84.6 * weight) * 10) / 10,
    words: words.length,
    sentences: sentences.length,
  };
}

function syllablesOf(word: string): number {
  const letters = word.toLowerCase().replaceAll(/[^a-zà-ÿ]/g, '');
  const spoken = letters.replace(/(?:[^laeiouy]es|[^td]ed|[^laeiouy]e)$/, (end) => end[0] ?? '');
  return Math.max(1, (spoken.match(/[aeiouyà-ÿ]+/g) ?? []).length);
}

/** Tables in the work that are marked as such: with bars or tabs. Commas stand in prose too. */
export function tablesIn(text: string): Table[] {
  return readTables(text, 0).filter(({ header }) => {
    const line = text.slice(header[0]?.start ?? 0, header.at(-1)?.end ?? 0);
    return line.includes('|') || line.includes('\t');
  });
}
