import { expect, it } from 'vitest';
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
  expect(rows.map(({ at }) => at.toISOString() >= time)).toEqual([true]);
  await worker.stop();
});
