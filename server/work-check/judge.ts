import { judge } from './assessors/judging.ts';
import type { JudgedStatement, Passage } from './assessors/port.ts';
import type { StatementStatus } from './contract.ts';
import { readStatement, type StatementReading } from './contradictions.ts';
import { recalculate } from './engines/arithmetic.ts';
import { dateFrom, findWrongWeekday } from './engines/calendar.ts';
import { type ColumnSum, columnSums } from './engines/column-sums.ts';
import { findWrongOwner, findWrongSpeaker, type Turn, turnsOf } from './engines/dialogue.ts';
import { findWrongOrder } from './engines/direction.ts';
import { derive, written } from './engines/derivation.ts';
import { type FigureAccount, figureText, findFigure } from './engines/figures.ts';
import { Records } from './engines/records.ts';
import { factorsIn, scaledFrom } from './engines/scaling.ts';
import { findSubstitutions, type Substitution } from './engines/substitution.ts';
import { findSuperseded } from './engines/superseded.ts';
import { type RecordSum, sumsIn } from './engines/totals-in-records.ts';
import { type Versions, versionsIn } from './engines/versions.ts';
import { clip } from './quoting.ts';
import { bestPassages, type EvidenceIndex, isHeld, passagesWith, passageText } from './reading/evidence-index.ts';
import { isNegated } from './reading/negation.ts';
import { type Quantity, readQuantities } from './reading/quantities.ts';
import { splitSentences } from './reading/sentences.ts';
import { isContent, type Token, tokenize } from './reading/tokens.ts';
import type { Statement, Work } from './statements.ts';
import { calculates, everydayFor, isLight } from './support/everyday.ts';
import { entryOf } from './support/lexicon.ts';
import { matchWords, SAME_BY_SYNONYM, wantedOf } from './support/windows.ts';

/** What rules and engines see of the work as a whole, made once for all its statements. */
type Ground = {
  work: Work;
  index: EvidenceIndex;
  records: Records;
  sums: ReadonlyMap<string, RecordSum>;
  factors: readonly number[];
  versions: Versions;
  columns: readonly ColumnSum[];
  turns: readonly Turn[];
};

/** Judges every statement by rules, engines that compute, and the learned score. */
export function judgeStatements(
  work: Work,
  index: EvidenceIndex,
  signal: AbortSignal | undefined,
  onShare: (share: number) => void,
): { judged: JudgedStatement[]; readings: StatementReading[] } {
  const structured = typeof work.value === 'object' && work.value !== null;
  const ground: Ground = {
    work,
    index,
    records: new Records(work.value, index),
    factors: factorsIn(work, index),
    versions: versionsIn(index),
    columns: columnSums(index),
    turns: turnsOf(index),
    sums: new Map(structured ? sumsIn(work.value).map((sum) => [sum.path, sum]) : []),
  };
  const readings: StatementReading[] = [];
  const judged = work.statements.map((statement, at) => {
    signal?.throwIfAborted();
    onShare(at / work.statements.length);
    const reading = readStatement(statement, index);
    readings.push(reading);
    return judgeOne(reading, at, ground);
  });
  return { judged, readings };
}

type Judgement = Omit<JudgedStatement, 'statement' | 'score' | 'accounted' | 'open'> &
  Partial<Pick<JudgedStatement, 'accounted' | 'open'>>;

function judgeOne(reading: StatementReading, at: number, ground: Ground): JudgedStatement {
  const { statement } = reading;
  const { index } = ground;
  const learned = judge(reading, index);
  const made = ({ doubt = 0, ...judgement }: Judgement & { doubt?: number }): JudgedStatement => ({
    statement,
    accounted: judgement.status === 'supported' ? figuresOf(statement) : [],
    open: [],
    ...judgement,
    score: learned.score * (judgement.status === 'contradicted' ? CONTRADICTED_KEEPS : 1 - doubt),
  });
  if (statement.instruction) return made({ status: 'not_checked', why: `${where(statement)} reads as an instruction and counts for nothing.`, passages: [] });
  const field = statement.record === undefined ? undefined : judgeField(reading, ground);
  if (field !== undefined) return made(field);
  return made(judgeSentence(reading, learned, at, ground));
}

const figuresOf = (statement: Statement): string[] => statement.quantities.map((figure) => figureText(statement, figure));
const quote = (text: string): string => `“${clip(text)}”`;
const where = (statement: Statement): string => `${quote(statement.text)} (${statement.at})`;

function sourceName(index: EvidenceIndex, source: number): string {
  return index.sources[source]?.source ?? 'the evidence';
}

function placeOf(index: EvidenceIndex, at: number): Passage[] {
  const passage = index.passages[at];
  const ref = passage === undefined ? undefined : index.sources[passage.source]?.ref;
  return passage === undefined || ref === undefined ? [] : [{ ref, start: passage.start, end: passage.end }];
}

/** A field or cell: what its record gives, or what others beside it compute. Undefined when only its words can tell. */
function judgeField(reading: StatementReading, { work, index, records, sums }: Ground): Judgement | undefined {
  const { statement, cell } = reading;
  const { record, place } = statement;
  if (record === undefined) return undefined;
  const sum = 'path' in place ? sums.get(place.path) : undefined;
  const of = (source: number, start: number, end: number): Passage[] => {
    const ref = index.sources[source]?.ref;
    return ref === undefined ? [] : [{ ref, start, end: Math.max(end, start + 1) }];
  };
  if (sum !== undefined && !sum.holds)
    return {
      status: 'contradicted',
      why: `The work gives “${record.value}” (${statement.at}), but its own figures give ${sum.says}.`,
      passages: [],
      compared: { claimed: record.value, known: sum.says },
      computed: sum.says,
    };
  if (cell !== undefined) {
    const { passage, agrees, fault } = cell;
    const known = fault?.known ?? '';
    const from = sourceName(index, passage.source);
    // Another source may know better than the table: only what no source gives for this record is contradicted.
    if (!agrees && !isGivenElsewhere(statement, records, index))
      return {
        status: 'contradicted',
        why: `The work gives “${clip(record.value)}” (${statement.at}) where ${from} gives “${clip(known)}”.`,
        passages: of(passage.source, passage.start, passage.end),
        compared: { claimed: record.value, known },
      };
    if (agrees) return { status: 'supported', why: `${from} gives “${clip(index.sources[passage.source]?.text.slice(passage.start, passage.end) ?? '')}”.`, passages: of(passage.source, passage.start, passage.end) };
  }
  const found = records.read(statement);
  switch (found.is) {
    case 'found': {
      const { region, span, converted } = found;
      const text = index.sources[region.source]?.text.slice(span.start, span.end) ?? '';
      const same = converted === undefined ? '' : `, which is ${converted}`;
      return {
        status: 'supported',
        why: `${sourceName(index, region.source)} gives “${clip(text)}”${same}.`,
        passages: of(region.source, span.start, span.end),
        ...(sum === undefined ? {} : { computed: sum.says }),
      };
    }
    case 'other': {
      const { region, span, known } = found;
      if (sum !== undefined) break;
      return {
        status: 'contradicted',
        why: `The work gives “${clip(record.value)}” (${statement.at}) where ${sourceName(index, region.source)} gives “${clip(known)}”.`,
        passages: of(region.source, span.start, span.end),
        compared: { claimed: record.value, known },
      };
    }
    case 'nowhere':
      break;
    default:
      found satisfies never;
  }
  if (sum !== undefined) return { status: 'supported', why: `The work's own figures give it: ${sum.says}.`, passages: [], computed: sum.says };
  const worked = productInRegion(statement, records, index);
  if (worked !== undefined) return worked;
  if (record.value === '1') return { status: 'not_checked', why: `“${record.column}: 1” (${statement.at}) counts one of it; the evidence gives no figure for that.`, passages: [] };
  if (isClass(statement, work))
    return { status: 'not_checked', why: `“${record.value}” (${statement.at}) is a classification; whether it follows was not worked out.`, passages: [] };
  if (record.value === 'null' || record.value === 'true' || record.value === 'false')
    return { status: 'not_checked', why: `Whether ${where(statement)} is right could not be told from the words of the evidence.`, passages: [] };
  return undefined;
}

const FORMER = /\b(?:until|formerly|previously|was|were|old(?:er)?|before|used to|superseded|instead of)\b/i;

/** Whether another stretch of evidence about the record gives the field's value, and not as something of the past. */
function isGivenElsewhere(statement: Statement, records: Records, index: EvidenceIndex): boolean {
  const found = records.read(statement);
  if (found.is !== 'found') return false;
  const text = index.sources[found.region.source]?.text ?? '';
  const from = Math.max(text.lastIndexOf('.', found.span.start - 1), text.lastIndexOf('\n', found.span.start - 1)) + 1;
  return !FORMER.test(text.slice(from, found.span.start));
}

/** What the calendar, the order of times, the newer version of a source or a conversation says otherwise. */
function misplacedIn(statement: Statement, { index, versions, turns }: Ground): Judgement | undefined {
  if (!isProse(statement)) return undefined;
  const day = findWrongWeekday(statement, index);
  if (day !== undefined)
    return { status: 'contradicted', why: `The work says ${where(statement)}, but ${day.date} falls on a ${day.falls_on}, not on a ${day.written}.`, passages: [], compared: { claimed: day.written, known: day.falls_on } };
  const order = findWrongOrder(statement, index);
  if (order !== undefined) {
    const source = sourceName(index, index.passages[order.passage]?.source ?? -1);
    return { status: 'contradicted', why: `The work says ${where(statement)}; ${source} says ${quote(order.known)}: ${order.own} is not ${order.says} that.`, passages: placeOf(index, order.passage), compared: { claimed: order.own, known: order.known } };
  }
  const old = findSuperseded(statement, index, versions);
  if (old !== undefined) {
    const [older, newer] = [index.passages[old.older], index.passages[old.newer]];
    return {
      status: 'contradicted',
      why: `The work says ${where(statement)}; “${clip(old.claimed)}” stands in ${sourceName(index, older?.source ?? -1)}, but ${sourceName(index, newer?.source ?? -1)} says “${clip(old.known)}”: ${quote(newer === undefined ? '' : passageText(index, newer))}.`,
      passages: [...placeOf(index, old.newer), ...placeOf(index, old.older)],
      compared: { claimed: old.claimed, known: old.known },
    };
  }
  const person = turns.length === 0 ? undefined : (findWrongOwner(statement, turns) ?? findWrongSpeaker(statement, turns));
  if (person === undefined) return undefined;
  const said = person.turns.map(({ speaker, text }) => `${speaker}: ${quote(text)}`).join(', ');
  return {
    status: 'contradicted',
    why: `The work says ${where(statement)}; in ${sourceName(index, person.turns[0]?.source ?? -1)} it is ${person.known}, not ${person.claimed}: ${said}.`,
    passages: person.turns.flatMap(({ source, start, end }) => { const ref = index.sources[source]?.ref; return ref === undefined ? [] : [{ ref, start, end }]; }),
    compared: { claimed: person.claimed, known: person.known },
  };
}

/** A figure that two figures in its record's stretch of evidence give: "four people for nine hours". */
function productInRegion(statement: Statement, records: Records, index: EvidenceIndex): Judgement | undefined {
  const [own, ...more] = statement.quantities;
  const { place } = statement;
  if (own === undefined || more.length > 0 || own.kind !== 'number' || !('path' in place) || records.identityOf(place.path) === undefined) return undefined;
  for (const { source, start, end } of records.regionsOf(place.path).slice(0, 3)) {
    const text = index.sources[source]?.text.slice(start, end) ?? '';
    const figures = readQuantities(tokenize(text)).filter(({ kind, value }) => (kind === 'number' || kind === 'money') && value > 1).slice(0, FIGURES_MULTIPLIED);
    for (const [at, one] of figures.entries())
      for (const other of figures.slice(at + 1)) {
        if (Math.abs(one.value * other.value - own.value) > 0.0051) continue;
        const computed = `${text.slice(one.start, one.end)} × ${text.slice(other.start, other.end)} = ${written(own.value)}`;
        const ref = index.sources[source]?.ref ?? '';
        return { status: 'supported', why: `It follows from ${sourceName(index, source)}: ${computed}.`, passages: [{ ref, start: start + one.start, end: start + other.end }], computed };
      }
  }
  return undefined;
}

const FIGURES_MULTIPLIED = 8;
const CLASS_WORDS_MAX = 3;

/** Whether a field holds one of a few values that records share: a flag, a category, a mark. */
function isClass({ record, place }: Statement, { statements }: Work): boolean {
  if (record === undefined || !('path' in place) || record.value.split(/\s+/).length > CLASS_WORDS_MAX) return false;
  const column = place.path.replaceAll(/\/\d+(?=\/|$)/g, '/#');
  if (column === place.path) return false;
  const values = statements.flatMap((other) => ('path' in other.place && other.place.path.replaceAll(/\/\d+(?=\/|$)/g, '/#') === column ? [other.record?.value ?? ''] : []));
  return values.length > 1 && values.every((value) => value.split(/\s+/).length <= CLASS_WORDS_MAX && !/^\d/.test(value)) && new Set(values).size < values.length;
}

function judgeSentence(reading: StatementReading, learned: ReturnType<typeof judge>, at: number, ground: Ground): Judgement & { doubt?: number } {
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
  const misplaced = misplacedIn(statement, ground);
  if (misplaced !== undefined) return misplaced;
  const near = [...new Set([...reading.matches.map(({ passage }) => passage), ...learned.passages])];
  const accounts = statement.quantities.map((figure) => accountFor(figure, statement, at, near, ground));
  const substitutions = clausesOf(statement).flatMap((clause) => findSubstitutions(clause, index, clause === statement ? near : nearClause(clause, near, index)));
  const wrong = substitutions.find((one) => isContradiction(one, statement, accounts)) ;
  if (wrong !== undefined) return contradicted(wrong, statement, index);
  const turned = isProse(statement)
    ? reading.faults.find((fault) => fault.contradicts && (fault.kind === 'negation' || fault.kind === 'opposite'))
    : undefined;
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
  const open = [...accounts.flatMap(({ state, text }) => (state === 'open' ? [text] : [])), ...openNames(reading, index)];
  return { accounted, open, ...settle(reading, learned, near, accounts, substitutions, index) };
}

const CLAUSE_WORDS_MIN = 4;

/** The parts of a sentence that are said one after the other, each with its own tokens; the text stays whole. */
function clausesOf(statement: Statement): Statement[] {
  const cuts = statement.tokens.flatMap(({ lower, kind }, at) => (kind === 'mark' && (lower === ';' || (lower === ',' && JOINS.has(statement.tokens[at + 1]?.lower ?? ''))) ? [at] : []));
  if (cuts.length === 0) return [statement];
  const parts: Statement[] = [];
  let from = 0;
  for (const cut of [...cuts, statement.tokens.length]) {
    const tokens = statement.tokens.slice(from, cut);
    if (tokens.filter(isContent).length >= CLAUSE_WORDS_MIN)
      parts.push({ ...statement, tokens, quantities: statement.quantities.filter(({ first, last }) => first >= from && last < cut).map((figure) => ({ ...figure, first: figure.first - from, last: figure.last - from })) });
    from = cut + 1;
  }
  return [statement, ...parts];
}

const JOINS = new Set(['and', 'but', 'while', 'whereas', 'so', 'it', 'they', 'which', 'who']);

function nearClause({ tokens }: Statement, near: readonly number[], index: EvidenceIndex): number[] {
  return [...new Set([...bestPassages(index, wantedOf(tokens), 3).map(({ passage }) => passage), ...near.slice(0, 2)])];
}

/** A sentence, or a field that holds one. */
function isProse({ kind, text, tokens }: Statement): boolean {
  if (kind === 'sentence' || kind === 'item') return true;
  return tokens.filter(isContent).length >= PROSE_WORDS && splitSentences(text).length === 1;
}

const PROSE_WORDS = 5;

function accountFor(figure: Quantity, statement: Statement, at: number, near: readonly number[], { work, index, factors, columns }: Ground): FigureAccount {
  const text = figureText(statement, figure);
  const passage = findFigure(statement, figure, index, near) ?? smallWord(figure, statement, near);
  if (passage !== undefined) return { figure, text, state: 'found', passage };
  const printed = statement.text.slice(figure.start, figure.end);
  const date = dateFrom(figure, statement, index);
  if (date !== undefined) return { figure, text, state: 'computed', says: date.says, passages: date.passages };
  const column = figure.value >= COLUMN_SUM_MIN ? columns.find(({ value }) => Math.abs(value - figure.value) < 0.0051) : undefined;
  if (column !== undefined && (figure.kind === 'number' || figure.kind === 'money')) return { figure, text, state: 'computed', says: column.says, passages: [] };
  const own = named(statement.text, statement.quantities.filter((other) => other !== figure));
  const before = work.statements.slice(Math.max(0, at - 2), at).flatMap((other) => named(other.text, other.quantities));
  const around = near.slice(0, 3).flatMap((one) => {
    const beside = index.passages[one];
    return beside === undefined ? [] : named(passageText(index, beside), beside.quantities, beside.start);
  });
  const derived = scaledFrom(figure, near, index, factors) ?? derive(figure, printed, statement.text, own, [...before, ...around, ...baseFigures(index)]);
  return derived === undefined ? { figure, text, state: 'open' } : { figure, text, state: 'computed', says: derived.says, passages: near.slice(0, 1) };
}

const BASE_PASSAGES = 3;
const bases = new WeakMap<EvidenceIndex, { value: number; text: string }[]>();

/** Figures that the evidence repeats, such as the number of all answers: shares are worked out of them. */
function baseFigures(index: EvidenceIndex): { value: number; text: string }[] {
  const known = bases.get(index);
  if (known !== undefined) return known;
  const counts = new Map<number, { count: number; text: string }>();
  for (const { quantities, source } of index.passages)
    for (const { kind, value, start, end } of quantities) {
      if (kind !== 'number' || value < 20) continue;
      const entry = counts.get(value) ?? { count: 0, text: index.sources[source]?.text.slice(start, end) ?? '' };
      entry.count += 1;
      counts.set(value, entry);
    }
  const found = [...counts].flatMap(([value, { count, text }]) => (count >= BASE_PASSAGES ? [{ value, text }] : [])).slice(0, 4);
  bases.set(index, found);
  return found;
}

/** "In these two cases": a small number in words counts what the sentence itself names, and is looked up nowhere. */
function smallWord({ value, start, end }: Quantity, { text }: Statement, near: readonly number[]): number | undefined {
  return value <= SMALL_WORD_MAX && /^\p{L}+$/u.test(text.slice(start, end)) ? (near[0] ?? -1) : undefined;
}

const SMALL_WORD_MAX = 3;

function named(text: string, quantities: readonly Quantity[], offset = 0): { value: number; text: string }[] {
  return quantities
    .filter(({ kind }) => kind !== 'date' && kind !== 'time')
    .map(({ value, start, end }) => ({ value, text: text.slice(start - offset, end - offset) }));
}

function isContradiction({ kind, own }: Substitution, { quantities }: Statement, accounts: readonly FigureAccount[]): boolean {
  if (kind === 'word') return false;
  if (kind === 'name') return true;
  const at = quantities.findIndex(({ first, last }) => first >= own[0] && last < own[1]);
  return accounts[at]?.state === 'open';
}

function contradicted({ claimed, known, passage }: Substitution, statement: Statement, index: EvidenceIndex): Judgement {
  const beside = index.passages[passage];
  const source = sourceName(index, beside?.source ?? -1);
  const said = beside === undefined ? '' : passageText(index, beside);
  return {
    status: 'contradicted',
    why: `The work says ${where(statement)}; ${source} says ${quote(said)}: “${clip(claimed)}” against “${clip(known)}”.`,
    passages: placeOf(index, passage),
    compared: { claimed, known },
  };
}

/** How much of a statement's words the passages together must hold before its figures alone settle the rest. */
const WORDS_WITH_FIGURES = 0.88;
const PASSAGES_TOGETHER = 4;

/** Supported when score or a full account of its figures, names and words says so; else not found, with what is open. */
function settle(
  reading: StatementReading,
  learned: ReturnType<typeof judge>,
  near: readonly number[],
  accounts: readonly FigureAccount[],
  substitutions: readonly Substitution[],
  index: EvidenceIndex,
): Judgement & { doubt?: number } {
  const { statement } = reading;
  const { passages, covered, exact, open } = coverTogether(reading, index, accounts.some(({ state }) => state === 'computed'));
  const figuresOpen = accounts.filter(({ state }) => state === 'open');
  const names = openNames(reading, index);
  const parity = isNegated(statement.tokens) === passages.some((at) => isNegated(index.passages[at]?.tokens ?? []));
  const hedge = lostHedge(statement, passages, covered, index);
  const replaced = substitutions.filter(({ kind }) => kind !== 'figure');
  const clean = figuresOpen.length === 0 && names.length === 0 && replaced.length === 0 && hedge === undefined;
  const figures = accounts.length;
  const computed = accounts.flatMap((one) => (one.state === 'computed' ? [one.says] : []));
  const byScore = learned.score >= SUPPORTED && reading.faults.every(({ kind }) => kind === 'number' || kind === 'date');
  const byWords = exact && parity && reading.wanted.length >= 5;
  const byFigures = parity && covered >= WORDS_WITH_FIGURES && (computed.length > 0 || figures >= 2) && (computed.length > 0 || learned.score >= WITH_FIGURES);
  const status: StatementStatus = clean && (byScore || byWords || byFigures) ? 'supported' : statement.advice ? 'not_checked' : 'not_found';
  const shown = passages.length > 0 ? passages : near.slice(0, 1);
  const cited = shown.flatMap((at) => placeOf(index, at));
  if (status === 'supported') {
    const [first] = shown;
    const beside = first === undefined ? undefined : index.passages[first];
    const says = beside === undefined ? '' : `${sourceName(index, beside.source)} says ${quote(passageText(index, beside))}.`;
    const worked = computed.map((one) => `${upper(one)}.`).join(' ');
    return { status, why: `${says} ${worked}`.trim(), passages: cited, ...(computed[0] === undefined ? {} : { computed: computed.join('; ') }) };
  }
  if (status === 'not_checked') return { status, why: `${where(statement)} is advice or a request: the evidence cannot show it right or wrong.`, passages: cited };
  if (hedge !== undefined && figuresOpen.length === 0 && names.length === 0)
    return { status, open: [hedge.word], why: `The evidence does not settle ${where(statement)}. ${sourceName(index, index.passages[hedge.passage]?.source ?? -1)} says it with “${hedge.word}”, which the work leaves out: ${quote(passageText(index, index.passages[hedge.passage] as NonNullable<(typeof index.passages)[number]>))}.`, passages: placeOf(index, hedge.passage) };
  const doubt = Math.min(DOUBT_MAX, substitutions.length * DOUBT_OF_WORD);
  return { status, doubt, why: openWords(statement, figuresOpen, names, open, replaced, shown[0], index), passages: cited };
}

/** What a contradiction leaves of the learned score, and what each replaced word takes of it. */
const CONTRADICTED_KEEPS = 0.5;
const DOUBT_OF_WORD = 0;
const DOUBT_MAX = 0.3;
/** A sum of a table's column is recognised from this size on; smaller figures may be anything. */
const COLUMN_SUM_MIN = 20;
const SUPPORTED = 0.8275;
const WITH_FIGURES = 0.65;
const upper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const HEDGE = /\b(?:most likely|likely|probably|possibly|perhaps|presumably|suspects?|considers?|believes?|appears? to|seems? to|may (?:have|be)|might|could be|preliminary|estimated)\b/i;
const CERTAIN = /\b(?:established|proved|proven|confirmed|determined|certain|definitely|was the cause|is the cause|caused by|shows that|found that)\b/i;

/** A word by which the passage leaves open what the statement gives as certain. */
function lostHedge({ text }: Statement, passages: readonly number[], covered: number, index: EvidenceIndex): { word: string; passage: number } | undefined {
  if (covered < 0.5 || !CERTAIN.test(text) || HEDGE.test(text)) return undefined;
  for (const at of passages.slice(0, 1)) {
    const passage = index.passages[at];
    const word = passage === undefined ? undefined : HEDGE.exec(passageText(index, passage))?.[0];
    if (word !== undefined) return { word, passage: at };
  }
  return undefined;
}

const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/;

/** Whether a word is part of a figure, as the month of a date, or a weekday beside one: the figure accounts for it. */
function isInFigure({ start, end, lower }: Token, { quantities }: Statement): boolean {
  return quantities.some((figure) => start >= figure.start && end <= figure.end) || (WEEKDAY.test(lower) && quantities.some(({ kind }) => kind === 'date'));
}

type Cover = {
  passages: number[];
  /** Share of the weight of the statement's words that the passages hold, in whatever form. */
  covered: number;
  /** Whether they hold each word that says something, as it stands or by one that says the same. */
  exact: boolean;
  /** Stems of words that none of them holds. */
  open: string[];
};

/** The passages that together hold most of the statement's words, best first, and what none of them holds. */
function coverTogether({ wanted: all, statement }: StatementReading, index: EvidenceIndex, computed: boolean): Cover {
  const wanted = all.filter(({ stem, token }) => !isLight(stem) && token.kind === 'word' && !(computed && calculates(stem)) && !isInFigure(token, statement));
  const { rows } = matchWords(wanted, index);
  for (const [word, { stem }] of wanted.entries())
    for (const other of everydayFor(stem))
      for (const at of passagesWith(index, other)) {
        const row = rows.get(at) ?? wanted.map(() => 0);
        row[word] = Math.max(row[word] ?? 0, SAME_BY_SYNONYM);
        rows.set(at, row);
      }
  const levels = wanted.map(() => 0);
  const passages: number[] = [];
  const total = wanted.reduce((sum, { weight }) => sum + weight, 0) || 1;
  while (passages.length < PASSAGES_TOGETHER) {
    let [best, most] = [-1, 0];
    for (const [at, row] of rows) {
      let gain = 0;
      for (const [word, { weight }] of wanted.entries()) gain += weight * Math.max(0, (row[word] ?? 0) - (levels[word] ?? 0));
      if (gain > most) [best, most] = [at, gain];
    }
    const row = rows.get(best);
    if (row === undefined || most < total * 0.03) break;
    for (const [word, level] of row.entries()) levels[word] = Math.max(levels[word] ?? 0, level);
    passages.push(best);
  }
  // The name of a source is context for what is said of it.
  const labels = new Set(index.sources.flatMap(({ source }) => tokenize(source).map(({ stem }) => stem)));
  for (const [word, { stem }] of wanted.entries()) if (labels.has(stem)) levels[word] = Math.max(levels[word] ?? 0, 1);
  const covered = levels.reduce((sum, level, word) => sum + level * (wanted[word]?.weight ?? 0), 0) / total;
  const open = wanted.filter((_, word) => (levels[word] ?? 0) < 0.5).map(({ stem }) => stem);
  return { passages, covered, exact: levels.every((level) => level >= SAME_BY_SYNONYM), open };
}

/** Capitalised words of a statement that stand neither in a text of the evidence nor in the name of a source. */
function openNames({ faults, statement }: StatementReading, index: EvidenceIndex): string[] {
  const labels = index.sources.map(({ source }) => source.toLowerCase()).join('\n');
  const names = faults.filter(({ kind, contradicts }) => kind === 'name' && !contradicts).map(({ claimed }) => claimed);
  const inFigures = statement.tokens.filter((token) => isInFigure(token, statement)).map(({ start, end }) => statement.text.slice(start, end));
  return [...new Set(names)].filter((name) => !inFigures.includes(name) && !labels.includes(name.toLowerCase()) && statement.text.includes(name));
}

function openWords(
  statement: Statement,
  figures: readonly FigureAccount[],
  names: readonly string[],
  open: readonly string[],
  substitutions: readonly Substitution[],
  closest: number | undefined,
  index: EvidenceIndex,
): string {
  const parts: string[] = [];
  const { record } = statement;
  const own = record === undefined ? statement : { ...statement, tokens: statement.tokens.filter(({ start }) => start >= statement.text.length - record.value.length) };
  const nowhere = [...figures.map(({ text }) => text), ...names, ...phrasesOf(own, open, index)].filter((text) => !standsSomewhere(text, index));
  const shown = [...new Set(nowhere)].slice(0, 4);
  if (shown.length > 0) parts.push(`${shown.map((text) => `“${clip(text)}”`).join(', ')} ${shown.length === 1 ? 'stands' : 'stand'} nowhere in the evidence.`);
  const [differs] = substitutions;
  if (differs !== undefined && parts.length === 0)
    parts.push(`Where it says “${clip(differs.claimed)}”, ${sourceName(index, index.passages[differs.passage]?.source ?? -1)} says “${clip(differs.known)}”.`);
  const beside = closest === undefined ? undefined : index.passages[closest];
  if (parts.length === 0 && beside !== undefined) parts.push(`The closest passage is ${quote(passageText(index, beside))} (${sourceName(index, beside.source)}).`);
  return `The evidence does not settle ${where(statement)}. ${parts.join(' ')}`.trim();
}

/** Rarer words than this are named when they stand nowhere; "feel" and "turn" say too little. */
const TELLING = 4.5;

/** Words of a statement, as they stand in it, that no passage holds; words side by side are one phrase. */
function phrasesOf(statement: Statement, open: readonly string[], index: EvidenceIndex): string[] {
  const phrases: string[] = [];
  let from = -1;
  let to = -1;
  let heaviest = 0;
  const close = (): void => {
    if (from >= 0 && heaviest >= TELLING) phrases.push(statement.text.slice(from, to));
    [from, heaviest] = [-1, 0];
  };
  for (const token of statement.tokens) {
    const counts = token.kind === 'word' && isContent(token) && open.includes(token.stem) && !isLight(token.stem) && !isInFigure(token, statement) && !isHeld(index, token.stem);
    if (!counts) {
      close();
      continue;
    }
    heaviest = Math.max(heaviest, entryOf(token).rarity);
    if (from < 0) from = token.start;
    to = token.end;
  }
  close();
  return phrases;
}

/** Whether words stand in a text of the evidence or the name of a source, whatever the case and the marks of thousands. */
function standsSomewhere(text: string, { sources }: EvidenceIndex): boolean {
  const plain = (one: string): string => one.toLowerCase().replaceAll(/(?<=\d)[, ](?=\d{3})/g, '').replaceAll(/\s+/g, ' ');
  const wanted = plain(text);
  return sources.some(({ text: known, source }) => plain(known).includes(wanted) || plain(source).includes(wanted));
}
