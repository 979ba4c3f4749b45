import { Problem } from '../../door/problem.ts';
import { leaseUntil } from '../../kernel/lease.ts';
import { log } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { enqueueCheck, type Queue } from '../../queue/queue.ts';
import type { Runtime } from '../../runtime.ts';
import { advance } from '../job/advance.ts';
import type { JobRow } from '../job/row.ts';
import { can, type JobState } from '../states.ts';

/** A worker's hold on a job: the fence lets one write. */

type FreeJob = Pick<JobRow, 'job_key' | 'state' | 'fence' | 'tries'>;

/** Takes this job; undefined when it is held or done. */
export async function take(runtime: Runtime, jobKey: string): Promise<JobRow | undefined> {
  const now = runtime.clock();
  const free = await runtime.db.maybe<FreeJob>(sql`
    select job_key, state, fence, tries from jobs
    where job_key = ${jobKey} and state in ('queued', 'running', 'rechecking')
      and (lease_until is null or lease_until <= ${now})`);
  return free && hold(runtime, free, now);
}

/**
 * Takes the next job; undefined when none may run. Accounts take turns: fewest running checks first, then longest
 * waiting. The configured limit per account holds across all workers; those of `except` get none.
 */
export async function takeNext(runtime: Runtime, except: readonly string[] = []): Promise<JobRow | undefined> {
  const { checksPerAccount } = runtime.configuration;
  for (;;) {
    const now = runtime.clock();
    const free = await runtime.db.maybe<FreeJob>(sql`
      with waiting as (
        select job_key, state, fence, tries, account_key, deliver_by,
          row_number() over (partition by account_key order by deliver_by, job_key) as place
        from jobs
        where state in ('queued', 'running', 'rechecking') and (lease_until is null or lease_until <= ${now})),
      busy as (
        select account_key, count(*) as under_way from jobs
        where state in ('running', 'rechecking') and lease_until > ${now} group by account_key)
      select job_key, state, fence, tries from waiting left join busy using (account_key)
      where place + coalesce(under_way, 0) <= ${checksPerAccount} and account_key <> all (${except}::text[])
      order by place + coalesce(under_way, 0), deliver_by, job_key limit 1`);
    if (!free) return undefined;
    const taken = await hold(runtime, free, now);
    if (taken) return taken;
  }
}

/** Takes a free job and raises its fence: the last holder can no longer write. */
function hold({ db }: Runtime, free: FreeJob, now: Date): Promise<JobRow | undefined> {
  const { job_key: jobKey } = free;
  // One statement: of several workers that saw it free, one gets it.
  return unlessFenced(free, () =>
    advance(
      db,
      isRecheck(free) ? 'recheck' : 'start',
      jobKey,
      { actor: 'worker', now, fence: free.fence },
      {
        fence: free.fence + 1,
        tries: free.tries + 1,
        lease_until: leaseUntil(now),
        stage: 'reading',
        percent: 10,
      },
    ),
  );
}

/**
 * Frees a job with all its tries and queues its check. The next worker raises the fence, so the current one writes no
 * more.
 */
export function runFromTheStart(tx: Tx, queue: Queue, { job_key: jobKey }: Pick<JobRow, 'job_key'>, now: Date): void {
  tx.write(sql`
    update jobs set lease_until = null, tries = 0, updated_at = ${now}
    where job_key = ${jobKey} and state in ('queued', 'running', 'rechecking')`);
  enqueueCheck(tx, queue, jobKey);
}

/** Whether the re-check's report is due. */
export function isRecheck({ state }: { state: JobState }): boolean {
  return can('redeliver', state);
}

/** The worker lost its job: expected, no error. */
export async function unlessFenced<T>(
  { job_key, fence }: Pick<JobRow, 'job_key' | 'fence'>,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'action_not_allowed')) throw error;
    log('lost_to_another_worker', { job_key, fence });
    return undefined;
  }
}
