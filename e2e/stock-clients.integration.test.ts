import { describe, expect, it } from 'vitest';
import { Agent } from './support/agent.ts';
import { startService } from './support/service.ts';
import { axiosPayer, fetchPayer } from './support/stock-clients.ts';

const service = await startService();

/** The payment in a job's `next_actions`: address and body, unchanged. */
async function payable(agent: Agent): Promise<{ href: string; body: Record<string, unknown> }> {
  const { next_actions } = (await agent.job(await agent.authorizedJob())).body;
  return next_actions.find(({ action }: { action: string }) => action === 'pay');
}

// Each way to pay with each of these: server/transports/ways-to-pay.
describe('a stock client', () => {
  it('@x402/fetch pays with the documented setting, and stops at its own cap without it', async () => {
    const agent = await Agent.arrive(service);
    const { href, body } = await payable(agent);
    await expect((await fetchPayer(agent, { isSet: false }))(href, body)).rejects.toThrow();
    const paid = await (await fetchPayer(agent))(href, body);
    expect([paid.status, paid.body.payment_state]).toEqual([200, 'collected']);
    expect(paid.settlement).not.toBeNull();
  });

  it('@x402/axios pays with its own client, which has no limit', async () => {
    const agent = await Agent.arrive(service);
    const { href, body } = await payable(agent);
    const paid = await axiosPayer(agent)(href, body);
    expect([paid.status, paid.body.payment_state]).toEqual([200, 'collected']);
  });
});
