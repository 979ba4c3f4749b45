import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { onFreePorts } from '../commands/ports.ts';
import { type Stack, startStack } from '../commands/stack.ts';
import { Agent, type Answer, clearFaults, facilitatorFault, settlementsOf } from './support/agent.ts';
import { chainDifferences } from './support/chain-books.ts';
import { brokenInvariants } from './support/invariants.ts';

let stack: Stack;
let pool: pg.Pool;
let app: Stack['app'];
let worker: Stack['worker'];
const folder = mkdtempSync(path.join(tmpdir(), 'crash-'));
// PostgreSQL, which root starts as nobody, must be able to enter.
chmodSync(folder, 0o755);

beforeAll(async () => {
  stack = await onFreePorts((ports) => startStack({ ports, dataDir: folder, mode: 'production' }));
  ({ app, worker } = stack);
  pool = new pg.Pool({ connectionString: stack.databaseUrl });
});
afterEach(async () => {
  await clearFaults(stack.sandboxUrl);
  const differences = await chainDifferences(pool, stack.sandboxUrl);
  expect([...(await brokenInvariants(pool)), ...differences]).toEqual([]);
});
afterAll(async () => {
  await pool.end();
  await stack.stop();
  rmSync(folder, { recursive: true, force: true });
});

const arrive = () => Agent.arrive({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } });

/** Looks until what it finds is true; a minute without it fails the test. */
async function eventually<T>(look: () => Promise<T | false | undefined>): Promise<T> {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = await look();
    if (found) return found;
    await sleep(100);
  }
  throw new Error('it did not come about');
}

const inState = (agent: Agent, jobKey: string, state: string) =>
  eventually(async () => {
    const { body } = await agent.job(jobKey);
    return body?.state === state && body;
  });

/** Keeps every writer of a table waiting, as a slow disk would, until the returned function is called. */
async function block(table: string): Promise<() => Promise<void>> {
  const client = await pool.connect();
  await client.query('begin');
  await client.query(`lock table ${table} in access exclusive mode`);
  return async () => {
    await client.query('commit');
    client.release();
  };
}

const waitsOn = (table: string) =>
  eventually(async () => {
    const { rowCount } = await pool.query('select 1 from pg_locks where not granted and relation = $1::regclass', [
      table,
    ]);
    return rowCount;
  });

async function restartApp(): Promise<void> {
  app = await stack.startApp();
}

/** A signed payment on its way; how its request ends does not matter. */
async function paying(agent: Agent): Promise<{ jobKey: string; signature: string; answer: Promise<Answer | null> }> {
  const jobKey = await agent.authorizedJob();
  const signature = await agent.signPayment(jobKey);
  return { jobKey, signature, answer: agent.pay(jobKey, { key: 'the payment', signature }).catch(() => null) };
}

/** Money moved once, the report came once, and the buyer's repeat is answered as if nothing had happened. */
async function boughtOnce(agent: Agent, jobKey: string, signature: string): Promise<void> {
  await inState(agent, jobKey, 'delivered');
  const settlements = await settlementsOf(stack.sandboxUrl, agent.wallet.address);
  expect(settlements.flatMap((settlement) => settlement.transactions)).toHaveLength(1);
  const repeated = await agent.pay(jobKey, { key: 'the payment', signature });
  expect([repeated.status, repeated.body.payment_state]).toEqual([200, 'collected']);
  const reports = await pool.query('select 1 from reports where job_key = $1', [jobKey]);
  expect(reports.rowCount).toBe(1);
}

describe('a server killed in the middle of a payment', () => {
  it('loses nothing between the intent and the call: the money moves afterwards and buys the check', async () => {
    const agent = await arrive();
    await facilitatorFault(stack.sandboxUrl, { mode: 'hold_before_settle' });
    const { jobKey, signature, answer } = await paying(agent);
    await eventually(async () => (await agent.job(jobKey)).body.payment_state === 'processing');
    await app.kill();
    await answer;
    await clearFaults(stack.sandboxUrl);
    await restartApp();
    await boughtOnce(agent, jobKey, signature);
  });

  it('loses nothing between the call and the fact: the chain tells what became of the money', async () => {
    const agent = await arrive();
    await facilitatorFault(stack.sandboxUrl, { mode: 'hold_after_settle' });
    const { jobKey, signature, answer } = await paying(agent);
    await eventually(async () => {
      const [settlement] = await settlementsOf(stack.sandboxUrl, agent.wallet.address);
      return settlement?.transactions.length === 1;
    });
    await app.kill();
    await answer;
    await restartApp();
    await boughtOnce(agent, jobKey, signature);
  });

  it('loses nothing while it writes the fact down', async () => {
    const agent = await arrive();
    const { jobKey, signature, answer } = await (async () => {
      const unblock = await block('receipts');
      const payment = await paying(agent);
      await waitsOn('receipts');
      await app.kill();
      await unblock();
      return payment;
    })();
    await answer;
    await restartApp();
    await boughtOnce(agent, jobKey, signature);
  });

  it('loses nothing after the fact: the answer that never arrived is given again', async () => {
    const agent = await arrive();
    const { jobKey, signature, answer } = await paying(agent);
    await eventually(async () => {
      const { rowCount } = await pool.query(`select 1 from payments where job_key = $1 and state = 'collected'`, [
        jobKey,
      ]);
      return rowCount;
    });
    await app.kill();
    await answer;
    await restartApp();
    await boughtOnce(agent, jobKey, signature);
  });
});

describe('a worker killed in the middle of a check', () => {
  it('is relieved, and the report is delivered once', async () => {
    const agent = await arrive();
    const unblock = await block('reports');
    const { jobKey, signature, answer } = await paying(agent);
    await waitsOn('reports');
    await worker.kill();
    await unblock();
    await answer;
    worker = stack.startWorker();
    await boughtOnce(agent, jobKey, signature);
  });

  it('is relieved in a re-check, too, and the corrected report is delivered once', async () => {
    const agent = await arrive();
    const { jobKey, signature, answer } = await paying(agent);
    await answer;
    await boughtOnce(agent, jobKey, signature);
    await worker.kill();
    const disputed = await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'dispute', reason: 'other' });
    expect(disputed.body.state).toBe('rechecking');
    const unblock = await block('reports');
    worker = stack.startWorker();
    await waitsOn('reports');
    await worker.kill();
    await unblock();
    worker = stack.startWorker();
    await inState(agent, jobKey, 'redelivered');
    const reports = await pool.query('select 1 from reports where job_key = $1', [jobKey]);
    expect(reports.rowCount).toBe(2);
  });

  it('leaves a paid job to the next worker when none was there', async () => {
    const agent = await arrive();
    await worker.kill();
    const { jobKey, signature, answer } = await paying(agent);
    await answer;
    worker = stack.startWorker();
    await boughtOnce(agent, jobKey, signature);
  });
});
