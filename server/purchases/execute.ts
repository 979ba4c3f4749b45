import { release } from '../identity/grant.ts';
import { after } from '../kernel/clock.ts';
import { canonicalJson, digestOf } from '../kernel/digest.ts';
import { errorFields, log } from '../kernel/log.ts';
import { microcents } from '../kernel/money.ts';
import { Problem } from '../kernel/problem.ts';
import { sql } from '../kernel/sql.ts';
import { type Tx, transact } from '../kernel/transaction.ts';
import { credited } from '../ledger/entries.ts';
import { post } from '../ledger/ledger.ts';
import type { Runtime } from '../runtime.ts';
import { seconds, service } from '../service/terms.ts';
import type { Assessor } from '../work-check/assessors/port.ts';
import { checkWork } from '../work-check/check.ts';
import type { CheckRequest, Report } from '../work-check/contract.ts';
import { advance, type JobRow } from './job.ts';
import { issueReceipt } from './receipt.ts';

/** A worker that has not been heard of for this long has lost its job to the next. */
const leaseSeconds = 20;

/** A worker takes a job at most this often; then the work itself is what breaks workers. */
const maxTries = 3;

/**
 * Does the work of one job: takes it, checks, delivers. Called at least once per collected job; the fence makes sure
 * that one report is delivered whatever happens to the workers on the way. A call for a job that is done is no error.
 */
export async function executeJob(runtime: Runtime, assessor: Assessor, jobKey: string): Promise<void> {
  const job = await take(runtime, jobKey);
  if (!job) return;
  if (job.fence > maxTries) {
    await fail(runtime, job, 'The check could not be carried out.');
    return;
  }
  const input = await runtime.db.one<{ input: string | null }>(sql`
    select input from quotes where quote_key = ${job.quote_key}`);
  if (input.input === null) {
    await fail(runtime, job, 'The submitted content is no longer there.');
    return;
  }
  const request = JSON.parse(input.input) as CheckRequest;
  const report = await assess(runtime, assessor, job, request);
  if (report) await deliver(runtime, job, report);
}

/** Takes the job for this worker: the fence counts up, and whoever held it before can no longer write. */
async function take(runtime: Runtime, jobKey: string): Promise<JobRow | undefined> {
  const now = runtime.clock();
  return transact(runtime.db, async (tx) => {
    const free = await tx.maybe<{ fence: number }>(sql`
      select fence from jobs where job_key = ${jobKey} and state in ('queued', 'running')
        and (lease_until is null or lease_until <= ${now}) for no key update`);
    if (!free) return undefined;
    return advance(
      tx,
      'start',
      jobKey,
      { actor: 'worker', now, fence: free.fence },
      { fence: free.fence + 1, lease_until: after(now, leaseSeconds), stage: 'reading', percent: 10 },
    );
  });
}

async function assess(
  runtime: Runtime,
  assessor: Assessor,
  job: JobRow,
  request: CheckRequest,
): Promise<Report | undefined> {
  const renewal = setInterval(
    () => {
      renew(runtime, job).catch((error) => log('lease_not_renewed', { job_key: job.job_key, ...errorFields(error) }));
    },
    (leaseSeconds * 1000) / 3,
  );
  try {
    return await checkWork(request, {
      assessor,
      now: runtime.clock(),
      serviceKey: service.serviceKey,
      onProgress: (stage, percent) => {
        void showProgress(runtime, job, stage, percent);
      },
    });
  } catch (error) {
    log('check_failed', { job_key: job.job_key, ...errorFields(error) });
    await fail(runtime, job, 'The check could not be carried out.');
    return undefined;
  } finally {
    clearInterval(renewal);
  }
}

async function renew(runtime: Runtime, job: JobRow): Promise<void> {
  await runtime.db.many(sql`
    update jobs set lease_until = ${after(runtime.clock(), leaseSeconds)}
    where job_key = ${job.job_key} and fence = ${job.fence} and state = 'running'`);
}

async function showProgress(runtime: Runtime, job: JobRow, stage: string, percent: number): Promise<void> {
  await runtime.db
    .many(sql`
      update jobs set stage = ${stage}, percent = ${Math.round(percent)}, updated_at = ${runtime.clock()}
      where job_key = ${job.job_key} and fence = ${job.fence} and state = 'running'`)
    .catch((error) => log('progress_not_shown', { job_key: job.job_key, ...errorFields(error) }));
}

/** Delivers the report, once: a worker whose fence has passed on writes nothing. */
async function deliver(runtime: Runtime, job: JobRow, report: Report): Promise<void> {
  const now = runtime.clock();
  const digest = digestOf(canonicalJson(report));
  await unlessFenced(job, () =>
    transact(runtime.db, async (tx) => {
      const delivered = await advance(
        tx,
        'deliver',
        job.job_key,
        { actor: 'worker', now, fence: job.fence },
        {
          review_state: 'open',
          delivered_at: now,
          review_by: after(now, seconds.reviewWindow),
          report_digest: digest,
          lease_until: null,
          stage: 'delivered',
          percent: 100,
        },
      );
      tx.write(sql`
        insert into reports (job_key, number, body, digest, delivered_at)
        values (${job.job_key}, 1, ${JSON.stringify(report)}, ${digest}, ${now})`);
      await issueReceipt(tx, runtime.receiptSigner, delivered, now);
    }),
  );
}

/** Ends a job that cannot be delivered: charge 0, and what was collected becomes wallet credit (service.md 3). */
async function fail(runtime: Runtime, job: JobRow, failure: string): Promise<void> {
  await unlessFenced(job, () => transact(runtime.db, (tx) => failJob(tx, runtime, job.job_key, failure, job.fence)));
}

/** The failure and its remedy, together in one transaction. */
export async function failJob(
  tx: Tx,
  runtime: Runtime,
  jobKey: string,
  failure: string,
  fence?: number,
): Promise<void> {
  const now = runtime.clock();
  const failed = await advance(
    tx,
    'fail',
    jobKey,
    { actor: 'system', now, ...(fence === undefined ? {} : { fence }) },
    {
      payment_state: 'credited',
      charge_state: 'none',
      finalized_at: now,
      lease_until: null,
      failure,
      stage: 'failed',
    },
  );
  await creditHeld(tx, runtime, failed, now);
}

/** Turns what is held for a job into wallet credit, and gives the grant back what the job took of it. */
export async function creditHeld(tx: Tx, runtime: Runtime, job: JobRow, now: Date): Promise<void> {
  post(tx, {
    ...credited,
    key: job.job_key,
    jobKey: job.job_key,
    principalKey: job.principal_key,
    amount: microcents(job.price_microcents),
    at: now,
  });
  release(tx, job.grant_key, job.authorized_on, job.price_microcents);
  await issueReceipt(tx, runtime.receiptSigner, job, now);
}

/** A worker that has lost its job finds the state moved on. That is how it should be, and no error. */
async function unlessFenced(job: JobRow, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'action_not_allowed')) throw error;
    log('lost_to_another_worker', { job_key: job.job_key, fence: job.fence });
  }
}
