import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { Agent } from '../e2e/support/agent.ts';
import { startService } from '../e2e/support/service.ts';
import { buyOverSql } from './sql-buyer.ts';

const service = await startService(undefined, { checked: false });
const pool = new pg.Pool({ connectionString: service.database.url });
afterAll(() => pool.end());

it('the purchase that the bench makes by hand fits the tables as they are', async () => {
  const agent = await Agent.arrive(service);
  const jobKey = await agent.paidJob();
  await service.execute(jobKey);
  const { report_digest } = (await agent.job(jobKey)).body;
  await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept', report_digest });
  await pool.query(await readFile(path.join(import.meta.dirname, 'purchase.sql'), 'utf8'));
  const { rows } = await pool.query(
    `select j.principal_key as "principalKey", j.account_key as "accountKey", j.grant_key as "grantKey",
       '' as token, c.token_hash as "tokenHash"
     from jobs j join credentials c using (principal_key) where j.job_key = $1 limit 1`,
    [jobKey],
  );
  await buyOverSql(pool, rows[0]);
  const states = await pool.query('select state, payment_state from jobs where principal_key = $1', [
    rows[0].principalKey,
  ]);
  expect(states.rows).toEqual(Array(2).fill({ state: 'accepted', payment_state: 'collected' }));
});
