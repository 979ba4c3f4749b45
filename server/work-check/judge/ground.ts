import type { JudgedStatement, Passage } from '../assessors/port.ts';
import { figureText } from '../engines/figures.ts';
import type { Records } from '../engines/records.ts';
import type { RecordSum } from '../engines/value-counts.ts';
import { clip } from '../quoting.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { splitSentences } from '../reading/sentences.ts';
import { isContent } from '../reading/tokens.ts';
import type { Statement, Work } from '../statements.ts';

/** What rules and engines see of the work as a whole, made once for all its statements. */
export type Ground = {
  work: Work;
  index: EvidenceIndex;
  records: Records;
  sums: ReadonlyMap<string, RecordSum>;
};

export type Judgement = Omit<JudgedStatement, 'statement' | 'score' | 'accounted' | 'open' | 'suspect' | 'opinions'> &
  Partial<Pick<JudgedStatement, 'accounted' | 'open' | 'suspect' | 'opinions'>>;

export const quote = (text: string): string => `“${clip(text)}”`;

export const where = (statement: Statement): string => `${quote(statement.text)} (${statement.at})`;

/** How the reason of an open statement begins; beside the statement its status says so already. */
export const unsettled = (statement: Statement): string => `The evidence does not settle ${where(statement)}.`;

export function sourceName(index: EvidenceIndex, source: number): string {
  return index.sources[source]?.source ?? 'the evidence';
}

export function placeOf(index: EvidenceIndex, at: number): Passage[] {
  const passage = index.passages[at];
  const ref = passage === undefined ? undefined : index.sources[passage.source]?.ref;
  return passage === undefined || ref === undefined ? [] : [{ ref, start: passage.start, end: passage.end }];
}

/** The figures of a statement as they are written; the number of "INV-302" is none. */
export const figuresOf = (statement: Statement): string[] =>
  statement.quantities
    .filter(({ start }) => !/\p{L}[-/]?$/u.test(statement.text.slice(0, start)))
    .map((figure) => figureText(statement, figure));

/** A sentence, or a field that holds one. */
export function isProse({ kind, text, tokens }: Statement): boolean {
  if (kind === 'sentence' || kind === 'item') return true;
  return tokens.filter(isContent).length >= PROSE_WORDS && splitSentences(text).length === 1;
}

const PROSE_WORDS = 5;
