import type { Queries } from '../../kernel/database.ts';
import type { JsonRow } from '../../kernel/json-row.ts';
import { assembled, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { type MoneyNote, type PaymentState, standing, type TransitionName, transitions } from '../states.ts';
import { audit } from './audit.ts';
import { type JobRow, jobColumns, notAllowed, readJobRow } from './row.ts';

/** A period of the terms that the job was bought under: its quote keeps them. */
class Accepted {
  readonly from: Date;
  readonly period: 'execution_seconds' | 'review_seconds';

  constructor(from: Date, period: Accepted['period']) {
    this.from = from;
    this.period = period;
  }
}

/** When a check that starts at this instant must be delivered. */
export const deliverBy = (now: Date): Accepted => new Accepted(now, 'execution_seconds');
/** When the review of a report that is delivered at this instant ends. */
export const reviewBy = (now: Date): Accepted => new Accepted(now, 'review_seconds');

/** Further columns of a transition; `standing` sets charge and review. */
type Changes = Partial<
  Pick<
    JobRow,
    | 'payment_state'
    | 'review_state'
    | 'collected_at'
    | 'delivered_at'
    | 'finalized_at'
    | 'fence'
    | 'tries'
    | 'stage'
    | 'percent'
    | 'report_digest'
    | 'failure'
    | 'waived_because'
  > & {
    deliver_by: Accepted;
    review_by: Accepted | null;
    lease_until: Date | null;
    taken_at: Date;
    last_rail: string;
    last_verdict: string;
    ended_by: 'buyer' | 'operator';
  }
>;

/** Column names come from the type above, never from input. */
function advanceText(...columns: string[]): string {
  const changes = columns.map((column, index) => {
    const [name, period] = column.split(' ');
    return period
      ? `${name} = (select $${index + 9}::timestamptz + make_interval(secs => ${period}) from quotes
          where quotes.quote_key = jobs.quote_key)`
      : `${name} = $${index + 9}`;
  });
  return `
    with moved as (
      update jobs set ${changes.join(', ')}
      where job_key = $1 and state = any($2::text[]) and ($3::int is null or fence = $3)
        and ($8::text is null or exists (
          select 1 from payments where payment_key = $8 and state = 'collected' and decided_at = $4))
      returning new.job_key, new.quote_key, new.principal_key, new.account_key, new.grant_key, new.state,
        new.payment_state, new.charge_state, new.review_state, new.price_microcents, new.reserved_microcents,
        new.credit_only, new.authorized_on,
        new.created_at, new.pay_by, new.collected_at, new.deliver_by, new.delivered_at, new.review_by,
        new.finalized_at, new.fence, new.tries, new.stage, new.percent, new.report_digest, new.failure,
        new.waived_because, old.state as state_before),
    noted as (
      insert into audit_rows (month, purchase_key, at, actor, action, state_from, state_to)
      select audit_month(quote_key), quote_key, $4, $5, $6, state_before, $7 from moved)
    select to_json(moved) as job from moved`;
}

/** One step of a job: who takes it, and when. */
export interface Step {
  jobKey: string;
  actor: string;
  now: Date;
  /** The worker that holds the job, if only that may take it. */
  fence?: number;
  /** A payment that must have been collected in this transaction. */
  payment?: string;
}

/**
 * Moves a job along the table of transitions: a compare-and-set, with its audit row in the same transaction. Throws
 * `action_not_allowed` when the job is elsewhere.
 */
export async function advance(
  tx: Queries,
  transition: TransitionName,
  { jobKey, actor, now, fence, payment }: Step,
  changes: Changes = {},
): Promise<JobRow> {
  const { from, to } = transitions[transition];
  const columns = Object.entries({ ...standing[to], ...changes, state: to, updated_at: now });
  const values = [jobKey, from, fence ?? null, now, actor, transition, to, payment ?? null];
  const moved = await tx.maybe<{ job: JsonRow<JobRow> }>(
    assembled(
      advanceText,
      columns.map(([column, value]) => (value instanceof Accepted ? `${column} ${value.period}` : column)),
      [...values, ...columns.map(([, value]) => (value instanceof Accepted ? value.from : value))],
    ),
  );
  if (!moved) throw notAllowed(`${transition} is not possible now.`);
  return readJobRow(moved.job);
}

/** Records a change of the money while the state stays. */
export function noteOnJob(tx: Tx, job: JobRow, action: MoneyNote, now: Date): void {
  audit(tx, { purchase: job.quote_key, actor: 'system', action, from: job.state, to: job.state, at: now });
}

/** Locks job `$1` until the transaction ends. */
export const heldJob = `select ${jobColumns} from jobs where job_key = $1 for no key update`;

/** Locks a job that the service itself works on. */
export function lockJob(tx: Tx, jobKey: string): Promise<JobRow> {
  return tx.one<JobRow>(statement(heldJob, [jobKey]));
}

const movesMoney = `
  update jobs set payment_state = $2, updated_at = $3
  where job_key = $1 and ($4::text is null or payment_state = $4) returning ${jobColumns}`;

/** Sets the payment state while the state stays; fails when it is not at `from`, where given. */
export function moveMoney(
  tx: Tx,
  jobKey: string,
  { to, from = null }: { to: PaymentState; from?: PaymentState | null },
  now: Date,
): Promise<JobRow> {
  return tx.one<JobRow>(statement(movesMoney, [jobKey, to, now, from]));
}
