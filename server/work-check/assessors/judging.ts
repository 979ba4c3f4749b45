import type { Claim } from '../claims.ts';
import type { ClaimReading, Fault } from '../contradictions.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { readFeatures } from '../support/features.ts';
import { supportModel, supportScore } from '../support/model.ts';
import type { AssessmentTask } from './port.ts';

/** How the embedded assessor judges one statement: the learned score first, then rules that can only lower it. */

export type Standing = 'supported' | 'contradicted' | 'unsupported' | 'undecided';
/** A statement with where it stands, its score, and the passages (by index) it was read beside. */
export type Judged = { reading: ClaimReading; standing: Standing; score: number; passages: number[] };

/** Work up to this length is also read as one statement, as the support score was trained. */
const WHOLE_CHARS_MAX = 1_200;
const WHOLE_CLAIMS_MAX = 6;
/** How far a contradiction, and a word or figure that stands nowhere, lower the score (in log odds). */
const CONTRADICTION_COST = 3;
const AGREEING_CELL = 0.97;
const FAULT_COST = 0.75;
const DISTANCE_COST = 0.5;
/** Where one statement stands. */
export function judge(reading: ClaimReading, index: EvidenceIndex): Judged {
  const { features, best } = readFeatures(reading.claim.text, index, reading.claim.tokens, reading.wanted);
  const learned = supportScore(features, costOf(reading.faults));
  // A cell found by row and column says more than any likeness of words.
  const found = reading.cell?.agrees === true || namesSource(reading.claim, index);
  const score = found && reading.faults.length === 0 ? Math.max(learned, AGREEING_CELL) : learned;
  return { reading, score, standing: standingOf(score, reading), passages: best };
}

/** Whether a field holds the number by which a source is called, such as that of a ticket or an invoice. */
function namesSource({ record }: Claim, index: EvidenceIndex): boolean {
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
export function judgeWhole(judged: readonly Judged[], { work, evidence }: AssessmentTask): Judged | undefined {
  const text = work.whole;
  if (text === undefined || text.length > WHOLE_CHARS_MAX || judged.length > WHOLE_CLAIMS_MAX) return undefined;
  const [only] = judged;
  if (
    only !== undefined &&
    judged.length === 1 &&
    (only.reading.cell !== undefined || only.reading.claim.text === text)
  )
    return only;
  const faults = judged.flatMap(({ reading }) => reading.faults);
  const instruction = judged.some(({ reading }) => reading.claim.instruction);
  const { features, best } = readFeatures(text, evidence);
  const score = supportScore(features, costOf(faults));
  const claim = {
    at: 'the work',
    text,
    tokens: [],
    quantities: [],
    kind: 'sentence' as const,
    instruction,
    record: undefined,
  };
  const reading: ClaimReading = { claim, wanted: [], matches: [], coverage: 0, faults, cell: undefined };
  return { reading, score, standing: standingOf(score, reading), passages: best };
}

function standingOf(score: number, { faults, claim }: ClaimReading): Standing {
  if (faults.some((fault) => fault.contradicts)) return 'contradicted';
  if (score <= supportModel.bands.unsupported) return 'unsupported';
  if (claim.instruction || faults.length > 0 || score < supportModel.bands.supported) return 'undecided';
  return 'supported';
}
