import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { buyingByCard, click, fillIn, listen, paidOnPage, payByCard, stripeOf } from '../../../e2e/support/card.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';

const service = await startService(withCard);
const stripe = stripeOf(service);
beforeAll(() => listen(service));
afterEach(() => stripe.clearFaults());

/** What can go wrong with a call, once: nothing happened, or it happened and nobody heard of it. */
const modes = [
  'drop_before',
  'drop_after',
  'error_500',
  'error_500_after',
  'conflict_409',
  'limit_429',
  'truncate',
  'sever',
] as const;

const chargesOf = async (jobKey: string) => {
  const { rows } = await service.database.pool.query<{ payment_key: string }>(
    'select payment_key from payments where job_key = $1',
    [jobKey],
  );
  const keys = rows.map(({ payment_key }) => payment_key);
  return (await stripe.books()).charges.filter(
    ({ metadata, status }) => status === 'succeeded' && keys.includes(metadata.payment_key ?? ''),
  );
};
const paymentOf = async (agent: Agent, jobKey: string) => (await agent.job(jobKey)).body.payment_state;

/** Lets a minute pass, in which the worker does its rounds. Resolves once the payment stands as it should. */
async function converged(agent: Agent, jobKey: string, wanted: string): Promise<void> {
  let seconds = 0;
  for (; seconds <= 60 && (await paymentOf(agent, jobKey)) !== wanted; seconds += 10) {
    service.advanceClock(10);
    await service.sweep();
  }
  service.advanceClock(-seconds);
  expect(await paymentOf(agent, jobKey)).toBe(wanted);
}

describe.each(modes)('a call that ends in %s', (mode) => {
  it('leaves a saved card charged once, whichever call it is', async () => {
    const { agent, member } = await buyingByCard(service);
    await paidOnPage(service, agent, { member });
    for (const on of ['payment_intents.create', 'payment_intents.confirm', 'payment_intents.retrieve']) {
      const jobKey = await agent.authorizedJob();
      const key = randomUUID();
      await stripe.fault({ mode, on, times: 1 });
      const first = await payByCard(agent, jobKey, 'card_saved', key);
      expect([200, 409]).toContain(first.status);
      if (first.status === 409) expect(first.body.code).toBe('payment_unknown');
      await converged(agent, jobKey, 'collected');
      await stripe.clearFaults();
      expect((await chargesOf(jobKey)).length).toBe(1);
    }
  });

  it('leaves a page paid on once, whichever call it is', async () => {
    const { agent, member } = await buyingByCard(service);
    for (const on of [
      'customers.create',
      'checkout.sessions.create',
      'checkout.sessions.retrieve',
      'payment_intents.retrieve',
    ]) {
      const jobKey = await agent.authorizedJob();
      const { body } = await payByCard(agent, jobKey);
      await stripe.fault({ mode, on, times: 1 });
      let opened = await click(member, body.payment_key);
      for (let again = 0; again < 3 && opened.status !== 200; again += 1)
        opened = await click(member, body.payment_key);
      expect(opened.status).toBe(200);
      await fillIn(opened.body.url);
      await converged(agent, jobKey, 'collected');
      await stripe.clearFaults();
      expect((await chargesOf(jobKey)).length).toBe(1);
    }
  });

  it('gives a charge back once, whichever call it is', async () => {
    const { agent } = await buyingByCard(service);
    for (const on of ['refunds.list', 'refunds.create']) {
      const { jobKey } = await paidOnPage(service, agent);
      await stripe.fault({ mode, on, times: 1 });
      await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
      await converged(agent, jobKey, 'refunded');
      await stripe.clearFaults();
      const charges = await chargesOf(jobKey);
      expect(charges.map(({ amount_refunded }) => amount_refunded)).toEqual([500]);
    }
  });

  it('leaves no page open that was called back', async () => {
    const { agent } = await buyingByCard(service);
    for (const on of ['checkout.sessions.expire', 'checkout.sessions.retrieve']) {
      const jobKey = await agent.authorizedJob();
      const { body } = await payByCard(agent, jobKey);
      const { url } = (await click(agent, body.payment_key)).body;
      await stripe.fault({ mode, on, times: 1 });
      const cancel = () => agent.post(`/api/agent/v1/jobs/${jobKey}/payments/cancel`);
      let canceled = await cancel();
      for (let again = 0; again < 3 && canceled.status !== 200; again += 1) canceled = await cancel();
      expect(canceled.body.payment_state).toBe('none');
      expect((await fillIn(url)).status).toBe(410);
      await stripe.clearFaults();
    }
  });
});

describe('a card against a wallet against canceling', () => {
  it('leads to one collection at most, over all rails, whoever is first', async () => {
    const { agent, member } = await buyingByCard(service);
    await paidOnPage(service, agent, { member });
    const payer = await Agent.arrive(service);
    payer.token = agent.token;
    for (const before of ['nothing', 'a page', 'an open page'] as const) {
      const jobKey = await agent.authorizedJob();
      const signature = await payer.signPayment(jobKey);
      const asked = before === 'nothing' ? null : await payByCard(agent, jobKey);
      const url = before === 'an open page' ? (await click(agent, asked?.body.payment_key)).body.url : null;
      const requests = [
        () => payByCard(agent, jobKey, 'card_saved'),
        () => agent.pay(jobKey, { signature }),
        () => agent.post(`/api/agent/v1/jobs/${jobKey}/payments/cancel`),
        () => agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`),
        () => (url ? fillIn(url) : payByCard(agent, jobKey)),
      ];
      await Promise.all(Array.from({ length: 100 }, (_, index) => requests[index % requests.length]?.()));
      for (let round = 0; round < 4; round += 1) {
        service.advanceClock(15);
        await service.sweep();
      }
      service.advanceClock(-60);
      const { rows } = await service.database.pool.query(
        `select count(*) filter (where state = 'collected')::int as collected,
          count(*) filter (where state in ('settling', 'unknown'))::int as open from payments where job_key = $1`,
        [jobKey],
      );
      expect(rows[0].collected).toBeLessThanOrEqual(1);
      const charged = (await chargesOf(jobKey)).filter(({ refunded }) => !refunded).length;
      const byCard = (await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`)).body?.collection?.rail === 'card';
      expect(charged).toBe(byCard && (await paymentOf(agent, jobKey)) === 'collected' ? 1 : 0);
    }
  });
});
