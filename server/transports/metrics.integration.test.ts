import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { scrape } from '../../e2e/support/scrape.ts';
import { startService } from '../../e2e/support/service.ts';
import { type Door, startDoor } from '../../e2e/support/start-door.ts';
import { freePort } from '../../sandbox/ports.ts';
import { readConfiguration } from '../configuration.ts';

const [doorPort, tokenPort, workerPort] = [await freePort(), await freePort(), await freePort()];
// Books that differ from the chain break the invariants on purpose.
const service = await startService({ METRICS_PORT: String(workerPort) }, { checked: false });
const token = randomBytes(32).toString('base64url');
/** For busy machines. */
const patient = { timeout: 60_000 };
let door: Door;
let agent: Agent;
let jobKey: string;

beforeAll(async () => {
  door = await startDoor({ ...service.environment, METRICS_PORT: String(doorPort) });
  agent = (await Agent.arrive(service)).at(door.baseUrl);
  jobKey = await agent.paidJob();
  await agent.get('/api/agent/v1/jobs/job_none');
});

describe('the figures of a web process', { timeout: 120_000 }, () => {
  it('count operations and requests by how they ended', async () => {
    const read = await scrape(doorPort);
    expect(read.value('work_check_operations_total', { operation: 'check_work', status: '201' })).toBe(1);
    expect(read.value('work_check_operations_total', { operation: 'pay', status: '402' })).toBe(1);
    expect(read.value('work_check_operations_total', { operation: 'job', status: '404' })).toBe(1);
    expect(read.value('work_check_operation_duration_seconds_count', { operation: 'authorize' })).toBe(1);
    expect(read.value('work_check_http_requests_total', { kind: 'api', status: '404' })).toBe(1);
  });

  it('tell what waits, which providers answer, what is sold, and how the process is', async () => {
    const read = await scrape(doorPort);
    expect(read.value('work_check_jobs', { state: 'queued' })).toBe(1);
    expect(read.value('work_check_queue_depth', { queue: 'check' })).toBe(1);
    expect(read.value('work_check_queue_oldest_seconds', { queue: 'check' })).toBeGreaterThanOrEqual(0);
    expect(read.value('work_check_queue_depth', { queue: 'letter' })).toBe(0);
    expect(read.value('work_check_payments_open', { state: 'unknown' })).toBe(0);
    expect(read.value('work_check_refunds_open', { state: 'refund_pending' })).toBe(0);
    for (const provider of ['x402', 'eip155:84532', 'eip155:421614', 'mail', 'database']) {
      expect(read.value('work_check_provider_up', { provider }), provider).toBe(1);
    }
    expect(read.value('work_check_available', { what: 'checks' })).toBe(1);
    expect(read.value('work_check_database_connections', { state: 'limit' })).toBe(12);
    expect(read.value('nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0);
  });

  it('count what accounts that never accepted had done and gave up, and no more once they accept', async () => {
    const wallet = await Agent.arrive(service);
    const decide = async (job: string, decision: object) => {
      const { report_digest } = (await wallet.job(job)).body;
      return (await wallet.post(`/api/agent/v1/jobs/${job}/review`, { ...decision, report_digest })).status;
    };
    const waived = await wallet.paidJob();
    for (let report = 1; report <= 2; report += 1) {
      await service.execute(waived);
      expect(await decide(waived, { decision: 'dispute', reason: 'other' })).toBe(200);
    }
    const canceled = await wallet.paidJob();
    expect((await wallet.post(`/api/agent/v1/jobs/${canceled}/cancel`)).status).toBe(200);
    const counted = async () => {
      const read = await scrape(doorPort);
      const labels = ['waived', 'canceled', 'reports', 'refunds'];
      return labels.map((what) => read.value('work_check_newcomers_given_up_day', { what }));
    };
    await expect.poll(counted, patient).toEqual([1, 1, 2, 1]);
    const kept = await wallet.paidJob();
    await service.execute(kept);
    expect(await decide(kept, { decision: 'accept' })).toBe(200);
    await expect.poll(counted, patient).toEqual([0, 0, 0, 0]);
  });

  it('tell nothing of a log that PostgreSQL never archived, rather than that it did so just now', async () => {
    const { rows } = await service.database.pool.query('select last_archived_time as at from pg_stat_archiver');
    expect(rows).toEqual([{ at: null }]);
    expect((await scrape(doorPort)).value('work_check_log_archived_seconds')).toBeUndefined();
  });

  it('hold no key, address or content in a label', async () => {
    const { text } = await scrape(doorPort);
    expect(text).not.toMatch(/(?:job|quote|pay|acct|agent|wallet|req|refund)_[0-9A-Za-z]{8,}|0x[0-9a-fA-F]{8,}|@/);
    expect(text).not.toContain(jobKey);
    expect(text.split('\n').length).toBeLessThan(2_000);
  });

  it('stand at no address that the world reaches', async () => {
    const answer = await agent.get('/metrics', { accept: 'text/plain' });
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain('work_check_');
  });

  it('are for the holder of the token alone, where there is one', async () => {
    const guarded = await startDoor({
      ...service.environment,
      METRICS_PORT: String(tokenPort),
      METRICS_TOKEN: token,
    });
    await expect(scrape(tokenPort)).rejects.toThrow('401');
    await expect(scrape(tokenPort, { authorization: `Bearer ${token}x` })).rejects.toThrow('401');
    const read = await scrape(tokenPort, { authorization: `Bearer ${token}` });
    expect(read.value('work_check_available', { what: 'checks' })).toBe(1);
    await guarded.stop();
  });

  it('leave the machine with a token only', () => {
    const open = { ...service.environment, METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' };
    expect(() => readConfiguration(open)).toThrow(/METRICS_TOKEN is missing/);
    expect(readConfiguration({ ...open, METRICS_TOKEN: token }).metrics).toEqual({
      host: '0.0.0.0',
      port: 9464,
      token,
    });
  });

  it('are served by the new process once the old one has let go of the port', async () => {
    const next = await startDoor({ ...service.environment, METRICS_PORT: String(doorPort) });
    await door.stop();
    const read = await scrape(doorPort);
    expect(read.value('work_check_operations_total', { operation: 'check_work' })).toBeUndefined();
    await next.stop();
  });
});

describe('the figures of a worker', { timeout: 120_000 }, () => {
  it('tell of its checks and rounds, of the chains, and by how much the books differ from them', async () => {
    const worker = service.startWorker();
    await worker.ready;
    await expect.poll(async () => (await agent.at(service.baseUrl).job(jobKey)).body.state, patient).toBe('delivered');
    await expect
      .poll(
        async () => (await scrape(workerPort)).value('work_check_chain_search_lag_blocks', { network: 'eip155:84532' }),
        patient,
      )
      .toBe(0);
    const read = await scrape(workerPort);
    expect(read.value('work_check_checks_total', { result: 'done' })).toBe(1);
    expect(read.value('work_check_check_duration_seconds_count')).toBe(1);
    expect(read.value('work_check_round_last_success_timestamp_seconds', { round: 'sweep' })).toBeGreaterThan(1e9);
    expect(read.value('work_check_chain_head_block', { network: 'eip155:84532' })).toBeGreaterThan(0);
    expect(read.value('work_check_chain_search_age_seconds', { network: 'eip155:84532' })).toBeDefined();
    expect(await worker.stop()).toBe(0);

    await service.database.pool.query(`
      insert into ledger_transfers (event_key, event, debit_account, credit_account, amount_microcents, currency, at)
      values ('opening:planted', 'opening', 'asset:x402:eip155:84532', 'equity:opening', 1, 'USD', now())`);
    const another = service.startWorker();
    await another.ready;
    const told = await scrape(workerPort);
    expect(told.value('work_check_books_minus_chain_microcents', { network: 'eip155:84532' })).toBe(1);
    await another.stop();
  });

  it('tell that the database is gone instead of what it said before', async () => {
    const worker = service.startWorker();
    await worker.ready;
    expect((await scrape(workerPort)).value('work_check_queue_depth', { queue: 'check' })).toBe(0);
    await service.database.pool.query('alter table searched_chains rename to searched_chains_gone');
    const read = await scrape(workerPort);
    expect(read.value('work_check_provider_up', { provider: 'database' })).toBe(0);
    expect(read.value('work_check_queue_depth', { queue: 'check' })).toBeUndefined();
    await service.database.pool.query('alter table searched_chains_gone rename to searched_chains');
    await worker.stop();
  });
});
