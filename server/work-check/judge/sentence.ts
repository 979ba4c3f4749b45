import type { judge } from '../assessors/judging.ts';
import type { StatementReading } from '../contradictions.ts';
import { recalculate } from '../engines/arithmetic.ts';
import { derive } from '../engines/derivation.ts';
import type { FigureAccount } from '../engines/figures.ts';
import { sharedWith } from '../engines/slots.ts';
import { findSubstitutions, type Substitution } from '../engines/substitution.ts';
import { clip } from '../quoting.ts';
import { bestPassages, type EvidenceIndex, type Passage, passageText } from '../reading/evidence-index.ts';
import type { Quantity } from '../reading/quantities.ts';
import type { Token } from '../reading/token.ts';
import { isContent } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { namesSide } from '../support/everyday.ts';
import { wantedOf } from '../support/passage-windows.ts';
import { accountFor, named } from './account.ts';
import { bearerBeside, type Conflict, conflictOf, disputed } from './disputes.ts';
import { judgeCell } from './field.ts';
import { type Ground, isProse, type Judgement, placeOf, quote, sourceName, where } from './ground.ts';
import { misplacedIn } from './misplaced.ts';
import { openNames } from './open-words.ts';
import { settle } from './settle.ts';

export function judgeSentence(
  reading: StatementReading,
  learned: ReturnType<typeof judge>,
  at: number,
  ground: Ground,
): Judgement & { doubt?: number } {
  const { statement } = reading;
  const { index } = ground;
  const broken = recalculate(statement).find(({ holds }) => !holds);
  if (broken !== undefined) {
    const text = statement.text.slice(broken.claimed.start, broken.claimed.end);
    return {
      status: 'contradicted',
      why: `The work says ${where(statement)}, but ${broken.says}, not ${text}.`,
      passages: [],
      compared: { claimed: text, known: broken.says },
      computed: broken.says,
    };
  }
  const told = misplacedIn(statement, ground) ?? judgeCell(reading, ground);
  if (told !== undefined) return told;
  const near = [...new Set([...reading.matches.map(({ passage }) => passage), ...learned.passages])];
  // The number of a row or in the name of a column is no figure of the cell.
  const from = statement.record === undefined ? 0 : statement.text.length - statement.record.value.length;
  const figures = statement.quantities.filter(({ start }) => start >= from);
  const accounts = figures.map((figure) => accountFor(figure, statement, at, near, ground));
  const substitutions = clausesOf(statement).flatMap((clause) =>
    findSubstitutions(clause, index, clause === statement ? near : nearClause(clause, near, index)),
  );
  const clauses = isProse(statement) ? clausesOf(statement) : [];
  const conflict = conflictOf(clauses, statement, near, index, ground.versions);
  if (conflict?.bearer !== undefined) return disputed(statement, conflict, conflict.bearer, conflict.passage, index);
  if (conflict !== undefined && isUnaccounted(conflict, statement, accounts, index))
    return contradicted(conflict, statement, index);
  const wrong = substitutions.find((one) => isContradiction(one, statement, accounts, index));
  if (wrong !== undefined) return contradicted(wrong, statement, index);
  const rival = rivalOf(reading, accounts, index);
  if (rival !== undefined) return rival;
  const turned =
    isProse(statement) && !statement.advice
      ? reading.faults.find(
          (fault) =>
            fault.contradicts &&
            (fault.kind === 'negation' || (fault.kind === 'opposite' && !namesSide(fault.claimed))),
        )
      : undefined;
  const backed = turned === undefined ? undefined : bearerBeside(statement, turned.passage, near, index);
  if (turned !== undefined && backed !== undefined)
    return disputed(statement, { ...turned, kind: 'opposite' }, backed, turned.passage, index);
  if (turned !== undefined) {
    const source = sourceName(index, index.passages[turned.passage]?.source ?? -1);
    const said = passageText(index, index.passages[turned.passage] as NonNullable<(typeof index.passages)[number]>);
    return {
      status: 'contradicted',
      why: `The work says ${where(statement)}; ${source} says otherwise: ${quote(said)}.`,
      passages: placeOf(index, turned.passage),
      compared: { claimed: clip(turned.claimed), known: clip(turned.known) },
    };
  }
  const accounted = accounts.flatMap(({ state, text }) => (state === 'open' ? [] : [text]));
  const open = [
    ...accounts.flatMap(({ state, text }) => (state === 'open' ? [text] : [])),
    ...openNames(reading, index),
  ];
  return { accounted, open, ...settle(reading, learned, near, accounts, substitutions, ground) };
}

/** How much of a statement its best passage must hold before another figure there contradicts. */
const RIVAL_COVERAGE = 0.55;

/** "Within 30 days" where the passage on the same subject gives one length of time only, and it is another. */
function rivalOf(
  { statement, faults, matches }: StatementReading,
  accounts: readonly FigureAccount[],
  index: EvidenceIndex,
): Judgement | undefined {
  const [best] = matches;
  const passage = index.passages[best?.passage ?? -1];
  if (best === undefined || passage === undefined || best.coverage < RIVAL_COVERAGE || !isProse(statement))
    return undefined;
  if (!isSameSubject(statement, passage)) return undefined;
  const open = accounts.filter(({ state }) => state === 'open');
  const fault = faults.find(
    ({ contradicts, kind, passage: at }) => contradicts && kind === 'number' && at === best.passage,
  );
  const [only, ...more] = open;
  if (fault === undefined || only === undefined || more.length > 0) return undefined;
  const { kind, unit } = only.figure;
  const rivals = passage.quantities.filter((known) => known.kind === kind && known.unit === unit);
  if (rivals.length !== 1 || (kind === 'number' && unit === '')) return undefined;
  if (followsFrom(only.figure, passage, statement.text, statement.quantities, index)) return undefined;
  const source = sourceName(index, passage.source);
  return {
    status: 'contradicted',
    why: `The work says ${where(statement)}; ${source} says ${quote(passageText(index, passage))}: “${clip(fault.claimed)}” against “${clip(fault.known)}”.`,
    passages: placeOf(index, best.passage),
    compared: { claimed: fault.claimed, known: fault.known },
  };
}

/** Whether a passage holds every name of the statement; an opening word counts where the passage opens otherwise. */
function isSameSubject({ tokens, quantities }: Statement, passage: Passage): boolean {
  const names = tokens.filter(
    ({ capital, content, start, end }, at) =>
      capital && content && at > 0 && !quantities.some((figure) => start >= figure.start && end <= figure.end),
  );
  const [opening, theirs] = [tokens[0], passage.tokens[0]];
  const opensOtherwise =
    opening?.content === true &&
    theirs?.content === true &&
    opening.capital &&
    theirs.capital &&
    !passage.stems.has(opening.stem);
  const sides = tokens.filter(({ lower }) => namesSide(lower));
  return !opensOtherwise && [...names, ...sides].every(({ stem }) => passage.stems.has(stem));
}

const CLAUSE_WORDS_MIN = 3;

/** The parts of a sentence that are said one after the other, each with its own tokens; the text stays whole. */
function clausesOf(statement: Statement): Statement[] {
  const cuts = statement.tokens.flatMap(({ lower, kind }, at) => {
    const joins =
      kind === 'mark' && (lower === ';' || (lower === ',' && JOINS.has(statement.tokens[at + 1]?.lower ?? '')));
    return joins || (lower === 'and' && isCoordination(statement, at)) ? [at] : [];
  });
  if (cuts.length === 0) return [statement];
  const parts: Statement[] = [];
  let from = 0;
  for (const cut of [...cuts, statement.tokens.length]) {
    const tokens = statement.tokens.slice(from, cut);
    if (tokens.filter(isContent).length >= CLAUSE_WORDS_MIN)
      parts.push({
        ...statement,
        tokens,
        quantities: statement.quantities
          .filter(({ first, last }) => first >= from && last < cut)
          .map((figure) => ({ ...figure, first: figure.first - from, last: figure.last - from })),
      });
    from = cut + 1;
  }
  return [statement, ...parts];
}

/** "A rose and B fell": both sides of the word say something of their own, and the later one gives a figure. */
function isCoordination({ tokens, quantities }: Statement, at: number): boolean {
  const words = (part: readonly Token[]): number =>
    part.filter(({ content, kind }) => content && kind === 'word').length;
  return (
    words(tokens.slice(0, at)) >= 2 &&
    words(tokens.slice(at + 1)) >= 2 &&
    quantities.some(({ first }) => first > at + 1)
  );
}

const JOINS = new Set(['and', 'but', 'while', 'whereas', 'so', 'it', 'they', 'which', 'who']);

function nearClause({ tokens }: Statement, near: readonly number[], index: EvidenceIndex): number[] {
  return [...new Set([...bestPassages(index, wantedOf(tokens), 3).map(({ passage }) => passage), ...near.slice(0, 2)])];
}

/** "50 minutes, with the 15 extra" follows from the 35 of the passage. */
function followsFrom(
  figure: Quantity,
  beside: Passage,
  text: string,
  quantities: readonly Quantity[],
  index: EvidenceIndex,
): boolean {
  const around = named(passageText(index, beside), beside.quantities, beside.start);
  const rest = named(
    text,
    quantities.filter((other) => other !== figure),
  );
  return derive(figure, text.slice(figure.start, figure.end), text, rest, around) !== undefined;
}

function isContradiction(
  { kind, own, passage }: Substitution,
  { text, quantities }: Statement,
  accounts: readonly FigureAccount[],
  index: EvidenceIndex,
): boolean {
  if (kind === 'word') return false;
  if (kind === 'name') return true;
  const figure = quantities.find(({ start, end }) => start < own.end && end > own.start);
  const account = accounts.find((one) => one.figure === figure);
  const beside = index.passages[passage];
  if (figure === undefined || beside === undefined || account?.state !== 'open') return false;
  return !followsFrom(figure, beside, text, quantities, index);
}

/** Whether nothing else in the evidence gives the value that a passage gives otherwise: no calculation, no closer passage. */
function isUnaccounted(
  { kind, claimed, passage, clause }: Conflict,
  { text, quantities }: Statement,
  accounts: readonly FigureAccount[],
  index: EvidenceIndex,
): boolean {
  if (kind !== 'figure') return true;
  const beside = index.passages[passage];
  const account = accounts.find(({ figure }) => claimed.startsWith(text.slice(figure.start, figure.end)));
  if (account === undefined || beside === undefined) return false;
  const closely = sharedWith(clause, beside, index) >= WORD_FOR_WORD;
  const { kind: of } = account.figure;
  if (account.state === 'computed') return closely && (of === 'date' || of === 'percent');
  if (followsFrom(account.figure, beside, text, quantities, index)) return false;
  const elsewhere = index.passages[account.state === 'found' ? account.passage : -1];
  return (
    elsewhere === undefined || sharedWith(clause, elsewhere, index) < sharedWith(clause, beside, index) * CLEARLY_LESS
  );
}

/** A passage that gives the figure counts as another case when it shares clearly less of the words. */
const CLEARLY_LESS = 0.75;
/** Beside a passage that holds all its words, another value is no result of a calculation. */
const WORD_FOR_WORD = 0.95;

function contradicted(
  { claimed, known, passage }: Pick<Substitution, 'claimed' | 'known' | 'passage'>,
  statement: Statement,
  index: EvidenceIndex,
): Judgement {
  const beside = index.passages[passage];
  const source = sourceName(index, beside?.source ?? -1);
  const said = beside === undefined ? '' : passageText(index, beside);
  return {
    status: 'contradicted',
    why:
      claimed === statement.text
        ? `The work says ${where(statement)}; ${source} says otherwise: ${quote(said)}.`
        : `The work says ${where(statement)}; ${source} says ${quote(said)}: “${clip(claimed)}” against “${clip(known)}”.`,
    passages: placeOf(index, passage),
    compared: { claimed: clip(claimed), known: clip(known) },
  };
}
