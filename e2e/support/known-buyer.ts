import { expect } from 'vitest';
import { Agent } from './agent.ts';
import type { Service } from './service.ts';

/** A wallet that has accepted a purchase: new buyers have one check under way, and later turns. */
export async function knownBuyer(service: Service): Promise<Agent> {
  const agent = await Agent.arrive(service);
  const jobKey = await agent.paidJob();
  await service.execute(jobKey);
  await expect.poll(async () => (await agent.job(jobKey)).body.state, { timeout: 80_000 }).toBe('delivered');
  expect((await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept' })).status).toBe(200);
  return agent;
}
