import { after } from '../../kernel/clock.ts';
import { canonicalJson, digestOf } from '../../kernel/digest.ts';
import { leaseUntil, whileHeld } from '../../kernel/lease.ts';
import { errorFields, log } from '../../kernel/log.ts';
import { unseal } from '../../kernel/seal.ts';
import { sql } from '../../kernel/sql.ts';
import { type Tx, transact } from '../../kernel/transaction.ts';
import type { Runtime } from '../../runtime.ts';
import { seconds, service } from '../../service/terms.ts';
import { type RetrievedDocument, retrieveSources } from '../../sources/sources.ts';
import type { CheckOptions } from '../../work-check/check.ts';
import type { Checker } from '../../work-check/checker.ts';
import type { CheckRequest, Report } from '../../work-check/contract.ts';
import { CheckFailure } from '../../work-check/failure.ts';
import { advance } from '../job/advance.ts';
import type { JobRow } from '../job/row.ts';
import { issueReceipt } from '../receipt/receipt.ts';
import type { DisputeTexts } from '../review/review.ts';
import { waiveCharge } from '../review/waive.ts';
import { reportNumberIn, transitions } from '../states.ts';
import { isRecheck, take, unlessFenced } from './take.ts';
import { giveUpHeld, remedyFor } from './undelivered.ts';

/** Workers take a job at most this often for one report; then the work itself is what breaks workers. */
const maxTries = 3;

const never = new AbortController().signal;

/**
 * Does the work of one job: takes it, checks, delivers. Called at least once for each report that is due, the first and
 * that of the re-check; the fence makes sure that one is delivered whatever happens to the workers on the way. A call
 * for a job that is done is no error. `stop` ends a check that is under way and gives its job back, for the next worker
 * to begin anew.
 */
export async function executeJob(
  runtime: Runtime,
  checker: Checker,
  jobKey: string,
  stop: AbortSignal = never,
): Promise<void> {
  const job = await take(runtime, jobKey);
  if (job) await carryOut(runtime, checker, job, stop);
}

/** The same for a job that is taken. */
export async function carryOut(
  runtime: Runtime,
  checker: Checker,
  job: JobRow,
  stop: AbortSignal = never,
): Promise<void> {
  if (job.tries > maxTries) {
    await fail(runtime, job, 'The check could not be carried out.');
    return;
  }
  const task = await taskOf(runtime, job);
  if (!task) {
    await fail(runtime, job, 'The submitted content is no longer there.');
    return;
  }
  const refs = new Set(task.request.context?.refs);
  const retrieved = await retrieveSources(runtime.db, runtime.configuration, job.principal_key, [...refs]);
  if (retrieved.length < refs.size) {
    await fail(runtime, job, 'A governed source was no longer there to be retrieved.');
    return;
  }
  const report = await assess(runtime, checker, job, task, retrieved, stop);
  if (report) await deliver(runtime, job, report);
}

interface Task {
  request: CheckRequest;
  /** Given for a re-check: what was disputed, and why. */
  previous: CheckOptions['previous'];
}

/** What there is to check; undefined once the content has been deleted. */
async function taskOf({ db, configuration }: Runtime, job: JobRow): Promise<Task | undefined> {
  const row = await db.one<{
    input: string | null;
    review_key: string | null;
    report: string | null;
    reason: string | null;
    texts: string | null;
  }>(sql`
    select quotes.input, review_key, reports.body as report, reviews.reason, texts.texts
    from quotes
    left join reviews on reviews.job_key = ${job.job_key} and reviews.decision = 'dispute'
    left join dispute_texts texts using (review_key)
    left join reports on reports.job_key = reviews.job_key and reports.number = reviews.report_number
    where quote_key = ${job.quote_key}`);
  if (row.input === null) return undefined;
  const { keyring } = configuration;
  const request: CheckRequest = JSON.parse(unseal(row.input, keyring, { column: 'quotes.input', row: job.quote_key }));
  if (row.report === null || row.reason === null) return { request, previous: undefined };
  const texts: DisputeTexts =
    row.texts === null || row.review_key === null
      ? {}
      : JSON.parse(unseal(row.texts, keyring, { column: 'dispute_texts.texts', row: row.review_key }));
  const wishes = texts.correction_request ?? request.correction_request;
  return {
    request,
    previous: {
      report: JSON.parse(row.report),
      reason: row.reason,
      // The buyer's own words go to the assessor only: the report outlives the content.
      correction_request: texts.detail === undefined ? wishes : { ...wishes, detail: texts.detail },
    },
  };
}

/** Progress is shown once in so long at most, and not at all for a check that is done sooner. */
const showEverySeconds = 0.05;

async function assess(
  runtime: Runtime,
  checker: Checker,
  job: JobRow,
  { request, previous }: Task,
  retrieved: readonly RetrievedDocument[],
  stop: AbortSignal,
): Promise<Report | undefined> {
  let shownAt = runtime.clock();
  try {
    return await whileHeld(
      () => renew(runtime, job),
      () =>
        checker.check(request, {
          retrieved,
          now: runtime.clock(),
          serviceKey: service.serviceKey,
          ...(previous ? { previous } : {}),
          onProgress: (stage, percent) => {
            const at = runtime.clock();
            if (at < after(shownAt, showEverySeconds)) return;
            shownAt = at;
            void showProgress(runtime, job, stage, percent);
          },
          signal: AbortSignal.any([stop, AbortSignal.timeout(seconds.executionDeadline * 1000)]),
        }),
    );
  } catch (error) {
    if (stop.aborted) {
      await giveBack(runtime, job);
      return undefined;
    }
    log('check_failed', { job_key: job.job_key, ...errorFields(error) });
    await fail(runtime, job, error instanceof CheckFailure ? error.detail : 'The check could not be carried out.');
    return undefined;
  }
}

/** Leaves the job to the next worker as if this one had never taken it: stopping a worker is no try that failed. */
async function giveBack(runtime: Runtime, job: JobRow): Promise<void> {
  const now = runtime.clock();
  await runtime.db.many(sql`
    update jobs set lease_until = ${now}, tries = tries - 1, updated_at = ${now}
    where job_key = ${job.job_key} and fence = ${job.fence} and state = ${job.state}`);
}

async function renew(runtime: Runtime, job: JobRow): Promise<void> {
  await runtime.db.many(sql`
    update jobs set lease_until = ${leaseUntil(runtime.clock())}
    where job_key = ${job.job_key} and fence = ${job.fence} and state = ${job.state}`);
}

/** Writes down how far the work has come. Nobody waits for it, so an older word may arrive later: it is dropped. */
async function showProgress(runtime: Runtime, job: JobRow, stage: string, percent: number): Promise<void> {
  await runtime.db
    .many(sql`
      update jobs set stage = ${stage}, percent = ${Math.round(percent)}, updated_at = ${runtime.clock()}
      where job_key = ${job.job_key} and fence = ${job.fence} and state = ${job.state}
        and percent < ${Math.round(percent)}`)
    .catch((error) => log('progress_not_shown', { job_key: job.job_key, ...errorFields(error) }));
}

/** Delivers the report, once: a worker whose fence has passed on writes nothing. */
async function deliver(runtime: Runtime, job: JobRow, report: Report): Promise<void> {
  const now = runtime.clock();
  const digest = digestOf(canonicalJson(report));
  const transition = isRecheck(job) ? 'redeliver' : 'deliver';
  await unlessFenced(job, () =>
    transact(runtime.db, async (tx) => {
      const delivered = advance(
        tx,
        transition,
        job.job_key,
        { actor: 'worker', now, fence: job.fence },
        {
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
        values (${job.job_key}, ${reportNumberIn(transitions[transition].to)}, ${JSON.stringify(report)}, ${digest}, ${now})`);
      await issueReceipt(tx, runtime.receiptSigner, job.job_key, delivered, now);
    }),
  );
}

/** Ends a job that cannot be delivered. */
async function fail(runtime: Runtime, job: JobRow, failure: string): Promise<void> {
  await unlessFenced(job, () => transact(runtime.db, (tx) => failJob(tx, runtime, job, failure, job.fence)));
}

/**
 * The failure and its remedy, together in one transaction (specification 8.2): without a report the charge is 0 and what was
 * collected becomes wallet credit or goes back; without the included re-check the charge is waived and the collection goes back.
 */
export async function failJob(
  tx: Tx,
  runtime: Runtime,
  job: Pick<JobRow, 'job_key' | 'state'>,
  failure: string,
  fence?: number,
): Promise<void> {
  const now = runtime.clock();
  const by = { actor: 'system', now, ...(fence === undefined ? {} : { fence }) };
  if (isRecheck(job)) return waiveCharge(tx, runtime, 'fail_recheck', job.job_key, by, { failure });
  const payment_state = await remedyFor(tx, runtime.rails, job.job_key);
  const failed = await advance(tx, 'fail', job.job_key, by, {
    payment_state,
    finalized_at: now,
    lease_until: null,
    failure,
    stage: 'failed',
  });
  await giveUpHeld(tx, runtime, failed, now);
}
