import { beforeAll, expect, it } from 'vitest';
import { buyingByCard, heard, listen, paidOnPage, stripeOf } from '../../../e2e/support/card.ts';
import { brokenInvariants } from '../../../e2e/support/invariants.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';
import { makeAuditMonths } from '../../kernel/audit-months.ts';
import type { ObjectStore } from '../../kernel/object-store.ts';
import { closeBooks } from '../../ledger/closing.ts';
import { daySeconds } from '../../service/terms.ts';
import { archiveLedger } from './archive-months.ts';

const service = await startService(withCard);
const stripe = stripeOf(service);
const { pool } = service.database;
const { runtime } = service;
beforeAll(async () => {
  await makeAuditMonths(runtime);
  await listen(service);
});

const moneyOf = async (jobKey: string) =>
  (await pool.query('select payment_state from jobs where job_key = $1', [jobKey])).rows[0].payment_state;
const eventsHere = async (jobKey: string) =>
  (
    await pool.query('select event from ledger_transfers where job_key = $1 order by transaction, event', [jobKey])
  ).rows.map(({ event }) => event);

it('a bank takes and gives back money of purchases whose entries lie in the archive', async () => {
  const { agent } = await buyingByCard(service);
  const canceled = await paidOnPage(service, agent);
  await agent.post(`/api/agent/v1/jobs/${canceled.jobKey}/cancel`);
  await service.sweep();
  const refund = (await stripe.books()).refunds.at(-1);
  const accepted = await paidOnPage(service, agent);
  await service.execute(accepted.jobKey);
  expect((await agent.post(`/api/agent/v1/jobs/${accepted.jobKey}/review`, { decision: 'accept' })).status).toBe(200);
  const charge = await pool.query('select intent_id from card_charges where payment_key = $1', [accepted.paymentKey]);

  service.advanceClock(140 * daySeconds);
  await service.deleteExpired();
  for (const _ of [1, 2]) {
    await pool.query(`update ledger_closings set closed_at = 'epoch'`);
    await closeBooks(runtime);
  }
  const gone = await archiveLedger({
    db: runtime.db,
    archive: runtime.archive as ObjectStore,
    signer: runtime.receiptSigner,
    now: runtime.clock(),
    afterDays: 90,
  });
  expect([gone.months, await eventsHere(canceled.jobKey), await eventsHere(accepted.jobKey)]).toEqual([1, [], []]);

  await stripe.settle(refund?.id ?? '', 'failed', 'unknown');
  await heard(service);
  expect([await moneyOf(canceled.jobKey), await eventsHere(canceled.jobKey)]).toEqual([
    'refund_failed',
    ['refund_returned'],
  ]);
  const { id } = await stripe.openDispute({ payment_intent: charge.rows[0].intent_id });
  await heard(service);
  expect(await moneyOf(accepted.jobKey)).toBe('disputed');
  await stripe.closeDispute(id, 'lost');
  await heard(service);
  // What the bank takes belongs to no job.
  expect([await moneyOf(accepted.jobKey), await eventsHere(accepted.jobKey)]).toEqual(['reversed', ['reversed']]);
  expect(await brokenInvariants(pool)).toEqual([]);
  service.advanceClock(-140 * daySeconds);
});
