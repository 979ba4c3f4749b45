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
import { blockAfterWaivers } from '../review/waivers.ts';
import { reportNumberIn, transitions } from '../states.ts';
import { isRecheck, take, unlessFenced } from './take.ts';
import { giveUpHeld, remedyFor } from './undelivered.ts';

/** Most tries per report: after that, the work itself crashes workers. */
const maxTries = 3;

const never = new AbortController().signal;

/**
 * Runs one job: take, check, deliver. Called at least once per due report, the first and the re-check's; the fence lets
 * one delivery through whatever happens to workers. Calls for finished jobs are harmless. `stop` ends the check and
 * gives the job back.
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

/** The same for a taken job. */
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
    await failWithoutSource(runtime, job);
    return;
  }
  const report = await assess(runtime, checker, job, task, retrieved, stop);
  if (report) await deliver(runtime, job, report);
}

interface Task {
  request: CheckRequest;
  /** For a re-check: what was disputed, and why. */
  previous: CheckOptions['previous'];
}

/** The input; undefined once deleted. */
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
      // The buyer's words go only to the assessor: reports outlive content.
      correction_request: texts.detail === undefined ? wishes : { ...wishes, detail: texts.detail },
    },
  };
}

/** Progress is written at most this often, so never for quick checks. */
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
  const gone = new AbortController();
  try {
    return await whileHeld(
      async () => {
        // Canceled, or with another worker: don't pay a model for it.
        if (!(await renew(runtime, job))) gone.abort();
      },
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
          signal: AbortSignal.any([stop, gone.signal, AbortSignal.timeout(seconds.executionDeadline * 1000)]),
        }),
    );
  } catch (error) {
    if (stop.aborted) {
      await giveBack(runtime, job);
      return undefined;
    }
    if (gone.signal.aborted) {
      log('check_dropped', { job_key: job.job_key });
      return undefined;
    }
    log('check_failed', { job_key: job.job_key, ...errorFields(error) });
    await fail(runtime, job, error instanceof CheckFailure ? error.detail : 'The check could not be carried out.');
    return undefined;
  }
}

/** Gives the job back as if never taken: a stopped worker is no failed try. */
async function giveBack(runtime: Runtime, job: JobRow): Promise<void> {
  const now = runtime.clock();
  await runtime.db.many(sql`
    update jobs set lease_until = ${now}, tries = tries - 1, updated_at = ${now}
    where job_key = ${job.job_key} and fence = ${job.fence} and state = ${job.state}`);
}

/** Extends the lease. False when the job is held no more. */
async function renew(runtime: Runtime, job: JobRow): Promise<boolean> {
  const renewed = await runtime.db.maybe(sql`
    update jobs set lease_until = ${leaseUntil(runtime.clock())}
    where job_key = ${job.job_key} and fence = ${job.fence} and state = ${job.state} returning job_key`);
  return renewed !== undefined;
}

/** Records progress. Not awaited: an older update that arrives later is dropped. */
async function showProgress(runtime: Runtime, job: JobRow, stage: string, percent: number): Promise<void> {
  await runtime.db
    .many(sql`
      update jobs set stage = ${stage}, percent = ${Math.round(percent)}, updated_at = ${runtime.clock()}
      where job_key = ${job.job_key} and fence = ${job.fence} and state = ${job.state}
        and percent < ${Math.round(percent)}`)
    .catch((error) => log('progress_not_shown', { job_key: job.job_key, ...errorFields(error) }));
}

/** Delivers the report, once: a worker with an old fence writes nothing. */
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
          last_verdict: report.verdict,
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
 * Ends a job whose governed source the customer has taken away. The buyer of a re-check has read a report: the charge is
 * waived all the same, and that counts like a second dispute (specification 4.9).
 */
async function failWithoutSource(runtime: Runtime, job: JobRow): Promise<void> {
  const failure = 'A governed source was no longer there to be retrieved.';
  if (!isRecheck(job)) return fail(runtime, job, failure);
  const now = runtime.clock();
  const by = { actor: 'system', now, fence: job.fence };
  await unlessFenced(job, () =>
    transact(runtime.db, async (tx) => {
      await waiveCharge(tx, runtime, 'fail_recheck', job.job_key, by, { failure, because: 'source_withdrawn' });
      await blockAfterWaivers(tx, runtime.configuration, job, now);
    }),
  );
}

/**
 * Failure and remedy in one transaction (specification 8.2): without a report nothing is charged and the collection
 * becomes credit or goes back; without the re-check the charge is waived and the collection goes back.
 */
export async function failJob(
  tx: Tx,
  runtime: Runtime,
  job: Pick<JobRow, 'job_key' | 'account_key' | 'state'>,
  failure: string,
  fence?: number,
): Promise<void> {
  const now = runtime.clock();
  const by = { actor: 'system', now, ...(fence === undefined ? {} : { fence }) };
  if (isRecheck(job)) {
    await waiveCharge(tx, runtime, 'fail_recheck', job.job_key, by, { failure });
    return blockAfterWaivers(tx, runtime.configuration, job, now);
  }
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
