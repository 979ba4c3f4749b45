/**
 * What the examples share: the task, the credential, and the one tool that an agent needs besides ours. With the
 * credential of an agent that its customer has registered, a person pays by card; without, the wallet pays over x402.
 */
import { x402Client } from '@x402/core/client';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

export const { BASE_URL: baseUrl = 'http://localhost:3000', MODEL_URL: modelUrl = '', MODEL: model = '' } = process.env;
export const modelKey = process.env.MODEL_KEY ?? 'none';

const { CREDENTIAL: credential, WALLET_KEY: walletKey } = process.env;

export const request = {
  work_product: '12 lamps at 21 EUR come to 240 EUR.',
  request: 'Say what the order comes to.',
  evidence: [{ source: 'order', text: 'The order is for 12 lamps at 21 EUR each.' }],
};

const paying = credential
  ? 'pay by card: show the link with show_link'
  : 'pay over x402: where a payment is asked for, have it signed with sign_payment';

export const task =
  `Have this work checked. Get a quote, accept it, and ${paying}. Wait for the report, read it and accept it. Then say ` +
  `the verdict. ${JSON.stringify(request)}`;

/** The bearer token of the MCP connection: the agent's credential, or a session of the wallet. */
export async function signIn(): Promise<string> {
  if (credential) return credential;
  const wallet = privateKeyToAccount(walletKey as Hex);
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

/** Signs what was asked for. The limit is ours: no text that a model reads can raise it. */
export async function signPayment(required: PaymentRequired): Promise<PaymentPayload> {
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(privateKeyToAccount(walletKey as Hex)));
  client.setSpendControls({ maxAmountPerPayment: `$${limit}` });
  return client.createPaymentPayload(required);
}

const signing = {
  name: 'sign_payment',
  description:
    `Signs an x402 payment of at most ${limit} USD from the wallet. Takes what svc_pay answered (an object with accepts); ` +
    'the answer is the argument payment of the same call of svc_pay again.',
  run: async (required: unknown) => JSON.stringify(await signPayment(required as PaymentRequired)),
};

const showing = {
  name: 'show_link',
  description: 'Shows a person the link of a payment. Takes {"link": …}. Then wait with svc_purchase_status.',
  run: async (shown: unknown) => {
    console.log(`Pay at ${(shown as { link: string }).link}`);
    return 'The person sees it.';
  },
};

/** What the agent can do besides our tools: have a payment signed, or show a person where to pay. */
export const own = credential ? showing : signing;
