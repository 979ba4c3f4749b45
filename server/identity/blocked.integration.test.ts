import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';
import { transact } from '../kernel/transaction.ts';
import { blockAccount, liftBlocks } from './blocked.ts';

const service = await startService();
const { pool } = service.database;
const { db } = service.runtime;

/** The payment of a fresh job of this agent. */
async function paymentBy(agent: Agent): Promise<{ payment: string; account: string }> {
  const jobKey = await agent.paidJob();
  const { rows } = await pool.query(
    'select payment_key as payment, account_key as account from payments join jobs using (job_key) where job_key = $1',
    [jobKey],
  );
  return rows[0];
}

const block = (account: string, paymentKey: string) =>
  transact(db, async (tx) => blockAccount(tx, account, { cause: 'payment_reversed', paymentKey, now: new Date() }));

const blocksOf = async (account: string) =>
  (await pool.query('select * from purchase_blocks where account_key = $1 order by created_at', [account])).rows;

/** Whether the agent may authorize a quote now. */
async function mayBuy(agent: Agent): Promise<boolean> {
  const { body: quote } = await agent.quote();
  const { status, body } = await agent.authorize(quote.quote_key);
  if (status !== 201) expect([status, body.code]).toEqual([403, 'purchases_blocked']);
  return status === 201;
}

describe('a block of new purchases', () => {
  it('is lifted without lifting another: whoever has two waits for both', async () => {
    const agent = await Agent.arrive(service);
    const [one, two] = [await paymentBy(agent), await paymentBy(agent)];
    await block(one.account, one.payment);
    await block(two.account, two.payment);
    await block(two.account, two.payment);
    expect(await blocksOf(one.account)).toHaveLength(2);
    const lift = (which: string) =>
      liftBlocks(db, which, { actor: 'system', because: 'The chain holds the payment after all.', now: new Date() });
    expect(await lift(one.payment)).toBe(1);
    expect(await mayBuy(agent)).toBe(false);
    expect((await agent.get('/api/agent/v1/me')).body.holds).toEqual(['payment_reversed']);
    expect(await lift(one.payment)).toBe(0);
    expect(await lift(two.payment)).toBe(1);
    expect(await mayBuy(agent)).toBe(true);
  });

  it('is lifted by an operator with a reason, which is kept with it and in the history of the account', async () => {
    const agent = await Agent.arrive(service);
    const { payment, account } = await paymentBy(agent);
    await block(account, payment);
    const [{ block_key }] = await blocksOf(account);
    const command = path.resolve(import.meta.dirname, '../../commands/unblock.ts');
    const env = {
      ...process.env,
      DATABASE_URL: service.database.url,
      BASE_URL: service.baseUrl,
      ENVIRONMENT: 'test',
      SECRET_KEY: 'x'.repeat(43),
      NEXTAUTH_SECRET: 'x'.repeat(43),
      RECEIPT_KEYS_FILE: 'unused',
    };
    const unblock = (...words: string[]) => promisify(execFile)(process.execPath, [command, ...words], { env });
    await expect(unblock(block_key, ' ')).rejects.toThrow('Give a reason.');
    expect(await mayBuy(agent)).toBe(false);
    const { stdout } = await unblock(block_key, 'paid', 'by', 'invoice');
    expect(stdout).toBe(`One block of ${block_key} lifted.\n`);
    expect(await blocksOf(account)).toMatchObject([{ lifted_by: 'operator', lifted_because: 'paid by invoice' }]);
    const { rows } = await pool.query(
      `select actor, action, detail from account_events where account_key = $1 order by sequence`,
      [account],
    );
    expect(rows).toEqual([
      {
        actor: 'system',
        action: 'purchases_blocked',
        detail: { block_key, cause: 'payment_reversed', payment_key: payment },
      },
      {
        actor: 'operator',
        action: 'purchases_unblocked',
        detail: { block_key, cause: 'payment_reversed', payment_key: payment, because: 'paid by invoice' },
      },
    ]);
    expect(await mayBuy(agent)).toBe(true);
  });

  it('stays as it was set: nobody rewrites, reopens or deletes it', async () => {
    const agent = await Agent.arrive(service);
    const { payment, account } = await paymentBy(agent);
    await block(account, payment);
    await expect(pool.query(`update purchase_blocks set cause = 'remedies'`)).rejects.toThrow('can only be lifted');
    await liftBlocks(db, account, { actor: 'operator', because: 'settled', now: new Date() });
    const reopen = `update purchase_blocks set lifted_at = null, lifted_by = null, lifted_because = null`;
    await expect(pool.query(reopen)).rejects.toThrow('can only be lifted');
    await expect(pool.query('delete from purchase_blocks')).rejects.toThrow('only grows');
  });
});
