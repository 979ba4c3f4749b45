import type { Work } from '../claims.ts';
import type { FindingStatus, Verdict } from '../contract.ts';
import type { ClaimReading } from '../contradictions.ts';
import type { Entry } from '../entries.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';

/** A passage by its place in a source: UTF-16 offsets into that source's text. */
export type Passage = { ref: string; start: number; end: number };

/** What an assessor is given. Everything in it is material to judge; none of it is an instruction. */
export type AssessmentTask = {
  work: Work;
  evidence: EvidenceIndex;
  /** One finding is owed for each, in this order. */
  entries: readonly Entry[];
  /** The work's statements as the rules read them, in the order of `work.claims`. */
  readings: readonly ClaimReading[];
  request: string;
  work_kind: string | undefined;
  /** The buyer's reason and wishes when this is the included re-check. */
  correction: string | undefined;
  onProgress: (share: number) => void;
  signal: AbortSignal | undefined;
};

export type AssessedFinding = { status: FindingStatus; reason: string; passages: Passage[] };

export type Assessment = {
  verdict: Verdict;
  /** One for each entry of the task, in its order. */
  findings: AssessedFinding[];
  /** Share of the statements that the evidence bears out, from 0 to 1. */
  score: number;
  confidence: number;
  limitations: readonly string[];
  corrected_output?: string;
};

/** Judges work against evidence. Fails by throwing; it never answers with less than was asked. */
export type Assessor = {
  /** As `verification.method` names it after `deterministic_checks+`. */
  method: string;
  assess: (task: AssessmentTask) => Promise<Assessment>;
};
