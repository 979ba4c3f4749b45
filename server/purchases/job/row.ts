import type { SwitchName } from '../../availability/contract.ts';
import { type JsonRow, jsonRowReader } from '../../kernel/json-row.ts';
import type { RailName } from '../../payments/contract.ts';
import { Problem } from '../../problems/problem.ts';
import {
  type ChargeState,
  hasLapsed,
  type JobState,
  type PaymentState,
  type ReviewState,
  transitions,
} from '../states.ts';

/** A job as stored. Its state moves through `advance` alone. */
export interface JobRow {
  job_key: string;
  quote_key: string;
  principal_key: string;
  account_key: string;
  grant_key: string;
  state: JobState;
  payment_state: PaymentState;
  charge_state: ChargeState;
  review_state: ReviewState;
  price_microcents: bigint;
  /** What it holds of its grant's limits now: its price, or nothing. */
  reserved_microcents: bigint;
  /** Authorized without room: credit may pay for it, cash may not. */
  credit_only: boolean;
  /** `YYYY-MM-DD`, UTC. */
  authorized_on: string;
  created_at: Date;
  pay_by: Date;
  collected_at: Date | null;
  deliver_by: Date | null;
  delivered_at: Date | null;
  review_by: Date | null;
  finalized_at: Date | null;
  fence: number;
  tries: number;
  stage: string;
  percent: number;
  report_digest: string | null;
  failure: string | null;
  waived_because:
    | 'second_dispute'
    | 'recheck_failed'
    | 'source_withdrawn'
    | 'assessor_unreachable'
    | 'waived_by_operator'
    | 'payment_reversed'
    | 'payment_reported'
    | null;
}

/** The columns of a `JobRow`, for `select` or `returning`. */
export const jobColumns = `job_key, quote_key, principal_key, account_key, grant_key, state, payment_state, charge_state,
  review_state, price_microcents, reserved_microcents, credit_only, authorized_on, created_at, pay_by, collected_at,
  deliver_by, delivered_at, review_by, finalized_at, fence, tries, stage, percent, report_digest, failure,
  waived_because`;

/** A payment that is open, or whose outcome is unknown; instants as ISO 8601. */
interface OpenPayment {
  payment_key: string;
  rail: RailName;
  method: string;
  /** From when it can be canceled for certain; null if that is never certain. */
  withdrawable_after: string | null;
  /** When it can no longer collect. */
  expires_at: string | null;
}

export interface LoadedJob extends JobRow {
  buyer_is_producer: boolean;
  /** Whether the grant still covers it, or credit where it takes no room. Read while it can be paid. */
  within_limits: boolean;
  /** Whether the buyer's credit covers its price, while it waits for payment. */
  credit_covers: boolean;
  /** The sales switches that are off, while it waits for payment. */
  off: SwitchName[];
  open_payment: OpenPayment | null;
  /** What its next payment may be, while it waits for payment. */
  ways: {
    /** The account keeps a card that can be charged. */
    keeps_card: boolean;
    /** The rail of the buyer's last paid purchase. */
    last_rail: RailName | null;
    /** How many attempts by each method have failed for this job. */
    failed: Record<string, number> | null;
  } | null;
  timeline: { at: string; event: string; state: string }[];
}

/** A `LoadedJob` as `loadedJobs` reads it. */
export type JobAsJson = { job: JsonRow<JobRow> } & Omit<LoadedJob, keyof JobRow>;

export const readJobRow = jsonRowReader<JobRow>({
  instants: {
    created_at: true,
    pay_by: true,
    collected_at: true,
    deliver_by: true,
    delivered_at: true,
    review_by: true,
    finalized_at: true,
  },
  amounts: { price_microcents: true, reserved_microcents: true },
});

export function readJob({ job, ...others }: JobAsJson): LoadedJob {
  return Object.assign(readJobRow(job), others);
}

/** The job's current state: unpaid past its time it is canceled, swept or not. */
export function stateAt(row: JobRow, now: Date): JobState {
  return hasLapsed(row, now) ? transitions.lapse.to : row.state;
}

/** An open review past its window is overdue: it can still be accepted, and nothing accepts by itself. */
export function reviewStateAt(row: JobRow, now: Date): ReviewState {
  return row.review_state === 'open' && row.review_by && now > row.review_by ? 'overdue' : row.review_state;
}

/** The refusal of an action that the state does not allow. */
export function notAllowed(detail: string): Problem {
  return new Problem('action_not_allowed', detail);
}
