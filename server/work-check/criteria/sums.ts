import type { AssessedFinding, JudgedStatement } from '../assessors/port.ts';
import { indexesOf } from '../assessors/summary.ts';
import { figureText } from '../engines/figures.ts';
import { written } from '../engines/printed.ts';
import type { Quantity } from '../reading/quantity.ts';
import { tokenize } from '../reading/tokens.ts';
import { wordsOfKey } from '../statements.ts';
import type { Kind, Reader } from './reader.ts';

type Entry = { judged: JudgedStatement; figure: Quantity; text: string };

const ADDENDS_MAX = 12;
const CENT = 0.0051;

/** "Downtime equals the incidents added up": a figure of the work and the run of others beside it that give it. */
const readSums: Reader = (criterion, { judged }) => {
  const own = readOwnFigures(criterion, judged);
  if (own !== undefined || !ADDS_UP.test(criterion)) return own;
  const table = readTotals(judged);
  if (table !== undefined) return table;
  const told = judged.filter(({ statement }) => statement.record === undefined);
  const kinds = new Set(told.flatMap(({ statement }) => statement.quantities.map(kindOf)));
  for (const kind of kinds) {
    const entries = told.flatMap((one): Entry[] => {
      const figure = one.statement.quantities.find((quantity) => kindOf(quantity) === kind);
      return figure === undefined ? [] : [{ judged: one, figure, text: figureText(one.statement, figure) }];
    });
    const found = kind === '' ? undefined : sumAmong(told, entries, kind);
    if (found === undefined) continue;
    const { total, parts } = found;
    const used = [total.judged, ...parts.map((part) => part.judged)];
    if (
      told.some(
        ({ status, open, statement }) =>
          status === 'contradicted' || (open.length > 0 && statement.quantities.some((one) => kindOf(one) === kind)),
      )
    )
      return undefined;
    return {
      status: 'met',
      reason: `The figures of the work add up: ${parts.map(({ text }) => text).join(' + ')} = ${total.text}.`,
      passages: [],
      statements: indexesOf([...new Set(used)], judged),
    };
  }
  return undefined;
};

const ADDS_UP =
  /\b(?:add(?:s|ed)? up|equals?|sums? (?:up )?to|fully explained by|make up the|follows? from the (?:list|parts|items)|is the sum of)\b/i;

/** What a criterion holds against the rest of the work: "The counts per class" agree with the list. */
const AGREES = /\b(?:agree|match(?:es)?|(?:is|are) (?:consistent|right|correct)|add up|equals?|follows?)\b/i;

/** "Counts per class agree with the list": every field that the criterion opens with, worked out anew from the work. */
function readOwnFigures(criterion: string, judged: readonly JudgedStatement[]): AssessedFinding | undefined {
  const asked = AGREES.exec(criterion);
  if (asked === null) return undefined;
  const words = new Set(
    tokenize(criterion.slice(0, asked.index)).flatMap(({ content, stem }) => (content ? [stem] : [])),
  );
  const meant = judged.filter(
    ({ statement: { kind, at, record } }) =>
      kind === 'leaf' &&
      cellValue(record?.value ?? '') !== undefined &&
      tokenize(wordsOfKey(at.replaceAll(/[.[\]]+/g, ' '))).some(({ stem }) => words.has(stem)),
  );
  if (meant.length < 2 || !meant.every(({ computed }) => computed !== undefined)) return undefined;
  const wrong = meant.find(({ status }) => status === 'contradicted');
  return {
    status: wrong === undefined ? 'met' : 'contradicted',
    reason:
      wrong === undefined
        ? `The ${meant.length} figures were worked out anew from the rest of the work and come out as given, “${meant[0]?.statement.text}” as ${meant[0]?.computed}.`
        : wrong.why,
    passages: [],
    statements: indexesOf(meant, judged),
  };
}

const TOTAL = /^(?:grand )?(?:total|sum)s?\b/i;

const cellValue = (text: string): number | undefined =>
  /^[€£$]?\s?-?\d[\d,]*(?:\.\d+)?$/.test(text.trim()) ? Number(text.replaceAll(/[^\d.-]/g, '')) : undefined;

/** The row and the column of totals in a table of the work, each cell added up anew. */
function readTotals(judged: readonly JudgedStatement[]): AssessedFinding | undefined {
  const cells = judged.flatMap(({ statement }, at) => {
    const value = statement.record === undefined ? undefined : cellValue(statement.record.value);
    return statement.kind !== 'cell' || statement.record === undefined || value === undefined
      ? []
      : [{ at, value, column: statement.record.column, identity: statement.record.identity }];
  });
  const inRow = cells.filter(({ identity }) => TOTAL.test(identity ?? ''));
  const summed = inRow.flatMap((total) => {
    const above = cells.filter((cell) => cell.column === total.column && !TOTAL.test(cell.identity ?? ''));
    return above.length < 2 ? [] : [{ total, sum: above.reduce((sum, { value }) => sum + value, 0) }];
  });
  const inColumn = cells.filter(({ column, identity }) => TOTAL.test(column) && !TOTAL.test(identity ?? ''));
  for (const total of inColumn) {
    const beside = cells.filter((cell) => cell.identity === total.identity && !TOTAL.test(cell.column));
    if (beside.length >= 2) summed.push({ total, sum: beside.reduce((sum, { value }) => sum + value, 0) });
  }
  if (summed.length === 0) return undefined;
  const wrong = summed.filter(({ total, sum }) => Math.abs(sum - total.value) > CENT);
  const statements = summed.map(({ total }) => total.at);
  const [first] = wrong;
  if (first === undefined)
    return {
      status: 'met',
      reason: `Each of the ${summed.length} totals in the table of the work was added up anew and comes out as given.`,
      passages: [],
      statements,
    };
  // Where no total comes out, the cells may be no addends.
  if (wrong.length === summed.length) return undefined;
  return {
    status: 'contradicted',
    reason: `The work gives “${first.total.value}” as the total of “${first.total.identity ?? first.total.column}”, but its own figures add up to ${written(Math.round(first.sum * 1e4) / 1e4)}.`,
    passages: [],
    statements,
  };
}

/** Dates and times are not added up; a bare number may count anything. */
const kindOf = ({ kind, unit }: Quantity): string =>
  kind === 'money' || (kind === 'number' && unit !== '' && unit !== 'ordinal') ? `${kind} ${unit}` : '';

/** A figure of one statement that a run of others, one a statement, adds up to. */
function sumAmong(
  told: readonly JudgedStatement[],
  entries: readonly Entry[],
  kind: string,
): { total: Entry; parts: Entry[] } | undefined {
  const totals = told.flatMap((judged): Entry[] =>
    judged.statement.quantities
      .filter((figure) => kindOf(figure) === kind)
      .map((figure) => ({ judged, figure, text: figureText(judged.statement, figure) })),
  );
  for (const total of totals)
    for (let from = 0; from < entries.length; from += 1) {
      let sum = 0;
      for (let to = from; to < Math.min(entries.length, from + ADDENDS_MAX); to += 1) {
        const entry = entries[to];
        if (entry === undefined || entry.judged === total.judged) break;
        sum += entry.figure.value;
        if (to > from && Math.abs(sum - total.figure.value) < CENT)
          return { total, parts: entries.slice(from, to + 1) };
      }
    }
  return undefined;
}

export const sums: Kind = {
  name: 'sums',
  basis: 'statements',
  decides: 'whether a total of the work is the sum of its parts',
  known: new RegExp(`${ADDS_UP.source}|${AGREES.source}`, 'i'),
  read: readSums,
};
