import { afterAll, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';
import { startModelServer } from '../../sandbox/model/server.ts';

const model = await startModelServer(0);
const service = await startService({
  ASSESSOR_MODELS: 'compatible:sandbox',
  ASSESSOR_COMPATIBLE_URL: model.url,
  ASSESSOR_TIMEOUT_SECONDS: '60',
  CHECKS_PER_ACCOUNT: '1',
});
afterAll(() => model.close());
const patience = { timeout: 20_000 };
const stateOf = async (agent: Agent, jobKey: string) => (await agent.job(jobKey)).body.state;

it('a check whose job is canceled ends, and takes its account’s place until then', { timeout: 60_000 }, async () => {
  model.behave('held');
  const [buyer, other] = await Promise.all([Agent.arrive(service), Agent.arrive(service)]);
  const worker = service.startWorker();
  await worker.ready;
  const canceled = await buyer.paidJob();
  await expect.poll(() => stateOf(buyer, canceled), patience).toBe('running');
  await expect.poll(model.calls, patience).toBe(1);
  expect((await buyer.post(`/api/agent/v1/jobs/${canceled}/cancel`)).body.payment_state).toBe('credited');
  const again = await buyer.authorizedJob();
  const credit = { rail: 'x402', method: 'wallet_credit', idempotency_key: again };
  expect((await buyer.post(`/api/agent/v1/jobs/${again}/payments`, credit)).status).toBe(200);
  // The model never answers the first: only its end frees the place.
  expect(await stateOf(buyer, again)).toBe('queued');
  await expect.poll(() => stateOf(buyer, again), patience).toBe('running');
  const one = await other.paidJob();
  await expect.poll(() => stateOf(other, one), patience).toBe('running');
  model.behave('good');
  model.release();
  await worker.stop();
});
