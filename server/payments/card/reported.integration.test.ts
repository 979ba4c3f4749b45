import { beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../../e2e/support/agent.ts';
import {
  buyingByCard,
  chargeBeside,
  chargesOf,
  click,
  fillIn,
  heard,
  listen,
  nextGood,
  paidOnPage,
  payByCard,
  stripeOf,
} from '../../../e2e/support/card.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';
import { liftBlocks } from '../../identity/blocked.ts';
import { queueDueLetters } from '../../mail/due-letters.ts';

const service = await startService(withCard);
const stripe = stripeOf(service);
const { pool } = service.database;
beforeAll(() => listen(service));

const dispute = { decision: 'dispute', reason: 'report_incomplete' };
const review = (agent: Agent, jobKey: string, body: object) => agent.post(`/api/agent/v1/jobs/${jobKey}/review`, body);

/** How far a job is when its bank reports the payment, and how it ends. */
const stages: Record<string, { ends: string; reach: (agent: Agent, jobKey: string) => Promise<unknown> }> = {
  queued: { ends: 'failed', reach: async () => {} },
  delivered: { ends: 'waived', reach: (_, jobKey) => service.execute(jobKey) },
  accepted: {
    ends: 'waived',
    async reach(agent, jobKey) {
      await service.execute(jobKey);
      await review(agent, jobKey, { decision: 'accept' });
    },
  },
  rechecking: {
    ends: 'waived',
    async reach(agent, jobKey) {
      await service.execute(jobKey);
      await review(agent, jobKey, dispute);
    },
  },
  redelivered: {
    ends: 'waived',
    async reach(agent, jobKey) {
      await service.execute(jobKey);
      await review(agent, jobKey, dispute);
      await service.execute(jobKey);
    },
  },
};

const intentsOf = async (paymentKey: string): Promise<string[]> =>
  (
    await pool.query('select intent_id from card_charges where payment_key = $1 order by seen_at', [paymentKey])
  ).rows.map(({ intent_id }) => intent_id);
const holdsOf = async (agent: Agent) => (await agent.get('/api/agent/v1/me')).body.holds;
const backOf = async (paymentKey: string) => chargesOf(service.sandbox.controlUrl, paymentKey);

async function report(intent = ''): Promise<void> {
  await stripe.warn(intent);
  await heard(service);
  await service.sweep();
}

describe('a payment that its bank reports as fraud', () => {
  it.each(Object.keys(stages))(
    'goes back at once when its job is %s, and the account buys nothing more',
    async (stage) => {
      const { agent } = await buyingByCard(service);
      const { jobKey, paymentKey } = await paidOnPage(service, agent);
      await stages[stage]?.reach(agent, jobKey);
      expect((await agent.job(jobKey)).body.state).toBe(stage);
      const [intent] = await intentsOf(paymentKey);
      await report(intent);
      await report(intent);
      expect((await agent.job(jobKey)).body).toMatchObject({ state: stages[stage]?.ends, payment_state: 'refunded' });
      expect(await backOf(paymentKey)).toEqual([{ amount: 500, back: 500 }]);
      expect((await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`)).body.remedy).toMatchObject({
        kind: 'refund',
        reason: 'The bank of the card reported the payment as fraud.',
      });
      expect(await holdsOf(agent)).toEqual(['card_reported']);
      const { body: quote } = await agent.quote();
      expect((await agent.authorize(quote.quote_key)).body.code).toBe('purchases_blocked');
    },
  );

  it('is told to its people with what to do, and why each charge is given up is true', async () => {
    const { agent, customer } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, agent);
    await stages.rechecking?.reach(agent, jobKey);
    await report((await intentsOf(paymentKey))[0]);
    await queueDueLetters(service.runtime);
    const letters = await customer.letters();
    const text = (subject: RegExp) => letters.find((letter) => subject.test(letter.subject))?.text;
    expect(text(/cannot buy for now/)).toContain('tell your bank, and write to us');
    expect(text(/You pay nothing/)).toContain('The re-check was not delivered');
  });

  it('keeps its card from paying in any account, until an operator lifts that', async () => {
    const [buying, other] = [await buyingByCard(service), await buyingByCard(service)];
    const card = nextGood();
    await paidOnPage(service, other.agent, { card, member: other.member });
    const { paymentKey } = await paidOnPage(service, buying.agent, { card });
    await report((await intentsOf(paymentKey))[0]);
    const jobKey = await other.agent.authorizedJob();
    expect((await payByCard(other.agent, jobKey, 'card_saved')).body.code).toBe('purchases_blocked');
    const lifted = { actor: 'operator', because: 'the holder had forgotten', now: new Date() };
    expect(await liftBlocks(service.runtime.db, paymentKey, lifted)).toBe(2);
    expect((await payByCard(other.agent, jobKey, 'card_saved')).status).toBe(200);
    expect(await holdsOf(buying.agent)).toEqual([]);
  });

  it('leaves a payment alone that another charge of it made: the one that was late goes back anyway', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, agent);
    const late = await chargeBeside(service, paymentKey);
    await heard(service);
    await report(late);
    expect((await agent.job(jobKey)).body.payment_state).toBe('collected');
    expect((await backOf(paymentKey)).map(({ back }) => back).sort()).toEqual([0, 500]);
    expect(await holdsOf(agent)).toEqual(['card_reported']);
  });

  it('that is told of before the payment itself is recorded first, then goes back', async () => {
    const { agent } = await buyingByCard(service);
    const jobKey = await agent.authorizedJob();
    const { payment_key: paymentKey } = (await payByCard(agent, jobKey)).body;
    await stripe.webhookFault({ mode: 'withhold', times: 100 });
    await fillIn((await click(agent, paymentKey)).body.url);
    const intent = (await stripe.books()).payment_intents.at(-1)?.id;
    await stripe.clearFaults();
    await report(intent);
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'failed', payment_state: 'refunded' });
    await stripe.send();
    await heard(service);
    expect(await backOf(paymentKey)).toEqual([{ amount: 500, back: 500 }]);
  });

  it('and contests goes back once, whichever is told first', async () => {
    for (const first of ['report', 'dispute']) {
      const { agent } = await buyingByCard(service);
      const { jobKey, paymentKey } = await paidOnPage(service, agent);
      await stages.accepted?.reach(agent, jobKey);
      const [intent = ''] = await intentsOf(paymentKey);
      await stripe.webhookFault({ mode: 'withhold', times: 100 });
      if (first === 'report') await stripe.warn(intent);
      const { id } = await stripe.openDispute({ payment_intent: intent });
      if (first === 'dispute') await stripe.warn(intent);
      await stripe.clearFaults();
      await stripe.send();
      await heard(service);
      await service.sweep();
      await stripe.closeDispute(id, 'lost');
      await heard(service);
      await service.sweep();
      expect((await agent.job(jobKey)).body.payment_state).toBe('reversed');
      expect((await backOf(paymentKey)).map(({ back }) => back)).toEqual([0]);
      expect((await holdsOf(agent)).toSorted()).toEqual(['card_reported', 'payment_reversed']);
    }
  });
});

describe('a card that its bank asks money back for', () => {
  it('pays in no account until that is won', async () => {
    const [buying, other] = [await buyingByCard(service), await buyingByCard(service)];
    const card = nextGood();
    await paidOnPage(service, other.agent, { card, member: other.member });
    const { paymentKey } = await paidOnPage(service, buying.agent, { card });
    const { id } = await stripe.openDispute({ payment_intent: (await intentsOf(paymentKey))[0] ?? '' });
    await heard(service);
    const jobKey = await other.agent.authorizedJob();
    expect((await payByCard(other.agent, jobKey, 'card_saved')).body.code).toBe('purchases_blocked');
    await stripe.closeDispute(id, 'won');
    await heard(service);
    expect((await payByCard(other.agent, jobKey, 'card_saved')).status).toBe(200);
  });
});
