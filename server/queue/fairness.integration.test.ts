import { afterAll, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
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
const patience = { timeout: 20_000 };

/** The number of an agent's jobs in each state. */
async function states(agent: Agent, jobKeys: string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { body } of await Promise.all(jobKeys.map((jobKey) => agent.job(jobKey)))) {
    counts[body.state] = (counts[body.state] ?? 0) + 1;
  }
  return counts;
}

it('an account with many checks keeps nobody else waiting, and has its own done in turn', {
  timeout: 90_000,
}, async () => {
  model.behave('held');
  const [greedy, other] = await Promise.all([Agent.arrive(service), Agent.arrive(service)]);
  const many = await Promise.all(Array.from({ length: 6 }, () => greedy.paidJob()));
  const workers = [service.startWorker(), service.startWorker()];
  await expect.poll(() => states(greedy, many), patience).toEqual({ running: 2, queued: 4 });
  const one = await other.paidJob();
  await expect.poll(() => states(other, [one]), patience).toEqual({ running: 1 });
  expect(await states(greedy, many)).toEqual({ running: 2, queued: 4 });
  // A finished check makes room for a waiting one at once.
  await expect.poll(model.calls, patience).toBe(3);
  model.release();
  await expect.poll(() => states(greedy, many), patience).toEqual({ delivered: 2, running: 2, queued: 2 });
  model.behave('good');
  model.release();
  await expect.poll(() => states(greedy, many), patience).toEqual({ delivered: 6 });
  for (const worker of workers) await worker.stop();
});
