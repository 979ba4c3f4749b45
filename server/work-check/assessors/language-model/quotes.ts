import type { Span } from '../../reading/sentences.ts';
import { separateValues } from '../../reading/tables.ts';
import type { AssessmentTask, Passage } from '../port.ts';

/** A text as two people may type it differently, with the place that each of its characters came from. */
type Plain = { text: string; from: number[]; to: number[] };

const SAME: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '‚': "'",
  '‛': "'",
  '′': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '‟': '"',
  '″': '"',
  '«': '"',
  '»': '"',
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  '—': '-',
  '−': '-',
  '…': '...',
};
const INVISIBLE = /[\u00AD\u200B-\u200D\u2060\uFEFF]/;

function plain(text: string): Plain {
  const read: Plain = { text: '', from: [], to: [] };
  let at = 0;
  for (const character of text) {
    const end = at + character.length;
    const blank = /\s/.test(character);
    const again = blank && (read.text === '' || read.text.endsWith(' '));
    if (!again && !INVISIBLE.test(character)) {
      const same = blank ? ' ' : (SAME[character] ?? character.normalize('NFKC').toLowerCase());
      read.text += same;
      for (let unit = 0; unit < same.length; unit += 1) {
        read.from.push(at);
        read.to.push(end);
      }
    }
    at = end;
  }
  return read;
}

/** What a quotation is compared by: one space for any, straight quotation marks and hyphens, small letters. */
export function plainText(text: string): string {
  return plain(text).text.trim();
}

/**
 * Where quoted words stand in a text, in UTF-16 offsets, or undefined. Spaces, letter case and typography may differ, and
 * quotation marks or dots that a writer puts around a quotation need not stand there.
 */
export function findQuote(words: string, text: string): Span | undefined {
  return findWhere(words, text, () => true);
}

/** The same for a figure, which stands there as a whole: not the "60" of "600" or of "1,460". */
export function findFigure(words: string, text: string): Span | undefined {
  const figures = [...text.matchAll(FIGURE)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
  const isCut = (at: number): boolean => figures.some(({ start, end }) => start < at && at < end);
  return findWhere(words, text, ({ start, end }) => !isCut(start) && !isCut(end));
}

/** "1,460.50", "12,5" and "12.5"; but a row of cells parted by commas is no figure. */
const FIGURE =
  /(?<![\d.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])|(?<![\d,\p{L}])\d+,\d{1,2}(?![\d,]|\.\d)|\d+(?:\.\d+)*/gu;

function findWhere(words: string, text: string, fits: (span: Span) => boolean): Span | undefined {
  const whole = plain(text);
  const asked = plainText(words);
  const bare = asked.replaceAll(/^["'. ]+|["'. ]+$/g, '');
  for (const candidate of [asked, bare]) {
    if (candidate === '') continue;
    for (let at = whole.text.indexOf(candidate); at >= 0; at = whole.text.indexOf(candidate, at + 1)) {
      const [start, end] = [whole.from[at], whole.to[at + candidate.length - 1]];
      if (start !== undefined && end !== undefined && fits({ start, end })) return { start, end };
    }
  }
  return undefined;
}

type Source = AssessmentTask['evidence']['sources'][number];
const apart = new WeakMap<Source, string>();

/** A source with its cells apart: "QUOTE 118,640.00" of a CSV is no figure. Places stay; made once for each. */
export function cellsApart(source: Source, { evidence }: AssessmentTask): string {
  const known = apart.get(source);
  if (known !== undefined) return known;
  const at = evidence.sources.indexOf(source);
  const made = separateValues(
    source.text,
    (evidence.tables ?? []).filter((table) => table.source === at),
  );
  apart.set(source, made);
  return made;
}

/** The words of a passage, with the cells of a row apart. */
export function cellsOf({ ref, start, end }: Passage, task: AssessmentTask): string {
  const source = task.evidence.sources.find((one) => one.ref === ref);
  return source === undefined ? '' : cellsApart(source, task).slice(start, end);
}

/** The words of a passage. */
export function textOf({ ref, start, end }: Passage, { evidence }: AssessmentTask): string {
  return evidence.sources.find((source) => source.ref === ref)?.text.slice(start, end) ?? '';
}
