import type { JudgedStatement } from '../assessors/port.ts';
import { clip } from '../quoting.ts';
import type { Quantity } from '../reading/quantity.ts';
import { stem, tokenize } from '../reading/tokens.ts';
import { type Statement, wordsOfKey } from '../statements.ts';
import type { Kind, Reader } from './reader.ts';

const SORTED =
  /\b(?:in (?:the )?(?:(?:ascending|descending|rising|falling|chronological|running|right|alphabetical) )?order(?: of)?(?! [\p{L} -]+(?:,| and \p{L}))|sorted|ranked|ordered by|chronological\w*|from (?:the )?(?:highest|lowest|largest|smallest|biggest|cheapest|dearest|earliest|latest|oldest|newest|soonest)|(?:highest|lowest|largest|smallest|biggest|cheapest|dearest|earliest|latest|oldest|newest|soonest|most \p{L}+) (?:\p{L}+ )?(?:first|at the top|on top)|climb)\b/iu;
const FALLING =
  /\b(?:descending|falling|from (?:the )?(?:highest|largest|biggest|dearest|latest|newest)|(?:highest|largest|biggest|dearest|latest|newest|most \p{L}+) (?:\p{L}+ )?(?:first|at the top|on top)|latest to|newest to)\b/iu;
const RISING =
  /\b(?:ascending|rising|climb|chronological\w*|from (?:the )?(?:lowest|smallest|cheapest|earliest|oldest|soonest)|(?:lowest|smallest|cheapest|earliest|oldest|soonest) (?:\p{L}+ )?(?:first|at the top|on top))\b/iu;

/** Values of one list, one after the other; `name` tells whose value it is, where a row or record has a name. */
type Series = { key: string; values: { value: number; text: string; name: string; at: number }[] };

/** "Wishes are in order of how often they were named": the figures or times of one list rise or fall throughout. */
const readOrder: Reader = (criterion, { judged }) => {
  const series = seriesMeant(criterion, judged);
  if (series === undefined) return undefined;
  const { values } = series;
  const ways = [
    ...(RISING.test(criterion) && !FALLING.test(criterion) ? [] : [-1]),
    ...(FALLING.test(criterion) && !RISING.test(criterion) ? [] : [1]),
  ];
  const breaks = ways.map((way) => ({ way, at: breakIn(values, way) })).sort((a, b) => rank(b.at) - rank(a.at));
  const [best] = breaks;
  if (best === undefined) return undefined;
  const shown = `“${clip(values[0]?.text ?? '')}” to “${clip(values.at(-1)?.text ?? '')}”`;
  const base = { passages: [], statements: values.map(({ at }) => at) };
  if (best.at === undefined)
    return {
      status: 'met',
      reason: `The ${values.length} figures from ${shown} ${best.way < 0 ? 'fall' : 'rise'} throughout.`,
      ...base,
    };
  const asked =
    ways.length > 1 ? 'neither rise nor fall throughout' : `do not ${best.way < 0 ? 'fall' : 'rise'} throughout`;
  return {
    status: 'partly_met',
    reason: `The figures from ${shown} ${asked}: ${told(values[best.at])} stands behind ${told(values[best.at - 1])}.`,
    ...base,
  };
};

const rank = (at: number | undefined): number => at ?? Number.POSITIVE_INFINITY;

const told = (one: Series['values'][number] | undefined): string =>
  one === undefined ? '' : `“${clip(one.text)}”${one.name === '' ? '' : ` (${clip(one.name)})`}`;

/** The first place where values do not go on in one way; undefined where they all do. */
function breakIn(values: Series['values'], way: number): number | undefined {
  const at = values.findIndex(({ value }, place) => place > 0 && (value - (values[place - 1]?.value ?? 0)) * way < 0);
  return at === -1 ? undefined : at;
}

/** The list whose field, column or heading a criterion names, else the longest one that could be meant. */
function seriesMeant(criterion: string, judged: readonly JudgedStatement[]): Series | undefined {
  const asked = new Set(tokenize(criterion).flatMap(({ content, stem: one }) => (content ? [one] : [])));
  const named = ({ key }: Series): boolean => key.split(/[ _]/).some((word) => asked.has(stem(word.toLowerCase())));
  const fields = fieldSeries(judged);
  const inTime = TIMED.test(criterion)
    ? fields.find(({ key }) => /\b(?:dates?|times?|days?|starts?|begins?|when|due|deadline)\b/.test(key))
    : undefined;
  const found = fields.find(named) ?? inTime;
  if (found !== undefined) return found;
  if (WEIGHED.test(criterion)) return undefined;
  const listed = listSeries(judged);
  return listed.find(named) ?? sentenceSeries(judged) ?? longest(listed);
}

const TIMED = /\b(?:chronological\w*|earliest|latest|oldest|newest|soonest)\b/i;
/** What no figure of the work need tell. */
const WEIGHED = /\b(?:severity|importance|priority|relevance|urgency|serious|important|urgent|relevant)\b/i;
const LENGTH_MIN = 3;

const longest = (some: readonly Series[]): Series | undefined =>
  [...some].sort((a, b) => b.values.length - a.values.length)[0];

/** The values of each column of a table, and of each field that the records of a list have. */
function fieldSeries(judged: readonly JudgedStatement[]): Series[] {
  const series = new Map<string, Series>();
  for (const [at, { statement }] of judged.entries()) {
    const { record, quantities } = statement;
    const list = listOf(statement);
    if (record === undefined || quantities.length === 0 || list === undefined) continue;
    const found = series.get(list) ?? { key: wordsOfKey(record.column), values: [] };
    found.values.push({ value: sizeOfAll(quantities), text: record.value, name: record.identity ?? '', at });
    series.set(list, found);
  }
  return [...series.values()].filter(({ values }) => values.length >= LENGTH_MIN);
}

/** What the values of one column, or of one field in a list of records, have in common. */
function listOf({ at, place, record }: Statement): string | undefined {
  if ('path' in place) return /\/\d+\//.test(place.path) ? place.path.replaceAll(/\/\d+(?=\/|$)/g, '/*') : undefined;
  return `${/^table \d+/.exec(at)?.[0] ?? ''} ${record?.column ?? ''}`;
}

/** The first figures of list items or sentences that stand below one heading, of each kind. */
function listSeries(judged: readonly JudgedStatement[]): Series[] {
  const series = new Map<string, Series>();
  for (const [at, { statement }] of judged.entries()) {
    if (statement.record !== undefined) continue;
    for (const kind of ['time', 'date', 'percent', 'money', 'number'] as const) {
      const figure = statement.quantities.find((own) => own.kind === kind && own.start <= OPENING);
      if (figure === undefined) continue;
      const list = `${kind} ${statement.kind} ${statement.under}`;
      const found = series.get(list) ?? { key: statement.under, values: [] };
      found.values.push({ value: sizeOf(figure), text: statement.text.slice(figure.start, figure.end), name: '', at });
      series.set(list, found);
    }
  }
  return [...series.values()].filter(({ values }) => values.length >= LENGTH_MIN);
}

const OPENING = 12;

const sizeOf = (figure: Quantity): number =>
  figure.kind === 'date' ? (figure.year ?? 0) * 372 + (figure.month ?? 0) * 31 + (figure.day ?? 0) : figure.value;

const DAY = 1440;

/** The size of a cell or field: its day and time together, else its last figure. */
function sizeOfAll(quantities: readonly Quantity[]): number {
  const date = quantities.find(({ kind }) => kind === 'date');
  const time = quantities.find(({ kind }) => kind === 'time');
  const last = quantities.at(-1);
  if (date !== undefined) return sizeOf(date) * DAY + (time?.value ?? 0);
  return last === undefined ? 0 : sizeOf(last);
}

/** Three or more shares or sums that one sentence lists. */
function sentenceSeries(judged: readonly JudgedStatement[]): Series | undefined {
  for (const [at, { statement }] of judged.entries())
    for (const kind of ['percent', 'money'] as const) {
      const own = statement.record === undefined ? statement.quantities.filter((figure) => figure.kind === kind) : [];
      if (own.length >= LENGTH_MIN)
        return {
          key: '',
          values: own.map((figure) => ({
            value: sizeOf(figure),
            text: statement.text.slice(figure.start, figure.end),
            name: '',
            at,
          })),
        };
    }
  return undefined;
}

export const order: Kind = {
  name: 'order',
  basis: 'form',
  decides: 'whether a list rises or falls throughout',
  known: SORTED,
  read: readOrder,
};
