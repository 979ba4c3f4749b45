import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { generatePaymentId } from '@x402/extensions/payment-identifier';
import { x402Client } from '@x402/fetch';
import type { PrivateKeyAccount } from 'viem/accounts';

// biome-ignore lint/suspicious/noExplicitAny: it reads what it is sent, of any shape.
type Body = any;
type Answer = { status: number; headers: Headers; body: Body };

export const doors = ['rest', 'keyless', 'mcp'] as const;
export type DoorName = (typeof doors)[number];

/** What passes by itself; the same request again finds what became of it. */
const passing = new Set(['idempotency_in_progress', 'payment_unknown', 'rate_limited', 'service_unavailable']);
const triesMax = 60;

/** Loses about 30% of what is sent: half on the way, half on the way back. */
export function lossy(seed: number): typeof fetch {
  let state = seed;
  return async (input, init) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const fate = state / 2 ** 32;
    if (fate < 0.15) throw new TypeError('fetch failed: the request was lost');
    const response = await fetch(input, init);
    if (fate >= 0.3) return response;
    await response.arrayBuffer();
    throw new TypeError('fetch failed: the answer was lost');
  };
}

/** A buyer that knows one address, that of the discovery document, and follows what it reads from there. */
export class Stranger {
  readonly #discovery: string;
  readonly #fetch: typeof fetch;
  readonly #wallet: PrivateKeyAccount;
  #token = '';

  constructor(discovery: string, wallet: PrivateKeyAccount, send: typeof fetch) {
    this.#discovery = discovery;
    this.#wallet = wallet;
    this.#fetch = send;
  }

  /** Buys one check over a door; resolves to its job. */
  async buy(door: DoorName): Promise<string> {
    const found = (await this.#send('GET', this.#discovery)).body;
    const contract = (await this.#send('GET', found.first_service.contract)).body;
    if (door === 'keyless') return this.#keyless(found, contract);
    if (this.#token === '') await this.#signIn(found.wallet);
    return door === 'rest' ? this.#rest(found, contract) : this.#mcp(found, contract);
  }

  async #signIn({ challenge, verify }: Body): Promise<void> {
    for (;;) {
      const { challenge_key, message } = (await this.#send('POST', challenge, { address: this.#wallet.address })).body;
      const signature = await this.#wallet.signMessage({ message });
      // A challenge works once: a lost answer costs another.
      const { body } = await this.#send('POST', verify, { challenge_key, signature });
      this.#token = body.access_token ?? '';
      if (this.#token !== '') return;
    }
  }

  async #rest({ endpoints }: Body, contract: Body): Promise<string> {
    const [, path] = endpoints.check_work.split(' ');
    const at = new URL(path, this.#discovery).href;
    const quote = await this.#send('POST', at, orderOf(contract));
    const authorize = actionOf(quote.body, 'authorize');
    const job = await this.#send('POST', authorize.href, { terms_version: contract.terms.terms_version });
    const pay = actionOf(job.body, 'pay');
    return this.#paid(pay.href, { rail: 'x402', idempotency_key: randomUUID() });
  }

  async #keyless({ openapi }: Body, { example_request }: Body): Promise<string> {
    const { paths } = (await this.#send('GET', openapi)).body;
    const [path] = Object.entries<Body>(paths).find(([, { post }]) => post?.operationId === 'buy_check') ?? [''];
    return this.#paid(new URL(path, this.#discovery).href, example_request);
  }

  /** Asks for the price, signs once, and presents the same payment until it is answered. */
  async #paid(href: string, body: object): Promise<string> {
    const demand = await this.#send('POST', href, body);
    if (demand.status !== 402) return demand.body.job_key;
    const payment = await this.#sign(decodePaymentRequiredHeader(demand.headers.get('payment-required') ?? ''));
    const header = { 'payment-signature': encodePaymentSignatureHeader(payment) };
    const { status, body: paid } = await this.#send('POST', href, body, header);
    if (status >= 300) throw new Error(`${href} answered ${status}: ${JSON.stringify(paid)}`);
    return paid.job_key;
  }

  async #mcp({ mcp }: Body, contract: Body): Promise<string> {
    const quote = await this.#tool(mcp.url, 'svc.check_work', orderOf(contract));
    const { job_key } = await this.#tool(mcp.url, 'svc.authorize_purchase', {
      quote_key: quote.quote_key,
      terms_version: contract.terms.terms_version,
    });
    const order = { job_key, rail: 'x402', idempotency_key: randomUUID() };
    const demand = await this.#tool(mcp.url, 'svc.pay', order);
    const paid = await this.#tool(mcp.url, 'svc.pay', { ...order, payment: await this.#sign(demand) });
    if (paid.payment_state !== 'collected') throw new Error(`svc.pay answered ${JSON.stringify(paid)}`);
    return job_key;
  }

  async #tool(url: string, name: string, args: Record<string, unknown>): Promise<Body> {
    return persistently(async () => {
      const client = new Client(
        { name: 'a stranger', version: '1' },
        { versionNegotiation: { mode: { pin: '2026-07-28' } } },
      );
      const requestInit = { headers: { authorization: `Bearer ${this.#token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit, fetch: this.#fetch }));
      const { structuredContent } = await client.callTool({ name, arguments: args }).finally(() => client.close());
      const body = structuredContent as Body;
      return passing.has(body?.code) ? null : body;
    });
  }

  async #sign(demand: PaymentRequired): Promise<PaymentPayload> {
    const client = new x402Client().register('eip155:*', new ExactEvmScheme(this.#wallet));
    client.setSpendControls({ maxAmountPerPayment: '$5' });
    const payment = await client.createPaymentPayload(demand);
    const named = payment.extensions?.['payment-identifier'] as { info: { id?: string } } | undefined;
    if (named) named.info.id = generatePaymentId();
    return payment;
  }

  #send(method: string, url: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    return persistently(async () => {
      const response = await this.#fetch(url, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(this.#token === '' ? {} : { authorization: `Bearer ${this.#token}` }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = { status: response.status, headers: response.headers, body: await response.json() };
      return passing.has(answer.body.code) ? null : answer;
    });
  }
}

function orderOf({ example_request, price }: Body): Record<string, unknown> {
  return { ...example_request, max_price_microcents: price.amount_microcents, idempotency_key: randomUUID() };
}

function actionOf({ next_actions }: Body, name: string): { href: string } {
  const found = next_actions?.find(({ action }: Body) => action === name);
  if (!found) throw new Error(`${name} is not allowed now.`);
  return found;
}

/** Repeats what was lost, or will pass, until it is answered. */
async function persistently<Answered>(ask: () => Promise<Answered | null>): Promise<Answered> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask().catch((error: unknown) => {
      if (tries >= triesMax || !/lost|fetch failed/.test(String((error as Error).cause ?? error))) throw error;
      return null;
    });
    if (answer !== null) return answer;
    await pause(Math.min(2_000, 20 * tries));
  }
}
