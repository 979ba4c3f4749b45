import { randomUUID } from 'node:crypto';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import { beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { buyingByCard, listen, paidOnPage } from '../../e2e/support/card.ts';
import { clientKinds, connectMcp } from '../../e2e/support/mcp-client.ts';
import { startService, withCard } from '../../e2e/support/service.ts';
import { axiosPayer, fetchPayer } from '../../e2e/support/stock-clients.ts';

const service = await startService(withCard);
beforeAll(() => listen(service));

/** A request to pay, and what it answers. */
interface Paid {
  isPending: boolean;
  body: { payment_state: string; [member: string]: unknown };
  /** What a model reads first, over MCP. */
  line?: string | undefined;
}
type Pay = (jobKey: string, body: Record<string, unknown>) => Promise<Paid>;

/** Pays over REST, with a signature when the answer asks for one. */
const overRest =
  (agent: Agent): Pay =>
  async (jobKey, body) => {
    const path = `/api/agent/v1/jobs/${jobKey}/payments`;
    const asked = await agent.post(path, body);
    if (asked.status !== 402) return { isPending: asked.status === 202, body: asked.body };
    const signature = encodePaymentSignatureHeader(await agent.createPayment(asked.body));
    const paid = await agent.post(path, body, { 'payment-signature': signature });
    return { isPending: paid.status === 202, body: paid.body };
  };

/** Pays over REST with a stock client, which answers 402 by itself. */
const overStockClient =
  (open: (agent: Agent) => ReturnType<typeof axiosPayer> | ReturnType<typeof fetchPayer>) =>
  (agent: Agent): Pay =>
  async (jobKey, body) => {
    const post = await open(agent);
    const paid = await post(`${agent.baseUrl}/api/agent/v1/jobs/${jobKey}/payments`, body);
    return { isPending: paid.status === 202, body: paid.body };
  };

/** Pays over MCP, with the payment in the metadata when the answer asks for one. */
const overMcp =
  (kind: (typeof clientKinds)[number]) =>
  (agent: Agent): Pay =>
  async (job_key, body) => {
    const client = await connectMcp(kind, `${service.baseUrl}/mcp?profile=buyer`, agent.token);
    await client.list();
    const asked = await client.call('svc.pay', { job_key, ...body });
    const {
      isError,
      body: paid,
      texts,
    } = asked.body.accepts
      ? await client.call('svc.pay', { job_key, ...body }, { 'x402/payment': await agent.createPayment(asked.body) })
      : asked;
    await client.close();
    if (isError) throw new Error(`refused: ${JSON.stringify(paid)}`);
    return { isPending: 'payment_key' in paid, body: paid, line: texts[0] };
  };

const doors: [string, (agent: Agent) => Pay][] = [
  ['REST', overRest],
  ['REST, @x402/fetch', overStockClient(fetchPayer)],
  ['REST, @x402/axios', overStockClient(axiosPayer)],
  ...clientKinds.map((kind): [string, (agent: Agent) => Pay] => [`MCP, ${kind}`, overMcp(kind)]),
];

const withWallet = () => Agent.arrive(service);
const withCustomer = async () => (await buyingByCard(service)).agent;

async function withKeptCard(): Promise<Agent> {
  const { agent, member } = await buyingByCard(service);
  await paidOnPage(service, agent, { member });
  return agent;
}

async function withCredit(): Promise<Agent> {
  const agent = await withWallet();
  await agent.post(`/api/agent/v1/jobs/${await agent.paidJob()}/cancel`);
  return agent;
}

/** Every rail with every method, who pays so, and whether a payer is still needed. */
const ways: [body: Record<string, string>, buyer: () => Promise<Agent>, isPending: boolean][] = [
  [{ rail: 'x402' }, withWallet, false],
  [{ rail: 'x402', network: 'eip155:421614' }, withWallet, false],
  [{ rail: 'x402', method: 'wallet_credit' }, withCredit, false],
  [{ rail: 'card' }, withCustomer, true],
  [{ rail: 'card', method: 'card_checkout' }, withCustomer, true],
  [{ rail: 'card', method: 'card_saved' }, withKeptCard, false],
  // Without a kept card the payer is asked.
  [{ rail: 'card', method: 'card_saved' }, withCustomer, true],
];

describe.each(doors)('over %s', (_, at) => {
  it.each(ways)('a payment by %j works', async (body, arrive, isPending) => {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    const pay = at(agent);
    const request = { ...body, idempotency_key: randomUUID() };
    const paid = await pay(jobKey, request);
    expect([paid.isPending, paid.body.payment_state]).toEqual([isPending, isPending ? 'requires_payer' : 'collected']);
    if (isPending) {
      expect(paid.body.continuation_url).toBe(`${service.baseUrl}/pay/${paid.body.payment_key}`);
      if (paid.line) expect(paid.line).toContain(paid.body.continuation_url);
    }
    // A repeat is the same payment.
    expect((await pay(jobKey, request)).body).toEqual(paid.body);
  });
});
