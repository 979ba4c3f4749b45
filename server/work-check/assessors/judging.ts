import type { StatementReading } from '../contradictions.ts';
import type { Fault } from '../fault.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import type { Statement } from '../statements.ts';
import { readFeatures } from '../support/features.ts';
import { supportModel, supportScore } from '../support/model.ts';
import type { AssessmentTask } from './port.ts';

/** How the embedded assessor judges one statement: the learned score first, then rules that can only lower it. */

export type Standing = 'supported' | 'contradicted' | 'unsupported' | 'undecided';
/** A statement with where it stands, its score, and the passages (by index) it was read beside. */
export type Judged = { reading: StatementReading; standing: Standing; score: number; passages: number[] };

/** Work up to this length is also read as one statement, as the support score was trained. */
const WHOLE_CHARS_MAX = 1_200;
const WHOLE_STATEMENTS_MAX = 6;
/** How far a contradiction, and a word or figure that stands nowhere, lower the score (in log odds). */
const CONTRADICTION_COST = 3;
const AGREEING_CELL = 0.97;
const FAULT_COST = 0.75;
const DISTANCE_COST = 0.5;
/** Where one statement stands. */
export function judge(reading: StatementReading, index: EvidenceIndex): Judged {
  const { features, best } = readFeatures(reading.statement.text, index, reading.statement.tokens, reading.wanted);
  const learned = supportScore(features, costOf(reading.faults));
  // A cell found by row and column says more than any likeness of words.
  const found = reading.cell?.agrees === true || namesSource(reading.statement, index);
  const score = found && reading.faults.length === 0 ? Math.max(learned, AGREEING_CELL) : learned;
  return {
    reading,
    score,
    standing: standingOf(score, { ...reading, instruction: reading.statement.instruction }),
    passages: best,
  };
}

/** Whether a field holds the number by which a source is called, such as that of a ticket or an invoice. */
function namesSource({ record }: Statement, index: EvidenceIndex): boolean {
  if (record === undefined || !/\d/.test(record.value)) return false;
  const value = record.value.toLowerCase();
  return index.sources.some(({ source }) =>
    source
      .toLowerCase()
      .split(/[\s,;()]+/)
      .includes(value),
  );
}

/** The log odds that what the rules found costs a statement. */
export function costOf(faults: readonly Fault[]): number {
  return faults.reduce(
    (sum, fault) => sum + (fault.contradicts ? CONTRADICTION_COST : FAULT_COST) + (fault.distance ?? 0) * DISTANCE_COST,
    0,
  );
}

/** The work read as one statement; undefined when it is too long for that. */
export function judgeWhole({
  work,
  evidence,
  readings,
  judged,
}: AssessmentTask): Pick<Judged, 'score' | 'standing'> | undefined {
  const text = work.whole;
  if (text === undefined || text.length > WHOLE_CHARS_MAX || readings.length > WHOLE_STATEMENTS_MAX) return undefined;
  const [only] = readings;
  if (only !== undefined && readings.length === 1 && (only.cell !== undefined || only.statement.text === text)) {
    const score = judged[0]?.score ?? 0;
    return { score, standing: standingOf(score, { ...only, instruction: only.statement.instruction }) };
  }
  const faults = readings.flatMap((reading) => reading.faults);
  const instruction = readings.some((reading) => reading.statement.instruction);
  const { features } = readFeatures(text, evidence);
  const score = supportScore(features, costOf(faults));
  return { score, standing: standingOf(score, { faults, instruction }) };
}

function standingOf(
  score: number,
  { faults, instruction }: { faults: readonly Fault[]; instruction: boolean },
): Standing {
  if (faults.some((fault) => fault.contradicts)) return 'contradicted';
  if (score <= supportModel.bands.unsupported) return 'unsupported';
  if (instruction || faults.length > 0 || score < supportModel.bands.supported) return 'undecided';
  return 'supported';
}
