import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, describe, expect, it } from 'vitest';
import { settlementsOf } from '../e2e/support/agent.ts';
import { Customer } from '../e2e/support/customer.ts';
import { startService } from '../e2e/support/service.ts';
import { price, service as terms } from '../server/service/terms.ts';
import { exampleRequest } from '../server/work-check/sample.ts';
import { Buyer } from './buyer.ts';
import { keptIn } from './kept.ts';
import { Refused } from './transport.ts';
import { links } from './verify/links.ts';
import { verifyBundle } from './verify/verify.ts';

const service = await startService({ RATE_LIMITS: 'off' });
const root = mkdtempSync(path.join(tmpdir(), 'buyer-'));
afterAll(() => rmSync(root, { recursive: true }));

const cost = Number(price);
const folder = () => mkdtempSync(path.join(root, 'kept-'));

async function fundedWallet(): Promise<PrivateKeyAccount> {
  const response = await fetch(`${service.sandbox.controlUrl}/wallets`, { method: 'POST' });
  return privateKeyToAccount(((await response.json()) as { private_key: `0x${string}` }).private_key);
}

/** Loses each tenth request but one on its way, and two answers: 30%, in an order that repeats. */
function lossy(): { fetch: typeof fetch; lost: () => number } {
  let [sent, lost] = [0, 0];
  const fate = [0, 2, 0, 1, 0, 0, 2, 0, 0, 0];
  return {
    lost: () => lost,
    fetch: async (input, init) => {
      const now = fate[sent++ % fate.length];
      if (now === 1) lost += 1;
      if (now === 1) throw new TypeError('the request was lost');
      const response = await fetch(input, init);
      if (now !== 2) return response;
      lost += 1;
      await response.arrayBuffer();
      throw new TypeError('the answer was lost');
    },
  };
}

const buyerIn = (at: string, options: { fetch?: typeof fetch; pause?: (ms: number) => Promise<unknown> } = {}) =>
  new Buyer({ baseUrl: service.baseUrl, kept: keptIn(at), pause: async () => {}, ...options });

async function paidJob(buyer: Buyer, wallet: PrivateKeyAccount, again = ''): Promise<string> {
  const { job_key } = await buyer.authorize(await buyer.quote(exampleRequest, cost, again));
  await buyer.payByWallet(job_key, wallet);
  return job_key;
}

const chargesOf = async (wallet: PrivateKeyAccount) =>
  (await settlementsOf(service.sandbox.controlUrl, wallet.address.toLowerCase())).flatMap(
    ({ transactions }) => transactions,
  );

describe('the client', () => {
  it('buys, follows, reviews and keeps what verify reads, while 30% of what is sent is lost', async () => {
    const { fetch: unreliable, lost } = lossy();
    const wallet = await fundedWallet();
    const buyer = buyerIn(folder(), { fetch: unreliable });
    await buyer.signIn(wallet);
    for (const again of ['', 'a second one']) {
      const jobKey = await paidJob(buyer, wallet, again);
      await service.execute(jobKey);
      const { report_digest } = await buyer.follow(jobKey, () => {});
      await buyer.review({ job_key: jobKey, decision: 'accept', report_digest: report_digest ?? '' });
      const bundle = await buyer.bundle(jobKey, exampleRequest);
      const keys = await (await fetch(`${service.baseUrl}/.well-known/jwks.json`)).json();
      expect(await verifyBundle(bundle, keys as never)).toMatchObject({ holds: [...links], broken: null });
    }
    expect(lost()).toBeGreaterThan(5);
    expect(await chargesOf(wallet)).toHaveLength(2);
  });

  it('finds its purchase after its process was lost, and pays once', async () => {
    const [at, wallet] = [folder(), await fundedWallet()];
    const first = buyerIn(at);
    await first.signIn(wallet);
    const quote = await first.quote(exampleRequest, cost);
    const { job_key } = await first.authorize(quote);
    // The payment arrives; the process ends before the answer.
    let sent = 0;
    const dying: typeof fetch = async (input, init) => {
      sent += 1;
      const response = await fetch(input, init);
      if (response.status === 200) throw new Error('the process ends');
      return response;
    };
    const ending = buyerIn(at, {
      fetch: dying,
      pause: () => Promise.reject(new Error('the process ends')),
    });
    await expect(ending.payByWallet(job_key, wallet)).rejects.toThrow('the process ends');
    expect(sent).toBe(2);
    const second = buyerIn(at);
    expect(second.isKnown).toBe(true);
    expect(await paidJob(second, wallet)).toBe(job_key);
    expect(await chargesOf(wallet)).toHaveLength(1);
  });

  it('waits as long as it is told, and longer each time when it is told nothing', async () => {
    const pauses: number[] = [];
    const answers = [
      new Response('{"code":"rate_limited"}', { status: 429, headers: { 'retry-after': '7' } }),
      new Response('{}', { status: 503 }),
      new Response('{"code":"idempotency_in_progress"}', { status: 409, headers: { 'retry-after': '2' } }),
    ];
    const slow: typeof fetch = async (input, init) => answers.shift() ?? fetch(input, init);
    const buyer = buyerIn(folder(), { fetch: slow, pause: async (ms) => pauses.push(ms) });
    await buyer.signIn(await fundedWallet());
    expect(pauses).toEqual([7_000, 500, 2_000]);
  });

  it('says why it was refused, and does not try again what cannot pass', async () => {
    let sent = 0;
    const counting: typeof fetch = (input, init) => {
      sent += 1;
      return fetch(input, init);
    };
    const poor = privateKeyToAccount(generatePrivateKey());
    const buyer = buyerIn(folder(), { fetch: counting });
    await buyer.signIn(poor);
    const { job_key } = await buyer.authorize(await buyer.quote(exampleRequest, cost));
    sent = 0;
    const refused = await buyer.payByWallet(job_key, poor).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Refused);
    expect(refused).toMatchObject({ status: 402, message: expect.stringContaining('insufficient_balance') });
    expect(sent).toBeLessThan(6);
  });

  it('registers for a customer who confirms by letter', async () => {
    const customer = new Customer(service);
    const buyer = buyerIn(folder(), {
      pause: async () => {
        const { link } = await customer.newestLetter();
        await fetch(`${service.baseUrl}/api/agent/v1/confirmations/decision`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ link, decision: 'confirm' }),
        });
      },
    });
    const me = await buyer.register(
      { mode: 'new_customer', email: customer.email, terms_version: terms.termsVersion, agent: { name: 'A client' } },
      () => {},
    );
    expect(me.principal).toMatchObject({ kind: 'agent', name: 'A client' });
  });

  it('keeps its secrets to its owner', async () => {
    const at = folder();
    await buyerIn(at).signIn(await fundedWallet());
    expect(readdirSync(at)).toEqual(['credential.json']);
    expect([statSync(at).mode & 0o777, statSync(path.join(at, 'credential.json')).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
  });
});
