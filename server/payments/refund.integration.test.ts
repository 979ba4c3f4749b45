import { describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';
import { microcents } from '../kernel/money.ts';
import { type Tx, transact } from '../kernel/transaction.ts';
import { accepted, credited } from '../ledger/entries.ts';
import { post } from '../ledger/ledger.ts';
import { requestRefund } from './refund.ts';

const service = await startService();
const { runtime } = service;
const price = microcents(500_000_000);

/** Tries work on a delivered job, then takes it back: the books must stay as they were. */
async function tried(work: (tx: Tx, jobKey: string) => Promise<void>): Promise<unknown> {
  const agent = await Agent.arrive(service);
  const jobKey = await agent.paidJob();
  await service.execute(jobKey);
  const outcome = transact(runtime.db, async (tx) => {
    await work(tx, jobKey);
    await tx.one({ name: 'books', text: 'select count(*) from ledger_transfers', values: [] });
    throw new Error('taken back');
  });
  return outcome.catch((error) => error.message);
}

const owe = (tx: Tx, jobKey: string) => requestRefund(tx, { jobKey, reason: 'second_dispute', now: runtime.clock() });

describe('what was collected', () => {
  it('can be owed back once', async () => {
    expect(await tried(async (tx, jobKey) => expect(await owe(tx, jobKey)).toBe('refund_pending'))).toBe('taken back');
    const twice = await tried(async (tx, jobKey) => {
      await owe(tx, jobKey);
      await owe(tx, jobKey);
    });
    expect(twice).toContain('ledger_transfers_pkey');
  });

  it.each([
    ['credited', credited],
    ['earned', accepted],
  ])('is not %s as well, whatever the code does: the database refuses', async (_, movement) => {
    const both = await tried(async (tx, jobKey) => {
      await owe(tx, jobKey);
      const principalKey = 'whoever';
      post(tx, { ...movement, key: jobKey, jobKey, principalKey, amount: price, at: runtime.clock() });
    });
    expect(both).toContain('gives more of liability:held');
  });
});
