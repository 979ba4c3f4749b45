import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { Agent } from '../support/agent.ts';
import type { CuttingProxy } from '../support/cutting-proxy.ts';
import type { Service } from '../support/service.ts';

/** How often connections are cut, in milliseconds. */
export const cutsEveryMs = [250, 5];

/** Of this many rounds of five requests one comes with a purchase. */
const roundsOfPurchase = 10;

/**
 * Cuts the connections to the database every `ms` milliseconds while a web process and a worker work over them:
 * `rounds` rounds of requests. No process may end, nothing be lost, and no answer be a 500.
 */
export async function cutBeside(service: Service, proxy: CuttingProxy, ms: number, rounds: number): Promise<void> {
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
    if (round % roundsOfPurchase === 0) paid.push(await agent.paidJob());
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
}
