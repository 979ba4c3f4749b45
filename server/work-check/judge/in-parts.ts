// Longer than 300 lines: the conditions of one reading, each a few lines, which share their window.
import { comparisonIn } from '../engines/comparison.ts';
import { type FigureAccount, sameFigure } from '../engines/figures.ts';
import type { Substitution } from '../engines/substitution.ts';
import { type EvidenceIndex, type Passage, passageText } from '../reading/evidence-index.ts';
import { deniedStems, onlyDenied } from '../reading/negation.ts';
import type { Quantity } from '../reading/quantities.ts';
import type { Token } from '../reading/token.ts';
import { tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { calculates, isLight } from '../support/everyday.ts';
import { areOpposed, entryOf } from '../support/lexicon.ts';
import { candidatesOf, matchWords, wantedOf } from '../support/passage-windows.ts';
import { meansAlike, turnedBetween } from '../support/word-relations.ts';
import { isInFigure } from './cover.ts';

/**
 * A statement in other words than the evidence's: each of its parts is looked for in one passage and the ones beside it.
 * It is borne out when every part stands somewhere in the same sense: its figures and names beside its subject, most of
 * its words in some form, nothing denied or turned round. This is no score: each condition can be pointed at.
 */
export type InParts =
  | { held: true; passages: number[] }
  /** A passage holds most of the words, but in another sense: `says` is a sentence about it. */
  | { held: false; passage: number; word: string; says: Otherwise };

/** What a passage tells otherwise: it denies it, has an opposite, another order, or lacks a word that says more. */
export type Otherwise = 'denied' | 'turned' | 'order' | 'stronger';

/** Share of the weight of a part's words, names and figures that must be held. */
const HELD = 0.66;
/** What a figure weighs beside words, which weigh by how rare they are; a rare word of no name weighs no more than this. */
const FIGURE_WEIGHT = 6;
const WORD_WEIGHT_MAX = 5.5;
const CANDIDATES = 8;
const PART_WORDS_MIN = 3;

type Part = { tokens: Token[]; quantities: Quantity[] };

/** How the passages hold the statement part by part; undefined when a part is not held at all. */
export function heldInParts(
  statement: Statement,
  accounts: readonly FigureAccount[],
  substitutions: readonly Substitution[],
  index: EvidenceIndex,
): InParts | undefined {
  if (substitutions.some(replacesOneWord)) return undefined;
  const whole = holding({ tokens: statement.tokens, quantities: statement.quantities }, statement, accounts, index);
  if (whole?.held === true) return whole;
  const parts = partsOf(statement);
  if (parts.length < 2) return whole;
  const passages: number[] = [];
  for (const part of parts) {
    const found = holding(part, statement, accounts, index);
    if (found?.held !== true) return whole ?? found;
    passages.push(...found.passages);
  }
  return { held: true, passages: [...new Set(passages)] };
}

/** Where a statement follows a passage closely, one word in the place of another may be just what is wrong. */
export function replacesOneWord({ kind, share, claimed, known }: Substitution): boolean {
  const [own, theirs] = [claimed, known].map((text) =>
    tokenize(text).filter(({ content, stem }) => content && !isLight(stem)),
  );
  const [word, other] = [own?.[0], theirs?.[0]];
  if (kind === 'name') return true;
  if (kind !== 'word' || share < FOLLOWS || (own?.length ?? 0) > 1 || (theirs?.length ?? 0) > 1) return false;
  return word === undefined || other === undefined || meansAlike(word, other) === 0;
}

const FOLLOWS = 0.6;

const JOINS = new Set(
  'and but while whereas so it they which who she he because since although after before'.split(' '),
);

/** Cuts a sentence where something else begins to be said; what is too short to stand alone stays with what is before it. */
function partsOf({ tokens, quantities }: Pick<Statement, 'tokens' | 'quantities'>): Part[] {
  const parts: Token[][] = [[]];
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1]?.lower ?? '';
    const cuts =
      token.kind === 'mark' && (token.lower === ';' || token.lower === ':' || (token.lower === ',' && JOINS.has(next)));
    const joins = token.lower === 'and' || token.lower === 'but';
    if (
      (cuts || joins) &&
      contentOf(parts.at(-1) ?? []) >= PART_WORDS_MIN &&
      contentOf(tokens.slice(at + 1)) >= PART_WORDS_MIN
    )
      parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts
    .filter((part) => part.length > 0)
    .map((part) => {
      const [start, end] = [part[0]?.start ?? 0, part.at(-1)?.end ?? 0];
      return { tokens: part, quantities: quantities.filter((figure) => figure.start >= start && figure.end <= end) };
    });
}

const contentOf = (tokens: readonly Token[]): number => tokens.filter(({ content }) => content).length;

/** A word that is looked for, and what it weighs. */
type WantedWord = { token: Token; weight: number; name: boolean };

function soughtIn(part: Part, statement: Statement, computed: boolean): WantedWord[] {
  const seen = new Set<string>();
  return part.tokens.flatMap((token) => {
    if (!token.content || token.kind !== 'word' || isLight(token.stem) || seen.has(token.stem)) return [];
    if (isInFigure(token, statement) || (computed && calculates(token.stem))) return [];
    seen.add(token.stem);
    const { rarity } = entryOf(token);
    const name = token.capital && token !== statement.tokens[0];
    return [{ token, weight: name ? rarity : Math.min(rarity, WORD_WEIGHT_MAX), name }];
  });
}

function holding(
  part: Part,
  statement: Statement,
  all: readonly FigureAccount[],
  index: EvidenceIndex,
): InParts | undefined {
  const accounts = all.filter(({ figure }) => part.quantities.includes(figure));
  const computed = accounts.some(({ state }) => state === 'computed') || comparisonIn(statement)?.holds === true;
  const sought = soughtIn(part, statement, computed);
  if (sought.length === 0) return undefined;
  const centers = candidatesFor(part, accounts, index);
  for (const at of centers.slice(0, DENIALS_LOOKED_AT)) {
    const word = deniedWord(index.passages[at], part);
    if (word !== undefined) return { held: false, passage: at, word, says: 'denied' };
  }
  let conflict: InParts | undefined;
  for (const center of centers) {
    const window = windowAt(center, index);
    if (window === undefined || !holdsMost(window, sought, accounts, index)) continue;
    const found = conflictWith(window, part, sought, computed, index);
    if (found === undefined) return { held: true, passages: window.passages };
    conflict ??= { held: false, passage: center, ...found };
  }
  return conflict;
}

/** A word of the part that a passage near it denies, where the part does not. */
function deniedWord(passage: Passage | undefined, { tokens }: Part): string | undefined {
  if (passage === undefined || tokens.some(({ denies }) => denies)) return undefined;
  const group = onlyDenied(passage.tokens).find(
    (stems) => stems.length > 0 && stems.every((one) => tokens.some(({ stem }) => stem === one)),
  );
  return tokens.find(({ stem }) => stem === group?.[0])?.lower;
}

const DENIALS_LOOKED_AT = 4;

/** Passages that may hold a part: those that share its words, and those that give its figures. */
function candidatesFor(part: Part, accounts: readonly FigureAccount[], index: EvidenceIndex): number[] {
  const wanted = wantedOf(part.tokens);
  const weights = wanted.map(({ weight }) => Math.min(weight, WORD_WEIGHT_MAX));
  const scores = new Map(
    candidatesOf(matchWords(wanted, index), weights).map(({ passage, score }) => [passage, score]),
  );
  for (const account of accounts)
    if (account.state === 'found' && account.passage >= 0)
      scores.set(account.passage, (scores.get(account.passage) ?? 0) + FIGURE_WEIGHT);
  return [...scores]
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, CANDIDATES)
    .map(([at]) => at);
}

/** A passage with the ones beside it, the passage itself first, and the name of their source. */
type Window = { middle: Passage; passages: number[]; tokens: Token[]; label: Token[] };

/** A row of a table or of a list of values stands for itself; a sentence is read with the ones beside it. */
const ROW = /[|;\t]|^[^.!?]*,[^.!?]*,[^.!?]*$/;

function windowAt(center: number, index: EvidenceIndex): Window | undefined {
  const middle = index.passages[center];
  // A question says nothing.
  if (middle === undefined || middle.instruction || middle.tokens.at(-1)?.lower === '?') return undefined;
  const passages = [center];
  if (!ROW.test(passageText(index, middle)))
    for (const at of [center - 1, center + 1]) {
      const beside = index.passages[at];
      if (beside === undefined || beside.source !== middle.source || beside.instruction) continue;
      if (!ROW.test(passageText(index, beside))) passages.push(at);
    }
  return {
    middle,
    passages,
    tokens: passages.flatMap((at) => index.passages[at]?.tokens ?? []),
    label: tokenize(index.sources[middle.source]?.source ?? ''),
  };
}

/** Whether a window holds each figure and name of a part, and most of its words. */
function holdsMost(
  window: Window,
  sought: readonly WantedWord[],
  accounts: readonly FigureAccount[],
  index: EvidenceIndex,
): boolean {
  const near = [...window.tokens, ...window.label].filter(({ kind, content }) => kind === 'word' && content);
  let [held, total] = [0, 0];
  for (const { token, weight, name } of sought) {
    total += weight;
    const level = near.reduce((best, other) => Math.max(best, meansAlike(token, other)), 0);
    if (level === 0 && name) return false;
    held += weight * level;
  }
  for (const { state, figure } of accounts) {
    const weight = state === 'computed' ? FIGURE_WEIGHT / 2 : FIGURE_WEIGHT;
    if (state !== 'computed' && !standsIn(figure, window, index)) return false;
    total += weight;
    held += weight;
  }
  return held >= HELD * total && namesFit(sought, window);
}

/** A figure stands in the middle passage, or beside it where the middle one gives no other of its kind. */
function standsIn(figure: Quantity, { passages, middle }: Window, index: EvidenceIndex): boolean {
  if (middle.quantities.some((known) => sameFigure(figure, known))) return true;
  if (middle.quantities.some((known) => known.kind === figure.kind && known.unit === figure.unit)) return false;
  return passages.some((at) => index.passages[at]?.quantities.some((known) => sameFigure(figure, known)) === true);
}

const placesOf = (names: readonly WantedWord[], { tokens }: Passage): number[] =>
  names.map(({ token }) => tokens.findIndex((other) => meansAlike(token, other) > 0));

/** Where the middle passage has names of its own, those of the part are among them or in the name of the source. */
function namesFit(sought: readonly WantedWord[], { middle, label }: Window): boolean {
  const names = sought.filter(({ name }) => name);
  const theirs = middle.tokens.some(({ capital, content }, at) => at > 0 && capital && content);
  const places = placesOf(names, middle);
  return (
    !theirs || names.every(({ token }, at) => (places[at] ?? -1) >= 0 || label.some(({ stem }) => stem === token.stem))
  );
}

/** Each place is behind the one before; what is found nowhere has none. */
const rise = (places: readonly number[]): boolean => {
  const found = places.filter((place) => place >= 0);
  return found.every((place, at) => at === 0 || place >= (found[at - 1] ?? -1));
};

/** In what a window that holds a part differs in sense, and the word of the part by which one sees it. */
function conflictWith(
  window: Window,
  part: Part,
  sought: readonly WantedWord[],
  computed: boolean,
  index: EvidenceIndex,
): { word: string; says: Otherwise } | undefined {
  const { middle } = window;
  const denied = isDenied(part, window, index);
  if (denied !== undefined) return { word: denied, says: 'denied' };
  const turned = turnedIn(part, window, sought);
  if (turned !== undefined) return { word: turned, says: 'turned' };
  const names = sought.filter(({ name }) => name);
  const figures = part.quantities.map((figure) => middle.quantities.findIndex((known) => sameFigure(figure, known)));
  if (!rise(placesOf(names, middle)) || !rise(figures)) return { word: names[0]?.token.lower ?? '', says: 'order' };
  const more = strongerIn(part, window) ?? (computed ? undefined : comparedIn(part, window));
  return more === undefined ? undefined : { word: more, says: 'stronger' };
}

/** A word that the passage lacks stands against its opposite there. */
function turnedIn(
  { tokens }: Part,
  { middle, tokens: known }: Window,
  sought: readonly WantedWord[],
): string | undefined {
  const missing = sought.filter(({ token }) => !known.some((other) => meansAlike(token, other) > 0));
  const opposed = missing.find(({ token }) =>
    middle.tokens.some((other) => other.content && areOpposed(entryOf(token), entryOf(other))),
  );
  if (opposed !== undefined) return opposed.token.lower;
  return turnedBetween(tokens, middle.tokens)?.[0];
}

/** The word that one side denies and the other says. */
function isDenied({ tokens }: Part, { middle, passages }: Window, index: EvidenceIndex): string | undefined {
  const denials = (some: readonly Token[]): Token[] => some.filter(({ denies }) => denies);
  const [own, known] = [denials(tokens), denials(middle.tokens)];
  const [ours, theirs] = [deniedStems(tokens).flat(), onlyDenied(middle.tokens).flat()];
  const [first] = own;
  if (first === undefined) {
    if (known.length === 0) return undefined;
    return (
      tokens.find(({ stem }) => theirs.includes(stem))?.lower ?? (theirs.length === 0 ? known[0]?.lower : undefined)
    );
  }
  if (own.length > 1 && own.length !== known.length) return first.lower;
  // What is denied here and said there.
  if (known.length > 0)
    return ours.length > 0 &&
      ours.every((stem) => middle.tokens.some((token) => token.stem === stem) && !theirs.includes(stem))
      ? first.lower
      : undefined;
  const beside = passages.some((at) =>
    deniedStems(index.passages[at]?.tokens ?? [])
      .flat()
      .some((stem) => ours.includes(stem)),
  );
  return beside ? undefined : first.lower;
}

/** Words of duty, extent and certainty; any of the second list bears the ones of the first out. */
const STRONG: readonly (readonly [ReadonlySet<string>, ReadonlySet<string>])[] = [
  ['must shall', 'must shall required requires require need needs have has only mandatory obliged compulsory to'],
  ['all every each', 'all every each any both entire whole everyone everybody always throughout'],
  ['only', 'only solely just sole exclusively no not except unless max maximum most'],
  ['always', 'always every each no not never'],
  [
    'guaranteed guarantee guarantees certainly definitely proved proven established',
    'guaranteed guarantee guarantees certainly definitely proved proven established',
  ],
].map(([own = '', known = '']) => [new Set(own.split(' ')), new Set(known.split(' '))] as const);

/** A word of duty, extent or certainty that the passages do not give. */
function strongerIn({ tokens }: Part, { tokens: known, label }: Window): string | undefined {
  const theirs = [...known, ...label].map(({ lower }) => lower);
  return tokens.find(({ lower }) =>
    STRONG.some(([own, borne]) => own.has(lower) && !theirs.some((other) => borne.has(other))),
  )?.lower;
}

const COMPARES =
  /^(?:more|less|fewer|most|least|best|worst|better|worse|previous|earlier|later|sooner|longer|shorter|higher|lower|greater|larger|smaller|bigger|cheaper|dearer|faster|slower|older|younger|newer|above|below|over|under|beyond|highest|lowest|largest|smallest|longest|shortest|cheapest|oldest|newest|earliest|latest|closest|nearest|heaviest|lightest|fastest|slowest|twice|half|double|rose|fell|rise|fall|increase\w*|decrease\w*|gain\w*|los[st]\w*|days?|weeks?|months?|years?|hours?|minutes?|quarters?)$/;

/** A word of comparison, direction or time that no passage of the window has: it turns what is said. */
function comparedIn({ tokens, quantities }: Part, { tokens: known }: Window): string | undefined {
  return tokens.find(
    (token) =>
      COMPARES.test(token.lower) &&
      !quantities.some(
        ({ unit, first, last }) => unit !== '' && (token === tokens[last + 1] || token === tokens[first]),
      ) &&
      !known.some((other) => other.lower === token.lower || meansAlike(token, other) > 0),
  )?.lower;
}
