import { align } from '../engines/alignment.ts';
import { type EvidenceIndex, type Passage, passageText } from '../reading/evidence-index.ts';
import type { Token } from '../reading/token.ts';
import type { Statement } from '../statements.ts';
import { meansAlike, turnedBetween } from '../support/word-relations.ts';
import { type Judgement, placeOf, quote, sourceName, where } from './ground.ts';
import type { InParts } from './in-parts.ts';

/** What a passage says otherwise than a statement, short of a contradiction. */
export type ToldOtherwise = Omit<Judgement, 'status'>;

/** How much it says against a statement that a passage tells it otherwise, beside figures and names that stand nowhere. */
export const TOLD_OTHERWISE = 3;

/** A passage that holds most of the statement's words in another sense. */
export function otherwiseIn(
  statement: Statement,
  { passage: at, word, says }: Extract<InParts, { held: false }>,
  index: EvidenceIndex,
): ToldOtherwise {
  const passage = index.passages[at];
  const source = sourceName(index, passage?.source ?? -1);
  const said = quote(passage === undefined ? '' : passageText(index, passage));
  const told = {
    denied: `The two differ in what they deny; ${source} says ${said}.`,
    turned: `Its “${word}” stands against another word in the closest passage; ${source} says ${said}.`,
    order: `The closest passage has the same names or figures in another order; ${source} says ${said}.`,
    stronger: `The closest passage is without “${word}”; ${source} says ${said}.`,
  }[says];
  return {
    why: `The evidence does not settle ${where(statement)}. ${told}`,
    passages: placeOf(index, at),
    suspect: says === 'denied' || says === 'turned' ? TOLD_OTHERWISE : 1,
  };
}

/** So closely does a statement follow a passage that one word in another's place is what it says otherwise. */
const VERBATIM = 0.85;
const VERBATIM_WORDS_MIN = 5;
const POSSIBLE = /^(?:can|may|might|could|should)$/;
const CERTAINLY = /^(?:must|will|shall|always|never|only|cannot)$/;

/**
 * The word of a statement that stands in the place of another where the two are the same word for word: "must cause" beside
 * "can cause", "is not the coldest" beside "is the coldest", "best-selling play album" beside "best-selling debut album".
 */
function changedWord(statement: Statement, passage: Passage): { own: string; known: string } | undefined {
  if (statement.tokens.filter(({ content }) => content).length < VERBATIM_WORDS_MIN) return undefined;
  const { share, gaps } = align(statement.tokens, passage.tokens);
  if (share < VERBATIM) return undefined;
  const denials = (tokens: readonly Token[]): Token[] => tokens.filter(({ denies }) => denies);
  const [ours, theirs] = [denials(statement.tokens), denials(passage.tokens)];
  if (ours.length > theirs.length && ours[0] !== undefined) return { own: ours[0].lower, known: '' };
  for (const { own, known, anchored } of gaps) {
    const [mine, other] = [statement.tokens.slice(...own), passage.tokens.slice(...known)];
    const [word, instead] = [mine[0], other[0]];
    if (anchored !== 'both' || mine.length !== 1 || other.length !== 1 || word === undefined || instead === undefined)
      continue;
    const strengthened = CERTAINLY.test(word.lower) && POSSIBLE.test(instead.lower);
    const replaced =
      word.content &&
      instead.content &&
      word.kind === 'word' &&
      instead.kind === 'word' &&
      meansAlike(word, instead) === 0;
    if (strengthened || replaced) return { own: word.lower, known: instead.lower };
  }
  return undefined;
}

/** What a passage that a statement follows word for word says in the place of one of its words. */
export function changedIn(
  statement: Statement,
  near: readonly number[],
  index: EvidenceIndex,
): ToldOtherwise | undefined {
  for (const at of near.slice(0, CHANGES_LOOKED_FOR)) {
    const passage = index.passages[at];
    if (passage === undefined || passage.instruction) continue;
    const changed = changedWord(statement, passage);
    if (changed === undefined) continue;
    const source = sourceName(index, passage.source);
    const said = quote(passageText(index, passage));
    const told =
      changed.known === ''
        ? `The two differ in what they deny; ${source} says ${said}.`
        : `Where it says “${changed.own}”, ${source} says “${changed.known}”: ${said}.`;
    return {
      why: `The evidence does not settle ${where(statement)}. ${told}`,
      open: [changed.own],
      passages: placeOf(index, at),
      suspect: TOLD_OTHERWISE,
    };
  }
  return undefined;
}

const CHANGES_LOOKED_FOR = 2;

/** A small word of a statement in whose place its closest passage has the opposite one. */
export function turnedWord(
  statement: Statement,
  closest: number | undefined,
  index: EvidenceIndex,
): ToldOtherwise | undefined {
  const passage = index.passages[closest ?? -1];
  if (closest === undefined || passage === undefined) return undefined;
  const turned = turnedBetween(statement.tokens, passage.tokens);
  if (turned === undefined) return undefined;
  const [one, other] = turned;
  return {
    why: `The evidence does not settle ${where(statement)}. Where it says “${one}”, ${sourceName(index, passage.source)} says “${other}”: ${quote(passageText(index, passage))}.`,
    open: [one],
    passages: placeOf(index, closest),
    suspect: TOLD_OTHERWISE,
  };
}

function hedged(statement: Statement, hedge: { word: string; passage: number }, index: EvidenceIndex): ToldOtherwise {
  return {
    open: [hedge.word],
    why: `The evidence does not settle ${where(statement)}. ${sourceName(index, index.passages[hedge.passage]?.source ?? -1)} says it with “${hedge.word}”, which the work leaves out: ${quote(passageText(index, index.passages[hedge.passage] as NonNullable<(typeof index.passages)[number]>))}.`,
    passages: placeOf(index, hedge.passage),
    suspect: TOLD_OTHERWISE,
  };
}

const HEDGE =
  /\b(?:most likely|likely|probably|possibly|perhaps|presumably|suspects?|considers?|believes?|appears? to|seems? to|may (?:have|be)|might|could be|preliminary|estimated)\b/i;

const CERTAIN =
  /\b(?:established|proved|proven|confirmed|determined|certain|definitely|was the cause|is the cause|caused by|shows that|found that)\b/i;

/** A word by which the passage leaves open what the statement gives as certain. */
export function lostHedge(
  statement: Statement,
  passages: readonly number[],
  index: EvidenceIndex,
): ToldOtherwise | undefined {
  if (!CERTAIN.test(statement.text) || HEDGE.test(statement.text)) return undefined;
  for (const at of passages.slice(0, 1)) {
    const passage = index.passages[at];
    const word = passage === undefined ? undefined : HEDGE.exec(passageText(index, passage))?.[0];
    if (word !== undefined) return hedged(statement, { word, passage: at }, index);
  }
  return undefined;
}

const WIDEST =
  /\b(?:\p{L}{2,}est|most|best|first|only|leading|top)\b[^.;]{0,80}?\b((?:in|of|on|across) (?:the|our|this) (?:whole |entire )?(country|world|continent|region|industry|market|nation|state|city|sector|province|county))\b/iu;

/** "The fastest-growing line in the country", where the evidence speaks of no country: three lines tell nothing of all. */
export function widerThanTold(statement: Statement, index: EvidenceIndex): { words: string; says: string } | undefined {
  const [, words = '', range = ''] = WIDEST.exec(statement.text) ?? [];
  if (
    range === '' ||
    index.sources.some(({ text, source }) => `${text} ${source}`.toLowerCase().includes(range.toLowerCase()))
  )
    return undefined;
  return { words, says: `“${words}” stands nowhere in the evidence, which therefore cannot tell it.` };
}
