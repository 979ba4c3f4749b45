import { randomUUID } from 'node:crypto';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { price, service } from '../../server/service/terms.ts';
import { exampleRequest } from '../../server/work-check/sample.ts';

/** An answer as tests see it: `text` is the exact bytes. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  body: any;
}

/** Sends requests as a stranger does: it knows addresses and JSON, and none of the server's code. */
export abstract class Client {
  readonly baseUrl: string;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  /** The headers that identify the caller. */
  abstract identity(): Record<string, string>;

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', path, undefined, headers);
  }

  post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('POST', path, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
  }

  async send(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(new URL(path, this.baseUrl), {
      method,
      headers: { ...this.identity(), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
  }
}

/** A buyer with a wallet. */
export class Agent extends Client {
  readonly wallet: PrivateKeyAccount;
  readonly #privateKey: `0x${string}`;
  token = '';

  constructor(baseUrl: string, privateKey: `0x${string}`) {
    super(baseUrl);
    this.#privateKey = privateKey;
    this.wallet = privateKeyToAccount(privateKey);
  }

  /** The same agent in the same session, at another address of the service. */
  at(baseUrl: string): Agent {
    const twin = new Agent(baseUrl, this.#privateKey);
    twin.token = this.token;
    return twin;
  }

  identity(): Record<string, string> {
    return this.token ? { authorization: `Bearer ${this.token}` } : {};
  }

  /** An agent whose wallet holds 1,000 USDC on each chain of the sandbox, and that has never been here. */
  static async withWallet(service: { baseUrl: string; sandbox: { controlUrl: string } }): Promise<Agent> {
    const response = await fetch(`${service.sandbox.controlUrl}/wallets`, { method: 'POST' });
    const { private_key } = (await response.json()) as { private_key: `0x${string}` };
    return new Agent(service.baseUrl, private_key);
  }

  /** The same, signed in. */
  static async arrive(service: { baseUrl: string; sandbox: { controlUrl: string } }): Promise<Agent> {
    const agent = await Agent.withWallet(service);
    await agent.signIn();
    return agent;
  }

  async signIn(): Promise<void> {
    const { body: challenge } = await this.post('/api/x402/v1/wallets/challenge', { address: this.wallet.address });
    const signature = await this.wallet.signMessage({ message: challenge.message });
    const { body } = await this.post('/api/x402/v1/wallets/verify', {
      challenge_key: challenge.challenge_key,
      signature,
    });
    this.token = body.access_token;
  }

  quote(changes: Record<string, unknown> = {}): Promise<Answer> {
    return this.post('/api/agent/v1/checks', {
      ...exampleRequest,
      max_price_microcents: Number(price),
      idempotency_key: randomUUID(),
      ...changes,
    });
  }

  authorize(quoteKey: string): Promise<Answer> {
    return this.post(`/api/agent/v1/purchases/${quoteKey}/authorize`, { terms_version: service.termsVersion });
  }

  /** Gets a quote and authorizes it. Resolves to the job's key. */
  async authorizedJob(changes: Record<string, unknown> = {}): Promise<string> {
    const { body: quote } = await this.quote(changes);
    const { body: job } = await this.authorize(quote.quote_key);
    return job.job_key;
  }

  /** Signs what the job's 402 asks for; moves no money yet. */
  async signPayment(jobKey: string, network = 'eip155:84532'): Promise<string> {
    const unpaid = await this.pay(jobKey, { network });
    const required = decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '');
    return encodePaymentSignatureHeader(await this.createPayment(required));
  }

  /** The wallet's signed payment for an unpaid answer. */
  createPayment(required: PaymentRequired): Promise<PaymentPayload> {
    const client = new x402Client().register('eip155:*', new ExactEvmScheme(this.wallet));
    client.setSpendControls({ maxAmountPerPayment: '$10' });
    return client.createPaymentPayload(required);
  }

  pay(jobKey: string, options: { key?: string; network?: string; signature?: string } = {}): Promise<Answer> {
    const { key = randomUUID(), network, signature } = options;
    return this.post(
      `/api/agent/v1/jobs/${jobKey}/payments`,
      { rail: 'x402', idempotency_key: key, ...(network ? { network } : {}) },
      signature ? { 'payment-signature': signature } : {},
    );
  }

  /** A paid job that waits for its worker. */
  async paidJob(changes: Record<string, unknown> = {}): Promise<string> {
    const jobKey = await this.authorizedJob(changes);
    await this.pay(jobKey, { signature: await this.signPayment(jobKey) });
    return jobKey;
  }

  job(jobKey: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.get(`/api/agent/v1/jobs/${jobKey}`, headers);
  }
}

/** What the sandbox's facilitator was asked to do with this wallet's payments. */
export async function settlementsOf(
  controlUrl: string,
  payer: string,
): Promise<{ nonce: string; settle_calls: number; transactions: string[] }[]> {
  const response = await fetch(`${controlUrl}/facilitator/settlements?payer=${payer}`);
  const { settlements } = (await response.json()) as {
    settlements: { nonce: string; settle_calls: number; transactions: string[] }[];
  };
  return settlements;
}

/** How a facilitator can fail one payment. */
export const facilitatorFailures = [
  'drop_before_settle',
  'drop_after_settle',
  'error_500',
  'refuse',
  'lie',
  'pending',
  'rpc_timeout_on_broadcast',
] as const;

/** Makes the facilitator's next calls fail. */
export async function facilitatorFault(controlUrl: string, fault: Record<string, unknown>): Promise<void> {
  await fetch(`${controlUrl}/facilitator/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fault),
  });
}

/** Ends every fault and releases held calls. */
export async function clearFaults(controlUrl: string): Promise<void> {
  await fetch(`${controlUrl}/facilitator/faults`, { method: 'DELETE' });
}
