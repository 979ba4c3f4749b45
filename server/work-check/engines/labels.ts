import type { EvidenceIndex, Passage } from '../reading/evidence-index.ts';
import type { Token } from '../reading/token.ts';
import { isContent, tokenize } from '../reading/tokens.ts';
import { isLight } from '../support/everyday.ts';
import type { Candidate } from './candidates.ts';
import { UNIT_WORDS, unitOfColumn } from './units.ts';

/** A word of a field's name, or of the name of the object around it, and how much it tells. */
type Word = { token: Token; weight: number; isAround?: boolean };
/** What a field asks for: the words of its name, and the unit that the name gives. */
export type Label = { words: readonly Word[]; unit: string };

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Names of fields say by these what kind of value it is, and not which one. */
const KINDS = setOf(
  'date day time number no nr id name value figure type code text key field amount count quantity total',
);
const KIND_WEIGHT = 0.25;
/** And by these which one of several. */
const VERSIONS = setOf('current new old previous prior next last first final initial former original');

/** How texts say what a field's name calls so, right before the value. */
const SAID_BEFORE: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['start', setOf('from')],
  ['end', setOf('to until')],
  ['birth', setOf('born')],
  ['deadline', setOf('by until')],
]);
/** And right behind it. */
const SAID_BEHIND: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['length', setOf('long')],
  ['width', setOf('wide')],
  ['height', setOf('high tall')],
  ['depth', setOf('deep')],
  ['annual', setOf('year annum')],
  ['yearly', setOf('year annum')],
  ['monthly', setOf('month')],
  ['weekly', setOf('week')],
  ['daily', setOf('day')],
  ['hourly', setOf('hour')],
]);
const LEAST = setOf('min minimum lowest low');
const MOST = setOf('max maximum highest high');
const RANGE = setOf('to until –');

/**
 * Reads the name of a field: "annual_rent_gbp" asks for what is annual and a rent, in pounds. The name of the object
 * around it tells the more, the less its own words do: `outbound.date`.
 */
export function labelOf(column: string, parent = ''): Label {
  const own = wordsOf(column, 1);
  const weight = own.some((word) => word.weight === 1) ? KIND_WEIGHT : 1;
  const around = wordsOf(parent, weight).map((word) => ({ ...word, isAround: true }));
  // "flow_l_min" and "ldl_mmol_l" give rates, whatever their last word is.
  const isRate = UNIT_WORDS.has(column.split(' ').at(-2) ?? '');
  const isOpen = isRate || /\bmin$|\b(?:last|this|next|previous) \w+$/.test(column);
  return { words: [...own, ...around], unit: isOpen ? '' : unitOfColumn(column) };
}

function wordsOf(name: string, weight: number): Word[] {
  const tokens = tokenize(name);
  return tokens
    .filter((token, at) => {
      const isUnit = at > 0 && UNIT_WORDS.has(token.lower) && tokens[at - 1]?.lower !== 'per' && !isLimit(token);
      return token.kind === 'word' && !isUnit && (isContent(token) || isLimit(token));
    })
    .map((token) => {
      // "salary_min" is a limit, "duration_min" may count minutes.
      const isOpen = token.lower === 'min' && token !== tokens[0];
      if (VERSIONS.has(token.lower)) return { token, weight };
      const isKind = isOpen || KINDS.has(token.lower) || (isLight(token.stem) && !SAID_BEFORE.has(token.lower));
      return { token, weight: isKind ? KIND_WEIGHT : weight };
    });
}

const isLimit = ({ lower }: Token): boolean => MOST.has(lower) || LEAST.has(lower);

/** Whether a name tells which value is meant, beyond its kind. */
export const tells = ({ words }: Label): boolean => words.some(({ weight }) => weight === 1);

/** How far before a value its label may stand, in tokens, and what it counts from farther off. */
const BEFORE = 7;
const FAR_BEFORE = 14;
const FAR = 0.6;
const FARTHER = 0.3;
/** How far behind a value its label may stand, in tokens. */
const BEHIND = 4;

/**
 * How well the words around a value are those of a field's name, 0 to 1: words before it count until another value of
 * the kind comes between; right behind it those that it counts, or that stand in brackets. What opens its line with a
 * colon counts for the whole line.
 */
export function labelled(label: Label, at: Candidate, all: readonly Candidate[], { passages }: EvidenceIndex): number {
  const passage = passages[at.passage];
  if (passage === undefined) return 0;
  const others = all.filter((one) => one.passage === at.passage && one.first !== at.first);
  let [held, total] = [0, 0];
  for (const { token, weight, isAround } of label.words) {
    total += weight;
    const near = isAround && opens(token, passage) ? 1 : nearness(token, at, others, passage);
    held += weight * Math.max(near, saidSo(token, at, others, passage));
  }
  return total === 0 ? 0 : held / total;
}

/** "temp" stands for a temperature, but "claim" is no claimant. */
const SHORT = 4;
const ENDING = 2;
const names = (word: Token, token: Token): boolean =>
  token.kind === 'word' &&
  ((token.stem === word.stem && Math.abs(token.lower.length - word.lower.length) <= ENDING) ||
    (word.lower.length === SHORT && token.lower.startsWith(word.lower)));

const opens = (word: Token, { tokens: [first, second] }: Passage): boolean =>
  first !== undefined && names(word, first) && second?.lower === ':';

const OPENING = 6;

/** "Rent: …" speaks of the rent as a whole. */
export function opensLine({ words }: Label, passage: Passage | undefined): boolean {
  const opening = passage?.tokens.slice(0, OPENING) ?? [];
  const colon = opening.findIndex(({ lower }) => lower === ':');
  const own = words.filter(({ weight }) => weight === 1);
  return (
    own.length > 0 && own.every(({ token }) => opening.slice(0, Math.max(colon, 0)).some((one) => names(token, one)))
  );
}

function nearness(word: Token, at: Candidate, others: readonly Candidate[], { tokens }: Passage): number {
  let best = 0;
  for (const [place, token] of tokens.entries()) {
    if (!names(word, token) || (place >= at.first && place <= at.last)) continue;
    best = Math.max(
      best,
      place < at.first ? fromBefore(place, at, others, tokens) : fromBehind(place, at, others, tokens),
    );
  }
  return best;
}

/** "from 1 May to 30 April" gives a start and an end, "4,800 to 5,900" the least and the most, "412 mm long" a length. */
function saidSo({ lower, stem }: Token, at: Candidate, others: readonly Candidate[], { tokens }: Passage): number {
  const before = tokens[at.first - 1]?.lower ?? '';
  const behind = tokens.slice(at.last + 1, at.last + 1 + SAID_WITHIN);
  const forms = SAID_BEHIND.get(lower) ?? SAID_BEHIND.get(stem);
  if (behind.some((token) => forms?.has(token.lower) === true)) return 1;
  if (SAID_BEFORE.get(stem)?.has(before) === true) return 1;
  const isWhen = at.quantity?.kind === 'date' || at.quantity?.kind === 'time';
  if (LEAST.has(stem) || (isWhen && stem === 'start'))
    return others.some((other) => isRange(at, other, tokens)) ? 1 : 0;
  if (!MOST.has(stem) && !(isWhen && stem === 'end')) return 0;
  return others.some((other) => isRange(other, at, tokens)) ? 1 : 0;
}

/** "EUR 23 per month", "412 mm long". */
const SAID_WITHIN = 3;

/** "18:00 to 20:35", "EUR 4,800 to EUR 5,900". */
const isRange = (from: Candidate, to: Candidate, tokens: readonly Token[]): boolean =>
  to.first > from.last && to.first - from.last <= 3 && RANGE.has(tokens[from.last + 1]?.lower ?? '');

function fromBefore(place: number, at: Candidate, others: readonly Candidate[], tokens: readonly Token[]): number {
  const between = tokens.slice(place + 1, at.first);
  if (between.some(({ lower }) => lower === ';')) return 0;
  if (others.some(({ first }) => first > place && first < at.first)) return 0.2;
  if (between.some(({ lower }) => lower === ',')) return FARTHER;
  // A word right behind another value may count that one: "24 desks, 26".
  if (others.some(({ last }) => last === place - 1 || (last < place && opensBracket(tokens, last + 1, place))))
    return FARTHER;
  const apart = at.first - place;
  return apart <= BEFORE ? 1 : apart <= FAR_BEFORE ? FAR : FARTHER;
}

/** "Harbour Lane Estates Ltd ("Landlord")": what brackets right behind a value say is said of that one. */
const opensBracket = (tokens: readonly Token[], at: number, place: number): boolean =>
  tokens[at]?.lower === '(' &&
  place - at <= BEHIND &&
  tokens[place + 1]?.lower !== ':' &&
  !tokens.slice(at, place).some(({ lower }) => lower === ')');

function fromBehind(place: number, at: Candidate, others: readonly Candidate[], tokens: readonly Token[]): number {
  const between = tokens.slice(at.last + 1, place);
  if (between.some(({ lower }) => lower === ';' || lower === ',' || lower === ':')) return 0;
  // "9 of 12 members" counts members twice.
  const counted = others.find(({ first }) => first > at.last && first < place);
  if (counted !== undefined && (counted.first !== at.last + 2 || between[0]?.lower !== 'of')) return 0;
  const apart = place - (counted?.last ?? at.last);
  // "(contact: Britta Lohse)" opens with the label of what stands in it.
  if (tokens[place + 1]?.lower === ':') return 0;
  const opening = between.findIndex(({ lower }) => lower === '(');
  const closing = tokens.findIndex(({ lower }, one) => one > place && lower === ')');
  // What brackets say beside a value of their own is said of that one.
  if (opening !== -1 && others.some(({ first }) => first > place && first < closing)) return 0;
  const inBrackets = opening !== -1 && apart <= BEHIND;
  // "LDL 3.4 mmol/l creatinine 82": the word belongs to the value behind it.
  const isNext = others.some(({ first }) => first > place && first - place <= 2);
  if (inBrackets || (apart <= 2 && !isNext)) return 1;
  return apart <= BEHIND && !isNext ? 0.7 : 0.2;
}

/** Whether a line gives a value as that of a field in so many signs: "Deposit: GBP 9,625", "| Deposit | 9,625 |". */
export function isGivenAs({ words }: Label, at: Candidate, { passages }: EvidenceIndex): boolean {
  const tokens = passages[at.passage]?.tokens ?? [];
  const from = tokens.slice(0, at.first).findLastIndex(({ lower }) => lower === ':' || lower === '|' || lower === '=');
  const between = tokens.slice(from + 1, at.first);
  if (from === -1 || between.some(({ kind, lower }) => kind === 'word' && !UNIT_WORDS.has(lower))) return false;
  const named = tokens.slice(Math.max(0, from - OPENING), from);
  const own = words.filter(({ isAround }) => isAround !== true);
  return own.every(({ token, weight }) => weight < 1 || named.some((one) => names(token, one)));
}
