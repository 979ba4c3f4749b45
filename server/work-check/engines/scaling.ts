import { type EvidenceIndex, passageText } from '../reading/evidence-index.ts';
import { type Quantity, readQuantities } from '../reading/quantities.ts';
import { tokenize } from '../reading/tokens.ts';
import type { Work } from '../statements.ts';
import { type Derivation, written } from './derivation.ts';
import { convert } from './units.ts';

const FRACTIONS: readonly (readonly [RegExp, number])[] = [
  [/\bthree[- ]quarters\b/i, 0.75],
  [/\btwo[- ]thirds\b/i, 2 / 3],
  [/\bhalf\b/i, 0.5],
  [/\b(?:a|one)[- ]third\b/i, 1 / 3],
  [/\b(?:a|one)[- ]quarter\b/i, 0.25],
];
const FACTOR = /\b(?:factor(?: of)?|multipl\w+ by|scaled? (?:up |down )?by|times)\s*[:=]?\s*(\d+(?:\.\d+)?)/gi;

/** Factors by which a work says that it scales what the evidence gives, and their parts that the evidence names. */
export function factorsIn(work: Work, { sources }: EvidenceIndex): number[] {
  const declared = [...work.plain.matchAll(FACTOR)]
    .map(([, figure = '']) => Number(figure))
    .filter((factor) => factor > 0 && factor !== 1);
  if (declared.length === 0) return [];
  const rules = sources
    .map(({ text }) => text)
    .join('\n')
    .split(/(?<=[.!?\n])/)
    .filter((line) => /\bfactor\b/i.test(line))
    .join(' ');
  const parts = FRACTIONS.filter(([pattern]) => pattern.test(rules)).map(([, part]) => part);
  return [...new Set(declared)].flatMap((factor) => [factor, ...parts.map((part) => factor * part)]);
}

/** A figure of the nearest passages that gives the claimed one when it is multiplied by a declared factor. */
export function scaledFrom(
  claimed: Quantity,
  near: readonly number[],
  index: EvidenceIndex,
  factors: readonly number[],
): Derivation | undefined {
  if (factors.length === 0 || claimed.kind === 'date' || claimed.kind === 'time') return undefined;
  for (const at of near.slice(0, 2)) {
    const passage = index.passages[at];
    if (passage === undefined) continue;
    const text = passageText(index, passage);
    for (const known of readQuantities(tokenize(text))) {
      if (known.kind !== claimed.kind) continue;
      for (const factor of factors) {
        const value =
          known.unit === claimed.unit ? known.value * factor : convert(known.value * factor, known.unit, claimed.unit);
        if (value === undefined || Math.abs(value - claimed.value) > 1e-6 * Math.max(1, value)) continue;
        const unit =
          known.unit === claimed.unit ? '' : ` ${known.unit}, which is ${written(claimed.value)} ${claimed.unit}`;
        return {
          value,
          says: `${written(known.value)} × ${written(factor)} = ${written(known.value * factor)}${unit}`,
        };
      }
    }
  }
  return undefined;
}
