import { type EvidenceIndex, type Passage, passageText } from '../reading/evidence-index.ts';
import { compareQuantities, type Quantity } from '../reading/quantities.ts';
import { ofOneRate } from '../reading/rates.ts';
import type { Token } from '../reading/token.ts';
import { tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { namesSide, picksOne } from '../support/everyday.ts';
import { areOpposed, areSiblings, entryOf } from '../support/lexicon.ts';
import { holds, isWord, sharedCount, shareHeld } from './held-words.ts';
import { roleIn } from './roles.ts';

/** A passage that says the same of the same subject, but for one value: the words of both in that place. */
export type SlotConflict = { kind: 'figure' | 'name' | 'opposite'; claimed: string; known: string };

/** What is read of a statement, or of one of its clauses: `text` is what the offsets of its tokens count in. */
export type Said = Pick<Statement, 'text' | 'tokens' | 'quantities'>;

/** How much of the words around a figure the other side must hold. */
const OWN_SHARED = 0.6;
const KNOWN_SHARED = 0.7;
const WORDS_SHARED_MIN = 2;
/** A passage bears a statement out when it holds this much of its words, or less where it says nothing but several of its figures. */
const BORNE_OUT = 0.75;
const BORNE_OUT_BY_FIGURES = 0.4;
const PASSAGE_WORDS_MAX = 60;
const DENIED_WORDS_MIN = 3;

/** Words by which a figure is one that was planned, or of another time, and not the one that holds. */
const OTHER_CASE = new Set(
  (
    'plan planned budget budgeted target forecast expected estimated estimate order ordered previous previously last ' +
    'former formerly earlier old initial initially original originally draft proposed requested offered quoted limit ' +
    'maximum minimum least most average mean median total each per only other another additional extra further if unless ' +
    'until from since before after over under above below more less than up left remaining remain remains balance rest ' +
    'outstanding cheaper dearer higher lower longer shorter ahead behind difference saving save saves saved'
  ).split(' '),
);

/**
 * Where a statement, or a clause of it, and a passage give the same thing two values: a figure of one kind, who holds a
 * role, an opposite. `whole` are all figures of the statement: what it states itself is no other value.
 */
export function slotConflict(
  said: Said,
  whole: readonly Quantity[],
  passage: Passage,
  index: EvidenceIndex,
): SlotConflict | undefined {
  if (passage.instruction || passage.tokens.length > PASSAGE_WORDS_MAX || passage.tokens.at(-1)?.lower === '?')
    return undefined;
  const text = passageText(index, passage);
  return (
    roleConflict(said, passage, text) ??
    oppositeConflict(said, passage, text) ??
    figureConflict(said, whole, passage, text, labelStems(index.sources[passage.source]?.source ?? ''))
  );
}

/** Both say the same but for one word, which on the other side is its opposite, or is denied. */
function oppositeConflict(said: Said, passage: Passage, text: string): SlotConflict | undefined {
  const [own, known] = [wordsOf(said), wordsOf(passage)];
  if (own.length < WORDS_SHARED_MIN || !said.quantities.every((one) => isStated(one, passage.quantities)))
    return undefined;
  if (!passage.quantities.every((one) => isStated(one, said.quantities))) return undefined;
  const [left, theirs] = [own.filter((token) => !holds(known, token)), known.filter((token) => !holds(own, token))];
  const [denied, denies] = [said.tokens, passage.tokens].map((tokens) => tokens.some((token) => token.denies));
  const [word, other] = [left[0], theirs[0]];
  if (left.length === 0 && theirs.length === 0 && denied !== denies && own.length >= DENIED_WORDS_MIN)
    return { kind: 'opposite', claimed: said.text, known: text };
  if (word === undefined || other === undefined || left.length > 1 || theirs.length > 1 || denied || denies)
    return undefined;
  if (picksOne(word.lower) || !areOpposed(entryOf(word), entryOf(other))) return undefined;
  return own.length < WORDS_SHARED_MIN
    ? undefined
    : {
        kind: 'opposite',
        claimed: said.text.slice(word.start, word.end),
        known: text.slice(other.start - passage.start, other.end - passage.start),
      };
}

/** Whether a passage by itself holds what a statement says: nearly all its words, all its figures, and no denial more. */
export function bearsOut(said: Said, passage: Passage, index: EvidenceIndex): boolean {
  if (passage.instruction) return false;
  const known = [...wordsOf(passage), ...labelStems(index.sources[passage.source]?.source ?? '')];
  const own = wordsOf(said);
  const denies = (tokens: readonly Token[]): boolean => tokens.some((token) => token.denies);
  return (
    own.length > 0 &&
    denies(said.tokens) === denies(passage.tokens) &&
    said.quantities.every((figure) => passage.quantities.some((one) => compareQuantities(figure, one) === 'same')) &&
    (shareHeld(own, known) >= BORNE_OUT ||
      (said.quantities.length > 1 &&
        shareHeld(own, known) >= BORNE_OUT_BY_FIGURES &&
        shareHeld(wordsOf(passage), own) >= BORNE_OUT)) &&
    !own.some((token) => known.some((one) => areOpposed(entryOf(token), entryOf(one))) && !holds(known, token))
  );
}

function roleConflict(said: Said, passage: Passage, text: string): SlotConflict | undefined {
  const first = said.tokens[0]?.start ?? 0;
  const own = roleIn(said.text.slice(first, said.tokens.at(-1)?.end ?? first));
  const known = own === undefined ? undefined : roleIn(text, own.role);
  if (own === undefined || known === undefined || isSamePerson(own.name, known.name)) return undefined;
  const names = new Set(tokenize(`${own.name} ${known.name}`).map(({ stem }) => stem));
  const rest = wordsOf(said).filter(({ stem }) => !names.has(stem));
  return shareHeld(rest, wordsOf(passage)) >= KNOWN_SHARED
    ? { kind: 'name', claimed: own.name, known: known.name }
    : undefined;
}

/** "P. Nair" and "Priya Nair" are one person; so may be a first name and the full one. */
function isSamePerson(one: string, other: string): boolean {
  const words = (name: string): string[] => name.toLowerCase().split(/[\s.]+/);
  return words(one).some((word) => word.length > 1 && words(other).includes(word));
}

function figureConflict(
  said: Said,
  whole: readonly Quantity[],
  passage: Passage,
  text: string,
  label: readonly Token[],
): SlotConflict | undefined {
  const all = wordsOf(said);
  const theirs = wordsOf(passage);
  if (tellsApart(all, [...theirs, ...label], said.tokens[0]) || tellsApart(theirs, all, passage.tokens[0]))
    return undefined;
  if (picksOther(said.tokens, passage.tokens) || picksOther(passage.tokens, said.tokens)) return undefined;
  const own = said.quantities.filter((figure) => !isStated(figure, passage.quantities));
  const open = passage.quantities.filter((figure) => !isStated(figure, whole));
  const pairs = own.flatMap((figure) => {
    const rivals = open.filter(
      (one) =>
        isOfKind(figure, one) &&
        ofOneRate({ text: said.text, figure }, { text, figure: one, offset: passage.start }) &&
        isSameSlot(said, figure, passage, one, all, theirs, label),
    );
    return rivals.length === 1 && rivals[0] !== undefined ? [{ figure, other: rivals[0] }] : [];
  });
  const [first] = pairs;
  if (first === undefined || new Set(pairs.map(({ other }) => other)).size < pairs.length) return undefined;
  // Another date, or another figure beside it, is of another case.
  const paired = new Set(pairs.map(({ other }) => other));
  const unpaired = own.filter((one) => !pairs.some(({ figure }) => figure === one));
  if (open.some((one) => !paired.has(one) && (one.kind === 'date' || isOfKind(first.figure, one)))) return undefined;
  if (unpaired.some((one) => one.kind === 'date' || open.some((other) => !paired.has(other) && isOfKind(one, other))))
    return undefined;
  return {
    kind: 'figure',
    claimed: written(said.text, said.tokens, first.figure),
    known: written(text, passage.tokens, first.other, passage.start),
  };
}

const isStated = (one: Quantity, others: readonly Quantity[]): boolean =>
  others.some((other) => compareQuantities(one, other) === 'same' || compareQuantities(other, one) === 'same');

function isOfKind(figure: Quantity, other: Quantity): boolean {
  if (figure.kind !== other.kind || compareQuantities(figure, other) !== 'different') return false;
  if (figure.unit !== other.unit || figure.unit === 'ordinal') return false;
  return figure.kind !== 'number' || figure.unit !== '';
}

/** The words around both figures say the same: those since the figure before, up to the next, on either side. */
function isSameSlot(
  said: Said,
  figure: Quantity,
  passage: Passage,
  other: Quantity,
  all: readonly Token[],
  theirs: readonly Token[],
  label: readonly Token[],
): boolean {
  const own = around(said.tokens, said.quantities, figure);
  const known = around(passage.tokens, passage.quantities, other);
  const meant = nearestOf(said.tokens, own, figure);
  const told = figure.kind === 'date' ? theirs : [...theirs, ...label];
  if (meant === undefined || !holds(told, meant) || !own.some((token) => holds(known, token))) return false;
  // "Three patients stopped" are some of the "212 patients randomised".
  const counted = (token: Token): boolean => token.stem === figure.unit;
  if (figure.kind === 'number' && figure.value < other.value && own.every(counted) && known.every(counted)) {
    const [does, did] = [said, passage].map(({ tokens }, side) => behind(tokens, side === 0 ? figure : other));
    if (does !== undefined && did !== undefined && !holds([did], does)) return false;
  }
  if (sharedCount(said.tokens, passage.tokens) < WORDS_SHARED_MIN) return false;
  if (isOtherCase(own, theirs) || isOtherCase(known, all)) return false;
  if (shareHeld(own, [...theirs, ...label]) < OWN_SHARED || shareHeld(known, all) < KNOWN_SHARED) return false;
  // "until 7 May" and "from 9 May" give two things.
  const [before, theirsBefore] = [said.tokens[figure.first - 1]?.lower, passage.tokens[other.first - 1]?.lower];
  return wayOf(before) === wayOf(theirsBefore);
}

/** The first word of content behind what a figure counts: what is said of it. */
const behind = (tokens: readonly Token[], { last, unit }: Quantity): Token | undefined =>
  tokens.slice(last + 1, last + 1 + BEHIND_MAX).find((token) => token.content && token.stem !== unit);
const BEHIND_MAX = 5;

/** The word that says what a figure is: the last one before it, else the first one behind it. */
function nearestOf(tokens: readonly Token[], words: readonly Token[], figure: Quantity): Token | undefined {
  const at = tokens[figure.first]?.start ?? 0;
  return words.findLast(({ start }) => start < at) ?? words[0];
}

const isOtherCase = (words: readonly Token[], others: readonly Token[]): boolean =>
  words.some((token) => OTHER_CASE.has(token.lower) && !holds(others, token));

/** Small words in front of a figure, each with the way it points. */
const WAYS = new Map(
  (
    'from:from since:from until:to till:to by:to before:to to:to after:after over:above above:above than:than ' +
    'under:below below:below within:within plus:plus'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);

const wayOf = (word: string | undefined): string => WAYS.get(word ?? '') ?? '';

/** Content words since the last figure of the same kind, and up to the next. */
function around(tokens: readonly Token[], quantities: readonly Quantity[], figure: Quantity): Token[] {
  const alike = quantities.filter((one) => one !== figure && one.kind === figure.kind);
  const from = Math.max(0, ...alike.filter(({ last }) => last < figure.first).map(({ last }) => last + 1));
  const to = Math.min(tokens.length, ...alike.filter(({ first }) => first > figure.last).map(({ first }) => first));
  // What comes before a figure says what it is; a unit behind it belongs to it.
  const end = alike.some(({ first }) => first > figure.last) ? Math.min(to, figure.last + 2) : to;
  return tokens
    .slice(from, end)
    .filter(
      (token, at) => isWord(token) && !quantities.some(({ first, last }) => from + at >= first && from + at <= last),
    );
}

function wordsOf({ tokens, quantities }: Pick<Said, 'tokens' | 'quantities'>): Token[] {
  return tokens.filter(
    (token) => isWord(token) && !quantities.some(({ start, end }) => token.start >= start && token.end <= end),
  );
}

const labelStems = (name: string): Token[] => tokenize(name).filter(isWord);

/** The share of a statement's words that a passage and the name of its source hold. */
export function sharedWith(said: Said, passage: Passage, index: EvidenceIndex): number {
  return shareHeld(wordsOf(said), [...wordsOf(passage), ...labelStems(index.sources[passage.source]?.source ?? '')]);
}

/** Whether words that the other side lacks make it another subject or another case: a name, a side, an opposite, a plan. */
function tellsApart(words: readonly Token[], others: readonly Token[], opening: Token | undefined): boolean {
  return words.some((token) => {
    if (holds(others, token)) return false;
    if (namesSide(token.lower) || WEEKDAY.test(token.lower)) return true;
    const entry = entryOf(token);
    // A sentence opens with a capital whatever word it is; one that no list of words knows is a name.
    if (token.capital && token.lower.length > 1 && (token !== opening || entry.stem === '')) return true;
    return others.some((one) => areOpposed(entry, entryOf(one)) || areSiblings(entry, entryOf(one)));
  });
}

/** "The last dose" beside "the first dose": one of several, and the other side speaks of another. */
function picksOther(tokens: readonly Token[], others: readonly Token[]): boolean {
  return tokens.some(
    ({ lower, stem }) => picksOne(lower) && !others.some((one) => one.stem === stem || one.lower === lower),
  );
}

const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$/;

/** A figure with the word that it counts. */
function written(
  text: string,
  tokens: readonly Token[],
  { start, end, last, kind, unit }: Quantity,
  offset = 0,
): string {
  const next = tokens[last + 1];
  const counts = kind === 'number' && unit !== '' && next?.kind === 'word' && next.content && next.start <= end + 1;
  return text.slice(start - offset, (counts ? next.end : end) - offset);
}
