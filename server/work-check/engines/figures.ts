import { compareQuantities } from '../reading/compare-quantities.ts';
import { type EvidenceIndex, type Passage, passageText } from '../reading/evidence-index.ts';
import { isMeasure } from '../reading/measures.ts';
import { readQuantities } from '../reading/quantities.ts';
import type { Quantity } from '../reading/quantity.ts';
import { tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';

/** Digits that a figure must have to be known by itself, without a word beside it that fits. */
const TELLING_DIGITS = 4;

/** Figures of the evidence by value, by the years and days of dates too, and all values in order. */
type FigureIndex = {
  byValue: Map<number, { at: number; known: Quantity }[]>;
  values: number[];
  dates: { at: number; known: Quantity }[];
};
const indexes = new WeakMap<EvidenceIndex, FigureIndex>();

function figureIndexOf(index: EvidenceIndex): FigureIndex {
  const known = indexes.get(index);
  if (known !== undefined) return known;
  const byValue: FigureIndex['byValue'] = new Map();
  const dates: FigureIndex['dates'] = [];
  const put = (value: number, entry: { at: number; known: Quantity }): void => {
    const list = byValue.get(value);
    if (list === undefined) byValue.set(value, [entry]);
    else if (list.length < SAME_VALUE_MAX) list.push(entry);
  };
  for (const [at, { quantities, instruction }] of index.passages.entries())
    for (const figure of instruction ? [] : quantities) {
      const entry = { at, known: figure };
      if (figure.kind === 'date') {
        if (dates.length < DATES_MAX) dates.push(entry);
        for (const part of [figure.year, figure.day]) if (part !== undefined) put(part, entry);
      } else put(figure.value, entry);
    }
  const made = { byValue, dates, values: [...byValue.keys()].sort((a, b) => a - b) };
  indexes.set(index, made);
  return made;
}

/** The same value more often than this tells no passage from another; more dates than this are passed over. */
const SAME_VALUE_MAX = 60;
const DATES_MAX = 2_000;

const HALF_DAY = 720;

/** The passages that give a figure. */
function passagesGiving(figure: Quantity, index: EvidenceIndex): number[] {
  const { byValue, values, dates } = figureIndexOf(index);
  const told = (value: number | undefined): readonly FigureIndex['dates'][number][] =>
    byValue.get(value ?? Number.NaN) ?? [];
  const candidates =
    figure.kind === 'date'
      ? [...dates, ...told(figure.year), ...told(figure.day)]
      : valuesNear(figure, values).flatMap(told);
  // "Half past six" may be of the evening.
  if (figure.kind === 'time') candidates.push(...told(figure.value - HALF_DAY), ...told(figure.value + HALF_DAY));
  return [...new Set(candidates.filter(({ known }) => sameFigure(figure, known)).map(({ at }) => at))].sort(
    (a, b) => a - b,
  );
}

/** Of sorted values those that a figure may stand for. */
function valuesNear({ value, tolerance }: Quantity, values: readonly number[]): number[] {
  const slack = Math.max(tolerance, 1e-9 * Math.abs(value));
  let from = 0;
  let to = values.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((values[middle] ?? 0) < value - slack) from = middle + 1;
    else to = middle;
  }
  let end = from;
  while (end < values.length && (values[end] ?? 0) <= value + slack) end += 1;
  return values.slice(from, end);
}

/** Whether the one figure that a text holds stands in the evidence in any form: "Oct 2025" as "October 2025". */
export function standsAsFigure(text: string, index: EvidenceIndex): boolean {
  const [figure, ...more] = readQuantities(tokenize(text));
  if (figure === undefined || more.length > 0) return false;
  return passagesGiving(figure, index).length > 0 || index.labels.some((known) => sameFigure(figure, known));
}

/** Looks a figure up in the evidence: in a passage on the same subject, or anywhere when its digits tell enough. */
export function findFigure(
  statement: Statement,
  figure: Quantity,
  index: EvidenceIndex,
  near: readonly number[],
): number | undefined {
  const holding = passagesGiving(figure, index).filter(
    (at) => isMeant(figure, at, index) && isOfRecord(statement, at, index),
  );
  if (holding.length === 0 || isPartOfName(statement, figure)) return standsAsWritten(statement, figure, index);
  const stems = new Set(statement.tokens.filter(({ content }) => content).map(({ stem }) => stem));
  const ranked = holding
    .map((at) => ({
      at,
      fit: fitOf(stems, at, index) + (near.includes(at) ? 1 : 0) + sharedFigures(statement, figure, at, index),
    }))
    .sort((a, b) => b.fit - a.fit || a.at - b.at);
  const [best] = ranked;
  if (best === undefined) return undefined;
  const written = statement.text.slice(figure.start, figure.end);
  const tells = digitsOf(written) >= TELLING_DIGITS || (holding.length === 1 && /\d[.,]\d/.test(written));
  return best.fit > 0 || tells ? best.at : undefined;
}

/** A percentage is no count that happens to be as large, unless the passage speaks of shares. */
function isMeant(figure: Quantity, at: number, index: EvidenceIndex): boolean {
  if (figure.kind !== 'percent') return true;
  const passage = index.passages[at];
  return (
    passage !== undefined &&
    (passage.quantities.some((known) => known.kind === 'percent' && sameFigure(figure, known)) ||
      SHARES.test(passageText(index, passage)))
  );
}

const SHARES = /%|\b(?:percent\w*|per cent|pct|shares?|rates?|ratio)/i;

/** "4f2c", "M2": digits within a name or number of a thing are no figure, and stand as the whole name does. */
function isPartOfName({ text }: Statement, { kind, start, end }: Quantity): boolean {
  return kind === 'number' && (/\p{L}$/u.test(text.slice(0, start)) || /^(?!x\d)[a-z]+\d/i.test(text.slice(end)));
}

/** Whether a passage may speak of the record that a cell belongs to: the row of another record in a table does not. */
function isOfRecord({ record, kind }: Statement, at: number, index: EvidenceIndex): boolean {
  const identity = record?.identity;
  const passage = index.passages[at];
  if (kind !== 'cell' || identity === undefined || passage === undefined) return true;
  const names = tokenize(identity).filter((token) => token.kind === 'word' && token.content);
  if (names.length === 0 || names.some(({ stem }) => passage.stems.has(stem))) return true;
  return !index.tables.some(
    ({ source, rows }) =>
      source === passage.source &&
      rows.some((cells) => (cells[0]?.start ?? 0) < passage.end && (cells.at(-1)?.end ?? 0) > passage.start),
  );
}

/** How many other figures of a statement a passage gives: together they tell that it speaks of the same. */
function sharedFigures({ quantities }: Statement, figure: Quantity, at: number, index: EvidenceIndex): number {
  const known = index.passages[at]?.quantities ?? [];
  return quantities.filter((other) => other !== figure && known.some((one) => sameFigure(other, one))).length;
}

/** An identifier such as KR-90377 or "600x600" is found as it is written; -1 where only the name of a source holds it. */
function standsAsWritten({ text }: Statement, { start, end }: Quantity, index: EvidenceIndex): number | undefined {
  const from = text.slice(0, start).search(/[\p{L}\d][\p{L}\d./-]*$/u);
  const rest = /^[\p{L}\d]*/u.exec(text.slice(end))?.[0] ?? '';
  const written = text.slice(from === -1 ? start : from, end) + rest;
  if (!/\p{L}/u.test(written)) return undefined;
  const at = index.passages.findIndex((passage) => passageText(index, passage).includes(written));
  if (at !== -1) return at;
  return index.sources.some(({ source }) => source.includes(written)) ? -1 : undefined;
}

const digitsOf = (text: string): number => text.replaceAll(/\D/g, '').length;

/** How many words of a statement stand in a passage, beside it, or in the name of its source. */
function fitOf(stems: ReadonlySet<string>, at: number, index: EvidenceIndex): number {
  let fit = 0;
  const passage = index.passages[at];
  if (passage === undefined) return 0;
  for (const stem of passage.stems) if (stems.has(stem) && !/^\d/.test(stem)) fit += 1;
  for (const other of [at - 1, at + 1]) {
    const beside = index.passages[other];
    if (beside === undefined || beside.source !== passage.source) continue;
    for (const stem of beside.stems) if (stems.has(stem) && !/^\d/.test(stem)) fit += 0.5;
  }
  return fit;
}

/**
 * Whether a claimed figure is the one of the evidence: the same value within the digits printed on either side, and no
 * other unit where both name one.
 */
function sameFigure(claimed: Quantity, known: Quantity): boolean {
  return compareQuantities(claimed, known) === 'same';
}

/** A figure as a reader would quote it, with the word it counts. */
export function figureText(
  { text, tokens }: Statement | { text: string; tokens: Passage['tokens'] },
  figure: Quantity,
  offset = 0,
): string {
  const next = tokens[figure.last + 1];
  const counts =
    figure.kind === 'number' &&
    next?.kind === 'word' &&
    (next.content || isMeasure(figure)) &&
    figure.unit !== '' &&
    next.start <= figure.end + 1;
  return text.slice(figure.start - offset, (counts ? next.end : figure.end) - offset);
}
