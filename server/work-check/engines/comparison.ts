import type { Quantity } from '../reading/quantity.ts';
import type { Statement } from '../statements.ts';

/** Two figures of one sentence that a comparative sets against each other, and whether they stand as it says. */
export type Comparison = { holds: boolean; word: string; says: string };

/** Comparatives by which the first figure is the greater one, and those by which it is the smaller one. */
const GREATER =
  'more higher greater larger bigger longer older heavier later warmer hotter dearer costlier taller wider deeper stronger louder busier';
const SMALLER =
  'less fewer lower smaller shorter younger lighter earlier colder cooler cheaper narrower weaker quieter shallower';
/** Of speed: greater in metres a second, smaller in seconds. */
const FASTER = 'faster quicker speedier';
const SLOWER = 'slower';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
const ways = { greater: setOf(GREATER), smaller: setOf(SMALLER), faster: setOf(FASTER), slower: setOf(SLOWER) };

const DURATIONS = setOf('millisecond second minute hour day week month year');

/** "With 102 mm a second it is slower than the L2, which manages 127": the two figures against the word between them. */
export function comparisonIn({ text, tokens, quantities }: Statement): Comparison | undefined {
  const than = tokens.findIndex(({ lower }) => lower === 'than');
  const place = tokens[than]?.start;
  if (than < 1 || place === undefined || tokens.some(({ denies }) => denies)) return undefined;
  const compared = comparedIn(text, quantities, place);
  if (compared === undefined) return undefined;
  const [own, other] = compared;
  const at = tokens.findLastIndex(
    (token, index) => index < than && index >= than - 2 && wayOf(token.lower, own) !== undefined,
  );
  const word = tokens[at];
  const way = word === undefined ? undefined : wayOf(word.lower, own);
  if (word === undefined || way === undefined || own.value === other.value) return undefined;
  // "2 days longer than": the figure says by how much; "more than 20" says no other thing.
  if (own.end <= place && (at <= own.last + 2 || other.first === than + 1)) return undefined;
  const [one, two] = [own, other].map(({ start, end }) => text.slice(start, end));
  const greater = own.value > other.value;
  return {
    holds: greater === (way === 'greater'),
    word: word.lower,
    says: `${one} is ${greater ? 'more' : 'less'} than ${two}`,
  };
}

/** The two figures on the sides of "than". */
function comparedIn(text: string, quantities: readonly Quantity[], place: number): [Quantity, Quantity] | undefined {
  // The 2 of "L2" is part of a name.
  const figures = quantities.filter(({ start }) => !/[\p{L}-]$/u.test(text.slice(0, start)));
  const before = figures.filter(({ end }) => end <= place);
  const after = figures.filter(({ start }) => start > place);
  const bracketed = inBrackets(text, after);
  const [own, other] = before.length === 0 && bracketed !== undefined ? bracketed : [before.at(-1), after[0]];
  if (own === undefined || other === undefined || !areAlike(own, other)) return undefined;
  // A third figure of the kind may be the difference of the two, or one of the two that are meant.
  const isThird = (one: Quantity): boolean => one !== own && one !== other && areAlike(one, own);
  return [...before, ...after].some(isThird) ? undefined : [own, other];
}

/** "The late shift picked more lines than the early one (30,300 against 38,400)": first the one, then the other. */
function inBrackets(text: string, [own, other]: readonly Quantity[]): [Quantity, Quantity] | undefined {
  if (own === undefined || other === undefined) return undefined;
  const opens = /\([^()\d]{0,4}$/.test(text.slice(0, own.start));
  const against = /^[^()\d]{0,20}\b(?:against|versus|vs\.?|compared (?:with|to)|as against)\b[^()\d]{0,6}$/i;
  const closes = /^[^()\d]{0,24}\)/.test(text.slice(other.end));
  return opens && closes && against.test(text.slice(own.end, other.start)) ? [own, other] : undefined;
}

function areAlike(a: Quantity, b: Quantity): boolean {
  if (a.kind !== b.kind || a.kind === 'date' || a.kind === 'time' || a.unit === 'ordinal' || b.unit === 'ordinal')
    return false;
  return a.unit === b.unit || a.unit === '' || b.unit === '';
}

function wayOf(word: string, { unit }: Quantity): 'greater' | 'smaller' | undefined {
  if (ways.greater.has(word)) return 'greater';
  if (ways.smaller.has(word)) return 'smaller';
  const lasts = DURATIONS.has(unit);
  if (ways.faster.has(word)) return lasts ? 'smaller' : 'greater';
  return ways.slower.has(word) ? (lasts ? 'greater' : 'smaller') : undefined;
}
