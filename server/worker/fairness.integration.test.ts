import { afterAll, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { knownBuyer } from '../../e2e/support/known-buyer.ts';
import { startService } from '../../e2e/support/service.ts';
import { startModelServer } from '../../sandbox/model/server.ts';

const model = await startModelServer(0);
const service = await startService({
  ASSESSOR_MODELS: 'compatible:sandbox',
  ASSESSOR_COMPATIBLE_URL: model.url,
  ASSESSOR_TIMEOUT_SECONDS: '60',
  CHECKS_PER_ACCOUNT: '2',
});
afterAll(() => model.close());

/** A busy machine starts processes and jobs late. */
const patience = { timeout: 80_000 };

/** The number of an agent's jobs in each state. */
async function states(agent: Agent, jobKeys: string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { body } of await Promise.all(jobKeys.map((jobKey) => agent.job(jobKey)))) {
    counts[body.state] = (counts[body.state] ?? 0) + 1;
  }
  return counts;
}

it('an account with many checks keeps nobody else waiting, and has its own done in turn', {
  timeout: 240_000,
}, async () => {
  const [greedy, other] = await Promise.all([knownBuyer(service), Agent.arrive(service)]);
  const before = model.calls();
  model.behave('held');
  const many = await Promise.all(Array.from({ length: 6 }, () => greedy.paidJob()));
  const workers = [service.startWorker(), service.startWorker()];
  await expect.poll(() => states(greedy, many), patience).toEqual({ running: 2, queued: 4 });
  const one = await other.paidJob();
  await expect.poll(() => states(other, [one]), patience).toEqual({ running: 1 });
  expect(await states(greedy, many)).toEqual({ running: 2, queued: 4 });
  // A finished check makes room for a waiting one at once.
  await expect.poll(() => model.calls() - before, patience).toBe(3);
  model.release();
  await expect.poll(() => states(greedy, many), patience).toEqual({ delivered: 2, running: 2, queued: 2 });
  model.behave('good');
  model.release();
  await expect.poll(() => states(greedy, many), patience).toEqual({ delivered: 6 });
  for (const worker of workers) await worker.stop();
});

it('new buyers by the half-dozen leave half of a worker to customers, and have their checks done', {
  timeout: 240_000,
}, async () => {
  const [customer, ...strangers] = await Promise.all([
    knownBuyer(service),
    ...Array.from({ length: 6 }, () => Agent.arrive(service)),
  ]);
  model.behave('held');
  const theirs = await Promise.all(strangers.map((stranger) => stranger.paidJob()));
  const ofStrangers = async () => {
    const found = await Promise.all(strangers.map((stranger, at) => states(stranger, [theirs[at] ?? ''])));
    return found.filter(({ running }) => running).length;
  };
  const worker = service.startWorker();
  await expect.poll(ofStrangers, patience).toBe(4);
  const job = await customer.paidJob();
  await expect.poll(() => states(customer, [job]), patience).toEqual({ running: 1 });
  expect(await ofStrangers()).toBe(4);
  model.behave('good');
  model.release();
  for (const [at, stranger] of strangers.entries()) {
    await expect.poll(() => states(stranger, [theirs[at] ?? '']), patience).toEqual({ delivered: 1 });
  }
  await worker.stop();
});
