import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSupervisor, supervise } from '../children.ts';
import { readConfiguration } from '../configuration.ts';
import { countHours } from '../console/hours.ts';
import { sealAudit } from '../console/seals.ts';
import { awaitSurroundings } from '../environment-faults.ts';
import { forgetStrangers } from '../identity/forget.ts';
import { makeAuditMonths } from '../kernel/audit-months.ts';
import { ConfigurationError } from '../kernel/configuration-error.ts';
import { isDatabaseTrouble } from '../kernel/database.ts';
import { skewMaxSeconds } from '../kernel/database-clock.ts';
import { isDiskFull, noteFullDisk } from '../kernel/disk.ts';
import { keepAnswerWeeks } from '../kernel/idempotency.ts';
import { errorFields, log } from '../kernel/log.ts';
import { metrics } from '../kernel/metrics.ts';
import { databaseOutage, outage } from '../kernel/outage.ts';
import { isTracing, traced } from '../kernel/trace.ts';
import { closeBooks } from '../ledger/closing.ts';
import { queueDueLetters } from '../mail/due-letters.ts';
import { sendLetter } from '../mail/send-letter.ts';
import { openRuntime } from '../open-runtime.ts';
import { settleClosed } from '../purchases/closing/settle-closed.ts';
import { ReceiptKeyEnded, requireReceiptKey } from '../purchases/receipt/receipt-keys.ts';
import { numberReceipts } from '../purchases/receipt/receipt-numbers.ts';
import { reconcile } from '../purchases/rounds/reconcile.ts';
import { deleteExpired, deleteUnpaidContent } from '../purchases/rounds/retention.ts';
import { sweep } from '../purchases/rounds/sweep.ts';
import { hearRails, watchRails } from '../purchases/rounds/watch.ts';
import { tellEndpoints, turnsEnded } from '../purchases/webhooks/tell.ts';
import { carryOut } from '../purchases/work/execute.ts';
import { takeNext } from '../purchases/work/take.ts';
import { type CheckMessage, checkQueue, type LetterMessage, letterQueue, traceOf } from '../queue/queue.ts';
import type { Runtime } from '../runtime.ts';
import { service } from '../service/terms.ts';
import { readyForWork, tellSupervisor, whenToldToStop } from '../supervisor.ts';
import { startTracing } from '../tracing.ts';
import { serveMetrics } from '../transports/metrics.ts';
import { openChecker } from '../work-check/checker.ts';
import { CheckRequest } from '../work-check/contract.ts';
import { exampleRequest } from '../work-check/sample.ts';
import { letters } from './letters.ts';

/**
 * Model checks under way at once. One mostly waits for its vendor; eight fit vendors' rate limits, the connections and
 * the memory of the largest inputs.
 */
const waitingChecks = 8;
/** LISTEN announces work; polling finds what it missed. */
const pollSeconds = 2;
/** A flood of registrations must not delay sign-in links. */
const letterBatchSize = 50;
const roundEveryMs = 1_000;
/** Rare events, and each search calls every chain. */
const watchEveryMs = 10_000;
/** Delete a quote's content within a minute after it expires. */
const unpaidEveryMs = 10_000;
/** Purchases keep content for days: an hour more does not matter. */
const retentionEveryMs = 3_600_000;
/** Seals and closings are due once an hour, counts of what happened each minute. */
const recordsEveryMs = 60_000;
/** Supervisors such as Docker kill after 10 seconds. */
const graceMs = 7_000;

const runtime = await opened().catch((error) => {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`The environment cannot be used:\n${error.message.replace(/^/gm, '  ')}\n`);
  process.exit(1);
});
const { assessor, tracesUrl } = runtime.configuration;
const endTracing = await startTracing(tracesUrl, 'worker');
const checker = openChecker(assessor);
/** One core each: waiting here for a core would block another account's turn. */
const checksAtOnce =
  assessor.length > 0 ? waitingChecks : Math.ceil(availableParallelism() / runtime.configuration.workerProcesses);
/** A check may keep a core busy for seconds: leave one place for another account. */
const checksOfOne = Math.min(
  assessor.length > 0 ? checksAtOnce : Math.max(1, checksAtOnce - 1),
  // A canceled check may still be running here.
  runtime.configuration.checksPerAccount,
);
/** New buyers together: a dozen wallets with the longest checks leave every customer its turns. */
const checksOfNew = Math.max(1, Math.floor(checksAtOnce / 2));
const stopping = new AbortController();
/** Stops running checks; their jobs are given back. */
const outOfTime = new AbortController();

const astray = outage('clock_differs');

/** Each check under way, with its account, and whether its buyer is new. */
const underWay = new Map<Promise<void>, { account: string; isNew: boolean }>();
let filling: Promise<void> | null = null;

whenToldToStop(stop);
// A cold worker takes no jobs: its first check would take over 15 times the CPU.
await warmUp();

/**
 * A message only says that there is work; accounts take turns when a place is free. While none is, fetch nothing, so
 * that another worker gets it.
 */
const checkWork = await runtime.queue.boss.work<CheckMessage>(
  checkQueue,
  { pollingIntervalSeconds: pollSeconds, notifyPollingIntervalSeconds: pollSeconds },
  async () => {
    await fillPlaces();
    if (underWay.size >= checksAtOnce) await Promise.race(underWay.keys());
    // Look for more: their announcements may have come already.
    runtime.queue.boss.notifyWorker(checkWork);
  },
);

await runtime.queue.boss.work<LetterMessage>(
  letterQueue,
  {
    batchSize: letterBatchSize,
    burstWhenBatchFull: true,
    pollingIntervalSeconds: pollSeconds,
    notifyPollingIntervalSeconds: pollSeconds,
  },
  async (messages) => {
    const sent = await Promise.allSettled(messages.map(({ data }) => sendLetter(runtime, letters, data)));
    const failed = sent.find((one) => one.status === 'rejected');
    // The queue retries all of them; sent letters are not sent twice.
    if (failed) throw failed.reason;
  },
);

// Also serve /livez on the metrics port: a worker has no other.
serveMetrics(runtime, 'worker');
log('worker_ready');
readyForWork();
// Apart: a provider that hangs must not delay deadlines.
await Promise.all([
  // Jobs without a message: lost, left by a dead worker, or waiting for their account's turn.
  rounds(fillPlaces),
  rounds(sweep),
  rounds(reconcile),
  rounds(queueDueLetters),
  rounds(numberReceipts),
  rounds(tellEndpoints),
  rounds(hearRails),
  rounds(watchRails, watchEveryMs),
  rounds(deleteUnpaidContent, unpaidEveryMs),
  rounds(settleClosed, unpaidEveryMs),
  rounds(deleteExpired, retentionEveryMs),
  rounds(forgetStrangers, retentionEveryMs),
  rounds(sealAudit, recordsEveryMs),
  rounds(closeBooks, recordsEveryMs),
  rounds(countHours, recordsEveryMs),
  rounds(endWithKey, unpaidEveryMs),
  rounds(makeAuditMonths, retentionEveryMs),
  rounds(keepAnswerWeeks, retentionEveryMs),
]);
// Start nothing new; let running work end.
await turnsEnded();
await runtime.queue.stop();
const grace = setTimeout(() => outOfTime.abort(), graceMs);
while (underWay.size > 0) await Promise.race(underWay.keys());
clearTimeout(grace);
await runtime.close();
await checker.close();
await endTracing();
// The channel to who looks after several would keep this one alive.
if (cluster.isWorker) process.disconnect();

function stop(): void {
  stopping.abort();
  runtime.beginStop();
  tellSupervisor('STOPPING=1');
}

/** Ends a worker whose key has ended: whoever looks after it starts another, which signs with the new one. */
async function endWithKey({ db, receiptSigner, clock }: Runtime): Promise<void> {
  await requireReceiptKey(db, receiptSigner, clock()).catch((error) => {
    if (error instanceof ReceiptKeyEnded) stop();
    throw error;
  });
}

async function opened(): Promise<Runtime> {
  const configuration = readConfiguration(process.env);
  const { workerProcesses: count, metrics: figures } = configuration;
  if (isSupervisor({ count })) return supervise({ role: 'worker', count, metricsPort: figures?.port ?? null });
  await awaitSurroundings(configuration);
  return openRuntime(process.env, 'worker');
}

/** Runs a check in every place first, so that no first buyer waits for model loading. */
async function warmUp(): Promise<void> {
  // Not with language models: every check costs money and little is loaded.
  if (assessor.length > 0) return;
  const request = CheckRequest.parse(exampleRequest);
  const options = { retrieved: [], now: runtime.clock(), serviceKey: service.serviceKey };
  await Promise.all(Array.from({ length: checksAtOnce }, () => checker.check(request, options))).catch((error) =>
    log('warm_up_failed', errorFields(error)),
  );
}

/** Starts checks while there are places and jobs. */
function fillPlaces(): Promise<void> {
  filling ??= fill().finally(() => {
    filling = null;
  });
  return filling;
}

async function fill(): Promise<void> {
  if (isAstray() || isDiskFull(runtime.db)) return;
  while (underWay.size < checksAtOnce && !stopping.signal.aborted) {
    const taken = await takeNext(runtime, full());
    if (!taken) return;
    const { job, isNew } = taken;
    // A failed job is found by its lease.
    const took = metrics.checkSeconds.startTimer();
    const parent = isTracing() ? await traceOf(runtime.db, job.job_key).catch(() => null) : null;
    const span = { kind: 'consumer', attributes: { job_key: job.job_key }, parent } as const;
    const check: Promise<void> = traced('check', span, () => carryOut(runtime, checker, job, outOfTime.signal))
      .then(
        () => metrics.checks.inc({ result: 'done' }),
        (error) => {
          metrics.checks.inc({ result: 'broken' });
          log('execution_failed', { job_key: job.job_key, ...errorFields(error) });
        },
      )
      .finally(() => {
        took();
        underWay.delete(check);
        // The account may have more waiting.
        fillPlaces().catch((error) => log('places_not_filled', errorFields(error)));
      });
    underWay.set(check, { account: job.account_key, isNew });
  }
}

/** Who gets no further place here. */
function full(): Parameters<typeof takeNext>[1] {
  const checks = [...underWay.values()];
  const accounts = checks.map(({ account }) => account);
  return {
    except: accounts.filter((account) => accounts.filter((one) => one === account).length >= checksOfOne),
    noneNew: checks.filter(({ isNew }) => isNew).length >= checksOfNew,
  };
}

/** Whether this machine's clock is too far from the database's to work by. */
function isAstray(): boolean {
  const skewSeconds = runtime.skewSeconds();
  if (Math.abs(skewSeconds) <= skewMaxSeconds) {
    astray.works();
    return false;
  }
  astray.failed(new Error(`the clock is ${Math.round(skewSeconds)} s ahead of the database's`));
  return true;
}

/** Repeats `round` until the worker stops. */
async function rounds(round: (runtime: Runtime) => Promise<void>, everyMs = roundEveryMs): Promise<void> {
  const told = outage(`${round.name}_failed`);
  while (!stopping.signal.aborted) {
    if (isAstray()) {
      await sleep(roundEveryMs, undefined, { signal: stopping.signal }).catch(() => {});
      continue;
    }
    await round(runtime).then(
      () => {
        metrics.roundEnded.setToCurrentTime({ round: round.name });
        told.works();
        databaseOutage.works();
      },
      (error) => {
        metrics.roundFailures.inc({ round: round.name });
        noteFullDisk(runtime.db, error);
        (isDatabaseTrouble(error) ? databaseOutage : told).failed(error);
      },
    );
    await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
  }
}
