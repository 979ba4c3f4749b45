import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { largestCheck } from '../../e2e/steadiness/floods.ts';
import { knownBuyer } from '../../e2e/support/known-buyer.ts';
import { startService } from '../../e2e/support/service.ts';

const service = await startService({ CHECKS_PER_ACCOUNT: '1000' });
const cores = availableParallelism();
const patience = { timeout: 100_000 };

/** Long enough for the worker to start all it may. */
const slowCheck = { ...largestCheck, evidence: largestCheck.evidence.slice(0, 4), criteria: ['States what arrived'] };

it('an account whose checks keep cores busy leaves one of a worker to others', { timeout: 150_000 }, async () => {
  const agent = await knownBuyer(service);
  const jobKeys = await Promise.all(Array.from({ length: cores + 1 }, () => agent.paidJob(slowCheck)));
  const worker = service.startWorker();
  const jobs = () => Promise.all(jobKeys.map(async (jobKey) => (await agent.job(jobKey)).body));
  await expect
    .poll(async () => (await jobs()).map(({ state }) => state), patience)
    .toEqual(jobKeys.map(() => 'delivered'));
  await worker.stop();
  const spans = (await jobs()).map(({ timeline }) => {
    const at = (name: string) =>
      Date.parse(timeline.find(({ event }: { event: string }) => event === name)?.at ?? expect.unreachable());
    return { began: at('start'), ended: at('deliver') };
  });
  const atOnce = spans.map(({ began }) => spans.filter((one) => one.began <= began && one.ended > began).length);
  expect(Math.max(...atOnce)).toBe(Math.max(1, cores - 1));
});
