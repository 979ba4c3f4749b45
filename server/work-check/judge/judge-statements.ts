import { judge } from '../assessors/judging.ts';
import type { JudgedStatement } from '../assessors/port.ts';
import { readStatement, type StatementReading } from '../contradictions.ts';
import { columnSums } from '../engines/column-sums.ts';
import { turnsOf } from '../engines/dialogue.ts';
import { columnsOf, oddShape } from '../engines/odd-shape.ts';
import { Records } from '../engines/records.ts';
import { factorsIn } from '../engines/scaling.ts';
import { sumsIn } from '../engines/totals-in-records.ts';
import { versionsIn } from '../engines/versions.ts';
import { clip } from '../quoting.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import type { Statement, Work } from '../statements.ts';
import { judgeField } from './field.ts';
import { figuresOf, type Ground, type Judgement, sourceName, where } from './ground.ts';
import { judgeSentence } from './sentence.ts';

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
  const shapes = columnsOf(work.statements);
  const readings: StatementReading[] = [];
  const judged = work.statements.map((statement, at) => {
    signal?.throwIfAborted();
    onShare(at / work.statements.length);
    const reading = readStatement(statement, index);
    readings.push(reading);
    return withShape(judgeOne(reading, at, ground), shapes);
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
  const counts = new Map<string, { contradicted: number; borne: number }>();
  for (const one of judged) {
    const table = tableOf(one);
    if (table === undefined || (one.status !== 'contradicted' && one.status !== 'supported')) continue;
    const count = counts.get(table) ?? { contradicted: 0, borne: 0 };
    if (one.status === 'contradicted') count.contradicted += 1;
    else count.borne += 1;
    counts.set(table, count);
  }
  return judged.map((one) => {
    const { contradicted = 0, borne = 0 } = counts.get(tableOf(one) ?? '') ?? {};
    if (one.status !== 'contradicted' || contradicted < CELLS_DIFFER_MIN) return one;
    if (contradicted < (contradicted + borne) * CELLS_DIFFER_SHARE) return one;
    const source = index.sources.find(({ ref }) => ref === one.passages[0]?.ref)?.source ?? 'the evidence';
    return {
      ...one,
      status: 'not_found',
      why: `The evidence does not settle ${where(one.statement)}. ${one.computed === undefined ? `${source} gives “${one.compared?.known ?? ''}”` : `The rows of ${source} come to ${one.compared?.known ?? ''}`}, but ${contradicted} cells differ from it, so that it may show another state.`,
      open: [one.statement.record?.value ?? ''],
      suspect: 1,
    };
  });
}

/** Says of an open value that it is written otherwise than the rest of its column, and puts it first among the open ones. */
function withShape(judged: JudgedStatement, shapes: ReturnType<typeof columnsOf>): JudgedStatement {
  if (judged.status !== 'not_found') return judged;
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

function judgeOne(reading: StatementReading, at: number, ground: Ground): JudgedStatement {
  const { statement } = reading;
  const { index } = ground;
  const learned = judge(reading, index);
  const made = ({ doubt = 0, ...judgement }: Judgement & { doubt?: number }): JudgedStatement => ({
    statement,
    accounted: judgement.status === 'supported' ? figuresOf(statement) : [],
    open: [],
    suspect: 0,
    ...judgement,
    score: learned.score * (judgement.status === 'contradicted' ? CONTRADICTED_KEEPS : 1 - doubt),
  });
  if (statement.instruction)
    return made({
      status: 'not_checked',
      why: `${where(statement)} reads as an instruction and counts for nothing.`,
      passages: [],
    });
  const field = statement.record === undefined ? undefined : judgeField(reading, ground);
  if (field !== undefined) return made(field);
  const sentence = judgeSentence(reading, learned, at, ground);
  return made((sentence.status === 'supported' ? ofAnotherRecord(statement, ground) : undefined) ?? sentence);
}

/** A value that the evidence gives for another record does not bear this one out. */
function ofAnotherRecord(statement: Statement, { records, index }: Ground): Judgement | undefined {
  const other = records.givenToAnother(statement);
  if (other === undefined) return undefined;
  const { name, region, span } = other;
  const { text = '', ref = '' } = index.sources[region.source] ?? {};
  const said = clip(text.slice(span.start, span.end));
  return {
    status: 'not_found',
    why: `The evidence does not settle ${where(statement)}. ${sourceName(index, region.source)} gives “${said}”, but for “${clip(name)}”.`,
    passages: [{ ref, start: span.start, end: span.end }],
    open: [statement.record?.value ?? ''],
    suspect: GIVEN_TO_ANOTHER,
  };
}

/** How much more such a value is to be doubted than one that stands nowhere. */
const GIVEN_TO_ANOTHER = 2;

/** What a contradiction leaves of the learned score, and what each replaced word takes of it. */
const CONTRADICTED_KEEPS = 0.5;
