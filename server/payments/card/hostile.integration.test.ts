import { createHmac, randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import {
  buyingByCard,
  click,
  dashboardOf,
  fillIn,
  heard,
  listen,
  paidOnPage,
  payByCard,
  stripeOf,
} from '../../../e2e/support/card.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';
import { readUnsettled } from '../../purchases/rounds/unsettled.ts';
import { hearRails } from '../../purchases/rounds/watch.ts';

const service = await startService(withCard);
const stripe = stripeOf(service);
const { webhookSecret } = service.sandbox.stripe;
const dashboard = dashboardOf(service);
beforeAll(() => listen(service));
afterEach(() => stripe.clearFaults());

const stranger = new Agent(service.baseUrl, `0x${'2'.repeat(64)}`);
const paymentOf = async (agent: Agent, jobKey: string) => (await agent.job(jobKey)).body.payment_state;
/** The refunds of a job that operators are told of. */
const listedFor = async (jobKey: string) => {
  const { refunds } = await readUnsettled(service.runtime.db, service.runtime.clock());
  return refunds.rows.filter(({ job_key }) => job_key === jobKey).map(({ state }) => state);
};
const chargesOf = async (paymentKey: string) =>
  (await stripe.books()).charges.filter(
    ({ metadata, status }) => status === 'succeeded' && metadata.payment_key === paymentKey,
  );
const intentOf = async (paymentKey: string) => {
  const [charge] = await chargesOf(paymentKey);
  return String(charge?.payment_intent);
};
/** A job's balance on an account of the books. */
const bookedFor = async (jobKey: string, account: string): Promise<bigint> => {
  const { rows } = await service.database.pool.query<{ sum: string }>(
    `select coalesce(sum(case when credit_account = $2 then amount_microcents else -amount_microcents end), 0)::text as sum
    from ledger_transfers where job_key = $1 and $2 in (debit_account, credit_account)`,
    [jobKey, account],
  );
  return BigInt(rows[0]?.sum ?? 0);
};
/** Lets time pass, with the worker's rounds. */
async function pass(seconds = 60): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 15) {
    service.advanceClock(15);
    await service.sweep();
  }
  service.advanceClock(-seconds);
}
async function keeping() {
  const buying = await buyingByCard(service);
  await paidOnPage(service, buying.agent, { member: buying.member });
  return buying;
}
/** An event with a valid signature. */
async function announce(type: string, object: Record<string, unknown>): Promise<string> {
  const t = Math.floor(Date.now() / 1_000);
  const id = `evt_${randomUUID()}`;
  const payload = JSON.stringify({ id, object: 'event', type, livemode: false, created: t, data: { object } });
  const v1 = createHmac('sha256', webhookSecret).update(`${t}.${payload}`).digest('hex');
  const { status } = await fetch(`${service.baseUrl}/api/webhooks/stripe`, {
    method: 'POST',
    headers: { 'stripe-signature': `t=${t},v1=${v1}` },
    body: payload,
  });
  expect(status).toBe(200);
  await service.sweep();
  return id;
}
const isHandled = async (eventId: string) => {
  const { rows } = await service.database.pool.query('select handled_at from card_events where event_id = $1', [
    eventId,
  ]);
  return rows[0]?.handled_at !== null;
};

describe('a kept card', () => {
  it('is shown to nobody who is not signed in, on the page that a member has opened either', async () => {
    const { agent, member } = await keeping();
    const { body } = await payByCard(agent, await agent.authorizedJob());
    const opened = await click(member, body.payment_key);
    expect(opened.status).toBe(200);
    for (const other of [agent, stranger, (await buyingByCard(service)).member]) {
      const answer = await click(other, body.payment_key);
      expect([answer.status, answer.body.code]).toEqual([409, 'action_not_allowed']);
    }
    expect((await click(member, body.payment_key)).body).toEqual(opened.body);
  });

  it('is charged for nothing once it is removed, whatever was begun with it', async () => {
    for (const on of ['payment_intents.create', 'payment_intents.confirm']) {
      const { agent, member } = await keeping();
      const jobKey = await agent.authorizedJob();
      await stripe.fault({ mode: 'drop_before', on, times: 'always' });
      const asked = await payByCard(agent, jobKey, 'card_saved');
      expect(asked.body.code).toBe('payment_unknown');
      const [card] = (await member.get('/api/agent/v1/cards')).body.cards;
      await member.post(`/api/agent/v1/cards/${card.card_key}/remove`);
      await stripe.clearFaults();
      await pass();
      expect(await paymentOf(agent, jobKey)).toBe('none');
      const { rows } = await service.database.pool.query('select payment_key from payments where job_key = $1', [
        jobKey,
      ]);
      expect(await chargesOf(rows[0].payment_key)).toEqual([]);
    }
  });

  it('is not charged when it is removed while the provider is slow to answer', async () => {
    const { agent, member } = await keeping();
    const jobKey = await agent.authorizedJob();
    await stripe.fault({ mode: 'hold_after', on: 'payment_intents.create', times: 1 });
    const asked = payByCard(agent, jobKey, 'card_saved');
    await stripe.untilHeld();
    const [card] = (await member.get('/api/agent/v1/cards')).body.cards;
    await member.post(`/api/agent/v1/cards/${card.card_key}/remove`);
    await stripe.release();
    expect((await asked).body.code).toBe('action_not_allowed');
    expect(await paymentOf(agent, jobKey)).toBe('none');
    expect((await stripe.books()).payment_intents.at(-1)?.status).toBe('canceled');
  });

  it('that the provider holds no more leaves no payment open, and gives way to the page', async () => {
    for (const on of [null, 'payment_intents.confirm']) {
      const { agent } = await keeping();
      const jobKey = await agent.authorizedJob();
      const held = (await stripe.books()).payment_methods.findLast(({ customer }) => customer !== null);
      if (on) {
        await stripe.fault({ mode: 'drop_before', on, times: 'always' });
        await payByCard(agent, jobKey, 'card_saved');
      }
      await dashboard.paymentMethods.detach(held?.id ?? '');
      await stripe.clearFaults();
      if (on) await pass();
      else expect((await payByCard(agent, jobKey, 'card_saved')).body.code).toBe('action_not_allowed');
      expect(await paymentOf(agent, jobKey)).toBe('none');
      expect((await payByCard(agent, jobKey, 'card_saved')).status).toBe(202);
    }
  });

  /** As after changing to the keys of another account. */
  const forgetAtProvider = async ({ accountKey }: { accountKey: string }) => {
    const gone = `cus_${randomUUID()}`;
    const { pool } = service.database;
    await pool.query('update card_customers set customer_id = $1 where account_key = $2', [gone, accountKey]);
    await pool.query('update saved_cards set customer_id = $1 where account_key = $2', [gone, accountKey]);
  };

  it('of a customer that the provider forgot is kept no more, once a member opens a page', async () => {
    const { agent, member } = await keeping();
    await forgetAtProvider(member);
    const { body } = await payByCard(agent, await agent.authorizedJob());
    await fillIn((await click(member, body.payment_key)).body.url);
    await heard(service);
    expect((await member.get('/api/agent/v1/cards')).body.cards).toEqual([]);
  });

  it('of a customer that the provider forgot gives way to the page, on which another can be kept later', async () => {
    const { agent, member } = await keeping();
    await forgetAtProvider(member);
    const jobKey = await agent.authorizedJob();
    expect((await payByCard(agent, jobKey, 'card_saved')).body.code).toBe('action_not_allowed');
    const asked = await payByCard(agent, jobKey, 'card_saved');
    expect(asked.status).toBe(202);
    await fillIn((await click(member, asked.body.payment_key)).body.url);
    await heard(service);
    expect(await paymentOf(agent, jobKey)).toBe('collected');
    await paidOnPage(service, agent, { member });
    expect((await member.get('/api/agent/v1/cards')).body.cards).toHaveLength(1);
  });
});

describe('a payment', () => {
  it('on the page of one job pays for no other, whatever is announced of it', async () => {
    const { agent } = await buyingByCard(service);
    const [mine, other] = [await agent.authorizedJob(), await agent.authorizedJob()];
    const [paid, unpaid] = [(await payByCard(agent, mine)).body, (await payByCard(agent, other)).body];
    await click(stranger, unpaid.payment_key);
    await stripe.webhookFault({ mode: 'lose', times: 'always' });
    await fillIn((await click(stranger, paid.payment_key)).body.url);
    const session = (await stripe.books()).sessions.find(({ client_reference_id: key }) => key === paid.payment_key);
    const lie = { client_reference_id: unpaid.payment_key, metadata: { payment_key: unpaid.payment_key } };
    await announce('checkout.session.completed', { ...session, ...lie });
    await announce('payment_intent.succeeded', { id: session?.payment_intent, ...lie });
    expect(await paymentOf(agent, mine)).toBe('collected');
    expect(await paymentOf(agent, other)).toBe('requires_payer');
    expect(await chargesOf(unpaid.payment_key)).toEqual([]);
  });

  it('that is announced before the answer to its own request has come is collected once, and the answer says so', async () => {
    const { agent } = await keeping();
    const jobKey = await agent.authorizedJob();
    await stripe.fault({ mode: 'hold_after', on: 'payment_intents.confirm', times: 1 });
    const asked = payByCard(agent, jobKey, 'card_saved');
    await stripe.untilHeld();
    await heard(service);
    expect(await paymentOf(agent, jobKey)).toBe('collected');
    await stripe.release();
    expect([(await asked).status, (await asked).body.payment_state]).toEqual([200, 'collected']);
    const { rows } = await service.database.pool.query(
      `select count(*)::int from ledger_transfers where job_key = $1 and event = 'collected'`,
      [jobKey],
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('on a page whose answer never came, as one that a failing provider made besides, is not asked for', async () => {
    const { agent } = await buyingByCard(service);
    const jobKey = await agent.authorizedJob();
    const { payment_key: paymentKey } = (await payByCard(agent, jobKey)).body;
    await stripe.fault({ mode: 'error_500_after', on: 'checkout.sessions.create', times: 1 });
    expect((await click(stranger, paymentKey)).status).toBe(503);
    const begunAt = async () => (await stranger.get(`/api/agent/v1/payments/${paymentKey}`)).body.checkout_begun_at;
    expect(await begunAt()).toBeNull();
    const { url } = (await click(stranger, paymentKey)).body;
    const pages = (await stripe.books()).sessions.filter(({ client_reference_id: key }) => key === paymentKey);
    expect(pages).toHaveLength(2);
    expect(await begunAt()).not.toBeNull();
    // Whoever finds the other one all the same, after this one was paid on, has their money back.
    await fillIn(url);
    await fillIn(pages.find((page) => page.url !== url)?.url ?? '');
    await heard(service);
    await pass(30);
    expect(await paymentOf(agent, jobKey)).toBe('collected');
    expect((await chargesOf(paymentKey)).map(({ amount_refunded }) => amount_refunded).sort()).toEqual([0, 500]);
  });

  it('of another amount than the price pays for nothing, and goes back', async () => {
    const { agent } = await buyingByCard(service);
    const jobKey = await agent.authorizedJob();
    const { body } = await payByCard(agent, jobKey);
    const intent = await dashboard.paymentIntents.create({
      amount: 50,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      allowed_payment_method_types: ['card'],
      metadata: { payment_key: body.payment_key },
    });
    await dashboard.paymentIntents.confirm(intent.id, { return_url: service.baseUrl });
    await heard(service);
    await pass(15);
    expect(await paymentOf(agent, jobKey)).toBe('requires_payer');
    expect((await chargesOf(body.payment_key)).map(({ amount_refunded }) => amount_refunded)).toEqual([50]);
  });

  it('that nothing here knows, or that its provider forgot, is asked about once', async () => {
    const intent = await dashboard.paymentIntents.create({
      amount: 500,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      allowed_payment_method_types: ['card'],
    });
    await dashboard.paymentIntents.confirm(intent.id, { return_url: service.baseUrl });
    const opened = await stripe.openDispute({ payment_intent: intent.id });
    const events = [
      await announce('charge.dispute.created', { id: opened.id }),
      await announce('checkout.session.completed', { id: 'cs_test_forgotten' }),
      await announce('charge.refunded', { id: 'ch_forgotten' }),
    ];
    for (const event of events) expect(await isHandled(event)).toBe(true);
  });
});

describe('money that goes back', () => {
  it('is all of it and no more when the seller gave some back by hand', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, agent);
    await dashboard.refunds.create({ payment_intent: await intentOf(paymentKey), amount: 200 });
    await stripe.fault({ mode: 'drop_after', on: 'refunds.create', times: 1 });
    await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    await pass();
    expect(await paymentOf(agent, jobKey)).toBe('refunded');
    expect((await chargesOf(paymentKey)).map(({ amount_refunded }) => amount_refunded)).toEqual([500]);
  });

  it.each([
    [['won'], 'refund_failed', 500_000_000n, ['refund_failed']],
    [['lost'], 'reversed', 0n, []],
    [['lost', 'won'], 'refund_failed', 500_000_000n, ['refund_failed']],
  ] as const)('and came back is owed no more when its dispute is %s', async (outcomes, state, owed, listed) => {
    const { agent } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, agent);
    await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    await service.sweep();
    await stripe.settle((await stripe.books()).refunds.at(-1)?.id ?? '', 'failed', 'unknown');
    await heard(service);
    expect(await paymentOf(agent, jobKey)).toBe('refund_failed');
    const opened = await stripe.openDispute({ payment_intent: await intentOf(paymentKey) });
    await heard(service);
    for (const outcome of outcomes) {
      await stripe.closeDispute(opened.id, outcome);
      await heard(service);
    }
    expect(await paymentOf(agent, jobKey)).toBe(state);
    expect(await bookedFor(jobKey, 'liability:refunds')).toBe(owed);
    expect(await listedFor(jobKey)).toEqual(listed);
  });

  it('because it came late is not owed besides when its bank has taken it', async () => {
    const { agent } = await buyingByCard(service);
    const jobKey = await agent.authorizedJob();
    const { body } = await payByCard(agent, jobKey);
    const { url } = (await click(stranger, body.payment_key)).body;
    // The page is recorded as ended though it is open: as after a restore, or a provider's error.
    await service.database.pool.query(
      `update payments set state = 'failed', decided_at = now(), failure = 'planted' where payment_key = $1`,
      [body.payment_key],
    );
    await service.database.pool.query(`update jobs set payment_state = 'none' where job_key = $1`, [jobKey]);
    await stripe.fault({ mode: 'drop_before', on: 'refunds.create', times: 'always' });
    await fillIn(url);
    await heard(service);
    const opened = await stripe.openDispute({ payment_intent: await intentOf(body.payment_key) });
    await stripe.closeDispute(opened.id, 'lost');
    await heard(service);
    await stripe.clearFaults();
    await pass();
    expect((await chargesOf(body.payment_key)).map(({ amount_refunded }) => amount_refunded)).toEqual([0]);
    expect(await bookedFor(jobKey, 'liability:refunds')).toBe(0n);
    const { rows } = await service.database.pool.query('select state from refunds where job_key = $1', [jobKey]);
    expect(rows).toEqual([{ state: 'refund_failed' }]);
    expect(await listedFor(jobKey)).toEqual([]);
  });
});

describe('a second charge of one payment', () => {
  const refundsOf = async (jobKey: string) => {
    const { rows } = await service.database.pool.query<{ reason: string; state: string }>(
      'select reason, state from refunds where job_key = $1 order by reason',
      [jobKey],
    );
    return rows.map(({ reason, state }) => `${reason} ${state}`);
  };
  /** A job that is paid on the page, and again past it. */
  const paidTwice = async () => {
    const { agent } = await buyingByCard(service);
    const paid = await paidOnPage(service, agent);
    const second = await dashboard.paymentIntents.create({
      amount: 500,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      allowed_payment_method_types: ['card'],
      metadata: { payment_key: paid.paymentKey },
    });
    return { agent, ...paid, second: second.id };
  };
  const confirm = (intentId: string) => dashboard.paymentIntents.confirm(intentId, { return_url: service.baseUrl });

  it('that its bank gives back does not undo the refund of the first', async () => {
    const { agent, jobKey, second } = await paidTwice();
    await confirm(second);
    await heard(service);
    await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    await service.sweep();
    expect(await refundsOf(jobKey)).toEqual(['late_payment refunded', 'not_delivered refunded']);
    const back = (await stripe.books()).refunds.find(({ payment_intent }) => payment_intent === second);
    await stripe.settle(back?.id ?? '', 'failed', 'unknown');
    await heard(service);
    expect(await refundsOf(jobKey)).toEqual(['late_payment refund_failed', 'not_delivered refunded']);
    expect(await paymentOf(agent, jobKey)).toBe('refunded');
  });

  it("still goes back when the payer's bank has taken the first", async () => {
    const { agent, jobKey, paymentKey, second } = await paidTwice();
    const first = await intentOf(paymentKey);
    await service.execute(jobKey);
    const { report_digest } = (await agent.job(jobKey)).body;
    await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept', report_digest });
    await stripe.fault({ mode: 'drop_before', on: 'refunds.create', times: 'always' });
    await confirm(second);
    await heard(service);
    const opened = await stripe.openDispute({ payment_intent: first });
    await stripe.closeDispute(opened.id, 'lost');
    await heard(service);
    await stripe.clearFaults();
    await pass();
    expect(await refundsOf(jobKey)).toEqual(['late_payment refunded']);
    expect(await paymentOf(agent, jobKey)).toBe('reversed');
  });
});

describe('a dispute', () => {
  it('that was read before it was won changes nothing when that is looked into later', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, agent);
    await stripe.fault({ mode: 'hold_after', on: 'disputes.retrieve', times: 1 });
    await stripe.webhookFault({ mode: 'lose', times: 'always' });
    const opened = await stripe.openDispute({ payment_intent: await intentOf(paymentKey) });
    const slow = announce('charge.dispute.created', { id: opened.id });
    await stripe.untilHeld();
    await stripe.closeDispute(opened.id, 'won');
    await announce('charge.dispute.closed', { id: opened.id });
    expect(await paymentOf(agent, jobKey)).toBe('collected');
    await stripe.release();
    await slow;
    await hearRails(service.runtime);
    expect(await paymentOf(agent, jobKey)).toBe('collected');
    const { rows } = await service.database.pool.query(
      'select withdrawn_microcents from card_disputes where payment_key = $1',
      [paymentKey],
    );
    expect(rows).toEqual([{ withdrawn_microcents: '0' }]);
  });

  it('whose inquiry was closed and is taken up again is a dispute again', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, agent);
    const inquiry = await stripe.openDispute({ payment_intent: await intentOf(paymentKey), inquiry: true });
    await stripe.closeDispute(inquiry.id, 'won');
    await heard(service);
    expect(await paymentOf(agent, jobKey)).toBe('collected');
    await stripe.closeDispute(inquiry.id, 'lost');
    await heard(service);
    expect(await paymentOf(agent, jobKey)).toBe('disputed');
    await stripe.closeDispute(inquiry.id, 'lost');
    await heard(service);
    expect(await paymentOf(agent, jobKey)).toBe('reversed');
  });
});
