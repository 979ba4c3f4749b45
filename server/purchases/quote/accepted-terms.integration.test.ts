import { describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { startService } from '../../../e2e/support/service.ts';
import { service as current } from '../../service/terms.ts';

const service = await startService();
const { pool } = service.database;

/** A quote of a build that had other terms. */
async function olderQuote(agent: Agent): Promise<string> {
  const { quote_key } = (await agent.quote()).body;
  await pool.query('alter table quotes disable trigger quotes_stay_frozen');
  await pool.query(
    `update quotes set terms_version = '2020-01-01', pay_seconds = 7200, execution_seconds = 3600, review_seconds = 864000
     where quote_key = $1`,
    [quote_key],
  );
  await pool.query('alter table quotes enable trigger quotes_stay_frozen');
  return quote_key;
}

const authorize = (agent: Agent, quoteKey: string, terms_version: string) =>
  agent.post(`/api/agent/v1/purchases/${quoteKey}/authorize`, { terms_version });

/** The periods that hold for a job, in seconds. */
async function periods(jobKey: string) {
  const { rows } = await pool.query(
    `select extract(epoch from pay_by - created_at)::float as to_pay,
       extract(epoch from deliver_by - collected_at)::float as to_deliver,
       extract(epoch from review_by - delivered_at)::float as to_review
     from jobs where job_key = $1`,
    [jobKey],
  );
  return rows[0];
}

describe('terms that changed since the quote', () => {
  it('do not hold for its job: the periods are those that its buyer accepted', async () => {
    const agent = await Agent.arrive(service);
    const quoteKey = await olderQuote(agent);
    const quote = (await agent.get(`/api/agent/v1/purchases/${quoteKey}`)).body;
    expect(JSON.stringify(quote.next_actions)).toContain('"terms_version":"2020-01-01"');
    const { job_key } = (await authorize(agent, quoteKey, '2020-01-01')).body;
    expect(await periods(job_key)).toEqual({ to_pay: 7_200, to_deliver: null, to_review: null });

    await agent.pay(job_key, { signature: await agent.signPayment(job_key) });
    expect(await periods(job_key)).toMatchObject({ to_deliver: 3_600, to_review: null });
    await service.execute(job_key);
    expect(await periods(job_key)).toMatchObject({ to_review: 864_000 });
    const report = (await agent.get(`/api/agent/v1/jobs/${job_key}/report`)).body;
    expect(report.delivery.review_window_seconds).toBe(864_000);

    service.advanceClock(600);
    await agent.post(`/api/agent/v1/jobs/${job_key}/review`, { decision: 'dispute', reason: 'citation_invalid' });
    const { to_deliver } = await periods(job_key);
    expect(to_deliver).toBeGreaterThanOrEqual(600 + 3_600);
    service.advanceClock(-600);
  });

  it('are not those that its buyer accepts: neither version stands for the other', async () => {
    const agent = await Agent.arrive(service);
    const quoteKey = await olderQuote(agent);
    const refused = await authorize(agent, quoteKey, current.termsVersion);
    expect([refused.status, refused.body.code]).toEqual([409, 'terms_version_mismatch']);
    expect((await authorize(agent, quoteKey, '2020-01-01')).status).toBe(201);
  });

  it('cannot be put under a quote that somebody has', async () => {
    const { quote_key } = (await (await Agent.arrive(service)).quote()).body;
    const changed = pool.query('update quotes set review_seconds = 1 where quote_key = $1', [quote_key]);
    await expect(changed).rejects.toThrow('frozen');
  });
});
