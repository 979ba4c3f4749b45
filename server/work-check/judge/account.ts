import { dateFrom, zonedFrom } from '../engines/calendar.ts';
import { meanGiving, sumGiving } from '../engines/column-sums.ts';
import { derive, type Named, printedTolerance } from '../engines/derivation.ts';
import { durationFrom, type Lasting, timeFrom } from '../engines/durations.ts';
import { type FigureAccount, figureText, findFigure, sameFigure } from '../engines/figures.ts';
import { namedSum } from '../engines/named-sums.ts';
import { scaledFrom } from '../engines/scaling.ts';
import { sectionOf } from '../engines/sections.ts';
import { workedOut } from '../engines/worked-out.ts';
import { type EvidenceIndex, passageText } from '../reading/evidence-index.ts';
import { compareQuantities, isMeasure, type Quantity } from '../reading/quantities.ts';
import type { Statement } from '../statements.ts';
import { ofItsRecord } from './due-date.ts';
import type { Ground } from './ground.ts';

export function accountFor(
  figure: Quantity,
  statement: Statement,
  at: number,
  near: readonly number[],
  ground: Ground,
): FigureAccount {
  const { work, index, factors, columns } = ground;
  const text = figureText(statement, figure);
  const section = sectionOf(statement, figure, index);
  if (section !== undefined)
    return section === -1 ? { figure, text, state: 'open' } : { figure, text, state: 'found', passage: section };
  const passage =
    findFigure(statement, figure, index, near) ??
    inNames(figure, near, index) ??
    smallWord(figure, statement, near, index);
  if (passage !== undefined) return { figure, text, state: 'found', passage };
  const printed = statement.text.slice(figure.start, figure.end);
  // A score follows from nothing.
  if (isOfScore(figure, statement)) return { figure, text, state: 'open' };
  // The number of a thing, such as KR-90412, follows from nothing.
  if (/\p{L}[\p{L}\d]*[-/]?$/u.test(statement.text.slice(0, figure.start))) return { figure, text, state: 'open' };
  const zoned = zonedFrom(figure, near, index);
  if (zoned !== undefined) return { figure, text, state: 'computed', says: zoned.says, passages: [zoned.passage] };
  const undated = withoutItsYear(figure, index);
  if (undated !== undefined) return { figure, text, state: 'found', passage: undated };
  const parts = namedSum(figure, statement, index);
  if (parts !== undefined) return { figure, text, state: 'computed', ...parts };
  const lasts = durationOf(figure, statement, near, index);
  if (lasts !== undefined) return { figure, text, state: 'computed', says: lasts, passages: near.slice(0, 1) };
  const clock = timeOf(figure, statement, near, index);
  if (clock !== undefined) return { figure, text, state: 'computed', says: clock, passages: near.slice(0, 1) };
  const date = dateFrom(figure, statement, index, ofItsRecord(statement, ground));
  if (date !== undefined) return { figure, text, state: 'computed', says: date.says, passages: date.passages };
  const column = figure.value >= COLUMN_SUM_MIN ? sumGiving(figure, statement, columns) : undefined;
  if (column !== undefined && (figure.kind === 'number' || figure.kind === 'money'))
    return { figure, text, state: 'computed', says: column.says, passages: [] };
  const mean = figure.kind === 'number' || figure.kind === 'money' ? meanGiving(figure, statement, columns) : undefined;
  if (mean !== undefined) return { figure, text, state: 'computed', says: mean, passages: [] };
  const own = named(
    statement.text,
    statement.quantities.filter((other) => other !== figure),
  );
  const before = [...work.statements.slice(Math.max(0, at - 2), at), ...work.statements.slice(at + 1, at + 2)].flatMap(
    (other) => named(other.text, other.quantities, 0, other.at),
  );
  const around = near.slice(0, 3).flatMap((one) => {
    const beside = index.passages[one];
    return beside === undefined
      ? []
      : named(passageText(index, beside), beside.quantities, beside.start, `passage ${one}`);
  });
  const told = differenceWith(figure, printed, statement, index) ?? scaledFrom(figure, near, index, factors);
  if (told !== undefined) return { figure, text, state: 'computed', says: told.says, passages: near.slice(0, 1) };
  const derived =
    derive(figure, printed, `${statement.text} ${explained(work.statements[at + 1])}`, own, [
      ...before,
      ...around,
      ...baseFigures(index),
    ]) ?? workedOut(figure, printed, own, near, index);
  return derived === undefined
    ? { figure, text, state: 'open' }
    : { figure, text, state: 'computed', says: derived.says, passages: near.slice(0, 1), loose: true };
}

/** "16–14", "72:70": one of two bare numbers that a dash or colon joins. */
const isOfScore = ({ kind, unit, start, end }: Quantity, { text }: Statement): boolean =>
  kind === 'number' &&
  !isMeasure({ unit }) &&
  (/(?<![\d.,])\d{1,3}[–:-]$/.test(text.slice(0, start)) || /^[–:-]\d{1,3}(?![\d.,%])/.test(text.slice(end)));

/** The next sentence, where it says how a figure came about: "from this we deduct your excess of 250 euros". */
const explained = (next: Statement | undefined): string =>
  next !== undefined && /\b(?:deduct\w*|minus|less|from this|from that|subtract\w*|that is)\b/i.test(next.text)
    ? next.text
    : '';

const DIFFERS = /\b(?:more|less|fewer|higher|lower|above|below|over|under|ahead|behind|gap|difference)\b/i;

/** "57.35 euros, 22.40 euros more than in May": the difference of a figure of the statement and one of the evidence. */
function differenceWith(
  figure: Quantity,
  printed: string,
  { text, quantities }: Statement,
  index: EvidenceIndex,
): { says: string } | undefined {
  if (!DIFFERS.test(text) || (figure.kind !== 'money' && figure.unit === '') || !/\d/.test(printed)) return undefined;
  const exact = printedTolerance(printed) / 10;
  for (const own of quantities) {
    if (own === figure || own.kind !== figure.kind || own.unit !== figure.unit) continue;
    for (const passage of index.passages)
      for (const known of passage.instruction ? [] : passage.quantities) {
        if (known.kind !== own.kind || known.unit !== own.unit || known.value === own.value) continue;
        if (Math.abs(Math.abs(own.value - known.value) - figure.value) > exact) continue;
        const [a, b] = [
          text.slice(own.start, own.end),
          passageText(index, passage).slice(known.start - passage.start, known.end - passage.start),
        ];
        return { says: own.value > known.value ? `${a} − ${b} = ${printed}` : `${b} − ${a} = ${printed}` };
      }
  }
  return undefined;
}

/** A sum of a table's column is recognised from this size on; smaller figures may be anything. */
const COLUMN_SUM_MIN = 20;

const BASE_PASSAGES = 3;

const bases = new WeakMap<EvidenceIndex, Named[]>();

/** Figures that the evidence repeats, such as the number of all answers: shares are worked out of them. */
function baseFigures(index: EvidenceIndex): Named[] {
  const known = bases.get(index);
  if (known !== undefined) return known;
  const counts = new Map<number, { count: number; text: string }>();
  for (const { quantities, source } of index.passages)
    for (const { kind, value, start, end } of quantities) {
      if (kind !== 'number' || value < 20) continue;
      const entry = counts.get(value) ?? { count: 0, text: index.sources[source]?.text.slice(start, end) ?? '' };
      entry.count += 1;
      counts.set(value, entry);
    }
  const found = [...counts]
    .flatMap(([value, { count, text }]) =>
      count >= BASE_PASSAGES ? [{ kind: 'number' as const, value, unit: '', text }] : [],
    )
    .slice(0, 4);
  bases.set(index, found);
  return found;
}

/** "In these two cases": a small number in words counts what the sentence itself names, and is looked up nowhere. */
function smallWord(
  figure: Quantity,
  { text }: Statement,
  near: readonly number[],
  index: EvidenceIndex,
): number | undefined {
  if (
    figure.kind !== 'number' ||
    figure.value > SMALL_WORD_MAX ||
    !/^\p{L}+$/u.test(text.slice(figure.start, figure.end))
  )
    return undefined;
  // Where a passage counts the same things otherwise, the word is no mere reference.
  const counted = near.some((at) =>
    index.passages[at]?.quantities.some(
      (known) =>
        known.kind === 'number' &&
        known.unit === figure.unit &&
        figure.unit !== '' &&
        compareQuantities(figure, known) === 'different',
    ),
  );
  return counted ? undefined : (near[0] ?? -1);
}

/** "16 June 2026" where a passage gives 16 June and the evidence that year elsewhere, and none gives another. */
function withoutItsYear(figure: Quantity, index: EvidenceIndex): number | undefined {
  const { kind, year, month, day } = figure;
  if (kind !== 'date' || year === undefined || month === undefined || day === undefined) return undefined;
  let found: number | undefined;
  let known = index.sources.some(({ observed_at }) => observed_at?.startsWith(`${year}-`) === true);
  for (const [at, passage] of index.passages.entries())
    for (const one of passage.instruction ? [] : passage.quantities) {
      if (one.kind !== 'date') continue;
      if (one.year === year) known = true;
      if (one.month !== month || one.day !== day) continue;
      if (one.year !== undefined) return undefined;
      found ??= at;
    }
  known ||= index.labels.some((one) => one.kind === 'date' && one.year === year);
  return known ? found : undefined;
}

/** A length of time between two times or dates of the statement itself, or of one passage near it. */
function durationOf(
  figure: Quantity,
  { text, quantities }: Statement,
  near: readonly number[],
  index: EvidenceIndex,
): string | undefined {
  const own = durationFrom(figure, quantities, text);
  if (own !== undefined) return own;
  for (const at of near.slice(0, 3)) {
    const passage = index.passages[at];
    const says = durationFrom(figure, passage?.quantities ?? [], index.sources[passage?.source ?? -1]?.text ?? '');
    if (says !== undefined) return says;
  }
  return undefined;
}

/** A time that lies so long before or after another: "nothing to eat for four hours before". */
function timeOf(
  figure: Quantity,
  { text, quantities }: Statement,
  near: readonly number[],
  index: EvidenceIndex,
): string | undefined {
  if (figure.kind !== 'time') return undefined;
  const lasting = (some: readonly Quantity[], whole: string): Lasting[] =>
    some.map((one) => ({ figure: one, text: whole.slice(one.start, one.end) }));
  const own = lasting(
    quantities.filter((one) => one !== figure),
    text,
  );
  const beside = near.slice(0, 2).flatMap((at) => {
    const passage = index.passages[at];
    return lasting(passage?.quantities ?? [], index.sources[passage?.source ?? -1]?.text ?? '');
  });
  const all = index.passages.flatMap(({ quantities: known, source, instruction }) =>
    instruction ? [] : lasting(known, index.sources[source]?.text ?? ''),
  );
  return timeFrom(figure, [...own, ...beside], [...own, ...all]);
}

/** The name of a source may give a date or a number that its text does not repeat. */
function inNames(figure: Quantity, near: readonly number[], index: EvidenceIndex): number | undefined {
  return index.labels.some((known) => known.kind === figure.kind && sameFigure(figure, known))
    ? (near[0] ?? -1)
    : undefined;
}

const SMALL_WORD_MAX = 3;

export function named(text: string, quantities: readonly Quantity[], offset = 0, place?: string): Named[] {
  return quantities
    .filter(({ kind, unit }) => kind !== 'date' && kind !== 'time' && unit !== 'ordinal')
    .map(({ kind, value, unit, start, end }) => ({
      kind,
      value,
      unit,
      text: text.slice(start - offset, end - offset),
      ...(place === undefined ? {} : { place }),
    }));
}
