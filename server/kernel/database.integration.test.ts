import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';
import { sql } from './sql.ts';
import { transact } from './transaction.ts';

const service = await startService({}, { alone: true });
const { db } = service.runtime;
const { shared } = db;

describe('a purchase and the lists that it is in', () => {
  /**
   * How often each table was scanned as a whole so far. Connections report that on request, and those of the invariant
   * checks report late, so this comes first.
   */
  const scans = async () => {
    const report = sql`select pg_stat_force_next_flush(), pg_sleep(0.05)`;
    const connections = Array.from({ length: db.pool.totalCount });
    // The shared connections, at most four, take turns from one round of the event loop to the next.
    for (let turn = 0; turn < 4; turn += 1) await shared.many(report);
    await Promise.all(connections.map(() => transact(db, (tx) => tx.many(report))));
    // A table of one row is always read whole.
    const { rows } = await service.database.pool.query(
      `select relname, seq_scan::int from pg_stat_user_tables
      where schemaname = 'public' and relname not in ('transaction_numbers', 'hours_counted')`,
    );
    return Object.fromEntries(rows.map(({ relname, seq_scan }) => [relname, seq_scan]));
  };

  it('are found by keys, even in a new database, where no table is known to be large', async () => {
    const agent = await Agent.arrive(service);
    const before = await scans();
    const jobKey = await agent.paidJob();
    await service.execute(jobKey);
    await agent.job(jobKey);
    for (const list of ['purchases', 'jobs', 'receipts', 'events']) await agent.get(`/api/agent/v1/${list}`);
    expect(await scans()).toEqual(before);
  });
});

describe('the connections that reads share', () => {
  const ask = () =>
    Promise.all(Array.from({ length: 8 }, () => shared.one<{ pid: number }>(sql`select pg_backend_pid() as pid`)));

  it('are few, however many ask', async () => {
    const pids = (await Promise.all(Array.from({ length: 20 }, ask))).flat().map(({ pid }) => pid);
    expect(new Set(pids).size).toBeLessThanOrEqual(4);
  });

  it('are replaced when the database ends them', async () => {
    const before = (await ask()).map(({ pid }) => pid);
    await service.database.pool.query('select pg_terminate_backend(pid) from unnest($1::int[]) as ended (pid)', [
      before,
    ]);
    await expect.poll(() => ask().catch(() => null)).toHaveLength(8);
    expect((await ask()).filter(({ pid }) => before.includes(pid))).toEqual([]);
  });

  it('answer each reader with its own row', async () => {
    const numbers = Array.from({ length: 200 }, (_, number) => number);
    const rows = await Promise.all(
      numbers.map((number) => shared.one<{ number: number }>(sql`select ${number}::int as number`)),
    );
    expect(rows.map(({ number }) => number)).toEqual(numbers);
  });

  it('go on after a statement that fails', async () => {
    const failed = shared.one(sql`select 1 / 0`);
    const rows = ask();
    await expect(failed).rejects.toThrow('division by zero');
    expect(await rows).toHaveLength(8);
  });
});

describe('a value that cannot be sent', () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const unsendable = sql`select ${circular}::json`;

  it('fails the statement that it belongs to, and nothing that is asked beside it', async () => {
    const beside = shared.one(sql`select 1 as one`);
    await expect(shared.one(unsendable)).rejects.toThrow('circular');
    expect(await beside).toEqual({ one: 1 });
  });

  it('ends its transaction, and the connection serves the next', async () => {
    await expect(transact(db, (tx) => tx.one(unsendable))).rejects.toThrow('circular');
    expect(await transact(db, (tx) => tx.one(sql`select 1 as one`))).toEqual({ one: 1 });
  });
});

describe('a transaction', () => {
  it('may wait for its process for 15 seconds; after that the database ends it', async () => {
    const { limit } = await transact(db, (tx) =>
      tx.one<{ limit: string }>(sql`select current_setting('idle_in_transaction_session_timeout') as limit`),
    );
    expect(limit).toBe('15s');
  });

  it('whose connection ends between two statements fails, and nothing else does', async () => {
    const ended = transact(db, async (tx) => {
      const { pid } = await tx.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      await service.database.pool.query('select pg_terminate_backend($1)', [pid]);
      await sleep(100);
      return tx.one(sql`select 1`);
    });
    await expect(ended).rejects.toThrow();
    expect(await transact(db, (tx) => tx.one(sql`select 1 as one`))).toEqual({ one: 1 });
  });
});

describe('a table that gets a column while it is in use', () => {
  const row = sql`select * from plans`;
  /** Runs the statement on every connection. Repeats find it prepared. */
  const askAll = () =>
    Promise.all([
      ...Array.from({ length: 8 }, () => new Promise((resolve) => setImmediate(resolve)).then(() => shared.one(row))),
      ...Array.from({ length: 8 }, () => db.one(row)),
      ...Array.from({ length: 8 }, () => transact(db, (tx) => tx.one(row))),
    ]);

  it('fails nobody who reads or writes it', async () => {
    const { pool } = service.database;
    await pool.query('create table plans as select 1 as one');
    for (let round = 0; round < 3; round += 1) await askAll();
    await pool.query('alter table plans add column two int default 2');
    expect(await askAll()).toEqual(Array(24).fill({ one: 1, two: 2 }));
    await pool.query('alter table plans alter column one type text');
    expect(await askAll()).toEqual(Array(24).fill({ one: '1', two: 2 }));
  });

  it('has a transaction done once, however often it is begun', async () => {
    const { pool } = service.database;
    await pool.query('alter table plans add column three int default 3');
    await transact(db, async (tx) => {
      tx.write(sql`insert into plans (one) values ('written')`);
      await tx.many(row);
    });
    expect(await db.many(sql`select one from plans where one = 'written'`)).toHaveLength(1);
    await pool.query('drop table plans');
  });
});
