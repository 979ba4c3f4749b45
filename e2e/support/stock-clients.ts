import { x402Client as AxiosPayer, wrapAxiosWithPayment } from '@x402/axios';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import axios from 'axios';
import type { Agent } from './agent.ts';

/** An answer to a request that a stock client sent, and paid for if it was asked to. */
export interface PaidAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
  /** The header with the settlement. */
  readonly settlement: string | null;
}

type Post = (href: string, body: Record<string, unknown>) => Promise<PaidAnswer>;

const headersOf = (agent: Agent) => ({ ...agent.identity(), 'content-type': 'application/json' });

/** Posts with `@x402/fetch`; `isSet` gives it the one setting that the contract names. */
export async function fetchPayer(agent: Agent, { isSet = true } = {}): Promise<Post> {
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(agent.wallet));
  if (isSet) {
    const { terms } = (await agent.get('/api/agent/v1/services/svc_work_check')).body;
    const [, cap = ''] = /maxAmountPerPayment: '(\$\d+)'/.exec(terms.x402.client_setting) ?? [];
    client.setSpendControls({ maxAmountPerPayment: cap });
  }
  const paying = wrapFetchWithPayment(fetch, client);
  return async (href, body) => {
    const answer = await paying(href, { method: 'POST', headers: headersOf(agent), body: JSON.stringify(body) });
    return { status: answer.status, body: await answer.json(), settlement: answer.headers.get('payment-response') };
  };
}

/** Posts with `@x402/axios`, whose own client has no limit. */
export function axiosPayer(agent: Agent): Post {
  const scheme = new ExactEvmScheme(agent.wallet) as unknown as Parameters<AxiosPayer['register']>[1];
  const client = new AxiosPayer().register('eip155:*', scheme);
  if ('setSpendControls' in client) throw new Error('The client of @x402/axios has a limit now: tell buyers.');
  const paying = wrapAxiosWithPayment(axios.create(), client);
  return async (href, body) => {
    const { status, data, headers } = await paying.post(href, body, { headers: headersOf(agent) });
    return { status, body: data, settlement: headers['payment-response'] ?? null };
  };
}
