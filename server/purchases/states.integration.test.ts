import { describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';
import { jobStates, transitions } from './states.ts';

const service = await startService();
const { pool } = service.database;

describe('the life of a job', () => {
  it('is the same table in the code and in the database', async () => {
    const inCode = new Set(Object.values(transitions).flatMap(({ from, to }) => from.map((state) => `${state} ${to}`)));
    const { rows } = await pool.query<{ step: string }>(
      `select a || ' ' || b as step from unnest($1::text[]) a, unnest($1::text[]) b where job_may_go(a, b)`,
      [jobStates],
    );
    expect(new Set(rows.map(({ step }) => step))).toEqual(inCode);
  });

  it('does not leave the table, whatever the code does: the database refuses', async () => {
    const jobKey = await (await Agent.arrive(service)).authorizedJob();
    const skipped = pool.query(`update jobs set state = 'running', charge_state = 'held' where job_key = $1`, [jobKey]);
    await expect(skipped).rejects.toThrow('may not go from awaiting_payment to running');
  });
});
