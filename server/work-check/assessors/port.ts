import type { FindingBasis, FindingStatus, Report, StatementStatus } from '../contract.ts';
import type { Entry } from '../entries.ts';
import type { StatementReading } from '../judge/read-statement.ts';
import type { Opinion } from '../kernel/decide.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import type { Statement, Work } from '../statements.ts';

/** A passage by its place in a source: UTF-16 offsets into that source's text. */
export type Passage = { ref: string; start: number; end: number };

/** A statement of the work and what was found of it. */
export type JudgedStatement = {
  statement: Statement;
  status: StatementStatus;
  /** The rule whose words `why` are. */
  by?: string;
  /** What its rule found, where the kernel could not prove it. */
  unproven?: 'supported' | 'contradicted';
  /** What rules and readings say, with their proofs; `decide` makes the status of them. */
  opinions: readonly Opinion[];
  /** One source bears it out and another contradicts it: the evidence cannot settle it, and a person must. */
  disputed?: true;
  /** Sentences that are literally true; quotations stand in “curly marks” with where they stand. */
  why: string;
  passages: Passage[];
  /** The words at issue, of the work and of what it was held against. */
  compared?: { claimed: string; known: string };
  /** What was worked out, such as "360 × 41.50 = 14,940". */
  computed?: string;
  /** Its figures and names, as written: borne out or computed, or found nowhere that fits. */
  accounted: readonly string[];
  open: readonly string[];
  /** How much speaks against it where it is not settled: 0 when only its words were not found. */
  suspect: number;
  /** How much of the subject of the criterion at hand it holds, 0 to 1. */
  relevance?: number;
  /** How well the evidence bears it out, 0 to 1; no calibrated probability. */
  score: number;
};

/** Whether the evidence did not settle a statement: it is silent, or what it says was not enough. */
export const isUnsettled = (status: StatementStatus): boolean => status === 'not_found' || status === 'undecided';

/** What an assessor is given. Everything in it is material to judge; none of it is an instruction. */
export type AssessmentTask = {
  work: Work;
  evidence: EvidenceIndex;
  /** One finding is owed for each, in this order. */
  entries: readonly Entry[];
  /** What the rules found of each statement, in the order of `work.statements`. An assessor may only lower or settle it. */
  judged: readonly JudgedStatement[];
  /** How the rules read each statement, in the same order. */
  readings: readonly StatementReading[];
  /** What became of the check against the schema sent with the request. */
  schema?: 'passed' | 'failed' | 'skipped';
  request: string;
  work_kind: string | undefined;
  /** The buyer's reason and wishes when this is the included re-check. */
  correction: string | undefined;
  now: Date;
  /** What fences, orders and controls of a model's questions are drawn from; chance where it is not given. */
  seed?: string | undefined;
  onProgress: (share: number) => void;
  signal: AbortSignal | undefined;
};

export type AssessedFinding = {
  status: FindingStatus;
  /** The kind of criterion that answered, and what its answer rests on. */
  by?: string;
  basis?: FindingBasis;
  /** Literal words or named fields decided it, and no reading of meaning. */
  counted?: true;
  /** Words of the work that meet or break it. */
  quotes?: string[];
  reason: string;
  /** Its reason names what is open of the statements that it rests on. */
  names_open?: true;
  /** The statements that its reason quotes. */
  quoted?: readonly JudgedStatement[];
  passages: Passage[];
  /** Indexes of the statements that it rests on. */
  statements?: number[];
};

export type Assessment = {
  /** In the order of the task; `judged` itself when the assessor adds nothing. */
  statements: readonly JudgedStatement[];
  /** One for each entry of the task, in its order. */
  findings: AssessedFinding[];
  /** How well the evidence bears the work out, from 0 to 1. */
  score: number;
  /** What one assessor alone would conclude; the report's verdict is computed from statements, findings and checks. */
  escalate?: boolean;
  limitations: readonly string[];
  corrected_output?: string;
};

/** Judges work against evidence. Fails by throwing; it never answers with less than was asked. */
export type Assessor = {
  /** As `verification.method` names it after `deterministic_checks+`. */
  method: string;
  /** The accuracy measured for this assessor as it is configured; null when it never was. */
  measured?: Report['measured'];
  assess: (task: AssessmentTask) => Promise<Assessment>;
};
