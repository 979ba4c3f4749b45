import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';

/** A principal that may buy: made by signing in once, then used by both sides of the comparison. */
export interface Principal {
  principalKey: string;
  accountKey: string;
  grantKey: string;
  token: string;
  tokenHash: string;
}

/** One whole purchase over SQL alone: the same transactions and reads as the service makes for it. */
export async function buyOverSql(pool: pg.Pool, who: Principal): Promise<void> {
  const id = randomBytes(12).toString('hex');
  const [quote, job, payment, key] = [`quote_${id}`, `job_${id}`, `pay_${id}`, `key_${id}`];
  const message = randomUUID();
  const { principalKey, accountKey, grantKey, tokenHash } = who;
  const run = (name: string, ...values: string[]) =>
    pool.query({ name, text: `select ${name}(${values.map((_, index) => `$${index + 1}`).join(', ')})`, values });
  const authenticate = () => run('bench_credential', tokenHash);
  const recall = (operation: string, at: string) => run('bench_recall', principalKey, operation, at, key);

  await Promise.all([authenticate(), recall('check_work', '')]);
  await run('bench_quote', principalKey, accountKey, quote, key);
  await authenticate();
  await run('bench_authorize', principalKey, accountKey, grantKey, quote, job);
  await Promise.all([authenticate(), recall('pay', job), run('bench_job', job)]);
  await run('bench_claim_payment', principalKey, job, key);
  await Promise.all([authenticate(), recall('pay', job), run('bench_job', job)]);
  await run('bench_intent', principalKey, job, payment, `0x${id}`);
  await run('bench_collect', principalKey, quote, job, payment, key, message);
  await run('bench_take', quote, job, message);
  await run('bench_deliver', quote, job, message);
  await Promise.all([authenticate(), run('bench_job', job)]);
  await authenticate();
  await authenticate();
  await run('bench_accept', principalKey, quote, job);
}
