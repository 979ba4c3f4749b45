import { compareQuantities } from '../reading/compare-quantities.ts';
import type { Quantity } from '../reading/quantity.ts';
import type { Token } from '../reading/token.ts';
import { isLight } from '../support/everyday.ts';
import { areOpposed, entryOf } from '../support/lexicon.ts';
import { meansAlike } from '../support/word-relations.ts';
import { type MarkerClass, markerKey, markerOf } from './markers.ts';

/** A run of words as the kernel reads it: words of content, figures, and the markers between them. */
type Item = { start: number; end: number; first: number } & (
  | { is: 'word'; token: Token; name: boolean }
  | { is: 'figure'; figure: Quantity }
  | { is: 'marker'; key: string; of: MarkerClass }
  | { is: 'break'; mark: string; joined: boolean }
);

export type Clause = { tokens: readonly Token[]; quantities: readonly Quantity[] };

/** How a statement pairs with a passage: where in the passage, and whether word for word. */
export type Pairing = { start: number; end: number; verbatim: boolean };

const BREAKS = new Set([';', ':', '–', '—', '(', ')', ',', '|', '"', '“', '”', '?']);
const PRONOUNS = new Set('it they he she this these those we i you'.split(' '));
const PAST = new Set(['was', 'were', 'had', 'did']);
const PRESENT = new Set(['is', 'are', 'has', 'have', 'do', 'does']);

function itemsOf({ tokens, quantities }: Clause): Item[] {
  const items: Item[] = [];
  const figures = new Map(quantities.map((figure) => [figure.first, figure]));
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    const figure = figures.get(at);
    const place = { start: token.start, end: token.end, first: at };
    if (figure !== undefined) {
      items.push({ ...place, is: 'figure', figure, end: figure.end });
      at = Math.max(at, figure.last);
      continue;
    }
    const of = token.kind === 'word' ? markerOf(token.lower) : undefined;
    if (of !== undefined) items.push({ ...place, is: 'marker', key: markerKey(token.lower), of });
    else if (token.kind === 'mark') {
      const joined = JOINS.has(tokens[at + 1]?.lower ?? '');
      if (BREAKS.has(token.lower)) items.push({ ...place, is: 'break', mark: token.lower, joined });
    } else if (
      token.content ||
      (token.kind === 'word' && token.capital && token.lower.length === 1 && token.lower !== 'a' && token.lower !== 'i')
    )
      items.push({ ...place, is: 'word', token, name: token.capital && at > 0 });
  }
  return items;
}

/**
 * Where a passage says what a statement says: every figure, name and marker of the statement stands there once, in the
 * same order and in one clause, with no other marker, name or rival figure between, and nothing around that takes it
 * back. One date or time, if it is the only one on both sides, may stand elsewhere in the clause. Undefined where any of
 * that fails: the two may still mean the same, which is for a reader.
 */
export function pair(
  statement: Clause,
  passage: Clause,
  isNew: (token: Token) => boolean = () => false,
): Pairing | undefined {
  const own = itemsOf(statement).filter(({ is }) => is !== 'break');
  const known = itemsOf(passage);
  const [first, last] = [passage.tokens[0], passage.tokens.at(-1)];
  if (own.length > ITEMS_MAX || known.length > ITEMS_MAX || !isEnough(own)) return undefined;
  if (first === undefined || last === undefined || last.lower === '?') return undefined;
  if (isWordForWord(statement, passage)) return { start: first.start, end: last.end, verbatim: true };
  return PRONOUNS.has(statement.tokens[0]?.lower ?? '')
    ? undefined
    : pairItems(own, known, { statement, passage, isNew });
}

function pairItems(
  own: readonly Item[],
  known: readonly Item[],
  { statement, passage, isNew }: { statement: Clause; passage: Clause; isNew: (token: Token) => boolean },
): Pairing | undefined {
  const moved = movable(own, known);
  const ordered = moved === undefined ? own : own.filter((item) => !moved.own.includes(item));
  const [opening] = ordered;
  if (opening === undefined || !isEnough(ordered)) return undefined;
  for (const [from, item] of known.entries()) {
    const found = isSame(opening, item) ? pairFrom(ordered, known, from, isNew) : undefined;
    if (found === undefined) continue;
    const taken = [...found, ...(moved?.known ?? [])].sort((one, other) => one - other);
    const { first, last } = spanOf(known, taken);
    if (!isWhole(own, known, taken, from) || !sameTense(statement, passage, first, last)) continue;
    const isUnmoved = moved === undefined && found.length === own.length;
    const verbatim = isUnmoved && found.every((at, place) => at === from + place);
    return { start: first?.start ?? 0, end: last?.end ?? 0, verbatim };
  }
  return undefined;
}

const isTelling = ({ is }: Item): boolean => is === 'word' || is === 'figure';
const isEnough = (items: readonly Item[]): boolean => items.filter(isTelling).length >= TELLING_MIN;

/** From where to where the taken items of a passage stand. */
const spanOf = (known: readonly Item[], taken: readonly number[]) => ({
  first: known[taken[0] ?? 0],
  last: known[taken.at(-1) ?? 0],
});

/** The whole sentence, word for word; case, typography and the full stop aside. */
function isWordForWord(statement: Clause, passage: Clause): boolean {
  const words = ({ tokens }: Clause): string =>
    tokens.flatMap(({ kind, lower }) => (kind === 'mark' && !/[%€$£+<>=&#@/-]/.test(lower) ? [] : [lower])).join(' ');
  return words(statement) === words(passage);
}

/** A date or time that is the only one of its kind on both sides, with the marker that leads it. */
function movable(own: readonly Item[], known: readonly Item[]): { own: Item[]; known: number[] } | undefined {
  for (const kind of ['date', 'time'] as const) {
    const of = (items: readonly Item[]): number[] =>
      items.flatMap((item, at) => (item.is === 'figure' && item.figure.kind === kind ? [at] : []));
    const [[mine = -1, ...more], [theirs = -1, ...others]] = [of(own), of(known)];
    const [a, b] = [own[mine], known[theirs]];
    if (a === undefined || b === undefined || more.length > 0 || others.length > 0 || !isSame(a, b)) continue;
    const [lead, led] = [own[mine - 1], known[theirs - 1]];
    const leads = lead?.is === 'marker' && lead.of === 'relation';
    const isLed = led?.is === 'marker' && led.of === 'relation';
    if (leads !== isLed || (leads && isLed && lead.key !== led.key)) continue;
    return leads ? { own: [lead, a], known: [theirs - 1, theirs] } : { own: [a], known: [theirs] };
  }
  return undefined;
}

const TELLING_MIN = 2;
const ITEMS_MAX = 160;
/** Share of a statement's words that may be another form or a synonym of the passage's. */
const OTHER_WORDS = 0.25;

function isSame(own: Item, known: Item): boolean {
  if (own.is === 'figure') return known.is === 'figure' && isSameFigure(own.figure, known.figure);
  if (own.is === 'marker') return known.is === 'marker' && own.key === known.key;
  if (own.is !== 'word' || known.is !== 'word') return false;
  return (
    own.token.stem === known.token.stem || (!own.name && !known.name && meansAlike(own.token, known.token) >= ALIKE)
  );
}

const ALIKE = 0.85;

/** Equal within the digits printed on the claimed side; a bare number is no date, and units are the same or unsaid. */
function isSameFigure(own: Quantity, known: Quantity): boolean {
  if (own.kind !== known.kind && (own.kind === 'date' || known.kind === 'date')) return false;
  if (own.kind !== known.kind && (own.kind === 'percent' || known.kind === 'percent')) return false;
  if ((own.unit === 'ordinal') !== (known.unit === 'ordinal')) return false;
  return compareQuantities(own, known) === 'same';
}

/** The places of a statement's items in a passage, in order, from one place on; light words may be missing. */
function pairFrom(
  own: readonly Item[],
  known: readonly Item[],
  from: number,
  isNew: (token: Token) => boolean,
): number[] | undefined {
  const found: number[] = [];
  let at = from;
  let other = 0;
  for (const item of own) {
    const next = nextSame(item, known, at);
    if (next === undefined) {
      if (item.is !== 'word' || item.name) return undefined;
      if (isLight(item.token.lower)) continue;
      // Words exchanged for others mostly stand elsewhere in the evidence; one that stands nowhere says the same or more.
      if (
        !isNew(item.token) ||
        known.some((other) => other.is === 'word' && areOpposed(entryOf(item.token), entryOf(other.token)))
      )
        return undefined;
      other += 1;
      continue;
    }
    const there = known[next];
    if (item.is === 'word' && there?.is === 'word' && item.token.stem !== there.token.stem) other += 1;
    found.push(next);
    at = next + 1;
  }
  return other <= own.length * OTHER_WORDS ? found : undefined;
}

function nextSame(item: Item, known: readonly Item[], from: number): number | undefined {
  for (let at = from; at < known.length; at += 1) if (isSame(item, known[at] as Item)) return at;
  return undefined;
}

/** Whether nothing that the statement leaves out of the passage changes what it takes from it. */
function isWhole(own: readonly Item[], known: readonly Item[], taken: readonly number[], opening: number): boolean {
  const [from, to] = [taken[0] ?? 0, taken.at(-1) ?? 0];
  const figures = own.flatMap((item) => (item.is === 'figure' ? [item.figure] : []));
  const aside = asides(known, taken);
  for (let at = from + 1; at < to; at += 1) {
    const item = known[at] as Item;
    if (taken.includes(at) || aside.has(at)) continue;
    if (item.is === 'marker' || (item.is === 'break' && item.mark === ';')) return false;
    if (item.is === 'word' && item.name) return false;
    if (item.is === 'figure' && rivals(item.figure, figures)) return false;
  }
  return opensClause(known, opening, taken) && isUntouched(known, from, to, figures);
}

/** What stands in brackets and is not taken. */
function asides(known: readonly Item[], taken: readonly number[]): Set<number> {
  const aside = new Set<number>();
  for (let at = 0; at < known.length; at += 1) {
    const item = known[at] as Item;
    if (item.is !== 'break' || item.mark !== '(') continue;
    const end = known.findIndex((other, place) => place > at && other.is === 'break' && other.mark === ')');
    if (end === -1 || taken.some((one) => one > at && one < end)) continue;
    for (let one = at; one <= end; one += 1) aside.add(one);
  }
  return aside;
}

/** Another figure of the same kind and unit: which of the two is meant, the words between do not tell. */
const rivals = (figure: Quantity, own: readonly Quantity[]): boolean =>
  own.some(
    ({ kind, unit }) =>
      (kind === figure.kind || (kind !== 'date' && kind !== 'time' && figure.kind === 'number')) &&
      (unit === '' || figure.unit === '' || unit === figure.unit),
  );

const JOINS = new Set(['and', 'but', 'while', 'whereas', 'so', 'yet']);

/** Whether a clause of its own begins at an item: behind a semicolon or bar, or behind a comma and a joining word. */
const isJoint = (known: readonly Item[], at: number): boolean => {
  const item = known[at];
  if (item?.is === 'break') return item.mark === ';' || item.mark === '|' || (item.mark === ',' && item.joined);
  return false;
};

/** Whether a clause begins there: only what was taken, or an opening phrase without figures, names and markers, before it. */
function opensClause(known: readonly Item[], from: number, taken: readonly number[]): boolean {
  let phrase = false;
  for (let at = from - 1; at >= 0; at -= 1) {
    if (isJoint(known, at)) return true;
    const item = known[at] as Item;
    if (taken.includes(at)) continue;
    if (item.is === 'break' && item.mark === ',') phrase = true;
    else if (!phrase || item.is !== 'word' || (item.token.capital && at > 0)) return false;
  }
  return true;
}

/** Nothing before or behind in the clause takes it back, binds it to a condition, or gives a rival figure of a list. */
function isUntouched(known: readonly Item[], from: number, to: number, figures: readonly Quantity[]): boolean {
  const touches = (item: Item): boolean =>
    item.is === 'marker' &&
    (item.of === 'condition' || item.of === 'denial' || item.key === 'or' || item.key === 'respectively');
  for (let at = to + 1; at < known.length; at += 1) {
    const item = known[at] as Item;
    const next = known[at + 1];
    if (isJoint(known, at) && !(next?.is === 'marker' && (next.of === 'condition' || next.of === 'denial'))) break;
    if (touches(item)) return false;
    if (item.is === 'figure' && figures.length > 0 && at <= to + LIST_REACH && rivals(item.figure, figures.slice(-1)))
      return false;
  }
  for (let at = from - 1; at >= 0 && !isJoint(known, at); at -= 1) if (touches(known[at] as Item)) return false;
  return true;
}

/** "5 and 3": a figure this close behind the last one taken stands in a list with it. */
const LIST_REACH = 2;

function sameTense(statement: Clause, passage: Clause, first: Item | undefined, last: Item | undefined): boolean {
  const window = passage.tokens.slice(first?.first ?? 0, (last?.first ?? 0) + 1);
  const has = (tokens: readonly Token[], words: ReadonlySet<string>): boolean =>
    tokens.some(({ lower }) => words.has(lower));
  const [past, present] = [has(statement.tokens, PAST), has(statement.tokens, PRESENT)];
  const [wasPast, wasPresent] = [has(window, PAST), has(window, PRESENT)];
  return !(past && !present && wasPresent && !wasPast) && !(present && !past && wasPast && !wasPresent);
}
