import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfiguration } from '../configuration.ts';
import { requireSurroundings } from '../environment-faults.ts';
import { forgetStrangers } from '../identity/forget.ts';
import { ConfigurationError } from '../kernel/configuration-error.ts';
import { isDatabaseTrouble } from '../kernel/database.ts';
import { errorFields, log } from '../kernel/log.ts';
import { databaseOutage, outage } from '../kernel/outage.ts';
import { letters } from '../letters.ts';
import { sendLetter } from '../mail/send-letter.ts';
import { openRuntime } from '../open-runtime.ts';
import { reconcile } from '../purchases/rounds/reconcile.ts';
import { deleteExpired, deleteUnpaidContent } from '../purchases/rounds/retention.ts';
import { sweep } from '../purchases/rounds/sweep.ts';
import { hearRails, watchRails } from '../purchases/rounds/watch.ts';
import { carryOut } from '../purchases/work/execute.ts';
import { takeNext } from '../purchases/work/take.ts';
import type { Runtime } from '../runtime.ts';
import { service } from '../service/terms.ts';
import { openChecker } from '../work-check/checker.ts';
import { CheckRequest } from '../work-check/contract.ts';
import { exampleRequest } from '../work-check/sample.ts';
import { type CheckMessage, checkQueue, type LetterMessage, letterQueue } from './queue.ts';

/**
 * Checks by language models under way at once. One mostly waits for its vendor, so one at a time would leave the worker
 * idle; eight are few enough for what a vendor lets one key ask at once, for the connections to the database, and for
 * the memory of the largest inputs.
 */
const waitingChecks = 8;
/** New work is announced by the database; polling only finds what an announcement missed. */
const pollSeconds = 2;
/** A flood of registrations must not keep a sign-in link waiting. */
const letterBatchSize = 50;
const roundEveryMs = 1_000;
/** What is watched for happens rarely, and a search costs calls to every chain. */
const watchEveryMs = 10_000;
/** Content of a quote goes within a minute after it has expired. */
const unpaidEveryMs = 10_000;
/** Content of a purchase is kept for days: an hour more or less is nothing. */
const retentionEveryMs = 3_600_000;
/** Whoever tells a worker to stop ends it by force after 10 seconds or more, as Docker does. */
const graceMs = 7_000;

const runtime = await opened().catch((error) => {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`The environment cannot be used:\n${error.message.replace(/^/gm, '  ')}\n`);
  process.exit(1);
});
const { assessor } = runtime.configuration;
const checker = openChecker(assessor);
/** What computes has a core each: one that waited here for a core would keep its turn from another account's. */
const checksAtOnce = assessor.length > 0 ? waitingChecks : availableParallelism();
const stopping = new AbortController();
/** Ends the checks under way; their jobs are given back. */
const outOfTime = new AbortController();

const underWay = new Set<Promise<void>>();
let filling: Promise<void> | null = null;

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort());
// A cold worker takes no jobs: a warm one would have them done sooner.
await warmUp();

/**
 * A message says that there is work; whose turn it is, is decided when there is a place for it. While all places are
 * taken none is fetched, so that the next goes to another worker.
 */
const checkWork = await runtime.queue.boss.work<CheckMessage>(
  checkQueue,
  { pollingIntervalSeconds: pollSeconds, notifyPollingIntervalSeconds: pollSeconds },
  async () => {
    await fillPlaces();
    if (underWay.size >= checksAtOnce) await Promise.race(underWay);
    // Where there was one message there may be more, which no announcement is still to come for.
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
    // The queue tries all of them again; what has been sent is not sent twice.
    if (failed) throw failed.reason;
  },
);

log('worker_ready');
// Apart, so that a provider that does not answer holds up no deadline.
await Promise.all([
  // What no message tells of: it was lost, its worker is gone, or its account had to wait.
  rounds(fillPlaces),
  rounds(sweep),
  rounds(reconcile),
  rounds(hearRails),
  rounds(watchRails, watchEveryMs),
  rounds(deleteUnpaidContent, unpaidEveryMs),
  rounds(deleteExpired, retentionEveryMs),
  rounds(forgetStrangers, retentionEveryMs),
]);
// Nothing is begun any more; what is under way may end.
await runtime.queue.stop();
const grace = setTimeout(() => outOfTime.abort(), graceMs);
while (underWay.size > 0) await Promise.race(underWay);
clearTimeout(grace);
await runtime.close();
await checker.close();

async function opened(): Promise<Runtime> {
  await requireSurroundings(readConfiguration(process.env));
  return openRuntime(process.env, 'worker');
}

/** Has a check of the service's own made first, so that the first of a buyer's need not wait for what is read at start. */
async function warmUp(): Promise<void> {
  // With language models every check costs money, and little is read.
  if (assessor.length > 0) return;
  const request = CheckRequest.parse(exampleRequest);
  await checker
    .check(request, { retrieved: [], now: runtime.clock(), serviceKey: service.serviceKey })
    .catch((error) => log('warm_up_failed', errorFields(error)));
}

/** Begins checks while there are places for them and jobs whose turn it is. */
function fillPlaces(): Promise<void> {
  filling ??= fill().finally(() => {
    filling = null;
  });
  return filling;
}

async function fill(): Promise<void> {
  while (underWay.size < checksAtOnce && !stopping.signal.aborted) {
    const job = await takeNext(runtime);
    if (!job) return;
    // A failure leaves the job to whoever finds it by its lease.
    const check: Promise<void> = carryOut(runtime, checker, job, outOfTime.signal)
      .catch((error) => log('execution_failed', { job_key: job.job_key, ...errorFields(error) }))
      .finally(() => {
        underWay.delete(check);
        // The account may have others that waited for this one.
        fillPlaces().catch((error) => log('places_not_filled', errorFields(error)));
      });
    underWay.add(check);
  }
}

/** Does `round` again and again until the worker stops. */
async function rounds(round: (runtime: Runtime) => Promise<void>, everyMs = roundEveryMs): Promise<void> {
  const told = outage(`${round.name}_failed`);
  while (!stopping.signal.aborted) {
    await round(runtime).then(
      () => {
        told.works();
        databaseOutage.works();
      },
      (error) => (isDatabaseTrouble(error) ? databaseOutage : told).failed(error),
    );
    await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
  }
}
