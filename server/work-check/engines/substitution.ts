import { type EvidenceIndex, isHeld, type Passage, passageText } from '../reading/evidence-index.ts';
import { compareQuantities, type Quantity } from '../reading/quantities.ts';
import { ofOneRate } from '../reading/rates.ts';
import type { Span } from '../reading/sentences.ts';
import type { Token } from '../reading/token.ts';
import { tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { everydayFor, isLight, namesSide } from '../support/everyday.ts';
import { areOpposed, areSiblings, entryOf } from '../support/lexicon.ts';
import { type Alignment, align, type Gap } from './alignment.ts';
import { isPlanned } from './planned.ts';

/** Where a statement follows a passage word by word and differs in one place. */
export type Substitution = {
  kind: 'figure' | 'name' | 'word';
  claimed: string;
  known: string;
  passage: number;
  /** Where it stands in the statement's text. */
  own: Span;
  share: number;
  /** Both sides hold one word for the same place, so that a reader sees what differs. */
  telling: boolean;
};

/** A passage is followed when it shares this much of the weight of the statement's words. */
const FOLLOWS = 0.5;
/** Only then does another figure or name contradict. */
const FOLLOWS_CLOSELY = 0.6;
const PASSAGES_LOOKED_AT = 4;
const GAP_WORDS_MAX = 3;
/** "Too high by EUR 96" gives a difference, and not a price. */
const BY = /\bby\s+(?:\p{Lu}{3}\s*|[€$£])?$/u;

/** A word replaced, that the passage holds nowhere and that no relation of meaning explains. */
export function findSubstitutions(statement: Statement, index: EvidenceIndex, near: readonly number[]): Substitution[] {
  const names = namesOf(statement, index);
  const aligned = near
    .slice(0, PASSAGES_LOOKED_AT)
    .flatMap((at) => {
      const passage = index.passages[at];
      return passage === undefined || passage.instruction || !canFollow(statement.tokens, passage.stems)
        ? []
        : [{ at, passage, alignment: align(statement.tokens, passage.tokens) }];
    })
    .sort((a, b) => named(names, b.passage) - named(names, a.passage) || b.alignment.share - a.alignment.share);
  const [best] = aligned;
  // A passage about another of the names is no ground to contradict what is said of this one.
  if (best === undefined || best.alignment.share < FOLLOWS || (names.size > 0 && named(names, best.passage) === 0))
    return [];
  const found: Substitution[] = [];
  const conflicts = best.alignment.gaps.filter((gap) => isConflict(gap, statement, best.passage));
  for (const gap of best.alignment.gaps) {
    const substitution = substitutionIn(gap, statement, best.at, best.alignment, index);
    if (substitution === undefined) continue;
    // What another passage holds in the same place is no fault.
    const own = statement.tokens.slice(...gap.own).filter(({ content }) => content);
    const elsewhere = aligned.some(
      ({ at, passage, alignment }) =>
        at !== best.at &&
        alignment.share >= best.alignment.share - 0.2 &&
        own.every(({ stem }) => passage.stems.has(stem)),
    );
    // Where the passage speaks of somebody or something else, another figure in it says nothing of this one.
    const other = substitution.kind === 'figure' && conflicts.some((one) => one !== gap);
    const planned = substitution.kind === 'figure' && isPlanned(statement, best.passage, index);
    if (!elsewhere && !other && !planned) found.push(substitution);
  }
  return found;
}

/** Capitalised words of a whole sentence that the evidence knows, in whichever of its clauses they stand. */
function namesOf({ text }: Statement, index: EvidenceIndex): ReadonlySet<string> {
  const names = tokenize(text).filter(
    ({ capital, content, kind, stem }, at) => at > 0 && capital && content && kind === 'word' && isHeld(index, stem),
  );
  return new Set(names.map(({ stem }) => stem));
}

const named = (names: ReadonlySet<string>, { stems }: { stems: ReadonlySet<string> }): number =>
  names.size === 0 ? 0 : [...names].filter((stem) => stems.has(stem)).length;

/** Whether a gap tells two subjects apart: names, numbers, opposites or kinds of one thing stand against each other. */
function isConflict({ own, known }: Gap, statement: Statement, passage: Passage): boolean {
  const mine = statement.tokens.slice(...own).filter(({ content }) => content);
  const theirs = passage.tokens.slice(...known).filter(({ content }) => content);
  const [first, other] = [mine[0], theirs[0]];
  if (first === undefined || other === undefined) return false;
  if (first.kind === 'number' || other.kind === 'number') return first.kind === other.kind;
  if ((first.capital && other.capital) || (namesSide(first.lower) && namesSide(other.lower))) return true;
  return mine.some((token) =>
    theirs.some((one) => areOpposed(entryOf(token), entryOf(one)) || areSiblings(entryOf(token), entryOf(one))),
  );
}

/** Whether a passage can share enough of the statement's words: a look that costs much less than aligning. */
function canFollow(tokens: readonly Token[], stems: ReadonlySet<string>): boolean {
  let [shared, total] = [0, 0];
  for (const token of tokens) {
    if (!token.content) continue;
    const weight = entryOf(token).rarity;
    total += weight;
    if (stems.has(token.stem)) shared += weight;
  }
  return shared >= FOLLOWS * total;
}

function substitutionIn(
  gap: Gap,
  statement: Statement,
  at: number,
  { share, word_share }: Alignment,
  index: EvidenceIndex,
): Substitution | undefined {
  const passage = index.passages[at];
  if (passage === undefined) return undefined;
  const own = statement.tokens.slice(...gap.own).filter(({ content }) => content);
  const known = passage.tokens.slice(...gap.known).filter(({ content }) => content);
  if (own.length === 0 || known.length === 0 || own.length > GAP_WORDS_MAX || known.length > GAP_WORDS_MAX + 1)
    return undefined;
  const base = {
    claimed: textOf(statement.text, statement.tokens, gap.own, 0),
    known: textOf(passageText(index, passage), passage.tokens, gap.known, passage.start),
    passage: at,
    own: { start: statement.tokens[gap.own[0]]?.start ?? 0, end: statement.tokens[gap.own[1] - 1]?.end ?? 0 },
    share,
    telling: gap.anchored === 'both' && own.length === 1 && known.length === 1 && isConflict(gap, statement, passage),
  };
  const closely = share >= FOLLOWS_CLOSELY && (gap.anchored === 'both' || share >= 0.8);
  const figure = figureIn(statement.quantities, gap.own);
  const other = figureIn(passage.quantities, gap.known);
  if (figure !== undefined && other !== undefined) {
    const followed =
      word_share >= FOLLOWS_CLOSELY &&
      (gap.anchored === 'both' || word_share >= 0.8) &&
      isBare(own, figure) &&
      isBare(known, other);
    const stated = statement.quantities.some((one) => compareQuantities(one, other) === 'same');
    const sameUnit = figure.unit === other.unit;
    const differs = compareQuantities(figure, other) === 'different' && (sameUnit || figure.value === other.value);
    const text = passageText(index, passage);
    const isBy = (whole: string, at: number): boolean => BY.test(whole.slice(0, at));
    const sameWay = isBy(statement.text, figure.start) === isBy(text, other.start - passage.start);
    const oneRate = ofOneRate({ text: statement.text, figure }, { text, figure: other, offset: passage.start });
    return followed &&
      differs &&
      oneRate &&
      sameWay &&
      !stated &&
      !passage.quantities.some((one) => compareQuantities(figure, one) === 'same')
      ? {
          kind: 'figure',
          ...base,
          claimed: statement.text.slice(figure.start, figure.end),
          known: passageText(index, passage).slice(other.start - passage.start, other.end - passage.start),
        }
      : undefined;
  }
  if (figure !== undefined || other !== undefined) return undefined;
  const fresh = own.filter((token) => !isRelated(token, known, passage.stems, gap));
  if (fresh.length === 0) return undefined;
  const names =
    own.every(({ capital, kind }) => capital && kind === 'word') &&
    known.every(({ capital, kind }) => capital && kind === 'word') &&
    gap.own[0] > 0;
  const swapped = names && own.some(({ stem }) => !known.some((token) => token.stem === stem));
  return swapped && closely && gap.anchored === 'both' ? { kind: 'name', ...base } : { kind: 'word', ...base };
}

/** Whether a gap holds a figure and no other word that says something. */
const isBare = (tokens: readonly Token[], { start, end }: Quantity): boolean =>
  tokens.every((token) => token.start >= start && token.end <= end);

/** A figure is in a gap with any part of it: of "380 million euros" against "308 million euros" only the digits differ. */
function figureIn(quantities: readonly Quantity[], [from, to]: readonly [number, number]): Quantity | undefined {
  return quantities.find(({ first, last }) => first < to && last >= from);
}

/** Whether a word stands in the passage after all, or one of the words in its place means the same. */
function isRelated(token: Token, known: readonly Token[], stems: ReadonlySet<string>, gap: Gap): boolean {
  const entry = entryOf(token);
  const named = token.capital && gap.anchored === 'both';
  if (isLight(token.stem) || (stems.has(token.stem) && !named)) return true;
  return known.some((other) => {
    const theirs = entryOf(other);
    const alike = (a: readonly string[], stem: string): boolean => a.includes(stem);
    return (
      everydayFor(token.stem).includes(other.stem) ||
      alike(entry.synonyms, other.stem) ||
      alike(theirs.synonyms, token.stem) ||
      alike(entry.broader, other.stem) ||
      alike(theirs.broader, token.stem) ||
      (other.stem.length >= 5 && other.stem.slice(0, 5) === token.stem.slice(0, 5))
    );
  });
}

function textOf(text: string, tokens: readonly Token[], [from, to]: readonly [number, number], offset: number): string {
  return text.slice((tokens[from]?.start ?? 0) - offset, (tokens[to - 1]?.end ?? 0) - offset);
}
