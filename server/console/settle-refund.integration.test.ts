import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../e2e/support/agent.ts';
import { buyingByCard, dashboardOf, heard, listen, paidOnPage, stripeOf } from '../../e2e/support/card.ts';
import type { Customer } from '../../e2e/support/customer.ts';
import { startService, withCard } from '../../e2e/support/service.ts';
import { perform } from '../door/perform.ts';
import { transact } from '../kernel/transaction.ts';
import { queueDueLetters } from '../mail/due-letters.ts';
import { attemptOfCharge } from '../payments/card/attempt.ts';
import { undoRefund } from '../purchases/rounds/refund.ts';
import { operatorContext } from '../transports/context.ts';

const service = await startService(withCard);
const stripe = stripeOf(service);
const { pool } = service.database;
const ctx = () => operatorContext(service.runtime);
const reason = 'The card is closed.';
const reference = 'SEPA 2026-1126-01';

beforeAll(() => listen(service));

const one = async (text: string, values: unknown[]) => (await pool.query(text, values)).rows[0];
const settle = (refund_key: string, as = 'sent_by_hand') =>
  perform('settle_refund', ctx(), { refund_key, as, reason, ...(as === 'sent_by_hand' ? { reference } : {}) });
const openRefunds = async () =>
  (await perform('console_money', ctx(), {})).body.refunds.rows.map(({ refund_key }) => refund_key);

/** What the books owe back for a job, and what they lost, in microcents. */
async function owed(jobKey: string, account = 'liability:refunds'): Promise<number> {
  const { sum } = await one(
    `select coalesce(sum(case when credit_account = $2 then amount_microcents else -amount_microcents end), 0)::bigint as sum
     from ledger_transfers where job_key = $1 and $2 in (debit_account, credit_account)`,
    [jobKey, account],
  );
  return Number(sum);
}

interface Failed {
  agent: Agent;
  customer: Customer;
  jobKey: string;
  refund: string;
  /** The refund at the provider that came back. */
  departure: string;
  intent: string;
}

/** A canceled job whose refund the card's bank did not take. */
async function failed(): Promise<Failed> {
  const { agent, customer } = await buyingByCard(service);
  const { jobKey } = await paidOnPage(service, agent);
  await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
  await heard(service);
  const row = await one('select refund_key, intent_id, provider_refund_id as id from refunds where job_key = $1', [
    jobKey,
  ]);
  await stripe.settle(row.id, 'failed', 'expired_or_canceled_card');
  await heard(service);
  expect(await owed(jobKey)).toBe(500_000_000);
  return { agent, customer, jobKey, refund: row.refund_key, departure: row.id, intent: row.intent_id };
}

const jobOf = async ({ agent, jobKey }: Failed) => (await agent.get(`/api/agent/v1/jobs/${jobKey}`)).body;

/** What the customer was told of it, by letter. */
async function told({ customer }: Failed, subject: string): Promise<string | undefined> {
  await queueDueLetters(service.runtime);
  return (await customer.letters()).find((letter) => letter.subject === subject)?.text;
}

describe('a refund that failed', () => {
  it('is told by letter, and so is what came of it', async () => {
    const [byHand, credit] = [await failed(), await failed()];
    expect(await told(byHand, 'A refund of 5.00 USD did not arrive')).toContain('We still owe it');
    // The bank had reported it as done before it sent it back.
    expect(await told(byHand, 'Refunded: 5.00 USD')).toBeUndefined();
    await settle(byHand.refund);
    expect(await told(byHand, 'Refunded: 5.00 USD')).toContain('we sent the amount by hand');
    await settle(credit.refund, 'wallet_credit');
    expect(await told(credit, 'Credited: 5.00 USD')).toContain('can pay for another check');
  });

  it('is closed once it was sent by hand: in the books, on the job, on the receipt, in the audit', async () => {
    const it = await failed();
    expect(await openRefunds()).toContain(it.refund);
    expect((await settle(it.refund)).body).toEqual({ amount_microcents: 500_000_000 });
    expect(await openRefunds()).not.toContain(it.refund);
    expect(await owed(it.jobKey)).toBe(0);
    expect((await jobOf(it)).payment_state).toBe('refunded');
    const { body } = await one(
      `select body::jsonb from job_texts where job_key = $1 and kind = 'receipts' order by number desc limit 1`,
      [it.jobKey],
    );
    expect(body.remedy).toMatchObject({ kind: 'refund', state: 'refunded', reference });
    const act = await one('select action, reason, amount_microcents from operator_acts where subject = $1', [
      it.refund,
    ]);
    expect(act).toMatchObject({ action: 'settle_refund', reason: `Sent by hand, ${reference}: ${reason}` });
    expect(Number(act.amount_microcents)).toBe(500_000_000);
  });

  it('is carried out by another refund at Stripe, and fails again if that comes back, too', async () => {
    const it = await failed();
    const again = await dashboardOf(service).refunds.create({ payment_intent: it.intent });
    await heard(service);
    expect([(await jobOf(it)).payment_state, await owed(it.jobKey)]).toEqual(['refunded', 0]);
    expect(await told(it, 'Refunded: 5.00 USD')).toBeDefined();
    // Another worker had read the return of the first, and says it late.
    const payment = await attemptOfCharge(service.runtime.db, it.intent);
    if (!payment) throw new Error('no payment');
    const late = { payment, departure: it.departure, because: 'It came back.' };
    await transact(service.runtime.db, (tx) => undoRefund(tx, service.runtime, late, service.runtime.clock()));
    expect([(await jobOf(it)).payment_state, await owed(it.jobKey)]).toEqual(['refunded', 0]);
    await stripe.settle(again.id, 'failed', 'expired_or_canceled_card');
    await heard(service);
    expect([(await jobOf(it)).payment_state, await owed(it.jobKey)]).toEqual(['refund_failed', 500_000_000]);
    await settle(it.refund);
    expect(await owed(it.jobKey)).toBe(0);
    // Settled, it leaves and comes back in vain.
    const third = await dashboardOf(service).refunds.create({ payment_intent: it.intent });
    await heard(service);
    expect(await owed(it.jobKey, 'expense:reversals')).toBe(-500_000_000);
    await stripe.settle(third.id, 'failed', 'expired_or_canceled_card');
    await heard(service);
    expect(await owed(it.jobKey, 'expense:reversals')).toBe(0);
    expect(await owed(it.jobKey)).toBe(0);
  });

  it('is not settled with the name of a refund at Stripe, which is found by itself', async () => {
    const it = await failed();
    await expect(
      perform('settle_refund', ctx(), { refund_key: it.refund, as: 'sent_by_hand', reference: 're_1Qx', reason }),
    ).rejects.toMatchObject({ code: 'action_not_allowed' });
    expect(await owed(it.jobKey)).toBe(500_000_000);
  });

  it('can stay as credit, which pays for another check', async () => {
    const it = await failed();
    await settle(it.refund, 'wallet_credit');
    expect(await owed(it.jobKey)).toBe(0);
    expect((await jobOf(it)).payment_state).toBe('credited');
    const next = await it.agent.authorizedJob();
    const paid = await it.agent.post(`/api/agent/v1/jobs/${next}/payments`, {
      rail: 'x402',
      method: 'wallet_credit',
      idempotency_key: randomUUID(),
    });
    expect(paid).toMatchObject({ status: 200, body: { payment_state: 'collected' } });
  });

  it('is closed once, whoever tries again or at the same time', async () => {
    const it = await failed();
    const tries = await Promise.allSettled([
      settle(it.refund),
      settle(it.refund, 'wallet_credit'),
      settle(it.refund),
      settle(it.refund, 'wallet_credit'),
    ]);
    const refused = tries.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
    expect(refused).toEqual(['action_not_allowed', 'action_not_allowed', 'action_not_allowed']);
    await expect(settle(it.refund)).rejects.toMatchObject({ code: 'action_not_allowed' });
    expect(await owed(it.jobKey)).toBe(0);
    await expect(
      pool.query('update refunds set settled_at = now() where refund_key = $1', [it.refund]),
    ).rejects.toThrow('is settled, once');
  });

  it('waits while its bank contests the payment, and one that is on its way or unknown is refused', async () => {
    const it = await failed();
    const { id } = await stripe.openDispute({ payment_intent: it.intent });
    await heard(service);
    await expect(settle(it.refund)).rejects.toMatchObject({ code: 'action_not_allowed' });
    await stripe.closeDispute(id, 'won');
    await heard(service);
    await settle(it.refund);
    await expect(settle('refund_unknown')).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each(['sent_by_hand', 'wallet_credit'])(
    'and was settled (%s) is not owed again when its bank takes the payment and gives it back',
    async (as) => {
      const it = await failed();
      await settle(it.refund, as);
      const { id } = await stripe.openDispute({ payment_intent: it.intent });
      await heard(service);
      await stripe.closeDispute(id, 'lost');
      await heard(service);
      expect(await owed(it.jobKey)).toBe(0);
      // What was sent by hand is lost; credit that is not spent is taken back.
      expect(await owed(it.jobKey, 'expense:reversals')).toBe(as === 'sent_by_hand' ? -500_000_000 : 0);
      await stripe.closeDispute(id, 'won');
      await heard(service);
      expect(await owed(it.jobKey)).toBe(0);
      expect(await owed(it.jobKey, 'expense:reversals')).toBe(0);
      expect(await openRefunds()).not.toContain(it.refund);
      expect((await jobOf(it)).payment_state).toBe(as === 'sent_by_hand' ? 'refunded' : 'credited');
    },
  );
});
