/** What the examples share: the task, the sign-in, and the one tool that an agent needs besides ours. */
import { x402Client } from '@x402/core/client';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

export const { BASE_URL: baseUrl = 'http://localhost:3000', MODEL_URL: modelUrl = '', MODEL: model = '' } = process.env;
export const modelKey = process.env.MODEL_KEY ?? 'none';

const wallet = privateKeyToAccount(process.env.WALLET_KEY as Hex);

export const request = {
  work_product: 'Sales rose 12% in 2025, from 100 to 112.',
  request: 'Say in one sentence how sales developed.',
  evidence: [{ source: 'annual report', text: 'Sales were 100 in 2024 and 112 in 2025.' }],
};

export const task =
  'Have this work checked. Get a quote, accept it, pay over x402, wait for the report, read it and accept it. Where a ' +
  `payment is asked for, have it signed with sign_payment. Then say the verdict. ${JSON.stringify(request)}`;

/** A session of the wallet, as the bearer token of the MCP connection. */
export async function signIn(): Promise<string> {
  const ask = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return response.json();
  };
  const { challenge_key, message } = await ask('/api/x402/v1/wallets/challenge', { address: wallet.address });
  const signature = await wallet.signMessage({ message });
  return (await ask('/api/x402/v1/wallets/verify', { challenge_key, signature })).access_token;
}

/** The most that the wallet pays for a check, in US dollars: its owner's own limit. */
const limit = 5;
export const limitMicrocents = limit * 1e8;

export const signPaymentWords =
  `Signs an x402 payment of at most ${limit} USD from the wallet. Takes what svc_pay answered (an object with accepts); the answer ` +
  'is the argument payment of the same call of svc_pay again.';

/** Signs what was asked for. The limit is ours: no text that a model reads can raise it. */
export async function signPayment(required: PaymentRequired): Promise<PaymentPayload> {
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(wallet));
  client.setSpendControls({ maxAmountPerPayment: `$${limit}` });
  return client.createPaymentPayload(required);
}
