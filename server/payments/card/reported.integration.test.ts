import { beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../../e2e/support/agent.ts';
import {
  buyingByCard,
  cards,
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

/** Compares the books some minutes from now: then no object is too young. */
async function compare(): Promise<void> {
  service.advanceClock(360);
  await stripe.advance(360);
  await service.sweep();
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

  it("stays where the bank made sure of its holder, as the loss would be the bank's; its account and card are blocked", async () => {
    const { agent } = await buyingByCard(service);
    const jobKey = await agent.authorizedJob();
    const { payment_key: paymentKey } = (await payByCard(agent, jobKey)).body;
    const { location } = await fillIn((await click(agent, paymentKey)).body.url, cards.asksIfAsked);
    await fetch(location, { method: 'POST', body: new URLSearchParams({ outcome: 'complete' }), redirect: 'manual' });
    await heard(service);
    await report((await intentsOf(paymentKey))[0]);
    expect((await agent.job(jobKey)).body.payment_state).toBe('collected');
    expect(await holdsOf(agent)).toEqual(['card_reported']);
  });

  it('is found when its announcement is lost, and is not reported again once an operator has lifted that', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, agent);
    await stages.accepted?.reach(agent, jobKey);
    await stripe.webhookFault({ mode: 'lose', times: 1 });
    await stripe.fault({ mode: 'error_500', on: 'events.list', times: 'always' });
    await stripe.warn((await intentsOf(paymentKey))[0] ?? '');
    expect(await holdsOf(agent)).toEqual([]);
    await compare();
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'waived', payment_state: 'refunded' });
    expect(await holdsOf(agent)).toEqual(['card_reported']);
    await stripe.clearFaults();
    const lifted = { actor: 'operator', because: 'a mistake of the bank', now: new Date() };
    await liftBlocks(service.runtime.db, paymentKey, lifted);
    await compare();
    expect(await holdsOf(agent)).toEqual([]);
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
  /** An account in which the card is kept, one whose payment by it is contested, and how that ends. */
  async function contested() {
    const [buying, other] = [await buyingByCard(service), await buyingByCard(service)];
    const card = nextGood();
    const { paymentKey: kept } = await paidOnPage(service, other.agent, { card, member: other.member });
    const { paymentKey } = await paidOnPage(service, buying.agent, { card });
    const { id } = await stripe.openDispute({ payment_intent: (await intentsOf(paymentKey))[0] ?? '' });
    await heard(service);
    const end = async (outcome: 'won' | 'lost') => {
      await stripe.closeDispute(id, outcome);
      await heard(service);
    };
    return { buying, other, card, kept, paymentKey, end };
  }

  it('pays in no account until that is won, and the refusal says that another can', async () => {
    const { other, end } = await contested();
    const jobKey = await other.agent.authorizedJob();
    const refused = (await payByCard(other.agent, jobKey, 'card_saved')).body;
    expect([refused.code, refused.detail]).toEqual(['purchases_blocked', expect.stringContaining('Another can pay.')]);
    await end('won');
    expect((await payByCard(other.agent, jobKey, 'card_saved')).status).toBe(200);
  });

  it('is passed over for another that is kept', async () => {
    const { other, card } = await contested();
    await paidOnPage(service, other.agent, { member: other.member });
    const jobKey = await other.agent.authorizedJob();
    const { payment_key, payment_state } = (await payByCard(other.agent, jobKey, 'card_saved')).body;
    expect(payment_state).toBe('collected');
    const [intent] = await intentsOf(payment_key);
    const paid = (await stripe.books()).charges.find((charge) => charge.payment_intent === intent);
    expect(paid?.payment_method_details?.card?.last4).not.toBe(card.slice(-4));
  });

  it('gets back what it pays on a page, before any work; and those it blocked so are free when it is', async () => {
    const { buying, card, paymentKey, end } = await contested();
    const third = await buyingByCard(service);
    const { jobKey, paymentKey: later } = await paidOnPage(service, third.agent, { card });
    await service.sweep();
    expect((await third.agent.job(jobKey)).body).toMatchObject({ state: 'failed', payment_state: 'refunded' });
    expect(await backOf(later)).toEqual([{ amount: 500, back: 500 }]);
    expect(await holdsOf(third.agent)).toEqual(['blocked_card']);
    await end('lost');
    expect(await holdsOf(third.agent)).toEqual(['blocked_card']);
    const [{ block_key: ofAccount }] = (
      await pool.query(
        'select block_key from purchase_blocks where payment_key = $1 and payer is null and lifted_at is null',
        [paymentKey],
      )
    ).rows;
    await liftBlocks(service.runtime.db, ofAccount, { actor: 'operator', because: 'paid by invoice', now: new Date() });
    expect([await holdsOf(buying.agent), await holdsOf(third.agent)]).toEqual([[], []]);
    expect((await third.agent.job((await paidOnPage(service, third.agent, { card })).jobKey)).body.state).toBe(
      'queued',
    );
  });

  it('stays blocked, and what it blocked, while another dispute of it is open', async () => {
    const { buying, card, kept, end } = await contested();
    const { agent } = await buyingByCard(service);
    await paidOnPage(service, agent, { card });
    const second = await stripe.openDispute({ payment_intent: (await intentsOf(kept))[0] ?? '' });
    await heard(service);
    await end('won');
    expect([await holdsOf(buying.agent), await holdsOf(agent)]).toEqual([[], ['blocked_card']]);
    await stripe.closeDispute(second.id, 'won');
    await heard(service);
    expect(await holdsOf(agent)).toEqual([]);
  });
});
