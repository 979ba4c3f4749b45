import { after } from '../../kernel/clock.ts';
import { canonicalJson, digestOf } from '../../kernel/digest.ts';
import { noteFullDisk } from '../../kernel/disk.ts';
import { keyedHash } from '../../kernel/keyring.ts';
import { leaseUntil, whileHeld } from '../../kernel/lease.ts';
import { errorFields, log } from '../../kernel/log.ts';
import { metrics } from '../../kernel/metrics.ts';
import { sql } from '../../kernel/sql.ts';
import { type Tx, transact } from '../../kernel/transaction.ts';
import type { Runtime } from '../../runtime.ts';
import { seconds, service } from '../../service/terms.ts';
import { type RetrievedDocument, retrieveSources } from '../../sources/sources.ts';
import type { Checker } from '../../work-check/checker.ts';
import type { Report } from '../../work-check/contract.ts';
import { CheckFailure } from '../../work-check/failure.ts';
import { keepText } from '../archive/bodies.ts';
import { advance, reviewBy } from '../job/advance.ts';
import type { JobRow } from '../job/row.ts';
import { issueReceipt } from '../receipt/receipt.ts';
import { ReceiptKeyEnded } from '../receipt/receipt-keys.ts';
import { waiveCharge } from '../review/waive.ts';
import { reportNumberIn, transitions } from '../states.ts';
import { blockAfterRemedies } from './remedies.ts';
import { isRecheck, take, unlessFenced } from './take.ts';
import { type Task, taskOf } from './task.ts';
import { giveUpHeld, remedyFor } from './undelivered.ts';

/** Most tries per report: after that, the work itself crashes workers. */
const maxTries = 3;

/** A check by rules takes a few seconds; what takes so long was made for that. */
const embeddedSecondsMax = 120;

const never = new AbortController().signal;

const notInTime = 'The report was not delivered in time.';
const isLate = ({ deliver_by }: Pick<JobRow, 'deliver_by'>, now: Date): boolean =>
  deliver_by !== null && now > deliver_by;

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
  if (isLate(job, runtime.clock())) {
    await fail(runtime, job, notInTime);
    return;
  }
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
  const report = await assess(runtime, checker, { job, task, retrieved }, stop);
  if (!report) return;
  await deliver(runtime, job, report).catch(async (error) => {
    // Nothing is wrong with the work: it is tried again when there is room, or by another process, and not counted.
    if (noteFullDisk(runtime.db, error) || error instanceof ReceiptKeyEnded) await giveBack(runtime, job);
    throw error;
  });
}

/** Progress is written at most this often, so never for quick checks. */
const showEverySeconds = 0.05;

async function assess(
  runtime: Runtime,
  checker: Checker,
  { job, task, retrieved }: { job: JobRow; task: Task; retrieved: readonly RetrievedDocument[] },
  stop: AbortSignal,
): Promise<Report | undefined> {
  const { request, reviewSeconds, previous } = task;
  let shownAt = runtime.clock();
  let shownStage = '';
  const gone = new AbortController();
  const { assessor, checkSecondsMax } = runtime.configuration;
  const mayTake = checkSecondsMax ?? (assessor.length > 0 ? seconds.executionDeadline : embeddedSecondsMax);
  const spent = AbortSignal.timeout(mayTake * 1_000);
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
          reviewSeconds,
          // Known to nobody who submits work, and the same when a lost check is run again.
          seed: keyedHash(runtime.configuration.keyring.first.tokens, `check ${job.job_key} ${previous ? 2 : 1}`),
          ...(previous ? { previous } : {}),
          onProgress: (stage, percent) => {
            const at = runtime.clock();
            // Each stage is shown, however short it is.
            if (stage === shownStage && at < after(shownAt, showEverySeconds)) return;
            shownStage = stage;
            shownAt = at;
            void showProgress(runtime, job, stage, percent);
          },
          signal: AbortSignal.any([stop, gone.signal, spent]),
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
    const beyond = spent.aborted ? 'time' : isOutOfMemory(error) ? 'memory' : null;
    const failure = error instanceof CheckFailure ? error : null;
    metrics.checksFailed.inc({ why: beyond ?? failure?.code ?? 'error' });
    // What was sent took it that far: a remedy that the buyer brought about.
    if (beyond) await fail(runtime, job, `The check took more ${beyond} than any check may.`, 'buyer');
    else
      await fail(
        runtime,
        job,
        failure?.detail ?? 'The check could not be carried out.',
        await enderOf(runtime, failure),
      );
    return undefined;
  }
}

/**
 * A provider that is away is nobody's doing here. That it did not answer this check may be: a buyer words its dispute, and
 * can fill the provider's limits. So the list of models, which holds nothing of a buyer's, must be away as well.
 */
async function enderOf(
  { assessorProbe, clock }: Runtime,
  failure: CheckFailure | null,
): Promise<'provider' | undefined> {
  const isAway = failure?.code === 'assessor_unreachable' && (await assessorProbe?.isUp(clock())) === false;
  return isAway ? 'provider' : undefined;
}

/** Whether Node ended the check's thread at the bound of its heap. */
function isOutOfMemory(error: unknown): boolean {
  const { cause } = (error ?? {}) as Error;
  return cause instanceof Error && (cause as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
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

/** Delivers the report, once and in time: a worker with an old fence writes nothing. */
async function deliver(runtime: Runtime, job: JobRow, report: Report): Promise<void> {
  const now = runtime.clock();
  if (isLate(job, now) && isLate(await asItIs(runtime, job), now)) return fail(runtime, job, notInTime);
  const digest = digestOf(canonicalJson(report));
  const transition = isRecheck(job) ? 'redeliver' : 'deliver';
  await unlessFenced(job, () =>
    transact(runtime.db, async (tx) => {
      const delivered = advance(
        tx,
        transition,
        { jobKey: job.job_key, actor: 'worker', now, fence: job.fence },
        {
          delivered_at: now,
          review_by: reviewBy(now),
          report_digest: digest,
          last_verdict: report.verdict,
          lease_until: null,
          stage: 'delivered',
          percent: 100,
        },
      );
      const number = reportNumberIn(transitions[transition].to);
      keepText(tx, { job_key: job.job_key, kind: 'reports', number, body: JSON.stringify(report) }, now);
      tx.write(sql`
        insert into reports (job_key, number, digest, delivered_at)
        values (${job.job_key}, ${number}, ${digest}, ${now})`);
      await issueReceipt(tx, runtime.receiptSigner, { job_key: job.job_key, becomes: delivered }, now);
    }),
  );
}

/** The job's time now: an outage moves it (specification 8.1). */
function asItIs({ db }: Runtime, { job_key }: JobRow): Promise<Pick<JobRow, 'deliver_by'>> {
  return db.one(sql`select deliver_by from jobs where job_key = ${job_key}`);
}

/** Who brought a failure about. */
type Ender = 'buyer' | 'provider';

/** Ends a job that cannot be delivered. */
async function fail(runtime: Runtime, job: JobRow, failure: string, by?: Ender): Promise<void> {
  await unlessFenced(job, () => transact(runtime.db, (tx) => failJob(tx, runtime, job, { failure, held: job, by })));
}

/**
 * Ends a job whose governed source the customer has taken away: a remedy that the buyer brought about. The buyer of a
 * re-check has read a report: the charge is waived all the same (specification 4.9).
 */
async function failWithoutSource(runtime: Runtime, job: JobRow): Promise<void> {
  const failure = 'A governed source was no longer there to be retrieved.';
  if (!isRecheck(job)) return fail(runtime, job, failure, 'buyer');
  const now = runtime.clock();
  const waiver = { transition: 'fail_recheck', jobKey: job.job_key, actor: 'system', now, fence: job.fence } as const;
  await unlessFenced(job, () =>
    transact(runtime.db, async (tx) => {
      await waiveCharge(tx, runtime, waiver, { failure, because: 'source_withdrawn' });
      await blockAfterRemedies(tx, runtime.configuration, job, now);
    }),
  );
}

/**
 * Failure and remedy in one transaction (specification 8.2): without a report nothing is charged and the collection
 * becomes credit or goes back; without the re-check the charge is waived and the collection goes back. `by`: what the
 * buyer brought about counts, and so does a re-check, unless a provider did. `held`: the worker that has the job, if any.
 */
export async function failJob(
  tx: Tx,
  runtime: Runtime,
  job: Pick<JobRow, 'job_key' | 'account_key' | 'state'>,
  { failure, held, by: ender }: { failure: string; held?: Pick<JobRow, 'fence'>; by?: Ender | undefined },
): Promise<void> {
  const now = runtime.clock();
  const step = { jobKey: job.job_key, actor: 'system', now, ...(held ? { fence: held.fence } : {}) };
  if (isRecheck(job)) {
    const waiver = { ...step, transition: 'fail_recheck' } as const;
    if (ender === 'provider') return waiveCharge(tx, runtime, waiver, { failure, because: 'assessor_unreachable' });
    await waiveCharge(tx, runtime, waiver, { failure });
    return blockAfterRemedies(tx, runtime.configuration, job, now);
  }
  const payment_state = await remedyFor(tx, runtime.rails, job.job_key);
  const failed = await advance(tx, 'fail', step, {
    payment_state,
    finalized_at: now,
    lease_until: null,
    failure,
    stage: 'failed',
    ...(ender === 'buyer' ? { ended_by: ender } : {}),
  });
  await giveUpHeld(tx, runtime, failed, now);
  if (ender === 'buyer') await blockAfterRemedies(tx, runtime.configuration, job, now);
}
