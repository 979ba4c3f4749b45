import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { compareQuantities, isMeasure, type Quantity } from '../reading/quantities.ts';
import type { Span } from '../reading/sentences.ts';
import type { Token } from '../reading/token.ts';
import { convert, UNIT_WORDS } from './units.ts';

/** A value of the evidence that a field could hold, and where it stands. */
export type Candidate = Span & { passage: number; first: number; last: number; quantity?: Quantity };

/** The dates, the times, or the figures that fit the unit, of all evidence. */
export function figuresLike(own: Quantity, unit: string, { passages }: EvidenceIndex): Candidate[] {
  return passages.flatMap(({ instruction, quantities, tokens }, passage) =>
    (instruction ? [] : quantities)
      .filter((known) => fits(known, own, unit) && !isInWord(known, tokens))
      .map((quantity) => ({
        passage,
        start: quantity.start,
        end: quantity.end,
        first: quantity.first,
        last: quantity.last,
        quantity,
      })),
  );
}

/** The figure of a name: "HbA1c". */
function isInWord({ first, start }: Quantity, tokens: readonly Token[]): boolean {
  const before = tokens[first - 1];
  return before?.kind === 'word' && before.end === start;
}

function fits(known: Quantity, own: Quantity, unit: string): boolean {
  if (own.kind === 'date') return known.kind === 'date' && known.month !== undefined;
  if (own.kind === 'time') return known.kind === 'time';
  if (known.kind === 'date' || known.kind === 'time' || known.unit === 'ordinal') return false;
  return unit === '' || known.unit === '' || known.unit === unit || convert(1, known.unit, unit) === 1;
}

/** Runs of capitalised words; what stands in front of a colon is a label. */
export function namesIn({ passages }: EvidenceIndex, words: number): Candidate[] {
  return passages.flatMap(({ tokens, instruction }, passage) => {
    if (instruction) return [];
    const found: Candidate[] = [];
    let from = -1;
    for (let at = 0; at <= tokens.length; at += 1) {
      const token = tokens[at];
      const isName = token?.kind === 'word' && token.capital && token.lower.length > 1;
      if (isName && from === -1) from = at;
      if (isName || from === -1) continue;
      const [opening, closing] = [tokens[from], tokens[at - 1]];
      const isLabel = token?.lower === ':';
      if (!isLabel && at - from >= Math.min(words, 2) && opening !== undefined && closing !== undefined)
        found.push({ passage, start: opening.start, end: closing.end, first: from, last: at - 1 });
      from = -1;
    }
    return found;
  });
}

const sameValue = (one: number, other: number): boolean => Math.abs(one - other) < 1e-9;

/** Whether a candidate gives a value: the same figure, or the same words. */
export function gives(candidate: Candidate, own: Quantity | undefined, value: string, index: EvidenceIndex): boolean {
  const { quantity } = candidate;
  if (own !== undefined && quantity !== undefined)
    return own.kind === 'date' || own.kind === 'time'
      ? compareQuantities(quantity, own) === 'same' || compareQuantities(own, quantity) === 'same'
      : sameValue(quantity.value, own.value);
  const source = index.passages[candidate.passage]?.source ?? -1;
  const text = (index.sources[source]?.text ?? '').slice(candidate.start, candidate.end).toLowerCase();
  const wanted = value.toLowerCase();
  return text === wanted || text.includes(wanted) || wanted.includes(text);
}

/** A figure that the evidence gives in other units only, where a field's name asks for one: 30 days are no 30 months. */
export function inOtherUnit(
  own: Quantity,
  unit: string,
  { passages }: EvidenceIndex,
): { passage: number; quantity: Quantity } | undefined {
  if (unit === '' || own.kind !== 'number') return undefined;
  const same = passages.flatMap(({ quantities, instruction }, passage) =>
    (instruction ? [] : quantities)
      .filter(({ kind, value }) => kind !== 'date' && kind !== 'time' && sameValue(value, own.value))
      .map((quantity) => ({ passage, quantity })),
  );
  const isOther = ({ quantity }: { quantity: Quantity }): boolean =>
    quantity.unit !== unit && (quantity.kind !== 'number' || isMeasure(quantity) || UNIT_WORDS.has(quantity.unit));
  return same.every(isOther) ? same[0] : undefined;
}
