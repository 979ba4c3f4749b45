// Longer than 300 lines: the rules of one reading, which share their limits and helpers.
import { isPlanned } from './engines/planned.ts';
import type { Fault, FaultKind } from './fault.ts';
import {
  bestPassages,
  type EvidenceIndex,
  isHeld,
  type Match,
  type Passage,
  passageText,
} from './reading/evidence-index.ts';
import { deniedStems, isNegated, onlyDenied } from './reading/negation.ts';
import { compareQuantities, isMeasure, type Quantity } from './reading/quantities.ts';
import { ofOneRate } from './reading/rates.ts';
import type { Token } from './reading/token.ts';
import { isContent } from './reading/tokens.ts';
import type { Statement } from './statements.ts';
import { type BoundCell, readCell } from './structure.ts';
import { picksOne } from './support/everyday.ts';
import { areOpposed, entryOf, hasOpposite } from './support/lexicon.ts';
import { type Wanted, wantedOf } from './support/passage-windows.ts';

/** What the rules see in one statement. */
export type StatementReading = {
  statement: Statement;
  /** Its words of content. */
  wanted: readonly Wanted[];
  matches: Match[];
  coverage: number;
  faults: Fault[];
  /** The cell of a table that the statement names, when it names one. */
  cell: BoundCell | undefined;
};

const MATCHES_MAX = 6;
/** How much of what stands around a figure a passage must share before another value there contradicts it. */
const RIVAL_SUBJECT = 0.55;
const RIVAL_AMONG_MANY = 0.75;
/** Of two passages that share the words around a figure, the one that shares more of the whole statement comes first. */
const WHOLE_STATEMENT_SHARE = 0.5;
/** A short passage speaks of the statement's subject when this share of its own words stands in the statement. */
const PASSAGE_WITHIN_STATEMENT = 0.75;
/** A denial or an opposite counts only in a passage that shares this much of the statement. */
const DENIAL_SUBJECT = 0.65;
/** A figure found in a passage this much weaker than the best one is about something else. */
const NEARLY_AS_GOOD = 0.75;

/** Reads one statement against the evidence by rules alone. */
export function readStatement(statement: Statement, index: EvidenceIndex): StatementReading {
  const wanted = wantedOf(statement.tokens);
  const words = wanted.filter(({ token }) => token.kind === 'word');
  const matches = bestPassages(index, words.length > 0 ? words : wanted, MATCHES_MAX);
  const coverage = coverageByBest(index, wanted, matches);
  const bound = readCell(statement, index);
  if (bound !== undefined)
    return {
      statement,
      wanted,
      matches,
      coverage,
      faults: bound.fault === undefined ? [] : [bound.fault],
      cell: bound,
    };
  const faults: Fault[] = [];
  for (const quantity of statement.quantities) {
    const fault = figureFault(statement, quantity, index, matches);
    if (fault !== undefined) faults.push(fault);
  }
  faults.push(...nameFaults(statement, index));
  for (const fault of [negationFault(statement, wanted, index, matches), oppositeFault(statement, index, matches)])
    if (fault !== undefined) faults.push(fault);
  return { statement, wanted, matches, coverage, faults, cell: undefined };
}

/** Share of the statement's weight found in its best passage and the one that adds most to it. */
function coverageByBest(index: EvidenceIndex, wanted: readonly Wanted[], matches: Match[]): number {
  const best = matches[0] === undefined ? undefined : index.passages[matches[0].passage];
  if (best === undefined) return 0;
  let total = 0;
  for (const { weight } of wanted) total += weight;
  let most = 0;
  for (const match of matches) {
    const extra = index.passages[match.passage];
    let covered = 0;
    for (const { stem, weight } of wanted) if (best.stems.has(stem) || extra?.stems.has(stem)) covered += weight;
    most = Math.max(most, covered);
  }
  return total === 0 ? 0 : most / total;
}

function figureFault(
  statement: Statement,
  quantity: Quantity,
  index: EvidenceIndex,
  matches: Match[],
): Fault | undefined {
  const kind: FaultKind = quantity.kind === 'date' || quantity.kind === 'time' ? 'date' : 'number';
  const claimed = withUnit(statement.text, statement.tokens, quantity);
  const near = nearMatches(statement, quantity, index, matches);
  const rival = findRival(statement, quantity, index, near);
  const same = (match: Match): boolean =>
    index.passages[match.passage]?.quantities.some((known) => compareQuantities(quantity, known) === 'same') ?? false;
  const top = Math.max(0, ...near.map(({ coverage }) => coverage));
  // A figure that stands only beside another subject does not bear the statement out.
  if (near.some((match) => same(match) && match.coverage >= top * NEARLY_AS_GOOD)) return undefined;
  if (rival === undefined) {
    if (matches.some(same) || index.labels.some((known) => compareQuantities(quantity, known) === 'same'))
      return undefined;
    const passage = matches[0]?.passage ?? -1;
    return {
      kind,
      contradicts: false,
      claimed,
      known: '',
      passage,
      distance: distanceOf(quantity, index),
    };
  }
  const passage = index.passages[rival.passage];
  const text = passage === undefined ? '' : (index.sources[passage.source]?.text ?? '');
  const known = withUnit(text, passage?.tokens ?? [], rival.quantity);
  const distance = apart(quantity, rival.quantity);
  return {
    kind,
    contradicts: true,
    claimed,
    known,
    passage: rival.passage,
    distance,
  };
}

/** Passages that share the words around a figure, the ones nearest to the whole statement first. */
function nearMatches(
  statement: Statement,
  quantity: Quantity,
  index: EvidenceIndex,
  matches: readonly Match[],
): Match[] {
  const whole = new Map(matches.map(({ passage, coverage }) => [passage, coverage]));
  const rank = ({ passage, coverage }: Match): number => coverage + WHOLE_STATEMENT_SHARE * (whole.get(passage) ?? 0);
  return bestPassages(index, wantedOf(nearbyWords(statement, quantity)), MATCHES_MAX).sort((a, b) => rank(b) - rank(a));
}

/** A figure with the word it counts, as a reader would quote it. */
function withUnit(text: string, tokens: readonly Token[], quantity: Quantity): string {
  const next = tokens[quantity.last + 1];
  const counts = quantity.kind === 'number' && quantity.unit !== '' && next?.kind === 'word';
  return text.slice(quantity.start, counts ? next.end : quantity.end);
}

/**
 * Another value for the same thing: in a passage about the same subject, of the same unit, the only one of its kind
 * there that the statement does not state itself.
 */
function findRival(
  statement: Statement,
  quantity: Quantity,
  index: EvidenceIndex,
  near: readonly Match[],
): { quantity: Quantity; passage: number } | undefined {
  for (const match of near) {
    if (match.coverage < RIVAL_SUBJECT) continue;
    const passage = index.passages[match.passage];
    const text = index.sources[passage?.source ?? -1]?.text ?? '';
    if (passage !== undefined && isPlanned(statement, passage, index)) continue;
    const others = (passage?.quantities ?? []).filter(
      (known) =>
        compareQuantities(quantity, known) === 'different' &&
        sharesClause(statement, passage, known) &&
        ofOneRate({ text: statement.text, figure: quantity }, { text, figure: known }) &&
        (quantity.kind === 'date' || quantity.unit !== '' || known.unit === '') &&
        quantity.unit === known.unit &&
        !statement.quantities.some((own) => compareQuantities(own, known) === 'same'),
    );
    const [other] = others;
    if (other !== undefined && (others.length === 1 || match.coverage >= RIVAL_AMONG_MANY))
      return { quantity: other, passage: match.passage };
  }
  return undefined;
}

/** "Missing fuel, 20 litres" beside "Tank 80 litres, handed out full; missing fuel is charged": that figure is the tank's. */
function sharesClause({ tokens }: Statement, passage: Passage | undefined, known: Quantity): boolean {
  if (passage === undefined || !passage.tokens.some(({ lower }) => lower === ';')) return true;
  const isEnd = ({ lower }: Token): boolean => lower === ';' || lower === ',';
  const from = passage.tokens.findLastIndex((token, at) => at < known.first && isEnd(token)) + 1;
  const end = passage.tokens.findIndex((token, at) => at > known.last && isEnd(token));
  const words = passage.tokens
    .slice(from, end === -1 ? undefined : end)
    .filter((token, at) => token.content && token.kind === 'word' && from + at !== known.last + 1);
  const own = new Set(tokens.map(({ stem }) => stem));
  return words.length === 0 || words.some(({ stem }) => own.has(stem));
}

/** How far two figures lie apart, as a share of the greater one, at most 1. */
function apart(one: Quantity, other: Quantity): number {
  const size = (figure: Quantity): number =>
    figure.kind === 'date' ? (figure.year ?? 0) * 372 + (figure.month ?? 0) * 31 + (figure.day ?? 0) : figure.value;
  const [a, b] = [size(one), size(other)];
  return Math.min(1, Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b), 1e-9));
}

function distanceOf(quantity: Quantity, index: EvidenceIndex): number {
  let nearest = 1;
  for (const passage of index.passages)
    for (const known of passage.quantities) {
      if (passage.instruction || known.kind !== quantity.kind) continue;
      nearest = Math.min(nearest, apart(quantity, known));
    }
  return nearest;
}

const NEAR_BEFORE = 6;
const NEAR_AFTER = 4;

/** Content words around a figure, up to the next figure of its kind on either side. */
function nearbyWords(statement: Statement, quantity: Quantity): Token[] {
  const others = statement.quantities.filter((other) => other !== quantity && other.kind === quantity.kind);
  const from = Math.max(0, ...others.filter((other) => other.last < quantity.first).map((other) => other.last + 1));
  const to = Math.min(
    statement.tokens.length,
    ...others.filter((other) => other.first > quantity.last).map((other) => other.first),
  );
  const inFigure = (at: number): boolean => statement.quantities.some((other) => at >= other.first && at <= other.last);
  const words = (start: number, end: number): Token[] =>
    statement.tokens
      .slice(start, end)
      .filter((token, at) => isContent(token) && token.kind === 'word' && !inFigure(start + at));
  // "60 kg" and "25 kg" are not of one subject for the kilograms.
  const behind = isMeasure(quantity) ? quantity.last + 2 : quantity.last + 1;
  return [...words(from, quantity.first).slice(-NEAR_BEFORE), ...words(behind, to).slice(0, NEAR_AFTER)];
}

/** Capitalised words inside a sentence that stand nowhere in the evidence. */
function nameFaults(statement: Statement, index: EvidenceIndex): Fault[] {
  const faults: Fault[] = [];
  for (let at = 0; at < statement.tokens.length; at += 1) {
    const token = statement.tokens[at];
    if (!token?.capital || !token.content || token.lower.length < 3 || opensSentence(statement, at)) continue;
    if (isHeld(index, token.stem)) continue;
    faults.push({
      kind: 'name',
      contradicts: false,
      claimed: statement.text.slice(token.start, token.end),
      known: '',
      passage: -1,
    });
  }
  return faults;
}

function opensSentence(statement: Statement, at: number): boolean {
  const before = at > 0 ? statement.tokens[at - 1] : undefined;
  if (before === undefined) return statement.kind !== 'leaf' && statement.kind !== 'cell';
  return before.kind === 'mark' && /[.!?:"“(]/.test(before.lower);
}

/** Whether a statement gives a figure that a passage does not. */
function hasFigureOfItsOwn({ quantities }: Statement, passage: Passage): boolean {
  return quantities.some((own) => !passage.quantities.some((known) => compareQuantities(own, known) === 'same'));
}

/** "19 boxes were settled" beside "three boxes count as not settled": each counts things of its own. */
const countsOthers = ({ quantities }: Statement, passage: Passage): boolean =>
  passage.quantities.some(
    (known) =>
      known.kind === 'number' &&
      known.unit !== '' &&
      known.unit !== 'ordinal' &&
      quantities.some(({ kind, unit }) => kind === 'number' && unit === known.unit) &&
      !quantities.some((own) => compareQuantities(own, known) === 'same'),
  );

const LONG_PASSAGE = 60;

/** "The cap was removed" says that there is none. */
const REMOVED = new Set(
  'removed dropped deleted abolished lifted waived cancelled canceled scrapped lacks lacked lacking missing absent refused declined rejected failed'.split(
    ' ',
  ),
);
const CONDITIONS = new Set(['until', 'unless', 'if', 'once', 'whether']);

/** A row of a table: it neither asserts nor denies. */
const isRow = (text: string): boolean => /\|.*\|/.test(text) || (text.match(/[,;\t]\S/g)?.length ?? 0) >= ROW_MARKS;

const ROW_MARKS = 3;

/** "Nice to have: Kafka, German." lists words under a label, and says nothing of anybody. */
const isList = (text: string): boolean =>
  /^[^:.,]{1,40}:(?:\s+[^\s,.;:]+){1,3}(?:,(?:\s+[^\s,.;:]+){1,3})+\.?$/.test(text.trim());

/** Words that bind what a passage says to some cases. */
const LIMITS = new Set(['when', 'where', 'provided', 'except', 'only']);

/** The statement asserts what a passage on the same subject denies, or denies what it asserts. */
function negationFault(
  statement: Statement,
  wanted: readonly Wanted[],
  index: EvidenceIndex,
  matches: Match[],
): Fault | undefined {
  // "Until the report is there" does not say that it is.
  if (statement.tokens.some(({ lower }) => CONDITIONS.has(lower))) return undefined;
  const stated = new Set(wanted.map(({ stem }) => stem));
  const denied = deniedStems(statement.tokens);
  for (const [rank, match] of matches.entries()) {
    const passage = index.passages[match.passage];
    if (passage === undefined || passage.tokens.length > LONG_PASSAGE || passage.tokens.at(-1)?.lower === '?') continue;
    let shared = 0;
    for (const stem of passage.stems) if (stated.has(stem)) shared += 1;
    const within = shared >= 2 && shared / passage.stems.size >= PASSAGE_WITHIN_STATEMENT;
    if (!within && (rank > 0 || match.coverage < DENIAL_SUBJECT)) continue;
    if (countsOthers(statement, passage)) continue;
    // "Not the falafel plate, it has sesame" is borne out by a row of a table that names both.
    if (isRow(passageText(index, passage)) || isList(passageText(index, passage))) continue;
    // "Taxis are paid if the last train was missed" is not denied by "we cannot pay the taxi".
    if (!within && passage.tokens.some(({ lower }) => CONDITIONS.has(lower) || LIMITS.has(lower))) continue;
    // "Not for more than ten days" denies the length, and not what a passage without it says.
    if (denied.length > 0 && hasFigureOfItsOwn(statement, passage)) continue;
    const theirs = onlyDenied(passage.tokens);
    const turned =
      (denied.length === 0 &&
        !isNegated(statement.tokens) &&
        !statement.tokens.some(({ lower }) => REMOVED.has(lower)) &&
        theirs.some((group) => group.every((stem) => stated.has(stem)))) ||
      (theirs.length === 0 &&
        !isNegated(passage.tokens) &&
        onlyDenied(statement.tokens).some((group) => group.every((stem) => passage.stems.has(stem))));
    if (turned)
      return {
        kind: 'negation',
        contradicts: true,
        claimed: statement.text,
        known: passageText(index, passage),
        passage: match.passage,
      };
    if (rank === 0 && match.coverage >= NEARLY_AS_GOOD) return undefined;
  }
  return undefined;
}

/** A word of the statement stands where the evidence has its opposite, between the same neighbours. */
function oppositeFault(statement: Statement, index: EvidenceIndex, matches: Match[]): Fault | undefined {
  const best = matches[0];
  const passage = best === undefined ? undefined : index.passages[best.passage];
  if (best === undefined || passage === undefined || best.coverage < DENIAL_SUBJECT) return undefined;
  if (isNegated(statement.tokens) || isNegated(passage.tokens)) return undefined;
  const own = statement.tokens.filter(isContent);
  const theirs = passage.tokens.filter(isContent);
  const stated = new Set(own.map(({ stem }) => stem));
  for (const [at, token] of own.entries()) {
    const entry = entryOf(token);
    if (passage.stems.has(token.stem) || !hasOpposite(entry)) continue;
    const place = theirs.findIndex((other) => !stated.has(other.stem) && areOpposed(entry, entryOf(other)));
    if (place === -1) continue;
    const beside = (offset: number): boolean => {
      const stem = own[at + offset]?.stem;
      return stem !== undefined && theirs.slice(Math.max(0, place - 2), place + 3).some((other) => other.stem === stem);
    };
    if (!beside(-1) && !beside(1)) continue;
    const known = theirs[place];
    // "The last dose is on 10 March" and "first dose 4 March" are two events, not one told otherwise.
    if (picksOne(token.lower) && hasFigureOfItsOwn(statement, passage)) continue;
    const text = index.sources[passage.source]?.text ?? '';
    return {
      kind: 'opposite',
      contradicts: true,
      claimed: statement.text.slice(token.start, token.end),
      known: text.slice(known?.start ?? 0, known?.end ?? 0),
      passage: best.passage,
    };
  }
  return undefined;
}
