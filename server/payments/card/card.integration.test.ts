import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Agent, type Client } from '../../../e2e/support/agent.ts';
import {
  buyingByCard,
  cards,
  click,
  fillIn,
  heard,
  listen,
  nextDeclinedLater,
  paidOnPage,
  payByCard,
  stripeOf,
} from '../../../e2e/support/card.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';

const service = await startService(withCard);
const stripe = stripeOf(service);
beforeAll(() => listen(service));
afterEach(() => stripe.clearFaults());

const stranger = new Agent(service.baseUrl, `0x${'2'.repeat(64)}`);
const pageOf = async (client: Client, paymentKey: string) =>
  (await client.get(`/api/agent/v1/payments/${paymentKey}`)).body;
const receiptOf = async (agent: Agent, jobKey: string) =>
  (await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`)).body;
const paymentOf = async (agent: Agent, jobKey: string) => (await agent.job(jobKey)).body.payment_state;
const dispute = { decision: 'dispute', reason: 'report_incomplete' };
const intentsOf = async (paymentKey: string) =>
  (await stripe.books()).payment_intents.filter(({ metadata }) => metadata.payment_key === paymentKey);
const chargesOf = async (paymentKey: string) =>
  (await stripe.books()).charges.filter(
    ({ metadata, status }) => status === 'succeeded' && metadata.payment_key === paymentKey,
  );
const intentOf = async (paymentKey: string) =>
  (await intentsOf(paymentKey)).find(({ status }) => status === 'succeeded')?.id ?? '';

/** An agent whose account keeps a card with this number. */
async function keeping(card: string = cards.good) {
  const buying = await buyingByCard(service);
  await paidOnPage(service, buying.agent, { card, member: buying.member });
  return buying;
}

describe('paying by card on the page', () => {
  it('answers with a link that needs no sign-in, and collects what is paid there', async () => {
    const { agent } = await buyingByCard(service);
    const jobKey = await agent.authorizedJob();
    const asked = await payByCard(agent, jobKey);
    const { payment_key: paymentKey } = asked.body;
    expect(asked.status).toBe(202);
    expect(asked.body).toMatchObject({
      payment_state: 'requires_payer',
      continuation_url: `${service.baseUrl}/pay/${paymentKey}`,
    });
    expect(await pageOf(stranger, paymentKey)).toMatchObject({
      state: 'open',
      price: { amount_microcents: 500_000_000 },
      offers_saving: false,
    });
    expect(await stripe.calls()).toEqual([]);
    const opened = await click(stranger, paymentKey);
    expect((await click(stranger, paymentKey)).body).toEqual(opened.body);
    expect((await fillIn(opened.body.url)).location).toBe(asked.body.continuation_url);
    await heard(service);
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'queued', payment_state: 'collected' });
    expect((await pageOf(stranger, paymentKey)).state).toBe('paid');
    expect((await receiptOf(agent, jobKey)).collection).toMatchObject({
      rail: 'card',
      method: 'card_checkout',
      state: 'collected',
      reference: expect.stringMatching(/^ch_/),
    });
    expect((await click(stranger, paymentKey)).body.code).toBe('action_not_allowed');
  });

  it('is the same payment when it is asked for again, whoever wins a race of a hundred', async () => {
    const { agent } = await buyingByCard(service);
    const jobKey = await agent.authorizedJob();
    const answers = await Promise.all(Array.from({ length: 20 }, () => payByCard(agent, jobKey)));
    const keys = new Set(answers.flatMap(({ status, body }) => (status === 202 ? [body.payment_key] : [])));
    expect(keys.size).toBe(1);
    const [paymentKey = ''] = keys;
    const pages = await Promise.all(Array.from({ length: 20 }, () => click(stranger, paymentKey)));
    expect(new Set(pages.map(({ body }) => body.url)).size).toBe(1);
  });

  it('leaves a refused card to another try on the same page, and the link says why it was refused', async () => {
    const { agent } = await buyingByCard(service);
    const jobKey = await agent.authorizedJob();
    const { body } = await payByCard(agent, jobKey);
    const { url } = (await click(stranger, body.payment_key)).body;
    const refused = async () => (await stranger.get(`/api/agent/v1/payments/${body.payment_key}`)).body.refused;
    expect(await refused()).toBeNull();
    for (const [card, reason] of [
      [cards.declined, 'card_declined'],
      [cards.insufficient, 'insufficient_funds'],
    ] as const) {
      expect((await fillIn(url, card)).status).toBe(402);
      await heard(service);
      expect(await paymentOf(agent, jobKey)).toBe('requires_payer');
      expect(await refused()).toEqual({ reason, at: expect.any(String) });
    }
    await fillIn(url);
    await heard(service);
    expect(await paymentOf(agent, jobKey)).toBe('collected');
  });

  it('collects without any event, once the page is looked up', async () => {
    const { agent } = await buyingByCard(service);
    const jobKey = await agent.authorizedJob();
    const { body } = await payByCard(agent, jobKey);
    await stripe.webhookFault({ mode: 'lose', times: 'always' });
    await fillIn((await click(stranger, body.payment_key)).body.url);
    service.advanceClock(60);
    await service.sweep();
    service.advanceClock(-60);
    expect(await paymentOf(agent, jobKey)).toBe('collected');
  });
});

describe('a card that is kept', () => {
  it('is kept by the tick of a signed-in member alone, is listed, charged, told of once, and removed', async () => {
    const { agent, member, customer } = await buyingByCard(service);
    await paidOnPage(service, agent);
    const cardsOf = async () => (await member.get('/api/agent/v1/cards')).body.cards;
    expect(await cardsOf()).toEqual([]);
    await paidOnPage(service, agent, { card: cards.good, member });
    const [card] = await cardsOf();
    expect(card).toMatchObject({ brand: 'visa', last4: '4242' });
    const jobs = [await agent.authorizedJob(), await agent.authorizedJob()];
    for (const jobKey of jobs) {
      const paid = await payByCard(agent, jobKey, 'card_saved');
      expect([paid.status, paid.body.payment_state]).toEqual([200, 'collected']);
    }
    const told = (await customer.letters()).filter(({ subject }) => subject.includes('paid with a card'));
    expect(told.length).toBe(1);
    expect((await member.post(`/api/agent/v1/cards/${card.card_key}/remove`)).body.cards).toEqual([]);
    await service.sweep();
    expect((await stripe.books()).payment_methods.filter(({ customer: holder }) => holder !== null)).toEqual([]);
    expect((await payByCard(agent, await agent.authorizedJob(), 'card_saved')).status).toBe(202);
  });

  it('of another account is never charged, whoever is signed in', async () => {
    const { member } = await keeping();
    const other = await buyingByCard(service);
    expect((await payByCard(other.agent, await other.agent.authorizedJob(), 'card_saved')).status).toBe(202);
    const { body } = await payByCard(other.agent, await other.agent.authorizedJob());
    expect((await pageOf(member, body.payment_key)).offers_saving).toBe(false);
    await fillIn((await click(member, body.payment_key)).body.url, cards.good, { save: true });
    await heard(service);
    expect((await other.member.get('/api/agent/v1/cards')).body.cards).toEqual([]);
    const [card] = (await member.get('/api/agent/v1/cards')).body.cards;
    expect((await other.member.post(`/api/agent/v1/cards/${card.card_key}/remove`)).status).toBe(404);
  });

  it('that its bank refuses ends the attempt for good, and the same request is told the same', async () => {
    const { agent } = await keeping(cards.declinedLater);
    const jobKey = await agent.authorizedJob();
    const key = randomUUID();
    for (let again = 0; again < 2; again += 1) {
      const refused = await payByCard(agent, jobKey, 'card_saved', key);
      expect([refused.status, refused.body.code, refused.body.decline_code]).toEqual([
        422,
        'card_declined',
        'generic_decline',
      ]);
    }
    expect(await paymentOf(agent, jobKey)).toBe('none');
    const attempts = (await stripe.books()).charges.filter(({ failure_code }) => failure_code === 'card_declined');
    expect(attempts.length).toBeGreaterThan(0);
    expect((await payByCard(agent, jobKey)).status).toBe(202);
  });

  it('that its bank refuses rests for an hour, then for a day, and is not offered meanwhile', async () => {
    const { agent } = await keeping(nextDeclinedLater());
    const charge = async () => (await payByCard(agent, await agent.authorizedJob(), 'card_saved')).status;
    const declined = async () => {
      const { charges } = await stripe.books();
      return charges.filter(({ failure_code }) => failure_code === 'card_declined').length;
    };
    const before = await declined();
    // At once: those under way are held to what may be declined in a day.
    const jobs = await Promise.all(Array.from({ length: 8 }, () => agent.authorizedJob()));
    const answers = await Promise.all(jobs.map((jobKey) => payByCard(agent, jobKey, 'card_saved')));
    expect(answers.map(({ status }) => status)).toContain(422);
    expect((await declined()) - before).toBeLessThanOrEqual(5);
    const { body } = await agent.job(jobs[0] ?? '');
    expect(JSON.stringify(body.next_actions)).not.toContain('card_saved');
    const known = await declined();
    // The payer may pay on the page.
    expect([await charge(), (await declined()) - known]).toEqual([202, 0]);
  });

  it('that wanted its holder three times for a job is charged for that job no more', async () => {
    const { agent, member } = await buyingByCard(service);
    const first = await payByCard(agent, await agent.authorizedJob());
    const asks = await fillIn((await click(member, first.body.payment_key)).body.url, cards.asksHolder, { save: true });
    await fetch(asks.location, {
      method: 'POST',
      body: new URLSearchParams({ outcome: 'complete' }),
      redirect: 'manual',
    });
    await heard(service);
    const jobKey = await agent.authorizedJob();
    for (let count = 0; count < 4; count += 1) {
      expect((await payByCard(agent, jobKey, 'card_saved')).status).toBe(202);
      expect((await agent.post(`/api/agent/v1/jobs/${jobKey}/payments/cancel`)).status).toBe(200);
    }
    const { rows } = await service.database.pool.query(
      `select count(*)::int from payments where job_key = $1 and method = 'card_saved'`,
      [jobKey],
    );
    expect(rows).toEqual([{ count: 3 }]);
  });

  it('that is lost is kept no longer, in whatever account', async () => {
    const [one, another] = [await keeping(cards.lostLater), await keeping(cards.lostLater)];
    expect((await payByCard(one.agent, await one.agent.authorizedJob(), 'card_saved')).body.decline_code).toBe(
      'lost_card',
    );
    expect((await another.member.get('/api/agent/v1/cards')).body.cards).toEqual([]);
  });

  it('is charged by many jobs at once, and declined by none', async () => {
    const { agent } = await keeping(cards.mastercard);
    const jobs = await Promise.all(Array.from({ length: 9 }, () => agent.authorizedJob()));
    const answers = await Promise.all(jobs.map((jobKey) => payByCard(agent, jobKey, 'card_saved')));
    expect(answers.map(({ status }) => status)).toEqual(jobs.map(() => 200));
  });

  it('that wants its holder is answered with the link', async () => {
    const { agent, member } = await buyingByCard(service);
    const first = await payByCard(agent, await agent.authorizedJob());
    const page = (await click(member, first.body.payment_key)).body.url;
    const asks = await fillIn(page, cards.asksHolder, { save: true });
    await fetch(asks.location, {
      method: 'POST',
      body: new URLSearchParams({ outcome: 'complete' }),
      redirect: 'manual',
    });
    await heard(service);
    const jobKey = await agent.authorizedJob();
    const key = randomUUID();
    const asked = await payByCard(agent, jobKey, 'card_saved', key);
    expect([asked.status, asked.body.payment_state]).toEqual([202, 'requires_payer']);
    expect((await payByCard(agent, jobKey, 'card_saved', key)).body.payment_key).toBe(asked.body.payment_key);
    await fillIn((await click(stranger, asked.body.payment_key)).body.url);
    await heard(service);
    expect(await paymentOf(agent, jobKey)).toBe('collected');
  });

  it('is not charged beyond what the grant covers, and no client names a card or an amount', async () => {
    const { agent, member } = await keeping();
    const [{ agent_key }] = (await member.get('/api/agent/v1/agents')).body.agents;
    const jobKey = await agent.authorizedJob();
    const pay = (more: Record<string, unknown>) =>
      agent.post(`/api/agent/v1/jobs/${jobKey}/payments`, { rail: 'card', idempotency_key: randomUUID(), ...more });
    expect((await pay({ amount: 1 })).body.code).toBe('validation_failed');
    expect((await pay({ card_key: 'card_other' })).body.code).toBe('validation_failed');
    expect((await pay({ method: 'wallet_credit' })).body.errors[0].code).toBe('unsupported_method');
    expect((await pay({ network: 'eip155:84532' })).body.errors[0].code).toBe('unsupported_network');
    await member.post(`/api/agent/v1/agents/${agent_key}/grant`, { payment_methods: ['card_checkout'] });
    expect((await pay({ method: 'card_saved' })).body.code).toBe('grant_scope_missing');
    expect((await pay({ method: 'card_checkout' })).status).toBe(202);
  });
});

describe('another way to pay', () => {
  it('takes over from a page that nobody has paid on, which is closed first', async () => {
    const { agent } = await buyingByCard(service);
    const payer = await Agent.arrive(service);
    for (const opened of [false, true]) {
      const jobKey = await agent.authorizedJob();
      const { body } = await payByCard(agent, jobKey);
      const url = opened ? (await click(stranger, body.payment_key)).body.url : null;
      const unpaid = await agent.pay(jobKey);
      expect(unpaid.status).toBe(402);
      expect(await paymentOf(agent, jobKey)).toBe('requires_payer');
      const paid = await agent.pay(jobKey, { signature: await signedBy(payer, agent, jobKey) });
      expect([paid.status, paid.body.payment_state]).toEqual([200, 'collected']);
      if (url) expect((await fillIn(url)).status).toBe(410);
      expect((await click(stranger, body.payment_key)).body.code).toBe('action_not_allowed');
      expect(await chargesOf(body.payment_key)).toEqual([]);
    }
  });

  it('is refused when the page was paid on meanwhile', async () => {
    const { agent } = await buyingByCard(service);
    const payer = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const { body } = await payByCard(agent, jobKey);
    const { url } = (await click(stranger, body.payment_key)).body;
    const signature = await signedBy(payer, agent, jobKey);
    await stripe.webhookFault({ mode: 'lose', times: 'always' });
    await fillIn(url);
    expect((await agent.pay(jobKey, { signature })).body.code).toBe('action_not_allowed');
    expect((await receiptOf(agent, jobKey)).collection.rail).toBe('card');
  });

  it('is not begun while nobody can say whether the page was paid on', async () => {
    const { agent } = await buyingByCard(service);
    const payer = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const { body } = await payByCard(agent, jobKey);
    await click(stranger, body.payment_key);
    const signature = await signedBy(payer, agent, jobKey);
    await stripe.fault({ mode: 'drop_before', times: 'always' });
    expect((await agent.pay(jobKey, { signature })).body.code).toBe('payment_unknown');
    expect((await agent.post(`/api/agent/v1/jobs/${jobKey}/payments/cancel`)).body.code).toBe('payment_unknown');
    await stripe.clearFaults();
    expect((await agent.post(`/api/agent/v1/jobs/${jobKey}/payments/cancel`)).body.payment_state).toBe('none');
    expect((await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`)).body.state).toBe('canceled');
  });
});

/** Another wallet pays for an agent's job. */
async function signedBy(payer: Agent, agent: Agent, jobKey: string): Promise<string> {
  const twin = payer.at(service.baseUrl);
  twin.token = agent.token;
  return twin.signPayment(jobKey);
}

describe('money that goes back to a card', () => {
  it('is all of it after a cancellation, and the room comes back with the next day', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, agent);
    const canceled = await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    expect(canceled.body).toMatchObject({ state: 'canceled', payment_state: 'refund_pending', charge_state: 'none' });
    await service.sweep();
    const receipt = await receiptOf(agent, jobKey);
    expect(receipt).toMatchObject({
      collection: { state: 'refunded', rail: 'card' },
      charge: { state: 'none', amount_microcents: 0 },
      remedy: { kind: 'refund', state: 'refunded', amount_microcents: 500_000_000 },
    });
    const [charge] = await chargesOf(paymentKey);
    expect(charge?.amount_refunded).toBe(500);
    const used = async () => (await agent.get('/api/agent/v1/me')).body.spend.total_microcents;
    const today = await used();
    service.advanceClock(86_400);
    await service.sweep();
    expect([today, await used()]).toEqual([500_000_000, 0]);
    service.advanceClock(-86_400);
  });

  it('is all of it after a failed delivery', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey } = await paidOnPage(service, agent);
    service.advanceClock(1_900);
    await service.sweep();
    await service.sweep();
    service.advanceClock(-1_900);
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'failed', payment_state: 'refunded' });
  });

  it('is all of it after the second dispute', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey } = await paidOnPage(service, agent);
    for (let round = 0; round < 2; round += 1) {
      await service.execute(jobKey);
      await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, dispute);
    }
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'waived', payment_state: 'refund_pending' });
    await service.sweep();
    expect((await receiptOf(agent, jobKey)).remedy).toMatchObject({ kind: 'refund', state: 'refunded' });
  });

  it('waits while the provider says pending, and is a matter for somebody when it fails', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey } = await paidOnPage(service, agent);
    await stripe.outcome({ of: 'refund', times: 1 });
    await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    await service.sweep();
    expect(await paymentOf(agent, jobKey)).toBe('refund_pending');
    const refund = (await stripe.books()).refunds.at(-1);
    await stripe.settle(refund?.id ?? '', 'failed', 'expired_or_canceled_card');
    service.advanceClock(60);
    await service.sweep();
    service.advanceClock(-60);
    expect(await paymentOf(agent, jobKey)).toBe('refund_failed');
    expect((await receiptOf(agent, jobKey)).remedy).toMatchObject({ kind: 'refund', state: 'refund_failed' });
  });

  it('that its bank gives back after all is owed again, with the room', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey } = await paidOnPage(service, agent);
    await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    await service.sweep();
    expect(await paymentOf(agent, jobKey)).toBe('refunded');
    const refund = (await stripe.books()).refunds.at(-1);
    await stripe.settle(refund?.id ?? '', 'failed', 'unknown');
    await heard(service);
    expect(await paymentOf(agent, jobKey)).toBe('refund_failed');
    expect((await agent.get('/api/agent/v1/me')).body.spend.today_microcents).toBe(500_000_000);
  });
});

describe('a payment that its bank contests', () => {
  it('blocks new purchases until it is won; report and receipts stay readable', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, agent);
    await service.execute(jobKey);
    const opened = await stripe.openDispute({ payment_intent: await intentOf(paymentKey) });
    await heard(service);
    expect(await paymentOf(agent, jobKey)).toBe('disputed');
    expect((await receiptOf(agent, jobKey)).collection.state).toBe('disputed');
    expect((await agent.get('/api/agent/v1/me')).body.holds).toEqual(['card_dispute']);
    const { body: quote } = await agent.quote();
    expect((await agent.authorize(quote.quote_key)).body.code).toBe('purchases_blocked');
    expect((await agent.get(`/api/agent/v1/jobs/${jobKey}/report`)).status).toBe(200);
    await stripe.closeDispute(opened.id, 'won');
    await heard(service);
    expect(await paymentOf(agent, jobKey)).toBe('collected');
    expect((await agent.authorize(quote.quote_key)).status).toBe(201);
    expect((await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept' })).body.state).toBe(
      'accepted',
    );
  });

  it('is reversed when it is lost, and the account stays blocked', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, agent);
    await service.execute(jobKey);
    await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept' });
    const opened = await stripe.openDispute({ payment_intent: await intentOf(paymentKey) });
    await stripe.closeDispute(opened.id, 'lost');
    await heard(service);
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'accepted', payment_state: 'reversed' });
    expect((await receiptOf(agent, jobKey)).remedy).toMatchObject({ kind: 'reversal', state: 'reversed' });
    expect((await agent.get('/api/agent/v1/me')).body.holds).toEqual(['payment_reversed']);
  });

  it.each([
    ['won', 'refunded', 'refund'],
    ['lost', 'reversed', 'reversal'],
  ] as const)('refunds nothing on a second dispute of the review before it is %s', async (outcome, state, kind) => {
    const { agent } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, agent);
    await service.execute(jobKey);
    await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, dispute);
    await service.execute(jobKey);
    const opened = await stripe.openDispute({ payment_intent: await intentOf(paymentKey) });
    await heard(service);
    await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, dispute);
    await service.sweep();
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'waived', payment_state: 'disputed' });
    expect((await chargesOf(paymentKey))[0]?.amount_refunded).toBe(0);
    await stripe.closeDispute(opened.id, outcome);
    await heard(service);
    await service.sweep();
    expect(await paymentOf(agent, jobKey)).toBe(state);
    expect((await receiptOf(agent, jobKey)).remedy.kind).toBe(kind);
  });
});
