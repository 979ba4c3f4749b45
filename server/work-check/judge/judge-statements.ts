import type { JudgedStatement } from '../assessors/port.ts';
import { standsAsFigure } from '../engines/figures.ts';
import { columnsOf, oddShape } from '../engines/odd-shape.ts';
import { Records } from '../engines/records.ts';
import { sumsIn } from '../engines/totals-in-records.ts';
import { decide, type Opinion } from '../kernel/decide.ts';
import { prove } from '../kernel/prove.ts';
import { clip } from '../quoting.ts';
import { compareQuantities } from '../reading/compare-quantities.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { readQuantities } from '../reading/quantities.ts';
import { holdsWhole, tokenize } from '../reading/tokens.ts';
import type { Statement, Work } from '../statements.ts';
import { figuresOf, type Ground, type Judgement, placeOf, unsettled, where } from './ground.ts';
import { readStatement, type StatementReading } from './read-statement.ts';
import { rivalOf, saidBy } from './rivals.ts';
import { firstOf } from './rules.ts';

/** Judges every statement: rules speak, the kernel proves, the table decides. */
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
    sums: new Map(structured ? sumsIn(work.value).map((sum) => [sum.path, sum]) : []),
  };
  const shapes = columnsOf(work.statements);
  const readings: StatementReading[] = [];
  const judged = work.statements.map((statement, at) => {
    signal?.throwIfAborted();
    onShare(at / work.statements.length);
    const reading = readStatement(statement, index);
    readings.push(reading);
    return withShape(judgeOne(reading, ground), shapes);
  });
  return { judged: withoutOtherStates(judged, ground), readings };
}

/** So many cells of a table differ from a table of the evidence that it is one of another time, and accuses nobody. */
const CELLS_DIFFER_MIN = 3;
const CELLS_DIFFER_SHARE = 0.3;

/** A standing after five rounds differs from the one after four nearly everywhere: none of its cells is wrong by that. */
function withoutOtherStates(judged: readonly JudgedStatement[], { index }: Ground): JudgedStatement[] {
  const tableOf = ({ statement, passages }: JudgedStatement): string | undefined =>
    statement.kind === 'cell' ? `${/^table \d+/.exec(statement.at)?.[0]} ${passages[0]?.ref}` : undefined;
  const counts = new Map<string, { differ: number; agree: number }>();
  for (const one of judged) {
    const table = tableOf(one);
    if (table === undefined || !(differs(one) || one.status === 'supported')) continue;
    const count = counts.get(table) ?? { differ: 0, agree: 0 };
    if (differs(one)) count.differ += 1;
    else count.agree += 1;
    counts.set(table, count);
  }
  return judged.map((one) => {
    const { differ = 0, agree = 0 } = counts.get(tableOf(one) ?? '') ?? {};
    if (!differs(one) || differ < CELLS_DIFFER_MIN || differ < (differ + agree) * CELLS_DIFFER_SHARE) return one;
    const source = index.sources.find(({ ref }) => ref === one.passages[0]?.ref)?.source ?? 'the evidence';
    const known = one.compared?.known ?? '';
    const says = one.computed === undefined ? `${source} gives “${known}”` : `The rows of ${source} come to ${known}`;
    const opinions: Opinion[] = [{ by: one.by ?? 'cell', from: 'rule', says: 'speaks' }];
    return {
      ...one,
      status: decide(opinions).status,
      opinions,
      why: `${unsettled(one.statement)} ${says}, but ${differ} cells differ from it, so that it may show another state.`,
      open: [one.statement.record?.value ?? ''],
      suspect: 1,
    };
  });
}

const differs = ({ opinions }: JudgedStatement): boolean => opinions.some(({ says }) => says === 'contradicts');

/** Says of an open value that it is written otherwise than the rest of its column, and puts it first among the open ones. */
function withShape(judged: JudgedStatement, shapes: ReturnType<typeof columnsOf>): JudgedStatement {
  if (judged.status !== 'not_found' && judged.status !== 'undecided') return judged;
  const odd = oddShape(judged.statement, shapes);
  if (odd === undefined) return judged;
  return {
    ...judged,
    why: `${judged.why} ${odd}`,
    open: [...judged.open, judged.statement.record?.value ?? ''],
    suspect: judged.suspect + 1,
    score: 0,
  };
}

function judgeOne(reading: StatementReading, ground: Ground): JudgedStatement {
  const { statement, coverage } = reading;
  const made = (judgement: Judgement): JudgedStatement => ({
    statement,
    accounted: judgement.status === 'supported' ? figuresOf(statement) : [],
    open: [],
    suspect: 0,
    opinions: [],
    ...judgement,
    score: scoreOf(judgement.status, coverage),
  });
  if (statement.instruction)
    return made({
      status: 'not_checked',
      why: `${where(statement)} reads as an instruction and counts for nothing.`,
      passages: [],
    });
  const told = firstOf(reading, ground);
  if (told === undefined) throw new Error('The last rule speaks of every statement.');
  return made(decided(told, reading, ground));
}

/** 0 to 1, no probability: what is proven and what is contradicted are far apart, the rest lies by its words between. */
function scoreOf(status: JudgedStatement['status'], coverage: number): number {
  if (status === 'supported') return 0.95;
  return status === 'contradicted' ? 0.05 : 0.2 + 0.5 * coverage;
}

/** What a rule says, with what the kernel proves of it: the table decides. */
function decided(told: NonNullable<ReturnType<typeof firstOf>>, reading: StatementReading, ground: Ground): Judgement {
  const { statement } = reading;
  const { certain: isCertain, ...said } = told;
  // A value that stands elsewhere in the evidence may be the newer one.
  const certain = isCertain && (said.passages.length === 0 || !standsElsewhere(said, ground));
  if (said.status === 'not_checked' && !hasTypedPart(statement)) return { ...said, opinions: [] };
  const { by } = said;
  const proof = proofOf(said, reading, ground);
  const dispute = proof === undefined || statement.record !== undefined ? undefined : disputeOf(reading, ground);
  if (dispute !== undefined) return dispute;
  const proven: Opinion[] = proof === undefined ? [] : [{ by: proof.is, from: 'rule', says: 'supports', proof }];
  const speaks = proof === undefined && (said.status === 'supported' || reading.coverage >= SPEAKS_OF);
  const says = opinionOf(said) ?? (speaks ? 'speaks' : undefined);
  const opinion: Opinion[] = says === undefined ? [] : [{ by, from: 'rule', says }];
  const own = says === 'contradicts' && certain ? opinion.map((one) => ({ ...one, certain })) : opinion;
  return worded(said, [...proven, ...own], ground, statement);
}

/** What the kernel proves of what a rule says, over the passages that it names and those that match. */
function proofOf(said: Judgement & { by: string }, { statement, matches }: StatementReading, ground: Ground) {
  const { passages, by } = said;
  const candidates = [...new Set([...passagesOf(passages, ground), ...matches.map(({ passage }) => passage)])];
  const computed = said.status === 'supported' ? said.computed : undefined;
  return prove(statement, { by, passages, computed }, candidates, ground);
}

/** What a rule says against a statement: that it is told otherwise, or that it is doubtful. */
function opinionOf({ status, compared, by, suspect = 0 }: Judgement & { by: string }): Opinion['says'] | undefined {
  if (status === 'contradicted') return 'contradicts';
  const isDoubted = compared !== undefined || (by !== 'words' && suspect > 0);
  return status === 'not_found' && isDoubted ? 'doubts' : undefined;
}

/** Two passages that say the same of one thing with two figures: a person must say which holds. */
function disputeOf({ statement, matches }: StatementReading, { index }: Ground): Judgement | undefined {
  const places = matches.map(({ passage }) => passage).filter((at) => !isRow(at, index));
  const rival = rivalOf(statement, places, index, SAME_WORDS);
  const figure = rival?.figure;
  if (rival === undefined || figure === undefined) return undefined;
  const holding = places.find((at) =>
    index.passages[at]?.quantities.some((known) => compareQuantities(figure, known) === 'same'),
  );
  if (holding === undefined) return undefined;
  const [dated, otherDated] = [datedAt(holding, index), datedAt(rival.passage, index)];
  if (dated > otherDated) return undefined;
  const [one, other] = [saidBy(holding, index), saidBy(rival.passage, index)];
  const opinions: Opinion[] = [{ by: 'words', from: 'rule', says: 'doubts' }];
  return {
    status: decide(opinions).status,
    opinions,
    disputed: true,
    open: [rival.claimed],
    suspect: CONTRADICTED_UNPROVEN,
    why: `The sources contradict each other on ${where(statement)}: ${one.source} says “${clip(one.said)}” ${other.source} says “${clip(other.said)}” ${otherDated > dated ? `${other.source} is the newer of the two. ` : ''}A person should decide which holds.`,
    passages: [...placeOf(index, holding), ...placeOf(index, rival.passage)],
    compared: { claimed: rival.claimed, known: rival.known },
  };
}

/** So much of a statement's words a passage must hold to say the same of the same thing. */
const SAME_WORDS = 0.75;

/** The row of a table is about a thing of its own, which the table names elsewhere. */
const isRow = (at: number, index: EvidenceIndex): boolean => /[|\t]/.test(saidBy(at, index).said);

/** When a passage's source was observed, in ms; 0 where that is not told. */
const datedAt = (at: number, { passages, sources }: EvidenceIndex): number =>
  Date.parse(sources[passages[at]?.source ?? -1]?.observed_at ?? '') || 0;

function standsElsewhere({ compared, computed }: Judgement, { index }: Ground): boolean {
  if (compared === undefined || computed !== undefined) return computed !== undefined;
  const { claimed } = compared;
  // "1939–1967" where another text says "from 1939 to 1967".
  const figures = readQuantities(tokenize(claimed)).map(({ start, end }) => claimed.slice(start, end));
  const stands = figures.length > 0 && figures.every((figure) => standsAsFigure(figure, index));
  return stands || index.sources.some(({ text }) => holdsWhole(claimed, text));
}

/** A contradiction that is not certain is looked at before all else that is open. */
const CONTRADICTED_UNPROVEN = 3;

/** Share of a statement's words that a passage and the one beside it hold where the evidence speaks of it. */
const SPEAKS_OF = 0.6;

const hasTypedPart = ({ quantities, tokens }: Statement): boolean =>
  quantities.length > 0 || tokens.some(({ capital, content }, at) => at > 0 && capital && content);

function passagesOf(places: Judgement['passages'], { index }: Ground): number[] {
  return places.flatMap(({ ref, start, end }) =>
    index.passages.flatMap((passage, at) =>
      index.sources[passage.source]?.ref === ref && passage.start < end && passage.end > start ? [at] : [],
    ),
  );
}

function worded(
  said: Judgement & { by: string },
  opinions: Opinion[],
  ground: Ground,
  statement: Statement,
): Judgement {
  const { status } = decide(opinions);
  const base = { ...said, status, opinions };
  const proof = opinions.find(({ says, proof: one }) => says === 'supports' && one !== undefined)?.proof;
  if (status === 'supported' && said.status !== 'supported' && proof !== undefined && proof.is !== 'computed') {
    const known = proof.is === 'read' ? proof.quotes : proof.known;
    const [first] = known;
    const source = ground.index.sources.find(({ ref }) => ref === first?.ref);
    const { compared: _, ...rest } = base;
    return {
      ...rest,
      open: [],
      suspect: 0,
      accounted: figuresOf(statement),
      why: `${source?.source ?? 'The evidence'} says “${clip(source?.text.slice(first?.start, first?.end) ?? '')}”.`,
      passages: known,
    };
  }
  if (status === 'undecided' && said.status === 'contradicted')
    return {
      ...base,
      unproven: said.status,
      suspect: CONTRADICTED_UNPROVEN,
      open: said.compared === undefined ? [] : [clip(said.compared.claimed)],
    };
  if (status === 'undecided' && said.status === 'supported')
    return {
      ...base,
      unproven: said.status,
      why: `Whether ${where(statement)} follows was not proven. Closest: ${said.why}`,
    };
  return base;
}
