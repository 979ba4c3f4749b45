import { beforeAll, describe, expect, it } from 'vitest';
import {
  buyingByCard,
  chargeBeside,
  dashboardOf,
  heard,
  listen,
  paidOnPage,
  stripeOf,
} from '../../../e2e/support/card.ts';
import { cardDifferences } from '../../../e2e/support/card-books.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';

const service = await startService(withCard);
const stripe = stripeOf(service);
const { pool } = service.database;
beforeAll(() => listen(service));

const one = async (statement: string, values: string[] = []) => (await pool.query(statement, values)).rows[0];
const balanceOf = async (account: string): Promise<string> =>
  (
    await one(
      `select (coalesce(sum(case when debit_account = $1 then amount_microcents else -amount_microcents end), 0) / 1000000)::int::text
        as sum from ledger_transfers where $1 in (debit_account, credit_account)`,
      [account],
    )
  ).sum;
/** In cents: lost for good, on its way between us and banks, and owed. */
const balances = async () => [
  await balanceOf('expense:reversals'),
  await balanceOf('suspense:card_disputes'),
  await balanceOf('suspense:outgoing'),
  await balanceOf('liability:refunds'),
];
const stuckEvents = async () =>
  (await pool.query('select type, failure from card_events where handled_at is null and tries > 1')).rows;

/** Lets time pass, in which the worker does its rounds. */
async function pass(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 15) {
    service.advanceClock(15);
    await service.sweep();
  }
  service.advanceClock(-seconds);
}

/** A charge that goes back, with a refund that is pending: that of a canceled job, or one that came besides it. */
async function goingBack(which: 'a canceled job' | 'a charge too many') {
  const { agent } = await buyingByCard(service);
  const { jobKey, paymentKey } = await paidOnPage(service, agent);
  await stripe.outcome({ of: 'refund', times: 1 });
  let intent: string;
  if (which === 'a canceled job') {
    ({ intent_id: intent } = await one('select intent_id from card_charges where payment_key = $1', [paymentKey]));
    await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
  } else {
    intent = await chargeBeside(service, paymentKey);
    await heard(service);
  }
  await pass(15);
  const refund = async () => (await dashboardOf(service).refunds.list({ payment_intent: intent })).data[0];
  expect((await refund())?.status).toBe('pending');
  let dispute = '';
  const does = {
    contests: async () => {
      dispute = (await stripe.openDispute({ payment_intent: intent })).id;
    },
    loses: () => stripe.closeDispute(dispute, 'lost'),
    wins: () => stripe.closeDispute(dispute, 'won'),
    succeeds: async () => stripe.settle((await refund())?.id ?? '', 'succeeded'),
    fails: async () => stripe.settle((await refund())?.id ?? '', 'failed', 'expired_or_canceled_card'),
    'fails by the dispute': async () =>
      stripe.settle((await refund())?.id ?? '', 'failed', 'charge_for_pending_refund_disputed'),
  };
  return {
    jobKey,
    refund,
    async happens(...steps: (keyof typeof does)[]) {
      for (const step of steps) {
        await does[step]();
        await heard(service);
      }
      await pass(60);
    },
    stands: async () => {
      const { payment_state: job } = await one('select payment_state from jobs where job_key = $1', [jobKey]);
      const { state, dropped_at: dropped } = await one('select state, dropped_at from refunds where intent_id = $1', [
        intent,
      ]);
      return [job, dropped ? `${state}, dropped` : state];
    },
  };
}

/** Nothing is stuck, and the provider's books are ours to the cent. */
async function settled(): Promise<void> {
  expect(await stuckEvents()).toEqual([]);
  expect(await cardDifferences(pool, service.sandbox.controlUrl, { isSettled: true })).toEqual([]);
}

const job = 'a canceled job';
const besides = 'a charge too many';
type Step = Parameters<Awaited<ReturnType<typeof goingBack>>['happens']>[number];

describe('a refund that is under way when the bank contests its charge', () => {
  it.each<[typeof job | typeof besides, Step[], [string, string], string[]]>([
    [job, ['contests', 'succeeds'], ['disputed', 'refunded'], ['0', '500', '0', '0']],
    [job, ['contests', 'succeeds', 'wins'], ['refunded', 'refunded'], ['0', '0', '0', '0']],
    [job, ['contests', 'succeeds', 'loses'], ['reversed', 'refunded'], ['500', '0', '0', '0']],
    [job, ['contests', 'succeeds', 'loses', 'wins'], ['refunded', 'refunded'], ['0', '0', '0', '0']],
    [job, ['contests', 'loses', 'succeeds'], ['reversed', 'refunded'], ['500', '0', '0', '0']],
    [job, ['contests', 'loses', 'succeeds', 'wins'], ['refunded', 'refunded'], ['0', '0', '0', '0']],
    [job, ['contests', 'loses', 'succeeds', 'fails'], ['reversed', 'refund_failed, dropped'], ['0', '0', '0', '0']],
    [job, ['contests', 'succeeds', 'loses', 'fails'], ['reversed', 'refund_failed, dropped'], ['0', '0', '0', '0']],
    [
      job,
      ['contests', 'succeeds', 'loses', 'fails', 'wins'],
      ['refund_failed', 'refund_failed'],
      ['0', '0', '0', '-500'],
    ],
    [job, ['contests', 'succeeds', 'fails'], ['disputed', 'refund_failed'], ['0', '500', '0', '-500']],
    [job, ['contests', 'fails', 'wins'], ['refund_failed', 'refund_failed'], ['0', '0', '0', '-500']],
    [job, ['contests', 'fails by the dispute', 'wins'], ['refunded', 'refunded'], ['0', '0', '0', '0']],
    [job, ['contests', 'fails by the dispute', 'loses'], ['reversed', 'refund_failed, dropped'], ['0', '0', '0', '0']],
    [besides, ['contests', 'succeeds', 'wins'], ['collected', 'refunded'], ['0', '0', '0', '0']],
    [besides, ['contests', 'succeeds', 'loses'], ['collected', 'refunded'], ['500', '0', '0', '0']],
    [besides, ['contests', 'succeeds', 'loses', 'wins'], ['collected', 'refunded'], ['0', '0', '0', '0']],
    [besides, ['contests', 'loses', 'succeeds'], ['collected', 'refunded'], ['500', '0', '0', '0']],
    [besides, ['contests', 'loses', 'succeeds', 'wins'], ['collected', 'refunded'], ['0', '0', '0', '0']],
    [
      besides,
      ['contests', 'succeeds', 'loses', 'fails'],
      ['collected', 'refund_failed, dropped'],
      ['0', '0', '0', '0'],
    ],
    [
      besides,
      ['contests', 'succeeds', 'loses', 'fails', 'wins'],
      ['collected', 'refund_failed'],
      ['0', '0', '0', '-500'],
    ],
  ])('of %s: %j', async (which, steps, stands, moved) => {
    const before = await balances();
    const charge = await goingBack(which);
    await charge.happens(...steps);
    expect(await charge.stands()).toEqual(stands);
    const after = await balances();
    expect(after.map((sum, place) => String(Number(sum) - Number(before[place])))).toEqual(moved);
    await settled();
  });
});
