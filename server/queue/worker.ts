import { setTimeout as sleep } from 'node:timers/promises';
import { forgetStrangers } from '../identity/forget.ts';
import { sendLetter } from '../identity/send-letter.ts';
import { errorFields, log } from '../kernel/log.ts';
import { openRuntime } from '../open-runtime.ts';
import { executeJob } from '../purchases/execute.ts';
import { reconcile } from '../purchases/reconcile.ts';
import { deleteExpired, deleteUnpaidContent } from '../purchases/retention.ts';
import { sweep } from '../purchases/sweep.ts';
import { watchChains } from '../purchases/watch.ts';
import type { Runtime } from '../runtime.ts';
import { openChecker } from '../work-check/checker.ts';
import { type CheckMessage, checkQueue, type LetterMessage, letterQueue } from './queue.ts';

/**
 * Checks under way at once. One by a language model mostly waits for its vendor, so one at a time would leave the worker
 * idle; eight are few enough for what a vendor lets one key ask at once, for the connections to the database, and for
 * the memory of the largest inputs. What computes gains nothing from more: other workers do.
 */
const checksAtOnce = 8;
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

const runtime = await openRuntime(process.env, 'worker');
const checker = openChecker(runtime.configuration.assessor);
const stopping = new AbortController();
/** Ends the checks under way; their jobs are given back. */
const outOfTime = new AbortController();

const underWay = new Set<Promise<void>>();

/**
 * Messages are handed on one by one: the next is fetched as soon as there is a place for it, whatever the checks before
 * it take, and not before, so that what this worker could not begin stays there for others. Handed on, a message is done
 * with: from then on the job's own lease and the sweep see to it that it ends.
 */
const checkWork = await runtime.queue.boss.work<CheckMessage>(
  checkQueue,
  { pollingIntervalSeconds: pollSeconds, notifyPollingIntervalSeconds: pollSeconds },
  async (messages) => {
    for (const { data } of messages) {
      const check = carryOut(data.job_key).finally(() => underWay.delete(check));
      underWay.add(check);
    }
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
    const sent = await Promise.allSettled(messages.map(({ data }) => sendLetter(runtime, data)));
    const failed = sent.find((one) => one.status === 'rejected');
    // The queue tries all of them again; what has been sent is not sent twice.
    if (failed) throw failed.reason;
  },
);

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort());
log('worker_ready');
// Apart, so that a provider that does not answer holds up no deadline.
await Promise.all([
  rounds(sweep),
  rounds(reconcile),
  rounds(watchChains, watchEveryMs),
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

/** Carries a check out. A failure leaves the job to the sweep, which finds it by its lease. */
async function carryOut(jobKey: string): Promise<void> {
  await executeJob(runtime, checker, jobKey, outOfTime.signal).catch((error) =>
    log('execution_failed', { job_key: jobKey, ...errorFields(error) }),
  );
}

/** Does `round` again and again until the worker stops. */
async function rounds(round: (runtime: Runtime) => Promise<void>, everyMs = roundEveryMs): Promise<void> {
  while (!stopping.signal.aborted) {
    await round(runtime).catch((error) => log(`${round.name}_failed`, errorFields(error)));
    await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
  }
}
