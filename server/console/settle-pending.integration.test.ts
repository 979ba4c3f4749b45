import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { buyingByCard, dashboardOf, heard, listen, paidOnPage, stripeOf } from '../../e2e/support/card.ts';
import { startService, withCard } from '../../e2e/support/service.ts';
import { controlClient } from '../../sandbox/control-client.ts';
import { perform } from '../door/perform.ts';
import { transact } from '../kernel/transaction.ts';
import { changeAccount, keepFirstAccount } from '../payments/card/account.ts';
import { waiveCharge } from '../purchases/review/waive.ts';
import { operatorContext } from '../transports/context.ts';

const service = await startService(withCard);
const { sandbox } = service;
const stripe = stripeOf(service);
const { pool } = service.database;
const price = 500_000_000;
const day = 86_400;
const chain = 84532;

beforeAll(() => listen(service));
afterEach(() => stripe.clearFaults());

const one = async (text: string, values: unknown[]) => (await pool.query(text, values)).rows[0];
const settle = (refund_key: string) =>
  perform('settle_refund', operatorContext(service.runtime), {
    refund_key,
    as: 'sent_by_hand',
    reference: 'SEPA 2026-1128-01',
    reason: 'Nothing else is left.',
  });
const waitsFor = async (refund: string) =>
  (await perform('console_money', operatorContext(service.runtime), {})).body.refunds.rows.find(
    ({ refund_key }) => refund_key === refund,
  )?.waits_for;
const refundOf = (jobKey: string) =>
  one('select refund_key, intent_id, state, tries, failure from refunds where job_key = $1', [jobKey]);
const paymentOf = async (agent: Agent, jobKey: string) => (await agent.job(jobKey)).body.payment_state;

/** What an account of the books holds for a job, in microcents. */
async function booked(jobKey: string, account: string): Promise<number> {
  const { sum } = await one(
    `select coalesce(sum(case when credit_account = $2 then amount_microcents else -amount_microcents end), 0)::bigint as sum
     from ledger_transfers where job_key = $1 and $2 in (debit_account, credit_account)`,
    [jobKey, account],
  );
  return Number(sum);
}

/** Works after this time, and comes back. */
async function later<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  service.advanceClock(seconds);
  try {
    return await work();
  } finally {
    service.advanceClock(-seconds);
  }
}

/** The worker's rounds, far enough apart that all is due. */
async function rounds(count: number): Promise<void> {
  for (let round = 1; round <= count; round += 1) await later(70 * round, () => service.sweep());
}

describe('a refund that Stripe refuses', () => {
  /** A canceled job whose refund no worker has tried yet. */
  async function refused() {
    const { agent } = await buyingByCard(service);
    const { jobKey } = await paidOnPage(service, agent);
    await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    const { intent_id: intent } = await refundOf(jobKey);
    return { agent, jobKey, intent };
  }
  const refuse = () => stripe.fault({ mode: 'error_400', on: 'refunds.create', times: 'always' });
  const triedFor = (jobKey: string) => pool.query('update refunds set tries = 7200 where job_key = $1', [jobKey]);

  it('fails with its reason once that has lasted, is settled by hand, and leaves no more', async () => {
    await refuse();
    const { agent, jobKey } = await refused();
    await rounds(3);
    const first = await refundOf(jobKey);
    expect(first).toMatchObject({ state: 'refund_pending', failure: null });
    await expect(settle(first.refund_key)).rejects.toMatchObject({ code: 'action_not_allowed' });
    await triedFor(jobKey);
    await rounds(5);
    const { refund_key: refund, ...failed } = await refundOf(jobKey);
    expect(failed).toMatchObject({ state: 'refund_failed', failure: expect.stringContaining('refused for good') });
    expect([await paymentOf(agent, jobKey), await waitsFor(refund)]).toEqual(['refund_failed', 'person']);

    await settle(refund);
    await stripe.clearFaults();
    await rounds(2);
    expect([await paymentOf(agent, jobKey), await booked(jobKey, 'liability:refunds')]).toEqual(['refunded', 0]);
    expect((await stripe.books()).refunds.filter(({ payment_intent }) => payment_intent === failed.intent_id)).toEqual(
      [],
    );
    // What leaves all the same is found, and is a loss.
    await dashboardOf(service).refunds.create({ payment_intent: failed.intent_id });
    await heard(service);
    expect(await booked(jobKey, 'expense:reversals')).toBe(-price);
  });

  it('is refunded if it is given back in the dashboard after it failed, in parts, too', async () => {
    await refuse();
    const { agent, jobKey, intent } = await refused();
    await triedFor(jobKey);
    await rounds(3);
    expect((await refundOf(jobKey)).state).toBe('refund_failed');
    await stripe.clearFaults();
    const dashboard = dashboardOf(service);
    await dashboard.refunds.create({ payment_intent: intent, amount: 200 });
    await heard(service);
    expect([await paymentOf(agent, jobKey), await booked(jobKey, 'liability:refunds')]).toEqual([
      'refund_failed',
      price,
    ]);
    await dashboard.refunds.create({ payment_intent: intent, amount: 300 });
    await heard(service);
    expect([await paymentOf(agent, jobKey), await booked(jobKey, 'liability:refunds')]).toEqual(['refunded', 0]);
    expect(await refundOf(jobKey)).toMatchObject({ state: 'refunded', failure: null });
    expect(await booked(jobKey, 'expense:reversals')).toBe(0);
    const receipt = (await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`)).body;
    expect(receipt.remedy).toMatchObject({ kind: 'refund', state: 'refunded' });
  });

  it('stays pending while Stripe shows that some of the charge has gone back, whoever refuses the rest', async () => {
    const partly = await refused();
    await dashboardOf(service).refunds.create({ payment_intent: partly.intent, amount: 100 });
    await refuse();
    await triedFor(partly.jobKey);
    await rounds(2);
    expect((await refundOf(partly.jobKey)).state).toBe('refund_pending');
  });
});

describe('a refund of a charge at another account of ours than is in use', () => {
  it('is settled by hand after a day, though it was tried here', async () => {
    const { agent } = await buyingByCard(service);
    const { db, clock } = service.runtime;
    await keepFirstAccount(db, 'acct_first', clock());
    const { jobKey } = await paidOnPage(service, agent);
    await later(60, () => changeAccount(db, 'acct_other', 'We moved.', clock()));
    const refund = await later(120, async () => {
      await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
      return (await refundOf(jobKey)).refund_key as string;
    });
    await stripe.fault({ mode: 'error_400', on: 'refunds.create', times: 'always' });
    await rounds(3);
    expect((await refundOf(jobKey)).tries).toBeGreaterThan(0);
    await expect(settle(refund)).rejects.toMatchObject({ code: 'action_not_allowed' });
    await later(day + 240, () => settle(refund));
    expect([await paymentOf(agent, jobKey), await booked(jobKey, 'liability:refunds')]).toEqual(['refunded', 0]);
  });
});

describe('a refund over x402 that nobody can sign', () => {
  /** A job whose charge was waived, and which no worker has given back yet. */
  async function waived() {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.paidJob();
    await service.execute(jobKey);
    const waiver = { transition: 'waive', jobKey, actor: 'operator', now: service.runtime.clock() } as const;
    await transact(service.runtime.db, (tx) => waiveCharge(tx, service.runtime, waiver, { review_state: 'not_open' }));
    return { agent, jobKey, refund: (await refundOf(jobKey)).refund_key as string };
  }
  const given = ({ wallet }: Agent) =>
    controlClient(sandbox.controlUrl).transfers(chain, { from: sandbox.payTo, to: wallet.address });

  it('is settled by hand after a day, and is not sent once the key is back', async () => {
    const { agent, jobKey, refund } = await waived();
    await expect(settle(refund)).rejects.toMatchObject({ code: 'action_not_allowed' });
    expect(await waitsFor(refund)).not.toBe('person');
    await later(day + 60, async () => {
      expect(await waitsFor(refund)).toBe('person');
      expect((await settle(refund)).body).toEqual({ amount_microcents: price });
      await expect(settle(refund)).rejects.toMatchObject({ code: 'action_not_allowed' });
    });
    await rounds(2);
    expect(await given(agent)).toEqual([]);
    expect([await paymentOf(agent, jobKey), await booked(jobKey, 'liability:refunds')]).toEqual(['refunded', 0]);
  });

  it('is not settled while a signature is in force, nor before the chain was searched to its end', async () => {
    const { refund } = await waived();
    const signed = (ends: string) =>
      pool.query(`update refunds set tries = 1, valid_before = now() + $2::interval where refund_key = $1`, [
        refund,
        ends,
      ]);
    await pool.query(`update refunds set next_try_at = now() + interval '3 days' where refund_key = $1`, [refund]);
    await signed('1 day 1 hour');
    await later(day + 60, () => expect(settle(refund)).rejects.toMatchObject({ code: 'action_not_allowed' }));
    await signed('23 hours');
    // The search has not come so far: the transfer may be in a block that nobody has read.
    await later(day + 60, async () => {
      await expect(settle(refund)).rejects.toMatchObject({ code: 'action_not_allowed' });
      await service.sweep();
      expect((await settle(refund)).body).toEqual({ amount_microcents: price });
    });
  });
});
