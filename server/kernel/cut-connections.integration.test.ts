import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { type CuttingProxy, cuttingProxy } from '../../e2e/support/cutting-proxy.ts';
import { startService } from '../../e2e/support/service.ts';

// A trial: connections to the database are cut while two processes work over them.

const service = await startService();
const proxy: CuttingProxy = await cuttingProxy(service.database.url);
afterAll(() => proxy.close());

/** Rounds of requests that are made beside the cuts. */
const rounds = 40;

it.each([250, 5])(
  'connections cut each %i ms end no process and lose nothing, and no answer is 500',
  async (ms) => {
    const env = { DATABASE_URL: proxy.url };
    const door = await service.startDoor(env);
    const worker = service.startWorker(env);
    await worker.ready;
    const agent = await Agent.arrive(service);
    const through = agent.at(door.baseUrl);
    const waiting = await agent.authorizedJob();
    const statuses: number[] = [];
    const paid: string[] = [];
    const stop = proxy.cutEvery(ms);
    for (let round = 0; round < rounds; round += 1) {
      const answers = await Promise.all([
        through.get('/api/agent/v1/me'),
        through.job(waiting),
        through.quote(),
        through.get('/api/agent/v1/jobs'),
        through.get('/api/agent/v1/receipts'),
      ]);
      statuses.push(...answers.map(({ status }) => status));
      if (round % 10 === 0) paid.push(await agent.paidJob());
      await setTimeout(20);
    }
    stop();
    expect(statuses.filter((status) => ![200, 201, 409, 503].includes(status))).toEqual([]);
    expect((await through.get('/api/agent/v1/me')).status).toBe(200);
    for (const jobKey of paid) {
      await expect.poll(async () => (await agent.job(jobKey)).body.state, { timeout: 60_000 }).toBe('delivered');
    }
    expect(await worker.stop()).toBe(0);
    await door.stop();
  },
  180_000,
);
