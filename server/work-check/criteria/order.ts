import type { JudgedStatement } from '../assessors/port.ts';
import { clip } from '../quoting.ts';
import type { Quantity } from '../reading/quantities.ts';
import { stem, tokenize } from '../reading/tokens.ts';
import { wordsOfKey } from '../statements.ts';
import type { Kind, Reader } from './reader.ts';

const SORTED =
  /\b(?:in (?:the )?(?:(?:ascending|descending|rising|falling|chronological|running|right|alphabetical) )?order(?: of)?|sorted|ranked|ordered by|chronological\w*|from (?:the )?(?:highest|lowest|largest|smallest|cheapest|dearest|earliest|oldest|newest)|climb)\b/i;

/** "Wishes are in order of how often they were named": the figures or times of one list rise or fall throughout. */
const readOrder: Reader = (criterion, { judged }) => {
  const series =
    columnMeant(criterion, judged) ??
    longestSeries(judged.map(({ statement }) => ({ text: statement.text, quantities: statement.quantities })));
  if (series === undefined) return undefined;
  const { values, texts, at } = series;
  const rising = values.every((value, place) => place === 0 || value >= (values[place - 1] ?? 0));
  const falling = values.every((value, place) => place === 0 || value <= (values[place - 1] ?? 0));
  const shown = `“${clip(texts[0] ?? '')}” to “${clip(texts.at(-1) ?? '')}”`;
  if (rising || falling)
    return {
      status: 'met',
      reason: `The ${values.length} figures from ${shown} ${falling ? 'fall' : 'rise'} throughout.`,
      passages: [],
      statements: at,
    };
  const broken = values.findIndex(
    (value, place) =>
      place > 1 && Math.sign(value - (values[place - 1] ?? 0)) !== Math.sign((values[1] ?? 0) - (values[0] ?? 0)),
  );
  return {
    status: 'partly_met',
    reason: `The figures from ${shown} neither rise nor fall throughout: “${clip(texts[broken] ?? '')}” stands behind “${clip(texts[broken - 1] ?? '')}”.`,
    passages: [],
    statements: at,
  };
};

/** The column of a table of the work that a criterion names, as "from the cheapest bottle" names bottle_eur. */
function columnMeant(
  criterion: string,
  judged: readonly JudgedStatement[],
): { values: number[]; texts: string[]; at: number[] } | undefined {
  const asked = new Set(tokenize(criterion).flatMap(({ content, stem }) => (content ? [stem] : [])));
  const columns = new Map<string, { value: number; text: string; at: number }[]>();
  for (const [at, { statement }] of judged.entries()) {
    const { record, quantities } = statement;
    const figure = quantities.at(-1);
    if (record === undefined || figure === undefined) continue;
    if (
      !wordsOfKey(record.column)
        .split(' ')
        .some((word) => asked.has(stem(word)))
    )
      continue;
    const cells = columns.get(record.column) ?? [];
    cells.push({ value: sizeOf(figure), text: record.value, at });
    columns.set(record.column, cells);
  }
  const [cells] = [...columns.values()].filter(({ length }) => length >= 3);
  return cells === undefined
    ? undefined
    : { values: cells.map(({ value }) => value), texts: cells.map(({ text }) => text), at: cells.map(({ at }) => at) };
}

type Line = { text: string; quantities: readonly Quantity[] };

const sizeOf = (figure: Quantity): number =>
  figure.kind === 'date' ? (figure.year ?? 0) * 372 + (figure.month ?? 0) * 31 + (figure.day ?? 0) : figure.value;

/** Three or more figures of one kind: in one sentence that lists them, or first in statements side by side. */
function longestSeries(lines: readonly Line[]): { values: number[]; texts: string[]; at: number[] } | undefined {
  for (const [at, { text, quantities }] of lines.entries())
    for (const kind of ['percent', 'money'] as const) {
      const own = quantities.filter((figure) => figure.kind === kind);
      if (own.length >= 3)
        return { values: own.map(sizeOf), texts: own.map(({ start, end }) => text.slice(start, end)), at: [at] };
    }
  for (const kind of ['time', 'date', 'percent', 'money', 'number'] as const) {
    const first = lines.flatMap(({ text, quantities }, at) => {
      const figure = quantities.find((one) => one.kind === kind && one.start <= 12);
      return figure === undefined ? [] : [{ at, value: sizeOf(figure), text: text.slice(figure.start, figure.end) }];
    });
    if (first.length >= 3)
      return {
        values: first.map(({ value }) => value),
        texts: first.map(({ text }) => text),
        at: first.map(({ at }) => at),
      };
  }
  return undefined;
}

export const order: Kind = {
  name: 'order',
  decides: 'whether a list rises or falls throughout',
  known: SORTED,
  read: readOrder,
};
