import { revokeUnused } from '../../identity/credential.ts';
import { release } from '../../identity/limits.ts';
import { forgetOldRecords } from '../../identity/oauth/records.ts';
import { sql } from '../../kernel/sql.ts';
import { type Tx, transact } from '../../kernel/transaction.ts';
import { forgetCounts } from '../../operation/rate-limit.ts';
import { guarded } from '../../queue/rounds.ts';
import type { Runtime } from '../../runtime.ts';
import { advance } from '../job/advance.ts';
import type { JobRow } from '../job/row.ts';
import { freeEndedRoom } from '../work/ended-room.ts';
import { failJob } from '../work/execute.ts';
import { resume } from './resume.ts';
import { throughAll } from './rounds.ts';

/** A worker's round: what was due while no worker ran gets its time first, then `sweepDue`. */
export async function sweep(runtime: Runtime): Promise<void> {
  await resume(runtime);
  await sweepDue(runtime);
}

/**
 * Moves on what a crash, a lost message or a deadline left behind. Uses the ordinary path's steps and compare-and-sets,
 * so nothing happens twice beside a request.
 */
export async function sweepDue(runtime: Runtime): Promise<void> {
  await failOverdue(runtime);
  await lapseUnpaid(runtime);
  await freeEndedRoom(runtime);
  await forgetCounts(runtime.db, runtime.clock());
  await revokeUnused(runtime);
  await forgetOldRecords(runtime.db, runtime.clock());
}

/** Fails jobs past their deadline, with the remedy. */
async function failOverdue(runtime: Runtime): Promise<void> {
  await throughAll(
    ({ after: last, limit }) =>
      runtime.db.many<Pick<JobRow, 'job_key' | 'account_key' | 'state'>>(sql`
        select job_key, account_key, state from jobs
        where state in ('queued', 'running', 'rechecking') and deliver_by < ${runtime.clock()} and job_key > ${last}
        order by job_key limit ${limit}`),
    (job) =>
      guarded('job_not_failed', { job_key: job.job_key }, () =>
        transact(runtime.db, (tx) => failJob(tx, runtime, job, { failure: 'The report was not delivered in time.' })),
      ),
  );
}

/** Cancels jobs past their time to pay and frees their room. Not while a payment is open. */
async function lapseUnpaid(runtime: Runtime): Promise<void> {
  const now = runtime.clock();
  await throughAll(
    ({ after: last, limit }) =>
      runtime.db.many<Pick<JobRow, 'job_key'>>(sql`
        select job_key from jobs
        where state = 'awaiting_payment' and payment_state = 'none' and pay_by <= ${now} and job_key > ${last}
        order by job_key limit ${limit}`),
    ({ job_key }) =>
      guarded('job_not_lapsed', { job_key }, () => transact(runtime.db, (tx) => lapse(tx, job_key, now))),
  );
}

async function lapse(tx: Tx, jobKey: string, now: Date): Promise<void> {
  const unpaid = await tx.maybe(sql`
    select 1 from jobs where job_key = ${jobKey} and payment_state = 'none' for no key update`);
  if (!unpaid) return;
  await advance(tx, 'lapse', { jobKey, actor: 'system', now }, { finalized_at: now, stage: 'canceled' });
  release(tx, jobKey);
}
