import { weekdayOf } from '../reading/calendar-words.ts';
import type { Quantity } from '../reading/quantity.ts';
import { DAY_MS, operate, type Result, ratio, whole } from './amounts.ts';
import { type Node, parse } from './expression.ts';
import { FUNCTIONS } from './functions.ts';

/** What an expression works with: a figure that stands in the evidence, or what another derivation came to. */
export type Operand = {
  figure: Quantity | undefined;
  text: string;
  result?: Result;
  /** How many instances it stands for when it is counted; one unless said. */
  instances?: number;
};

/** Stands in for the year that a date leaves out: not a leap year. */
const SOME_YEAR = 2001;

/**
 * Works an expression out with exact fractions; undefined where it is not of the grammar or mixes kinds. A date without its
 * year is of the only year that the other operands tell, else of `year`.
 */
export function evaluate(expression: string, operands: readonly Operand[], year?: number): Result | undefined {
  const tree = parse(expression, operands.length);
  if (tree === undefined) return undefined;
  const years = new Set(operands.flatMap(({ figure }) => (figure?.kind === 'date' ? (figure.year ?? []) : [])));
  const [told] = years;
  return workOut(tree, operands, years.size === 1 ? told : years.size === 0 ? year : undefined);
}

/** The weekday that a phrase without a figure names: "every Monday". */
const weekdayIn = (text: string): number | undefined =>
  /\d/.test(text)
    ? undefined
    : text
        .match(/\p{L}+/gu)
        ?.map(weekdayOf)
        .find((day) => day !== undefined);

/** A decimal as it is printed, as a fraction. */
function exact(value: number, unit: string): Result | undefined {
  const found = /^(-?\d+)(?:\.(\d+))?$/.exec(String(value));
  if (found === null) return undefined;
  const digits = found[2] ?? '';
  return ratio(BigInt(found[1] + digits), 10n ** BigInt(digits.length), unit);
}

function workOut(node: Node, operands: readonly Operand[], year: number | undefined): Result | undefined {
  switch (node.is) {
    case 'constant':
      return whole(node.value, '');
    case 'operand':
      return operandValue(operands[node.at], year);
    case 'operator':
      return operate(node.mark, workOut(node.left, operands, year), workOut(node.right, operands, year));
    case 'call': {
      // Instances are counted whether or not there is a figure in them.
      if (node.name === 'count') return countOf(node.of, operands);
      const values = node.of.map((one) => workOut(one, operands, year));
      return values.includes(undefined) ? undefined : FUNCTIONS[node.name]?.(values as Result[]);
    }
    default:
      return node satisfies never;
  }
}

function operandValue(operand: Operand | undefined, year: number | undefined): Result | undefined {
  if (operand?.result !== undefined) return operand.result;
  const figure = operand?.figure;
  const weekday = weekdayIn(operand?.text ?? '');
  if (weekday !== undefined) return whole(weekday, 'weekday');
  if (figure === undefined) return undefined;
  switch (figure.kind) {
    case 'date':
      return dateOf(figure, year);
    case 'time':
      return exact(figure.value, 'time');
    case 'percent':
      return exact(figure.value, '%');
    case 'money':
      return exact(figure.value, figure.unit);
    case 'number': {
      const value = exact(figure.value, '');
      return value === undefined ? undefined : { ...value, told: figure.unit };
    }
    default:
      return figure.kind satisfies never;
  }
}

function dateOf(figure: Quantity, year: number | undefined): Result | undefined {
  if (figure.month === undefined || figure.day === undefined) return undefined;
  const known = figure.year ?? year;
  const days = Date.UTC(known ?? SOME_YEAR, figure.month - 1, figure.day) / DAY_MS;
  return known === undefined ? { ...whole(days, 'date'), withoutYear: true } : whole(days, 'date');
}

function countOf(of: readonly Node[], operands: readonly Operand[]): Result | undefined {
  const places = of.flatMap((one) => (one.is === 'operand' ? [one.at] : []));
  if (places.length < of.length) return undefined;
  const counted = [...new Set(places)].reduce((sum, at) => sum + (operands[at]?.instances ?? 1), 0);
  return whole(counted, '');
}
