import type { JudgedStatement } from '../assessors/port.ts';
import { indexesOf } from '../assessors/summary.ts';
import { figureText } from '../engines/figures.ts';
import { written } from '../engines/derivation.ts';
import type { Quantity } from '../reading/quantities.ts';
import type { Kind, Reader } from './reader.ts';

type Entry = { judged: JudgedStatement; figure: Quantity; text: string };

const ADDENDS_MAX = 12;
const CENT = 0.0051;

/** "Downtime equals the incidents added up": a figure of the work and the run of others beside it that give it. */
const readSums: Reader = (_, { judged }) => {
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
    if (told.some(({ status, open, statement }) => status === 'contradicted' || (open.length > 0 && statement.quantities.some((one) => kindOf(one) === kind))))
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
  decides: 'whether a total of the work is the sum of its parts',
  known:
    /\b(?:add(?:s|ed)? up|equals?|sums? (?:up )?to|fully explained by|make up the|follows? from the (?:list|parts|items)|is the sum of)\b/i,
  read: readSums,
};
