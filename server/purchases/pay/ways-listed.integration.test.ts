import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { Agent, type Client } from '../../../e2e/support/agent.ts';
import { buyingByCard, cards, heard, listen, paidOnPage, payByCard } from '../../../e2e/support/card.ts';
import { connectMcp } from '../../../e2e/support/mcp-client.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';

const service = await startService(withCard);
beforeAll(() => listen(service));

interface Asked {
  rail: string;
  method?: string;
  idempotency_key: string;
}
interface Action {
  action: string;
  href: string;
  mcp_tool: string;
  body?: Asked;
  bodies?: Asked[];
  mcp_arguments: Record<string, unknown>;
}

const jobOf = async (agent: Agent, jobKey: string) => (await agent.job(jobKey)).body;
const payIn = (body: { next_actions: Action[] }) => body.next_actions.find(({ action }) => action === 'pay');
const bodiesOf = (action: Action | undefined): Asked[] => (action?.body ? [action.body, ...(action.bodies ?? [])] : []);
const waysOf = async (agent: Agent, jobKey: string) =>
  bodiesOf(payIn(await jobOf(agent, jobKey))).map(({ rail, method }) => method ?? rail);
const postAs = (agent: Client, action: Action | undefined, body: Asked) =>
  agent.post(new URL(action?.href ?? '').pathname, body);

/** An agent whose account keeps a card. */
async function keeping(card: string = cards.good): Promise<Agent> {
  const { agent, member } = await buyingByCard(service);
  await paidOnPage(service, agent, { member, card });
  return agent;
}

const granting = async (payment_methods: string[]) =>
  (await buyingByCard(service, { requested_grant: { payment_methods } })).agent;

describe('the ways to pay that a job lists', () => {
  it('are all that the grant covers, each with a key of its own, and each works as it stands', async () => {
    const agent = await keeping();
    const jobs = await Promise.all([agent.authorizedJob(), agent.authorizedJob(), agent.authorizedJob()]);
    expect(await waysOf(agent, jobs[0])).toEqual(['card_saved', 'card_checkout', 'x402']);
    for (const [index, jobKey] of jobs.entries()) {
      const pay = payIn(await jobOf(agent, jobKey));
      const bodies = bodiesOf(pay);
      expect(new Set(bodies.map(({ idempotency_key }) => idempotency_key)).size).toBe(bodies.length);
      const { status } = await postAs(agent, pay, bodies[index] as Asked);
      expect(status).toBe([200, 202, 402][index]);
    }
  });

  it('begin with the payment that is open, whose body gives the same link again', async () => {
    const agent = await keeping();
    const jobKey = await agent.authorizedJob();
    const first = payIn(await jobOf(agent, jobKey));
    const asked = await postAs(agent, first, bodiesOf(first)[1] as Asked);
    expect(asked.status).toBe(202);
    const job = await jobOf(agent, jobKey);
    expect(await waysOf(agent, jobKey)).toEqual(['card_checkout', 'card_saved', 'x402']);
    // A lost answer is in the job.
    expect(job.payment).toEqual({
      payment_key: asked.body.payment_key,
      rail: 'card',
      method: 'card_checkout',
      continuation_url: asked.body.continuation_url,
      expires_at: asked.body.expires_at,
    });
    for (const body of [bodiesOf(first)[1] as Asked, payIn(job)?.body as Asked]) {
      expect((await postAs(agent, payIn(job), body)).body.payment_key).toBe(asked.body.payment_key);
    }
    const { job_key, method, next_step, next_actions } = asked.body;
    expect([job_key, method, next_step, next_actions]).toEqual([
      jobKey,
      'card_checkout',
      job.next_step,
      job.next_actions,
    ]);
  });

  it('put the rail of the last purchase first', async () => {
    const { agent } = await buyingByCard(service);
    expect(await waysOf(agent, await agent.authorizedJob())).toEqual(['x402', 'card_checkout']);
    await paidOnPage(service, agent);
    expect(await waysOf(agent, await agent.authorizedJob())).toEqual(['card_checkout', 'x402']);
  });

  it.each([
    [['x402'], ['x402'], ['x402', 'wallet_credit']],
    [['card_checkout'], ['card_checkout'], ['card']],
    // No card is kept.
    [['card_saved'], [], []],
    [['card_saved', 'x402'], ['x402'], ['x402', 'wallet_credit']],
  ])('for a grant of %j are %j', async (methods, ways, payableBy) => {
    const agent = await granting(methods);
    const { body: quote } = await agent.quote();
    expect(quote.rails.flatMap((rail: { methods: string[] }) => rail.methods).sort()).toEqual([...methods].sort());
    const { body: job } = await agent.authorize(quote.quote_key);
    expect([await waysOf(agent, job.job_key), job.payable_by]).toEqual([ways, payableBy]);
    if (ways.length === 0) expect(job.next_step).toContain('save a card');
  });

  it('leave out a rail that is switched off', async () => {
    const { agent } = await buyingByCard(service);
    const jobKey = await agent.authorizedJob();
    const { pool } = service.database;
    await pool.query(
      `insert into switches (name, state, reason, actor, changed_at) values ('card', 'off', 'a test', 'test', now())`,
    );
    try {
      expect(await waysOf(agent, jobKey)).toEqual(['x402']);
      expect((await jobOf(agent, jobKey)).payable_by).toEqual(['x402', 'wallet_credit']);
      expect((await agent.quote()).body.rails.map(({ rail }: { rail: string }) => rail)).toEqual(['x402']);
    } finally {
      await pool.query(`update switches set state = 'on'`);
    }
  });

  it('have another key once an attempt has failed', async () => {
    const agent = await keeping();
    const jobKey = await agent.authorizedJob();
    const before = payIn(await jobOf(agent, jobKey));
    const asked = await postAs(agent, before, bodiesOf(before)[1] as Asked);
    await agent.post(`/api/agent/v1/jobs/${jobKey}/payments/cancel`);
    const again = bodiesOf(payIn(await jobOf(agent, jobKey))).find(({ method }) => method === 'card_checkout');
    expect(again?.idempotency_key).not.toBe(bodiesOf(before)[1]?.idempotency_key);
    const renewed = await postAs(agent, before, again as Asked);
    expect(renewed.status).toBe(202);
    expect(renewed.body.payment_key).not.toBe(asked.body.payment_key);
    await heard(service);
  });

  it('take the rail as a method', async () => {
    const agent = await Agent.arrive(service);
    const path = `/api/agent/v1/jobs/${await agent.authorizedJob()}/payments`;
    const body = { rail: 'x402', method: 'x402', idempotency_key: randomUUID() };
    expect((await agent.post(path, body)).status).toBe(402);
  });

  it('are arguments of the tool as they stand', async () => {
    const { agent } = await buyingByCard(service);
    const client = await connectMcp('2026-07-28', `${service.baseUrl}/mcp?profile=buyer`, agent.token);
    const { body: quote } = await agent.quote();
    const [authorize] = quote.next_actions as Action[];
    const job = await client.call(authorize?.mcp_tool ?? '', authorize?.mcp_arguments);
    const jobKey = job.body.job_key;
    await payByCard(agent, jobKey);
    for (const name of ['pay', 'cancel_payment', 'cancel']) {
      const { body } = await client.call('svc.purchase_status', { job_key: jobKey });
      const action = (body.next_actions as Action[]).find((one) => one.action === name);
      expect((await client.call(action?.mcp_tool ?? '', action?.mcp_arguments)).isError).toBe(false);
    }
    await client.close();
  });
});
