import type { judge } from '../assessors/judging.ts';
import type { StatementStatus } from '../contract.ts';
import type { StatementReading } from '../contradictions.ts';
import { misquoted } from '../criteria/quotations.ts';
import { type FigureAccount, sameFigure } from '../engines/figures.ts';
import { strayReference } from '../engines/sections.ts';
import { sharedWith } from '../engines/slots.ts';
import type { Substitution } from '../engines/substitution.ts';
import { takenForWhole } from '../engines/worked-out.ts';
import { clip } from '../quoting.ts';
import { type EvidenceIndex, passageText } from '../reading/evidence-index.ts';
import { isNegated } from '../reading/negation.ts';
import { compareQuantities } from '../reading/quantities.ts';
import type { Statement } from '../statements.ts';
import { coverTogether } from './cover.ts';
import { type Ground, type Judgement, placeOf, quote, sourceName, where } from './ground.ts';
import { heldInParts, replacesOneWord } from './in-parts.ts';
import { openNames, openWords } from './open-words.ts';
import { brokenNames, strayedFigures, strayedName } from './stray.ts';
import {
  changedIn,
  lostHedge,
  otherwiseIn,
  TOLD_OTHERWISE,
  type ToldOtherwise,
  turnedWord,
  widerThanTold,
} from './told-otherwise.ts';

/** How much of a statement's words the passages together must hold before its figures alone settle the rest. */
const WORDS_WITH_FIGURES = 0.88;
/** What comes out by calculation needs fewer of its words. */
const WORDS_WITH_SUMS = 0.75;

/** Several figures that one passage gives together settle as much as most of the words do. */
const WORDS_WITH_PASSAGE = 0.75;
const FIGURES_OF_PASSAGE = 2;

/** How many figures of a statement the passage gives that gives the most of them; 0 where it gives them in another order. */
function figuresOfOnePassage(accounts: readonly FigureAccount[], index: EvidenceIndex): number {
  const found = new Map<number, FigureAccount['figure'][]>();
  for (const one of accounts)
    if (one.state === 'found' && one.passage >= 0)
      found.set(one.passage, [...(found.get(one.passage) ?? []), one.figure]);
  const [best] = [...found].sort((a, b) => b[1].length - a[1].length);
  if (best === undefined) return 0;
  const [passage, figures] = best;
  const known = index.passages[passage]?.quantities ?? [];
  const places = figures.map((own) => known.findIndex((one) => sameFigure(own, one)));
  const inOrder = places.every((place, at) => place >= 0 && place > (places[at - 1] ?? -1));
  return inOrder ? figures.length : 0;
}

/** Supported when score or a full account of its figures, names and words says so; else not found, with what is open. */
export function settle(
  reading: StatementReading,
  learned: ReturnType<typeof judge>,
  near: readonly number[],
  accounts: readonly FigureAccount[],
  substitutions: readonly Substitution[],
  { index, work }: Ground,
): Judgement & { doubt?: number } {
  const { statement } = reading;
  const { passages, covered, exact, open } = coverTogether(
    reading,
    index,
    accounts.some(({ state }) => state === 'computed'),
  );
  const strayed = strayedFigures(statement, accounts, passages, index);
  const figuresOpen = [...accounts.filter(({ state }) => state === 'open'), ...strayed];
  const names = openNames(reading, index);
  const parity = isNegated(statement.tokens) === passages.some((at) => isNegated(index.passages[at]?.tokens ?? []));
  const hedge = covered < HEDGED_COVERED ? undefined : lostHedge(statement, passages, index);
  const replaced = substitutions.filter(({ kind }) => kind !== 'figure');
  const stray =
    straying(statement, accounts, passages, index) ??
    changedIn(statement, [...new Set([...passages.slice(0, 1), ...near])], index);
  const turned = turnedWord(statement, passages[0] ?? near[0], index);
  const settled = figuresOpen.length === 0 && names.length === 0;
  const clean = turned === undefined && stray === undefined && settled && replaced.length === 0 && hedge === undefined;
  const figures = accounts.length;
  const computed = accounts.flatMap((one) => (one.state === 'computed' ? [one.says] : []));
  const byScore =
    learned.score >= SUPPORTED && reading.faults.every(({ kind }) => kind === 'number' || kind === 'date');
  const byWords = exact && parity && reading.wanted.length >= 5;
  const byFigures =
    parity &&
    covered >= (computed.length > 0 ? WORDS_WITH_SUMS : WORDS_WITH_FIGURES) &&
    (computed.length > 0 || figures >= 2) &&
    (computed.length > 0 || learned.score >= WITH_FIGURES);
  const byPassage =
    parity && covered >= WORDS_WITH_PASSAGE && figuresOfOnePassage(accounts, index) >= FIGURES_OF_PASSAGE;
  const told = byScore || byWords || byFigures || byPassage;
  const inParts =
    (clean && told) || work.statements.length < STATEMENTS_OF_A_TEXT
      ? undefined
      : heldInParts(statement, accounts, substitutions, index);
  const paraphrased = inParts?.held === true && settled && hedge === undefined && stray === undefined;
  const held = paraphrased && inParts.held ? inParts.passages : passages;
  const shown = bestFirst(statement, held.length > 0 ? held : near.slice(0, 1), accounts, index);
  const isBorne = isShown(shown, computed) && ((clean && told) || paraphrased);
  const status: StatementStatus = isBorne ? 'supported' : statement.advice && settled ? 'not_checked' : 'not_found';
  const cited = shown.flatMap((at) => placeOf(index, at));
  if (status === 'supported') return { status, passages: cited, ...borneOutBy(shown[0], computed, index) };
  if (status === 'not_checked' && stray === undefined && (turned === undefined || !settled))
    return {
      status,
      why: `${where(statement)} is advice or a request: the evidence cannot show it right or wrong.`,
      passages: cited,
    };
  const otherwise =
    stray ?? hedge ?? turned ?? (inParts?.held === false ? otherwiseIn(statement, inParts, index) : undefined);
  if (otherwise !== undefined && (settled || otherwise === stray))
    return { status, doubt: DOUBT_OF_OTHERWISE, ...otherwise };
  const doubt = DOUBT_OF_MODAL * modalsChanged(statement, shown[0], index);
  return {
    status,
    doubt,
    suspect: Math.min(figuresOpen.length + names.length, OPEN_COUNTED) + Number(substitutions.some(replacesOneWord)),
    why: openWords(statement, figuresOpen, names, open, replaced, shown[0], index),
    passages: cited,
  };
}

/** A section cited that does not exist or says something else, cents taken for euros, somebody else's name beside a figure. */
function straying(
  statement: Statement,
  accounts: readonly FigureAccount[],
  passages: readonly number[],
  index: EvidenceIndex,
): ToldOtherwise | undefined {
  const told = (word: string, says: string, held: readonly number[]): ToldOtherwise => ({
    why: `The evidence does not settle ${where(statement)}. ${says}`,
    open: [word],
    passages: held.flatMap((at) => placeOf(index, at)),
    suspect: TOLD_OTHERWISE,
  });
  const reference = strayReference(statement, passages, index);
  if (reference !== undefined) return told(reference.words, reference.says, reference.passages);
  const misquote = misquoted(statement.text, index.sources);
  if (misquote !== undefined)
    return told(misquote, `It quotes “${clip(misquote)}”; no source has these words.`, passages.slice(0, 1));
  for (const { figure, text } of accounts) {
    const minor = takenForWhole(figure, index);
    if (minor !== undefined) return told(text, minor.says, passages.slice(0, 1));
  }
  const wider = widerThanTold(statement, index);
  if (wider !== undefined) return told(wider.words, wider.says, passages.slice(0, 1));
  const broken = brokenNames(statement, passages[0], index);
  if (broken !== undefined) return told(broken.words, broken.says, passages.slice(0, 1));
  const name = strayedName(statement, accounts, index);
  return name === undefined ? undefined : told(name.name, name.says, [name.passage]);
}

/**
 * A claim that is checked by itself is as often wrong as right, a sentence of a text of several seldom: only there other
 * words than the evidence's are taken for the same.
 */
const STATEMENTS_OF_A_TEXT = 4;

/** So much of a statement's words must stand together before a word that leaves it open counts. */
const HEDGED_COVERED = 0.5;
/** Figures and names that stand nowhere count up to here against a statement. */
const OPEN_COUNTED = 2;

/** What no passage and no sum shows is not borne out, even if its words are the name of a source. */
const isShown = (shown: readonly number[], computed: readonly string[]): boolean =>
  shown.length > 0 || computed.length > 0;

/** Why a statement is borne out: the words of the passage, and what was worked out. */
function borneOutBy(
  at: number | undefined,
  computed: readonly string[],
  index: EvidenceIndex,
): Pick<Judgement, 'why' | 'computed'> {
  const beside = at === undefined ? undefined : index.passages[at];
  const says =
    beside === undefined ? '' : `${sourceName(index, beside.source)} says ${quote(passageText(index, beside))}.`;
  const worked = computed.map((one) => `${upper(one)}.`).join(' ');
  return {
    why: `${says} ${worked}`.trim(),
    ...(computed[0] === undefined ? {} : { computed: computed.join('; ') }),
  };
}

/** The passage that bears most out comes first: the one with the most of the figures, then of the words. */
function bestFirst(
  statement: Statement,
  passages: readonly number[],
  accounts: readonly FigureAccount[],
  index: EvidenceIndex,
): number[] {
  const giving = accounts.flatMap((one) => (one.state === 'found' && one.passage >= 0 ? [one.passage] : []));
  const rank = (at: number): number => {
    const passage = index.passages[at];
    if (passage === undefined) return 0;
    const figures = statement.quantities.filter((figure) =>
      passage.quantities.some((known) => compareQuantities(figure, known) === 'same'),
    ).length;
    return figures + sharedWith(statement, passage, index);
  };
  const ranks = new Map([...passages, ...giving].map((at) => [at, rank(at)]));
  return [...ranks]
    .sort((a, b) => b[1] - a[1])
    .slice(0, PASSAGES_CITED)
    .map(([at]) => at);
}

const PASSAGES_CITED = 4;

/** What a passage that tells it otherwise takes of the score. */
const DOUBT_OF_OTHERWISE = 0.2;

/** What each word of duty, permission or extent that the closest passage lacks takes of the score. */
const DOUBT_OF_MODAL = 0.12;

const SUPPORTED = 0.8275;

const WITH_FIGURES = 0.65;

const upper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const MODALS = new Set(
  'may might can could must should will would always never all only some every none both shall'.split(' '),
);

/** How many words of duty, permission or extent the statement has that its closest passage has not. */
function modalsChanged({ tokens }: Statement, closest: number | undefined, index: EvidenceIndex): number {
  const known = new Set(index.passages[closest ?? -1]?.tokens.map(({ lower }) => lower));
  return Math.min(3, tokens.filter(({ lower }) => MODALS.has(lower) && !known.has(lower)).length);
}
