import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { RailName } from '../server/payments/contract.ts';
import type { Principal } from './arena.ts';

/** Calls a function of `purchase.sql` as one prepared statement. */
export async function callFunction(pool: pg.Pool, name: string, ...values: readonly string[]): Promise<unknown> {
  const parameters = values.map((_, index) => `$${index + 1}`).join(', ');
  const { rows } = await pool.query({ name, text: `select ${name}(${parameters}) as answer`, values: [...values] });
  return rows[0].answer;
}

/**
 * One whole purchase over SQL alone: the same transactions and reads as the service makes for it. `reads: 'own'` leaves
 * out what only the buyer wants to see, the job and the report. `by` is how it is paid.
 */
export async function buyOverSql(
  pool: pg.Pool,
  who: Principal,
  { reads = 'all', by = 'x402' }: { reads?: 'all' | 'own'; by?: RailName } = {},
): Promise<void> {
  const id = randomBytes(12).toString('hex');
  const [quote, job, payment, key] = [`quote_${id}`, `job_${id}`, `pay_${id}`, `key_${id}`];
  const message = randomUUID();
  const { principalKey, accountKey, grantKey, tokenHash } = who;
  const run = (name: string, ...values: string[]) => callFunction(pool, name, ...values);
  const authenticate = () => run('bench_credential', tokenHash);
  const recall = (operation: string, at: string) => run('bench_recall', principalKey, operation, at, key);

  await Promise.all([authenticate(), recall('check_work', '')]);
  await run('bench_quote', principalKey, accountKey, quote, key);
  await authenticate();
  await run('bench_authorize', principalKey, accountKey, grantKey, quote, job);
  await Promise.all([authenticate(), recall('pay', job), run('bench_job', job)]);
  if (by === 'x402') {
    await run('bench_claim_payment', principalKey, job, key);
    await Promise.all([authenticate(), recall('pay', job), run('bench_job', job)]);
    await run('bench_intent', principalKey, job, payment, `0x${id}`);
    await run('bench_collect', principalKey, quote, job, payment, key, message);
  } else {
    const [card] = await Promise.all([
      run('bench_card', accountKey),
      run('bench_claim_payment', principalKey, job, key),
    ]);
    await run('bench_card_intent', job, payment, key, String(card));
    await run('bench_card_note', payment);
    await run('bench_card_collect', principalKey, quote, job, payment, key, message);
  }
  await execute(pool, quote, job, message);
  if (reads === 'all') {
    await Promise.all([authenticate(), run('bench_job', job)]);
    await Promise.all([authenticate(), run('bench_report', job)]);
  }
  await authenticate();
  await run('bench_accept', principalKey, quote, job);
}

/** What the worker does for a job. Without its message, that is looked up first. */
export async function execute(pool: pg.Pool, quote: string, job: string, message?: string): Promise<void> {
  const taken = message ?? String(await callFunction(pool, 'bench_message', job));
  await callFunction(pool, 'bench_take', quote, job, taken);
  await callFunction(pool, 'bench_deliver', quote, job, taken);
}
