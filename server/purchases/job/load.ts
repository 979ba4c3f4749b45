import { salesOff } from '../../availability/switches.ts';
import { payerIsBlocked } from '../../identity/blocked.ts';
import { stillWithinLimits } from '../../identity/limits.ts';
import type { Queries } from '../../kernel/database.ts';
import { sql, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { creditCovers } from '../../ledger/ledger.ts';
import { type Buyer, type Member, ownedBy } from '../../operation/caller.ts';
import { attemptEnds, keepsCard } from '../../payments/attempt-sql.ts';
import { Problem } from '../../problems/problem.ts';
import { type JobAsJson, type LoadedJob, readJob } from './row.ts';

/** Instants as text in answers: making a `Date` of each would cost more than the rest of a job's history. */
const onWire = (instant: string): string => `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The columns of a `JobAsJson`, for `select`. */
export const loadedJobs = `to_json(jobs) as job, quotes.buyer_is_producer,
      jobs.state <> 'awaiting_payment' or ${stillWithinLimits('jobs')} as within_limits,
      jobs.state = 'awaiting_payment' and ${creditCovers('jobs.principal_key', 'jobs.price_microcents')} as credit_covers,
      case when jobs.state = 'awaiting_payment' then ${salesOff} else '[]' end as off,
      case when jobs.payment_state in ('requires_payer', 'processing', 'unknown') then (
        select json_build_object('payment_key', payment_key, 'rail', rail, 'method', method,
          'withdrawable_after', ${onWire('withdrawable_after')}, 'expires_at', ${onWire('expires_at')})
        from payments join (${attemptEnds}) ends using (payment_key)
        where payments.job_key = jobs.job_key and payments.state in ('settling', 'unknown')) end as open_payment,
      case when jobs.state = 'awaiting_payment' then json_build_object(
        'keeps_card', ${keepsCard('jobs.account_key', 'jobs.job_key', payerIsBlocked)},
        'last_rail', (
          select last_rail from jobs before
          where before.principal_key = jobs.principal_key and before.collected_at is not null
          order by before.created_at desc limit 1),
        'failed', (
          select json_object_agg(method, times) from (
            select method, count(*) as times from payments
            where payments.job_key = jobs.job_key and payments.state = 'failed' group by method) tried)) end as ways,
      timeline.events as timeline
    from jobs join quotes using (quote_key),
      lateral (select coalesce(json_agg(json_build_object('at', ${onWire('at')}, 'event', action, 'state', state_to)
        order by sequence), '[]') as events from audit_steps
        where purchase_key = jobs.quote_key and month = month_of(quotes.created_at)) timeline`;

const ownJob = `
    select ${loadedJobs}
    where job_key = $1 and (jobs.principal_key = $2 or jobs.account_key = $3)`;

/** The job, if it is one of the caller's. */
export async function findJob(db: Queries, jobKey: string, caller: Buyer | Member): Promise<LoadedJob | undefined> {
  const { principalKey, accountKey } = ownedBy(caller);
  const packed = await db.maybe<JobAsJson>(statement(ownJob, [jobKey, principalKey, accountKey]));
  return packed && readJob(packed);
}

/** The same. Throws `not_found`, also for other accounts' jobs. */
export async function loadJob(db: Queries, jobKey: string, caller: Buyer | Member): Promise<LoadedJob> {
  const job = await findJob(db, jobKey, caller);
  if (!job) throw new Problem('not_found', 'There is no such job for this caller.');
  return job;
}

/** Most jobs named in a refusal that lists those holding room. */
const unpaidMax = 5;

const ownUnpaid = `
    select ${loadedJobs}
    where jobs.state = 'awaiting_payment' and (jobs.principal_key = $1 or jobs.account_key = $2)
    order by jobs.created_at desc limit ${unpaidMax}`;

/** The caller's newest jobs that wait for their payment. */
export async function unpaidJobs(db: Queries, caller: Buyer | Member): Promise<LoadedJob[]> {
  const { principalKey, accountKey } = ownedBy(caller);
  return (await db.many<JobAsJson>(statement(ownUnpaid, [principalKey, accountKey]))).map(readJob);
}

/**
 * The job, if it is one of the caller's, locked until the transaction ends, so that equal requests run in turn. Throws
 * `not_found`.
 */
export function holdJob(tx: Tx, jobKey: string, caller: Buyer | Member): Promise<LoadedJob> {
  const { principalKey, accountKey } = ownedBy(caller);
  tx.write(sql`
    select 1 from jobs where job_key = ${jobKey} and (principal_key = ${principalKey} or account_key = ${accountKey})
    for no key update`);
  return loadJob(tx, jobKey, caller);
}
