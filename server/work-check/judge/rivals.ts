import { compareQuantities } from '../reading/compare-quantities.ts';
import { type EvidenceIndex, type Passage, passageText } from '../reading/evidence-index.ts';
import type { Quantity } from '../reading/quantity.ts';
import type { Token } from '../reading/token.ts';
import { isContent } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';

/** A figure of a statement, and the one that a passage on the same thing has in its place. */
export type Rival = { figure?: Quantity; claimed: string; known: string; passage: number };

/** "Three years" beside "2 years": a bare number of any kind competes with none, nor does a day with itself in no year. */
const isComparable = (own: Quantity, known: Quantity): boolean =>
  own.kind === known.kind &&
  own.unit === known.unit &&
  (own.kind !== 'number' || own.unit !== '') &&
  !(own.day !== undefined && own.day === known.day && own.month === known.month && known.year === undefined);

/**
 * A passage that holds this share of the statement's words and all its other figures, and has one figure of the same kind
 * and unit where the statement's is.
 */
export function rivalOf(
  statement: Statement,
  places: readonly number[],
  index: EvidenceIndex,
  share: number,
): Rival | undefined {
  for (const at of places) {
    const passage = passageAt(at, index);
    const foreign = statement.quantities.filter((own) => passage === undefined || !isHeld(own, passage));
    const [figure, ...more] = foreign;
    if (passage === undefined || figure === undefined || more.length > 0) continue;
    if (shareHeld(wordsOf(statement, 0, statement.tokens.length), passage) < share) continue;
    const rival = inPlaceOf(figure, statement, at, index);
    if (rival !== undefined) return rival;
  }
  return undefined;
}

/** The same for one figure by the words around it: a long sentence tells several things. */
export function rivalNear(
  statement: Statement,
  figure: Quantity,
  places: readonly number[],
  index: EvidenceIndex,
): Rival | undefined {
  const others = statement.quantities.filter((other) => other !== figure);
  const from = Math.max(0, ...others.flatMap(({ last }) => (last < figure.first ? [last + 1] : [])));
  const to = Math.min(statement.tokens.length, ...others.flatMap(({ first }) => (first > figure.last ? [first] : [])));
  const words = wordsOf(statement, Math.max(from, figure.first - BEFORE), Math.min(to, figure.last + BEHIND));
  if (words.length < WORDS_MIN) return undefined;
  for (const at of places) {
    const passage = passageAt(at, index);
    if (passage === undefined || shareHeld(words, passage) < AROUND) continue;
    const rival = inPlaceOf(figure, statement, at, index);
    if (rival !== undefined) return rival;
  }
  return undefined;
}

const BEFORE = 8;
const BEHIND = 5;
const WORDS_MIN = 2;
const AROUND = 0.5;

const passageAt = (at: number, { passages }: EvidenceIndex): Passage | undefined =>
  passages[at]?.instruction === false ? passages[at] : undefined;
const isSame = (own: Quantity, known: Quantity): boolean => compareQuantities(own, known) === 'same';
const isHeld = (own: Quantity, { quantities }: Passage): boolean => quantities.some((known) => isSame(own, known));

/** The only figure of a passage that could stand in the place of the statement's. */
function inPlaceOf(figure: Quantity, statement: Statement, at: number, index: EvidenceIndex): Rival | undefined {
  const passage = index.passages[at];
  const others = (passage?.quantities ?? []).filter(
    (known) => isComparable(figure, known) && !statement.quantities.some((own) => isSame(own, known)),
  );
  const [known] = others;
  if (passage === undefined || known === undefined || others.length > 1 || isHeld(figure, passage)) return undefined;
  const name = namedBy(statement, figure);
  if (name !== undefined && name === namedBy(passage, known)) return undefined;
  const text = index.sources[passage.source]?.text ?? '';
  return {
    figure,
    claimed: withUnit(statement.text, statement.tokens, figure),
    known: withUnit(text, passage.tokens, known),
    passage: at,
  };
}

/**
 * "Crate 7 holds 3 valves" and "Crate 8 holds 3 valves" are of two things: the capital word that a number stands behind,
 * where a further figure is told of it. "Attendance 120" is a figure alone.
 */
function namedBy(
  { tokens, quantities }: Pick<Statement, 'tokens' | 'quantities'>,
  { kind, first }: Quantity,
): string | undefined {
  const before = tokens[first - 1];
  return quantities.length > 1 && kind === 'number' && before?.kind === 'word' && before.capital
    ? before.stem
    : undefined;
}

/** A figure with the word it counts, as a reader would quote it. */
function withUnit(text: string, tokens: readonly Token[], { kind, unit, start, end, last }: Quantity): string {
  const next = tokens[last + 1];
  return text.slice(start, kind === 'number' && unit !== '' && next?.kind === 'word' ? next.end : end);
}

function wordsOf({ tokens, quantities }: Statement, from: number, to: number): string[] {
  return tokens.flatMap((token, at) =>
    at >= from && at < to && isContent(token) && !quantities.some(({ first, last }) => at >= first && at <= last)
      ? [token.stem]
      : [],
  );
}

const shareHeld = (words: readonly string[], { stems }: Passage): number =>
  words.filter((stem) => stems.has(stem)).length / Math.max(1, words.length);

/** A passage that says the same in the same words, but denies it, or asserts what the statement denies. */
export function denialOf(statement: Statement, places: readonly number[], index: EvidenceIndex): Rival | undefined {
  const words = wordsOf(statement, 0, statement.tokens.length);
  if (words.length < WORDS_MIN) return undefined;
  for (const at of places) {
    const passage = passageAt(at, index);
    if (passage === undefined || shareHeld(words, passage) < SAME_SAID || denies(passage) === denies(statement))
      continue;
    const { said } = saidBy(at, index);
    return { claimed: statement.text, known: said, passage: at };
  }
  return undefined;
}

const SAME_SAID = 0.75;
const denies = ({ tokens }: Pick<Statement, 'tokens'>): boolean => tokens.some((token) => token.denies);

/** The source and the words of a passage, as a reason quotes them. */
export function saidBy(at: number, index: EvidenceIndex): { source: string; said: string } {
  const passage = index.passages[at];
  return passage === undefined
    ? { source: 'the evidence', said: '' }
    : { source: index.sources[passage.source]?.source ?? 'the evidence', said: passageText(index, passage) };
}
