import { release } from '../../identity/limits.ts';
import { utcDay } from '../../kernel/clock.ts';
import { sql } from '../../kernel/sql.ts';
import { type Tx, transact } from '../../kernel/transaction.ts';
import { guarded } from '../../queue/rounds.ts';
import type { Runtime } from '../../runtime.ts';
import type { JobRow } from '../job/row.ts';
import { throughAll } from '../rounds/rounds.ts';

/**
 * The room of a job whose money is back with its payer returns at once, but where the buyer brought the end about only with
 * the next day (UTC): the same room would pay a provider's fee again and again.
 */
export async function freeRoom(tx: Tx, job: Pick<JobRow, 'job_key'>, now: Date): Promise<void> {
  const waits = await tx.maybe(sql`
    select 1 from jobs where job_key = ${job.job_key} and ended_by = 'buyer'
      and (finalized_at at time zone 'UTC')::date >= ${utcDay(now)}::date`);
  if (!waits) release(tx, job.job_key);
}

/** Returns the room of what buyers ended on earlier days. */
export async function freeEndedRoom(runtime: Pick<Runtime, 'db' | 'clock'>): Promise<void> {
  const today = utcDay(runtime.clock());
  await throughAll(
    ({ after: last, limit }) =>
      runtime.db.many<Pick<JobRow, 'job_key'>>(sql`
        select job_key from jobs
        where ended_by = 'buyer' and reserved_microcents > 0 and payment_state = 'refunded'
          and (finalized_at at time zone 'UTC')::date < ${today}::date and job_key > ${last}
        order by job_key limit ${limit}`),
    ({ job_key }) =>
      guarded('room_not_freed', { job_key }, () =>
        transact(runtime.db, async (tx) => {
          const held = await tx.maybe(sql`
            select 1 from jobs where job_key = ${job_key} and payment_state = 'refunded' for no key update`);
          if (held) release(tx, job_key);
        }),
      ),
  );
}
