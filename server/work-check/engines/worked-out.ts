import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { passageText } from '../reading/evidence-index.ts';
import type { Quantity } from '../reading/quantities.ts';
import { written } from './derivation.ts';

/** A figure of the evidence or the work as it is written there. */
type Named = { value: number; text: string };

/** A figure of fewer digits comes out of others by chance. */
const DIGITS_MIN = 4;
const POOL_MAX = 40;
const TRIPLES_POOL_MAX = 22;
/** Beyond this no pair is tried: the figures of a large source give anything. */
const EVIDENCE_MAX = 400;

/**
 * How a figure of four digits or more follows from figures of the evidence without a word that says so: as the sum of one
 * field of a tool's records, in whole units of what is kept in hundredths, or as a product. Exact to the printed digit.
 */
export function workedOut(
  figure: Quantity,
  printed: string,
  own: readonly Named[],
  near: readonly number[],
  index: EvidenceIndex,
): { says: string } | undefined {
  if (figure.kind !== 'money' && figure.kind !== 'number') return undefined;
  if (telling(printed) < DIGITS_MIN) return undefined;
  const exact = (value: number): boolean => Math.abs(value - figure.value) < 0.005 + 1e-9 * Math.abs(value);
  return fromFields(exact, index) ?? fromProducts(exact, own, near, index);
}

/** Digits that say something: "8,000" has one of them. */
const telling = (printed: string): number =>
  (/\d[\d.,]*/.exec(printed)?.[0] ?? '').replaceAll(/\D/g, '').replace(/^0+/, '').replace(/0+$/, '').length;

type Field = { key: string; values: number[] };

const fieldsOf = new WeakMap<EvidenceIndex, Field[]>();

/** The figures under each key of the JSON that a source holds. */
function fieldsIn(index: EvidenceIndex): Field[] {
  const known = fieldsOf.get(index);
  if (known !== undefined) return known;
  const fields = index.sources.flatMap(({ text }) => {
    const byKey = new Map<string, number[]>();
    for (const { 1: key = '', 2: value = '' } of text.matchAll(
      /"(\w{1,40})"\s*:\s*(-?\d{1,15}(?:\.\d{1,6})?)(?=\s*[,}\]])/g,
    ))
      byKey.set(key, [...(byKey.get(key) ?? []), Number(value)]);
    return [...byKey].map(([key, values]) => ({ key, values: values.slice(0, POOL_MAX) }));
  });
  fieldsOf.set(index, fields);
  return fields;
}

const HUNDREDTHS = /(?:^|_)(?:minor|cents?|pence|ct)(?:_|$)/i;

/** A sum of money that repeats what a tool's record gives in hundredths: "644,900 euros" for 644900 under `amount_minor`. */
export function takenForWhole({ kind, value }: Quantity, index: EvidenceIndex): { says: string } | undefined {
  if (kind !== 'money' || value < 100) return undefined;
  const field = fieldsIn(index).find(({ key, values }) => HUNDREDTHS.test(key) && values.includes(value));
  return field === undefined
    ? undefined
    : { says: `${written(value)} under “${field.key}” is ${written(value / 100)} in whole units.` };
}

function fromFields(exact: (value: number) => boolean, index: EvidenceIndex): { says: string } | undefined {
  for (const { key, values } of fieldsIn(index)) {
    const factor = HUNDREDTHS.test(key) ? 100 : 1;
    const part = factor === 1 ? undefined : values.find((value) => exact(value / factor));
    if (part !== undefined)
      return { says: `${written(part)} under “${key}” is ${written(part / factor)} in whole units` };
    const sum = values.reduce((total, value) => total + value, 0);
    if (values.length > 1 && exact(sum / factor))
      return {
        says: `the ${values.length} figures under “${key}” come to ${written(sum)}${factor === 1 ? '' : `, which is ${written(sum / factor)} in whole units`}`,
      };
  }
  return undefined;
}

function fromProducts(
  exact: (value: number) => boolean,
  own: readonly Named[],
  near: readonly number[],
  index: EvidenceIndex,
): { says: string } | undefined {
  const pool = poolOf(own, near, index);
  for (const [at, one] of pool.entries())
    for (const other of pool.slice(at + 1)) {
      const product = one.value * other.value;
      if (exact(product)) return { says: `${one.text} × ${other.text} = ${written(product)}` };
      // Cents as the price of a unit.
      if (/\b(?:ct|cents?|pence)\b/i.test(`${one.text} ${other.text}`) && exact(product / 100))
        return { says: `${one.text} × ${other.text} is ${written(product / 100)} in whole units` };
    }
  if (pool.length > TRIPLES_POOL_MAX) return undefined;
  for (const [at, one] of pool.entries())
    for (const [next, other] of pool.slice(at + 1).entries())
      for (const third of pool.slice(at + next + 2))
        if (exact(one.value * other.value * third.value))
          return {
            says: `${one.text} × ${other.text} × ${third.text} = ${written(one.value * other.value * third.value)}`,
          };
  return undefined;
}

/** Figures that may be factors: of the statement, of the passages near it, and of all evidence where it is short. */
function poolOf(own: readonly Named[], near: readonly number[], index: EvidenceIndex): Named[] {
  const total = index.passages.reduce((sum, { quantities }) => sum + quantities.length, 0);
  if (total > EVIDENCE_MAX) return [];
  const order = [...new Set([...near, ...(total <= POOL_MAX ? index.passages.keys() : [])])];
  const known = order.flatMap((at) => {
    const passage = index.passages[at];
    if (passage === undefined || passage.instruction) return [];
    const text = passageText(index, passage);
    return passage.quantities
      .filter(({ kind, unit }) => (kind === 'number' || kind === 'money') && unit !== 'ordinal')
      .map(({ value, start, end }) => ({ value, text: text.slice(start - passage.start, end - passage.start) }));
  });
  const unique = new Map([...own, ...known].filter(({ value }) => value > 1).map((one) => [one.value, one]));
  const small = new Map(
    [...own, ...known].filter(({ value }) => value > 0 && value < 1).map((one) => [one.value, one]),
  );
  return [...unique.values(), ...small.values()].slice(0, POOL_MAX);
}
