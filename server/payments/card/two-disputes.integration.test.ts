import { beforeAll, describe, expect, it } from 'vitest';
import { buyingByCard, heard, listen, paidOnPage, payByCard, stripeOf } from '../../../e2e/support/card.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';

const service = await startService(withCard);
const stripe = stripeOf(service);
const { pool } = service.database;
beforeAll(() => listen(service));

const moneyOf = async (jobKey: string) =>
  (await pool.query('select payment_state from jobs where job_key = $1', [jobKey])).rows[0].payment_state;
const intentOf = async (paymentKey: string) =>
  (await pool.query('select intent_id from card_charges where payment_key = $1', [paymentKey])).rows[0].intent_id;
const stuckEvents = async () =>
  (await pool.query('select type, failure from card_events where handled_at is null and tries > 1')).rows;
const differences = async () =>
  (await pool.query('select object_id, ours, theirs from reconciliation_differences where gone_at is null')).rows;

async function paidJob() {
  const { agent } = await buyingByCard(service);
  const { jobKey, paymentKey } = await paidOnPage(service, agent);
  const intent = await intentOf(paymentKey);
  const open = async (how: { inquiry?: boolean; amount?: number; again?: boolean } = {}) => {
    const { id } = await stripe.openDispute({ payment_intent: intent, ...how });
    await heard(service);
    return async (outcome: 'won' | 'lost', more = {}) => {
      await stripe.closeDispute(id, outcome, more);
      await heard(service);
    };
  };
  const holds = async () => (await agent.get('/api/agent/v1/me')).body.holds.length;
  return { agent, jobKey, open, holds };
}

describe('a second dispute of one charge', () => {
  it.each([
    ['an inquiry that is closed', { inquiry: true }, 'won'],
    ['a chargeback that is won', {}, 'won'],
    ['a chargeback that is lost', {}, 'lost'],
  ] as const)('%s leaves the block of the first, which was lost, to an operator', async (_, how, end) => {
    const { agent, jobKey, open, holds } = await paidJob();
    await service.execute(jobKey);
    const close = await open();
    await close('lost');
    expect(await holds()).toBe(1);
    const closeAgain = await open({ again: true, ...how });
    await closeAgain(end);
    expect([await holds(), await moneyOf(jobKey), await stuckEvents()]).toEqual([1, 'reversed', []]);
    expect((await payByCard(agent, await agent.authorizedJob().catch(() => ''))).status).not.toBe(202);
  });

  it('that is lost besides, and won after all, is an expense meanwhile', async () => {
    const { jobKey, open, holds } = await paidJob();
    await service.execute(jobKey);
    const [close, closeAgain] = [await open(), await open({ again: true })];
    await close('lost');
    await closeAgain('lost');
    const expenses = async () =>
      (
        await pool.query(
          `select coalesce(sum(case when debit_account = 'expense:reversals' then amount_microcents else -amount_microcents end), 0)::text
             as sum from ledger_transfers where job_key = $1 and 'expense:reversals' in (debit_account, credit_account)`,
          [jobKey],
        )
      ).rows[0].sum;
    expect(await expenses()).toBe('500000000');
    await closeAgain('won');
    expect([await expenses(), await moneyOf(jobKey), await holds()]).toEqual(['0', 'reversed', 1]);
    await close('won');
    expect([await moneyOf(jobKey), await holds(), await stuckEvents()]).toEqual(['refunded', 0, []]);
  });

  it('that is lost while the first is open reverses the payment once, whatever becomes of the first', async () => {
    for (const end of ['won', 'lost'] as const) {
      const { jobKey, open, holds } = await paidJob();
      const [close, closeAgain] = [await open(), await open({ again: true })];
      await closeAgain('lost');
      expect(await moneyOf(jobKey)).toBe('reversed');
      await close(end);
      expect([await moneyOf(jobKey), await holds(), await stuckEvents()]).toEqual(['reversed', 1, []]);
    }
  });

  it('that was lost, too, holds the payment when the first is won after all', async () => {
    const { jobKey, open, holds } = await paidJob();
    await service.execute(jobKey);
    const [close, closeAgain] = [await open(), await open({ again: true })];
    await close('lost');
    await closeAgain('lost');
    await close('won');
    expect([await moneyOf(jobKey), await holds(), await stuckEvents()]).toEqual(['reversed', 1, []]);
    await closeAgain('won');
    expect([await moneyOf(jobKey), await holds(), await stuckEvents()]).toEqual(['refunded', 0, []]);
  });

  it('that is open keeps the payment contested when the first was lost and is won after all', async () => {
    const { jobKey, open, holds } = await paidJob();
    const [close, closeAgain] = [await open(), await open({ again: true })];
    await close('lost');
    await close('won');
    expect([await moneyOf(jobKey), await holds()]).toEqual(['disputed', 1]);
    await closeAgain('won');
    expect([await moneyOf(jobKey), await holds(), await stuckEvents()]).toEqual(['refunded', 0, []]);
  });

  it('that is open when the first is won keeps the payment contested', async () => {
    const { jobKey, open, holds } = await paidJob();
    const [close, closeAgain] = [await open(), await open({ again: true })];
    await close('won');
    expect([await moneyOf(jobKey), await holds()]).toEqual(['disputed', 1]);
    await closeAgain('won');
    expect([await moneyOf(jobKey), await holds()]).toEqual(['collected', 0]);
  });
});

describe('a dispute', () => {
  it('stands as it was read last, though an older reading comes in behind', async () => {
    const { jobKey, open, holds } = await paidJob();
    const closed = await open({ inquiry: true });
    await stripe.fault({ mode: 'hold_after', on: 'disputes.retrieve', times: 1 });
    const { id } = (await stripe.books()).disputes.at(-1) ?? { id: '' };
    await stripe.closeDispute(id, 'won');
    await stripe.untilDelivered();
    const slow = service.sweep();
    await stripe.untilHeld();
    // Its holder takes it up again.
    await closed('lost');
    await stripe.release();
    await slow;
    expect([await moneyOf(jobKey), await holds()]).toEqual(['disputed', 1]);
    await closed('lost');
    expect([await moneyOf(jobKey), await holds(), await stuckEvents()]).toEqual(['reversed', 1, []]);
  });

  it('whose fee comes back when it is won leaves no difference', async () => {
    const { open } = await paidJob();
    const close = await open();
    await close('won', { fee_back: 1_500 });
    for (let look = 0; look < 2; look += 1) {
      service.advanceClock(310);
      await service.sweep();
    }
    service.advanceClock(-620);
    expect(await differences()).toEqual([]);
  });
});
