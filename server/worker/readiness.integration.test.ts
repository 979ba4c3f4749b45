import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { largestCheck } from '../../e2e/steadiness/floods.ts';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';

const service = await startService();

it('a worker takes no job before it has said that it is ready', {
  timeout: 60_000,
}, async () => {
  const agent = await Agent.arrive(service);
  const jobKey = await agent.paidJob();
  const worker = service.startWorker();
  const { time } = await worker.ready;
  await expect.poll(async () => (await agent.job(jobKey)).body.state, { timeout: 20_000 }).toBe('delivered');
  const { rows } = await service.database.pool.query<{ at: Date }>(
    "select at from audit_rows join jobs on quote_key = purchase_key where job_key = $1 and action = 'start'",
    [jobKey],
  );
  // Whole milliseconds of two readings.
  expect(rows.map(({ at }) => at.getTime() + 1 >= Date.parse(time))).toEqual([true]);
  await worker.stop();
});

it('a worker that starts after an outage delivers what was due meanwhile', { timeout: 60_000 }, async () => {
  const agent = await Agent.arrive(service);
  const jobKey = await agent.paidJob();
  const { pool } = service.database;
  await pool.query(`insert into worker_presence (seen_at) values (now() - interval '1 hour')
    on conflict (id) do update set seen_at = excluded.seen_at`);
  await pool.query(`update jobs set deliver_by = now() - interval '30 minutes' where job_key = $1`, [jobKey]);
  const worker = service.startWorker();
  await expect.poll(async () => (await agent.job(jobKey)).body.state, { timeout: 40_000 }).not.toBe('queued');
  await expect.poll(async () => (await agent.job(jobKey)).body.state, { timeout: 20_000 }).toBe('delivered');
  await worker.stop();
});

it('a worker that is ready has every place warm: checks that come at once start no thread', {
  timeout: 150_000,
}, async () => {
  const agents = await Promise.all(Array.from({ length: availableParallelism() }, () => Agent.arrive(service)));
  const slowCheck = { ...largestCheck, evidence: largestCheck.evidence.slice(0, 4), criteria: ['States what arrived'] };
  const worker = service.startWorker();
  await worker.ready;
  const threads = () => readdirSync(`/proc/${worker.pid}/task`).length;
  const before = threads();
  const jobKeys = await Promise.all(agents.map((agent) => agent.paidJob(slowCheck)));
  const states = () =>
    Promise.all(agents.map(async (agent, index) => (await agent.job(jobKeys[index] ?? '')).body.state));
  await expect.poll(states, { timeout: 100_000 }).toEqual(agents.map(() => 'delivered'));
  expect(threads()).toBe(before);
  await worker.stop();
});
