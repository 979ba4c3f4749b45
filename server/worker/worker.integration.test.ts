import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { knownBuyer } from '../../e2e/support/known-buyer.ts';
import { startService, type WorkerProcess } from '../../e2e/support/service.ts';
import { startModelServer } from '../../sandbox/model/server.ts';

const model = await startModelServer(0);
const service = await startService({
  ASSESSOR_MODELS: 'compatible:sandbox',
  ASSESSOR_COMPATIBLE_URL: model.url,
  ASSESSOR_TIMEOUT_SECONDS: '60',
  CHECKS_PER_ACCOUNT: '8',
});
afterAll(() => model.close());

const workers: WorkerProcess[] = [];
const startWorker = () => workers.push(service.startWorker());

/** A worker's most concurrent checks. */
const checksAtOnce = 8;
/** A busy machine starts processes and jobs late. */
const patience = { timeout: 80_000 };

const stateOf = async (agent: Agent, jobKey: string): Promise<string> => (await agent.job(jobKey)).body.state;
/** The number of jobs in each state. */
async function states(agent: Agent, jobKeys: string[]): Promise<Record<string, number>> {
  const found = await Promise.all(jobKeys.map((jobKey) => stateOf(agent, jobKey)));
  return Object.fromEntries([...new Set(found)].map((state) => [state, found.filter((one) => one === state).length]));
}

describe('a worker', () => {
  it('checks what is paid for while a model takes its time over another job', { timeout: 240_000 }, async () => {
    const agent = await knownBuyer(service);
    startWorker();
    const before = model.checks();
    model.behave('held');
    const slow = await agent.paidJob();
    await expect.poll(() => model.checks() - before, patience).toBe(1);
    model.behave('good');
    const quick = await agent.paidJob();
    await expect.poll(() => stateOf(agent, quick), patience).toBe('delivered');
    expect(await stateOf(agent, slow)).toBe('running');
    model.release();
    await expect.poll(() => stateOf(agent, slow), patience).toBe('delivered');
  });

  it('that has its hands full takes a job once it has a place for it, or leaves it to another', {
    timeout: 240_000,
  }, async () => {
    const [one, other] = await Promise.all([knownBuyer(service), knownBuyer(service)]);
    const before = model.checks();
    /** Waits until the model holds that many checks since. */
    const asked = (times: number) => expect.poll(() => model.checks() - before, patience).toBe(times);
    const paidJobs = (agent: Agent, count: number) => Promise.all(Array.from({ length: count }, () => agent.paidJob()));
    model.behave('held');
    const first = await paidJobs(one, checksAtOnce + 1);
    await expect.poll(() => states(one, first), patience).toEqual({ running: checksAtOnce, queued: 1 });
    await asked(checksAtOnce);
    model.release();
    await expect.poll(() => states(one, first), patience).toEqual({ delivered: checksAtOnce, running: 1 });

    const second = await paidJobs(other, checksAtOnce);
    await expect.poll(() => states(other, second), patience).toEqual({ running: checksAtOnce - 1, queued: 1 });
    startWorker();
    await expect.poll(() => states(other, second), patience).toEqual({ running: checksAtOnce });
    expect(await states(one, first)).toEqual({ delivered: checksAtOnce, running: 1 });
    await asked(2 * checksAtOnce + 1);
    model.release();
    await expect.poll(() => states(one, first), patience).toEqual({ delivered: checksAtOnce + 1 });
    await expect.poll(() => states(other, second), patience).toEqual({ delivered: checksAtOnce });
  });

  it('that is told to stop ends the check it has under way first, and begins no other', {
    timeout: 240_000,
  }, async () => {
    const agent = await Agent.arrive(service);
    const before = model.checks();
    model.behave('held');
    const underWay = await agent.paidJob();
    await expect.poll(() => model.checks() - before, patience).toBe(1);
    const stopped = Promise.all(workers.map((worker) => worker.stop()));
    const next = await agent.paidJob();
    await sleep(1_000);
    model.behave('good');
    model.release();
    expect(await stopped).toEqual(workers.splice(0).map(() => 0));
    expect(await stateOf(agent, underWay)).toBe('delivered');
    expect(await stateOf(agent, next)).toBe('queued');
    startWorker();
    await expect.poll(() => stateOf(agent, next), patience).toBe('delivered');
  });
});

describe('a worker that is told to stop while a check takes long', () => {
  it('gives it back, and the next worker begins it anew', { timeout: 240_000 }, async () => {
    const agent = await Agent.arrive(service);
    const before = model.checks();
    model.behave('held');
    const jobKey = await agent.paidJob();
    await expect.poll(() => model.checks() - before, patience).toBe(1);
    expect(await workers.pop()?.stop()).toBe(0);
    const given = await service.database.pool.query(
      `select state, tries, lease_until <= now() as free from jobs where job_key = $1`,
      [jobKey],
    );
    expect(given.rows).toEqual([{ state: 'running', tries: 0, free: true }]);
    model.behave('good');
    startWorker();
    await expect.poll(() => stateOf(agent, jobKey), patience).toBe('delivered');
  });
});
