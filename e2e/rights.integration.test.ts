import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../sandbox/ports.ts';
import { Agent } from './support/agent.ts';
import { rights } from './support/handbook.ts';
import { scrape } from './support/scrape.ts';
import { startService } from './support/service.ts';

const service = await startService();
const { pool, url } = service.database;
const role = `operated_${randomBytes(4).toString('hex')}`;
const restricted = Object.assign(new URL(url), { username: role, password: 'trial' }).href;

/** docs/rights.sql, as it is run after a migration. */
beforeAll(async () => {
  await pool.query(rights(role));
  await pool.query(`alter role ${role} password 'trial'`);
});
afterAll(async () => {
  await pool.query(`drop owned by ${role}; drop role ${role}`);
  await pool.query(
    `reassign owned by ${role}_owner to current_user; drop owned by ${role}_owner; drop role ${role}_owner`,
  );
});

describe('the rights in the database that the handbook names', () => {
  it('are enough to sell, to check, and for each round of a worker', { timeout: 120_000 }, async () => {
    const metrics = await freePort();
    const door = await service.startDoor({ DATABASE_URL: restricted });
    const worker = service.startWorker({ DATABASE_URL: restricted, METRICS_PORT: String(metrics) });
    await worker.ready;
    const agent = await Agent.arrive({ ...service, baseUrl: door.baseUrl });
    const job = await agent.paidJob();
    for (let state = ''; state !== 'delivered'; ) state = (await agent.job(job, { prefer: 'wait=25' })).body.state;
    expect((await agent.post(`/api/agent/v1/jobs/${job}/review`, { decision: 'accept' })).status).toBe(200);
    const rounds = [
      'sweep',
      'deleteExpired',
      'forgetStrangers',
      'sealAudit',
      'closeBooks',
      'countHours',
      'makeAuditMonths',
      'keepAnswerWeeks',
    ];
    const told = await vi.waitFor(
      async () => {
        const { text } = await scrape(metrics);
        for (const round of rounds)
          expect(text).toMatch(new RegExp(`last_success_timestamp_seconds\\{round="${round}"`));
        return text;
      },
      { timeout: 20_000, interval: 500 },
    );
    expect(told).not.toMatch(/round_failures_total\{.*\} [1-9]/);
    await worker.stop();
    await door.stop();
  });

  it('are enough to count the connections of everybody to PostgreSQL', { timeout: 60_000 }, async () => {
    const metrics = await freePort();
    const door = await service.startDoor({ DATABASE_URL: restricted, METRICS_PORT: String(metrics) });
    // More than the process may open itself.
    const others = Array.from({ length: 40 }, () => new pg.Client({ connectionString: url }));
    for (const other of others) await other.connect();
    const used = async () => (await scrape(metrics)).value('work_check_server_connections', { state: 'used' });
    await expect.poll(used, { timeout: 20_000 }).toBeGreaterThanOrEqual(others.length);
    for (const other of others) await other.end();
    await door.stop();
  });

  it('let the service drop a month of audit or books that the archive has, and nobody who only reads', async () => {
    const reader = `${role}_reader`;
    await pool.query(
      `create role ${reader} login password 'trial'; grant select on all tables in schema public to ${reader}`,
    );
    const as = async (username: string, statement: string) => {
      const client = new pg.Client({
        connectionString: Object.assign(new URL(url), { username, password: 'trial' }).href,
      });
      await client.connect();
      return client.query(statement).finally(() => client.end());
    };
    const dropping = "select drop_audit_month('2020-01-01', 0)";
    await expect(as(role, dropping)).rejects.toThrow('the archive lacks rows of 2020-01-01');
    const droppingBooks = "select drop_ledger_month('2020-01-01', 0)";
    await expect(as(role, droppingBooks)).rejects.toThrow('the archive lacks entries of 2020-01-01');
    await expect(as(role, 'select make_audit_months()')).resolves.toMatchObject({ rowCount: 1 });
    const droppingTexts = "select drop_text_month('2020-01-01')";
    await expect(as(role, droppingTexts)).resolves.toMatchObject({ rowCount: 1 });
    // A view of the caller's would be read with the owner's rights.
    const standIn = `create function pg_temp.own() returns setof int language plpgsql as $$
        begin execute 'alter table public.reports disable trigger user'; return next 1; end $$;
      create temp view job_texts_2020_01 as select * from pg_temp.own();
      grant all on job_texts_2020_01 to public;`;
    await as(role, standIn + droppingTexts);
    const { rows: triggers } = await pool.query(
      `select tgenabled from pg_trigger where tgrelid = 'reports'::regclass and not tgisinternal and tgenabled <> 'O'`,
    );
    expect(triggers).toEqual([]);
    for (const table of ['audit', 'ledger', 'text']) {
      await expect(as(role, `select make_${table}_month('2020-01-01')`)).rejects.toThrow(
        /permission denied for function/,
      );
    }
    await expect(as(reader, 'select count(*) from jobs')).resolves.toMatchObject({ rowCount: 1 });
    for (const call of [
      dropping,
      droppingBooks,
      droppingTexts,
      'select make_audit_months()',
      'select keep_answer_weeks()',
    ]) {
      await expect(as(reader, call)).rejects.toThrow(/permission denied for function/);
    }
    await pool.query(`drop owned by ${reader}; drop role ${reader}`);
  });

  it.each([
    'truncate jobs',
    'alter table audit_rows disable trigger all',
    'drop table audit_rows_default',
    "set session_replication_role = 'replica'",
    'drop table operator_acts',
    'create table mine (one int)',
  ])('allow no more: %s', async (statement) => {
    const client = new pg.Client({ connectionString: restricted });
    await client.connect();
    await expect(client.query(statement)).rejects.toThrow(/permission denied|must be owner/);
    await client.end();
  });
});
