import { x402Client as AxiosPayer, wrapAxiosWithPayment } from '@x402/axios';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import axios, { type AxiosInstance } from 'axios';
import { describe, expect, it } from 'vitest';
import { Agent } from './support/agent.ts';
import { startService } from './support/service.ts';

const service = await startService();

/** A stock client, with only the settings that the contract and the guide name. */
async function stockClient(agent: Agent): Promise<x402Client> {
  const { terms } = (await agent.get('/api/agent/v1/services/svc_work_check')).body;
  const [, cap = ''] = /maxAmountPerPayment: '(\$\d+)'/.exec(terms.x402.client_setting) ?? [];
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(agent.wallet));
  client.setSpendControls({ maxAmountPerPayment: cap });
  return client;
}

/** The payment in a job's `next_actions`: address and body, unchanged. */
async function payable(agent: Agent): Promise<{ href: string; body: Record<string, unknown> }> {
  const { next_actions } = (await agent.job(await agent.authorizedJob())).body;
  return next_actions.find(({ action }: { action: string }) => action === 'pay');
}

const json = (agent: Agent) => ({ ...agent.identity(), 'content-type': 'application/json' });

describe('a stock client', () => {
  it('@x402/fetch pays with the documented setting, and stops at its own cap without it', async () => {
    const agent = await Agent.arrive(service);
    const { href, body } = await payable(agent);
    const request = { method: 'POST', headers: json(agent), body: JSON.stringify(body) };
    const unset = new x402Client().register('eip155:*', new ExactEvmScheme(agent.wallet));
    await expect(wrapFetchWithPayment(fetch, unset)(href, request)).rejects.toThrow();
    const paid = await wrapFetchWithPayment(fetch, await stockClient(agent))(href, request);
    expect([paid.status, (await paid.json()).payment_state]).toEqual([200, 'collected']);
    expect(paid.headers.get('payment-response')).not.toBeNull();
  });

  it('@x402/axios pays with its own client, which has no limit', async () => {
    const agent = await Agent.arrive(service);
    const { href, body } = await payable(agent);
    const scheme = new ExactEvmScheme(agent.wallet) as unknown as Parameters<AxiosPayer['register']>[1];
    const client = new AxiosPayer().register('eip155:*', scheme);
    expect(client).not.toHaveProperty('setSpendControls');
    const paying: AxiosInstance = wrapAxiosWithPayment(axios.create(), client);
    const paid = await paying.post(href, body, { headers: json(agent) });
    expect([paid.status, paid.data.payment_state]).toEqual([200, 'collected']);
  });
});
