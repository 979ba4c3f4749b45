import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import {
  buyingByCard,
  chargeBeside,
  click,
  dashboardOf,
  fillIn,
  heard,
  listen,
  paidOnPage,
  payByCard,
  stripeOf,
} from '../../../e2e/support/card.ts';
import { cardDifferences } from '../../../e2e/support/card-books.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';
import { perform } from '../../door/perform.ts';
import { operatorContext } from '../../transports/context.ts';

const service = await startService(withCard);
const stripe = stripeOf(service);
const { pool } = service.database;
beforeAll(() => listen(service));
afterEach(() => stripe.clearFaults());

const stranger = new Agent(service.baseUrl, `0x${'2'.repeat(64)}`);
const paymentOf = async (agent: Agent, jobKey: string) => (await agent.job(jobKey)).body.payment_state;
const holdsOf = async (agent: Agent) => (await agent.get('/api/agent/v1/me')).body.holds;
const chargeOf = async (intentId: string) =>
  (await stripe.books()).charges.find(
    ({ payment_intent, status }) => payment_intent === intentId && status === 'succeeded',
  );
const intentOf = async (paymentKey: string) => {
  const { charges } = await stripe.books();
  const paid = charges.find(({ metadata, status }) => status === 'succeeded' && metadata.payment_key === paymentKey);
  return String(paid?.payment_intent);
};
/** What an account of the books holds. */
const bookedIn = async (account: string): Promise<bigint> => {
  const { rows } = await pool.query<{ sum: string }>(
    `select coalesce(sum(case when credit_account = $1 then amount_microcents else -amount_microcents end), 0)::text as sum
    from ledger_transfers where $1 in (debit_account, credit_account)`,
    [account],
  );
  return BigInt(rows[0]?.sum ?? 0);
};
/** Lets time pass, in which the worker does its rounds. */
async function pass(seconds = 60): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 15) {
    service.advanceClock(15);
    await service.sweep();
  }
  service.advanceClock(-seconds);
}
/** Nothing is left to do, and the provider's books are ours to the cent. */
const booksAgree = async () =>
  expect(await cardDifferences(pool, service.sandbox.controlUrl, { isSettled: true })).toEqual([]);

const refundsStop = () => stripe.fault({ mode: 'drop_before', on: 'refunds.create', times: 'always' });

/** A job whose page was said to be over, and was paid on; nothing can be given back yet. */
async function paidLate() {
  const { agent } = await buyingByCard(service);
  const jobKey = await agent.authorizedJob();
  const { payment_key: paymentKey } = (await payByCard(agent, jobKey)).body;
  const { url } = (await click(stranger, paymentKey)).body;
  await pool.query(
    `update payments set state = 'failed', decided_at = now(), failure = 'planted' where payment_key = $1`,
    [paymentKey],
  );
  await pool.query(`update jobs set payment_state = 'none' where job_key = $1`, [jobKey]);
  await refundsStop();
  await fillIn(url);
  await heard(service);
  return { agent, jobKey, intentId: await intentOf(paymentKey) };
}

/** A job that is paid on its page, and once more beside it; nothing can be given back yet. */
async function paidTwice() {
  const { agent } = await buyingByCard(service);
  const { jobKey, paymentKey } = await paidOnPage(service, agent);
  const intentId = await intentOf(paymentKey);
  await refundsStop();
  const besideId = await chargeBeside(service, paymentKey);
  await heard(service);
  return { agent, jobKey, intentId, besideId };
}

async function dispute(intentId: string, ...ends: ('won' | 'lost')[]): Promise<void> {
  const { id } = await stripe.openDispute({ payment_intent: intentId });
  await heard(service);
  for (const end of ends) {
    await stripe.closeDispute(id, end);
    await heard(service);
  }
}

describe('a dispute that is lost, and won after all,', () => {
  it('of a late charge, gives back its own loss alone when the settled refund left meanwhile', async () => {
    const before = await bookedIn('expense:reversals');
    const { besideId } = await paidTwice();
    await stripe.clearFaults();
    await pass();
    const late = (await stripe.books()).refunds.at(-1);
    await stripe.settle(late?.id ?? '', 'failed', 'expired_or_canceled_card');
    await heard(service);
    const { rows } = await pool.query('select refund_key from refunds where intent_id = $1', [besideId]);
    await perform('settle_refund', operatorContext(service.runtime), {
      refund_key: rows[0].refund_key,
      as: 'sent_by_hand',
      reference: 'SEPA 2026-1128-02',
      reason: 'The card is closed.',
    });
    await stripe.outcome({ of: 'refund', times: 1 });
    const again = await dashboardOf(service).refunds.create({ payment_intent: besideId });
    await dispute(besideId, 'lost');
    await stripe.settle(again.id, 'succeeded');
    await heard(service);
    await stripe.closeDispute((await stripe.books()).disputes.at(-1)?.id ?? '', 'won');
    await heard(service);
    // What an operator sent is lost, and nothing else.
    expect((await bookedIn('expense:reversals')) - before).toBe(-500_000_000n);
    expect(await bookedIn('suspense:card_disputes')).toBe(0n);
    await booksAgree();
  });

  it('puts a payment back where it was, and lets its account buy again', async () => {
    const { agent } = await buyingByCard(service);
    const { jobKey, paymentKey } = await paidOnPage(service, agent);
    await service.execute(jobKey);
    await dispute(await intentOf(paymentKey), 'lost');
    expect(await paymentOf(agent, jobKey)).toBe('reversed');
    await stripe.closeDispute((await stripe.books()).disputes.at(-1)?.id ?? '', 'won');
    await heard(service);
    // Its review was waived with the payment: what came back is owed to its payer.
    await pass();
    expect(await paymentOf(agent, jobKey)).toBe('refunded');
    expect(await holdsOf(agent)).toEqual([]);
    await booksAgree();
  });

  it('leaves money that came late to be given back', async () => {
    const suspense = await bookedIn('suspense:card_disputes');
    const { agent, jobKey, intentId } = await paidLate();
    await dispute(intentId, 'lost', 'won');
    expect(await bookedIn('suspense:card_disputes')).toBe(suspense);
    await stripe.clearFaults();
    await pass();
    expect((await chargeOf(intentId))?.amount_refunded).toBe(500);
    expect(await paymentOf(agent, jobKey)).toBe('none');
    expect(await holdsOf(agent)).toEqual([]);
    await booksAgree();
  });

  it('of money that came besides is not taken for that of the payment', async () => {
    const { agent, jobKey, intentId, besideId } = await paidTwice();
    await dispute(intentId, 'lost');
    await dispute(besideId, 'lost', 'won');
    expect(await paymentOf(agent, jobKey)).toBe('reversed');
    await stripe.clearFaults();
    await pass();
    expect((await chargeOf(besideId))?.amount_refunded).toBe(500);
    await booksAgree();
  });
});

describe('money that came besides and goes back', () => {
  it('is not what the receipt of the job tells of', async () => {
    const { agent, jobKey } = await paidTwice();
    await stripe.clearFaults();
    await pass();
    await service.execute(jobKey);
    const { report_digest } = (await agent.job(jobKey)).body;
    await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept', report_digest });
    expect((await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`)).body.remedy.kind).toBe('none');
    await booksAgree();
  });

  it('by hand, and comes back after its bank had taken it, is for a person once that is undone', async () => {
    const { intentId, besideId } = await paidTwice();
    await stripe.clearFaults();
    await stripe.outcome({ of: 'refund', times: 1 });
    const { id } = await dashboardOf(service).refunds.create({ payment_intent: besideId });
    const dispute = await stripe.openDispute({ payment_intent: besideId });
    await heard(service);
    await stripe.settle(id, 'succeeded');
    await heard(service);
    await stripe.closeDispute(dispute.id, 'lost');
    await heard(service);
    await stripe.settle(id, 'failed', 'expired_or_canceled_card');
    await heard(service);
    await stripe.closeDispute(dispute.id, 'won');
    await heard(service);
    await pass();
    const { rows } = await pool.query('select state, dropped_at from refunds where intent_id = $1', [besideId]);
    expect(rows).toEqual([{ state: 'refund_failed', dropped_at: null }]);
    expect((await chargeOf(intentId))?.amount_refunded).toBe(0);
    await booksAgree();
  });
});

describe('of two charges for one attempt, the one that pays and the one that came besides,', () => {
  it('one is given back though the other was taken by its bank', async () => {
    const { agent, jobKey, intentId, besideId } = await paidTwice();
    await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    await dispute(intentId, 'lost');
    await stripe.clearFaults();
    await pass();
    expect(await paymentOf(agent, jobKey)).toBe('reversed');
    expect((await chargeOf(besideId))?.amount_refunded).toBe(500);
    await booksAgree();
  });

  it.each(['besides', 'for the job'] as const)('one comes back without the other: that %s', async (which) => {
    const { agent, jobKey, intentId, besideId } = await paidTwice();
    await stripe.clearFaults();
    await pass();
    await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    await pass();
    expect(await paymentOf(agent, jobKey)).toBe('refunded');
    const of = which === 'besides' ? besideId : intentId;
    const back = (await stripe.books()).refunds.find(({ payment_intent }) => payment_intent === of);
    await stripe.settle(back?.id ?? '', 'failed', 'expired_or_canceled_card');
    await heard(service);
    expect(await paymentOf(agent, jobKey)).toBe(which === 'besides' ? 'refunded' : 'refund_failed');
    await booksAgree();
  });
});
