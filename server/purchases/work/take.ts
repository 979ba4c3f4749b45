import { leaseUntil } from '../../kernel/lease.ts';
import { log } from '../../kernel/log.ts';
import { sql, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { attemptPayers } from '../../payments/attempt-sql.ts';
import { Problem } from '../../problems/problem.ts';
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

/** So much later, in seconds, does a check have its turn for each other of its account that is under way or ahead. */
const laterForEach = 30;
/** The same for a check whose buyer has accepted no purchase yet. */
const laterForNew = 60;
/** The same for each second that its account kept workers busy lately; at most so much, so that nobody starves. */
const laterForSecond = 5;
const laterForBusyMax = 300;
/** "Lately", in minutes. */
const busyMinutes = 10;

/** Who pays for job `jobs`: an address or a card; for credit its account. */
const payer = `coalesce((
  select payer from (${attemptPayers}) payers join payments using (payment_key)
  where payments.job_key = jobs.job_key and state = 'collected'), jobs.account_key)`;

/** Whether neither account nor payer of `line` has accepted a purchase. */
const isNew = `(
  not exists (select from jobs had where had.account_key = line.account_key and had.state = 'accepted')
  and not exists (
    select from (${attemptPayers}) payers join payments using (payment_key) join jobs had using (job_key)
    where payers.payer = line.payer and payments.state = 'collected' and had.state = 'accepted'))`;

/** A check keeps its worker busy from when it is taken until it ends, or its worker is given up. */
const lineText = `
  with line as (
    select job_key, state, fence, tries, account_key, deliver_by, lease_until > $1 as is_under_way, ${payer} as payer
    from jobs where state in ('queued', 'running', 'rechecking')),
  judged as (select job_key, state, fence, tries, account_key, deliver_by, is_under_way, payer, ${isNew} as is_new from line),
  placed as (
    select job_key, state, fence, tries, account_key, deliver_by, is_under_way, is_new,
      row_number() over (partition by account_key, is_under_way is true order by deliver_by, job_key) as place,
      row_number() over (partition by payer, is_under_way is true order by deliver_by, job_key) as payers_place,
      count(*) filter (where is_under_way) over (partition by account_key) as under_way,
      count(*) filter (where is_under_way) over (partition by payer) as payers_under_way
    from judged),
  busy as (
    select account_key, sum(extract(epoch from least($1, lease_until,
        case when delivered_at > taken_at then delivered_at end,
        case when finalized_at > taken_at then finalized_at end) - taken_at)) as seconds
    from jobs where taken_at > $1::timestamptz - make_interval(mins => ${busyMinutes}) group by account_key)
  select job_key, state, fence, tries, is_new from placed left join busy using (account_key)
  where is_under_way is not true and deliver_by >= $1 and place + under_way <= $2
    and account_key <> all ($3::text[]) and not (is_new and ($4 or payers_place + payers_under_way > 1))
  order by deliver_by + make_interval(secs => ${laterForEach} * (place - 1 + under_way)
      + case when is_new then ${laterForNew} else 0 end
      + least(${laterForSecond} * coalesce(seconds, 0), ${laterForBusyMax})::float8), job_key
  limit 1`;

/** A job that a worker took. */
export interface Taken {
  job: JobRow;
  /** Neither its account nor its payer has accepted a purchase. */
  isNew: boolean;
}

/**
 * Takes the next job; undefined when none may run. Who waits longest has the turn, later by what its account has under
 * way, ahead and used lately, and if its buyer is new. The limit for an account holds across all workers, and a payer
 * without an accepted purchase has one check under way. What is late is the sweep's. `except`: accounts that get none; `noneNew`: nor do new buyers.
 */
export async function takeNext(
  runtime: Runtime,
  { except = [], noneNew = false }: { except?: readonly string[]; noneNew?: boolean } = {},
): Promise<Taken | undefined> {
  const { checksPerAccount } = runtime.configuration;
  for (;;) {
    const now = runtime.clock();
    const free = await runtime.db.maybe<FreeJob & { is_new: boolean }>(
      statement(lineText, [now, checksPerAccount, except, noneNew]),
    );
    if (!free) return undefined;
    const job = await hold(runtime, free, now);
    if (job) return { job, isNew: free.is_new };
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
      { jobKey, actor: 'worker', now, fence: free.fence },
      {
        fence: free.fence + 1,
        tries: free.tries + 1,
        lease_until: leaseUntil(now),
        taken_at: now,
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
