import { type EvidenceIndex, passageText } from '../reading/evidence-index.ts';
import type { Statement } from '../statements.ts';
import { turnedBetween } from '../support/word-relations.ts';
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
  const { 1: words = '', 2: range = '' } = WIDEST.exec(statement.text) ?? {};
  if (
    range === '' ||
    index.sources.some(({ text, source }) => `${text} ${source}`.toLowerCase().includes(range.toLowerCase()))
  )
    return undefined;
  return { words, says: `“${words}” stands nowhere in the evidence, which therefore cannot tell it.` };
}
