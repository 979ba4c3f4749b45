import { release } from '../identity/grant.ts';
import { after } from '../kernel/clock.ts';
import { errorFields, log } from '../kernel/log.ts';
import { Problem } from '../kernel/problem.ts';
import { forgetCounts } from '../kernel/rate-limit.ts';
import { sql } from '../kernel/sql.ts';
import { transact } from '../kernel/transaction.ts';
import { enqueueCheck } from '../queue/queue.ts';
import type { Runtime } from '../runtime.ts';
import { seconds } from '../service/terms.ts';
import { failJob } from './execute.ts';
import { advance, type JobRow } from './job.ts';

/** Rows one sweep takes of each kind; the next sweep takes the rest. */
const batch = 50;
/** A message of the queue that has not started its job after this long is taken for lost. */
const queuedForSeconds = 20;

/**
 * Finds what a crash, a lost message or a passed deadline has left behind, and moves it on. Every step is one that the
 * ordinary path takes too, guarded by the same compare-and-set: a sweep beside a living request changes nothing twice.
 */
export async function sweep(runtime: Runtime): Promise<void> {
  await failOverdue(runtime);
  await requeueAbandoned(runtime);
  await lapseUnpaid(runtime);
  await forgetCounts(runtime.db, runtime.clock());
}

/** Fails what was not delivered by its deadline; the remedy is part of failing. */
async function failOverdue(runtime: Runtime): Promise<void> {
  const overdue = await runtime.db.many<Pick<JobRow, 'job_key' | 'state'>>(sql`
    select job_key, state from jobs
    where state in ('queued', 'running', 'rechecking') and deliver_by < ${runtime.clock()}
    order by deliver_by limit ${batch}`);
  for (const job of overdue) {
    await guarded('job_not_failed', { job_key: job.job_key }, () =>
      transact(runtime.db, (tx) => failJob(tx, runtime, job, 'The report was not delivered in time.')),
    );
  }
}

/** Queues again what a dead worker held, and what the queue seems to have lost. */
async function requeueAbandoned(runtime: Runtime): Promise<void> {
  const now = runtime.clock();
  // The deadline runs from when the message was sent.
  const waitedSeconds = seconds.executionDeadline - queuedForSeconds;
  const abandoned = await runtime.db.many<{ job_key: string }>(sql`
    select job_key from jobs
    where state in ('queued', 'running', 'rechecking')
      and (lease_until < ${now} or (lease_until is null and deliver_by < ${after(now, waitedSeconds)}))
    order by deliver_by limit ${batch}`);
  for (const { job_key } of abandoned) {
    await guarded('job_not_requeued', { job_key }, () =>
      transact(runtime.db, async (tx) => enqueueCheck(tx, runtime.queue, job_key)),
    );
  }
}

/** Cancels what nobody paid for in time, and gives its reservation back. Never while a payment is open or unknown. */
async function lapseUnpaid(runtime: Runtime): Promise<void> {
  const now = runtime.clock();
  const unpaid = await runtime.db.many<Pick<JobRow, 'job_key'>>(sql`
    select job_key from jobs where state = 'awaiting_payment' and payment_state = 'none' and pay_by < ${now}
    order by pay_by limit ${batch}`);
  for (const { job_key } of unpaid) {
    await guarded('job_not_lapsed', { job_key }, () =>
      transact(runtime.db, async (tx) => {
        await tx.one(sql`select 1 from jobs where job_key = ${job_key} and payment_state = 'none' for no key update`);
        const job = await advance(
          tx,
          'lapse',
          job_key,
          { actor: 'system', now },
          { finalized_at: now, stage: 'canceled' },
        );
        release(tx, job.grant_key, job.authorized_on, job.price_microcents);
      }),
    );
  }
}

/** One row that cannot be moved on must not hold up the others. A lost race is nothing to report. */
export async function guarded(
  event: string,
  keys: Record<string, string>,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Problem && error.code === 'action_not_allowed') return;
    log(event, { ...keys, ...errorFields(error) });
  }
}
