import { afterAll, expect, it } from 'vitest';
import { testDatabase } from '../../commands/test-database.ts';
import { hangingProxy } from '../../e2e/support/hanging-proxy.ts';
import { isDatabaseTrouble, openDatabase, silenceMaxMs } from './database.ts';
import { sql } from './sql.ts';
import { transact } from './transaction.ts';

const database = await testDatabase();
const proxy = await hangingProxy(database.url);
const db = openDatabase(proxy.url, { connections: 6 });
afterAll(async () => {
  proxy.resume();
  await db.end();
  await proxy.close();
});

it('a machine that vanished without a word is given up, by who asks again and again, too', {
  timeout: 2 * silenceMaxMs,
}, async () => {
  const ask = { shared: () => db.shared.one(sql`select 1 as it`), alone: () => db.one(sql`select 1 as it`) };
  await ask.alone();
  for (let line = 0; line < 3; line += 1) await ask.shared();
  proxy.hang();
  // New questions on the same lines must not hide that no answer comes.
  const asking = setInterval(() => ask.shared().catch(() => {}), 500);
  const commit = transact(db, async (tx) => tx.one(sql`select 1 as it`));
  const settled = await Promise.allSettled([ask.shared(), ask.alone(), commit]);
  clearInterval(asking);
  const reasons = settled.map((one) => (one.status === 'rejected' ? one.reason : null));
  expect(reasons.map(isDatabaseTrouble)).toEqual([true, true, true]);
  expect(reasons[0]?.message).toBe('Connection terminated: the database does not answer');
  proxy.resume();
  await expect.poll(() => ask.shared().catch(() => null), { timeout: 10_000 }).toEqual({ it: 1 });
});
