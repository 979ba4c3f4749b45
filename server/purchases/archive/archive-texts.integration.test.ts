import { beforeEach, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { startService } from '../../../e2e/support/service.ts';
import { perform } from '../../door/perform.ts';
import { makeAuditMonths } from '../../kernel/audit-months.ts';
import type { ObjectStore } from '../../kernel/object-store.ts';
import { daySeconds } from '../../service/terms.ts';
import { operatorContext } from '../../transports/context.ts';
import { archiveDue } from './archive-due.ts';
import { dropEmptyMonths } from './archive-months.ts';
import { checkArchive } from './check-archive.ts';

const service = await startService();
const { pool } = service.database;
const { runtime } = service;
const store = runtime.archive as ObjectStore;
const jobAt = (jobKey: string) => `/api/agent/v1/jobs/${jobKey}`;

let agent: Agent;
beforeEach(async () => {
  await makeAuditMonths(runtime);
  agent = await Agent.arrive(service);
});

async function accepted(): Promise<string> {
  const jobKey = await agent.paidJob();
  await service.execute(jobKey);
  expect((await agent.post(`${jobAt(jobKey)}/review`, { decision: 'accept' })).status).toBe(200);
  return jobKey;
}

/** Does `work` when what was bought until now is old, its month is over, and its content is deleted. */
async function whenOld(work: () => Promise<void>): Promise<void> {
  const seconds = 140 * daySeconds;
  service.advanceClock(seconds);
  try {
    await service.deleteExpired();
    await agent.signIn();
    await work();
  } finally {
    service.advanceClock(-seconds);
    await agent.signIn();
  }
}

/** A run of `npm run archive`, as far as texts go. */
async function archive(): Promise<void> {
  const archiver = { db: runtime.db, archive: store, signer: runtime.receiptSigner, now: runtime.clock() };
  await archiveDue({ ...archiver, afterDays: 90 });
  await dropEmptyMonths({ ...archiver, afterDays: 90 });
}

/** The tables in which the texts of a job lie. */
async function tablesOf(jobKey: string): Promise<string[]> {
  const { rows } = await pool.query(
    'select distinct tableoid::regclass::text as part from job_texts where job_key = $1',
    [jobKey],
  );
  return rows.map(({ part }) => part);
}

const isThere = async (table: string) =>
  (await pool.query('select to_regclass($1) is not null as is_there', [table])).rows[0].is_there;

async function texts(jobKey: string): Promise<string[]> {
  const answers = await Promise.all(
    ['report', 'receipt', 'receipts'].map((part) => agent.get(`${jobAt(jobKey)}/${part}`)),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  return answers.map(({ text }) => text);
}

describe('the texts of a month', () => {
  it('lie in its table, which goes once the archive has all of them; every door reads them as they were', async () => {
    const jobKey = await accepted();
    const before = await texts(jobKey);
    const [table = ''] = await tablesOf(jobKey);
    expect(table).toMatch(/^job_texts_\d{4}_\d\d$/);
    await whenOld(async () => {
      await archive();
      expect(await isThere(table)).toBe(false);
      expect(await texts(jobKey)).toEqual(before);
      expect((await checkArchive(runtime.db, store)).faults).toEqual([]);
    });
  });

  it('keep their table while one of them is here, and while the month is not over', async () => {
    const jobKey = await accepted();
    const [table = ''] = await tablesOf(jobKey);
    await archive();
    expect(await isThere(table)).toBe(true);
    await whenOld(async () => {
      // Its content is here still, so it may not go.
      const open = await agent.job(jobKey);
      await pool.query(`set session_replication_role = replica;
        update quotes set input = 'v2.0000000000000000.' where quote_key = '${open.body.quote_key}';
        set session_replication_role = origin`);
      await archive();
      expect(await isThere(table)).toBe(true);
      await pool.query(`update quotes set input = null where quote_key = '${open.body.quote_key}'`);
      await archive();
      expect(await isThere(table)).toBe(false);
    });
  });

  it('get what comes after their table has gone in the default one, and that goes in time, too', async () => {
    const jobKey = await accepted();
    await whenOld(async () => {
      await archive();
      await perform('refund_charge', operatorContext(runtime), { key: jobKey, reason: 'a trial' });
      await service.sweep();
      expect(await tablesOf(jobKey)).toEqual(['job_texts_default']);
      const [, , chain] = await texts(jobKey);
      expect(JSON.parse(chain ?? '').receipts.at(-1).remedy.kind).toBe('refund');
      await whenOld(async () => {
        await archive();
        expect(await tablesOf(jobKey)).toEqual([]);
        expect((await texts(jobKey))[2]).toEqual(chain);
      });
    });
  });

  it('wait for who writes one, and stay for that', async () => {
    const jobKey = await accepted();
    const [table = ''] = await tablesOf(jobKey);
    await whenOld(async () => {
      await archiveDue({
        db: runtime.db,
        archive: store,
        signer: runtime.receiptSigner,
        now: runtime.clock(),
        afterDays: 90,
      });
      const writer = await pool.connect();
      try {
        await writer.query('begin');
        await writer.query(
          `insert into job_texts (job_key, kind, number, body, at, month)
          values ($1, 'receipts', 99, '{}', now(), job_month($1))`,
          [jobKey],
        );
        const dropping = archive();
        const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        await expect.poll(async () => (await pool.query(waiting)).rowCount, { timeout: 10_000 }).toBeGreaterThan(0);
        await writer.query('commit');
        await dropping;
        expect(await isThere(table)).toBe(true);
      } finally {
        writer.release();
        await pool.query(`set session_replication_role = replica;
          delete from job_texts where job_key = '${jobKey}'; set session_replication_role = origin`);
      }
      await archive();
      expect(await isThere(table)).toBe(false);
    });
  });

  it('go while somebody vacuums those of another month', async () => {
    const [table = ''] = await tablesOf(await accepted());
    const { rows } = await pool.query(
      `select relname as next from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'job_texts'::regclass and relname <> $1 order by relname desc limit 2`,
      [table],
    );
    await whenOld(async () => {
      const other = await pool.connect();
      try {
        await other.query('begin');
        await other.query(`lock table ${rows.at(-1).next} in share update exclusive mode`);
        const archiver = {
          db: runtime.db,
          archive: store,
          signer: runtime.receiptSigner,
          now: runtime.clock(),
          afterDays: 90,
        };
        await archiveDue(archiver);
        const { rows: dropped } = await pool.query('select drop_text_month($1) as is_gone', [
          `${table.slice(-7).replace('_', '-')}-01`,
        ]);
        expect([dropped[0].is_gone, await isThere(table)]).toEqual([true, false]);
      } finally {
        await other.query('rollback');
        other.release();
      }
    });
  });
});

describe('the tables of texts', () => {
  it('refuse another month, any change, and to be emptied', async () => {
    const jobKey = await accepted();
    await expect(
      pool.query(`insert into job_texts values ($1, 'receipts', 9, '{}', now(), '2020-01-01')`, [jobKey]),
    ).rejects.toThrow('belong to');
    const { rows } = await pool.query(`select inhrelid::regclass::text as part from pg_inherits
      where inhparent = 'job_texts'::regclass`);
    expect(rows.length).toBeGreaterThanOrEqual(3);
    for (const table of [...rows.map(({ part }) => part), 'job_texts']) {
      await expect(pool.query(`truncate ${table}`)).rejects.toThrow('only grows');
    }
    const [table] = await tablesOf(jobKey);
    for (const change of [`delete from ${table}`, `update ${table} set body = '{}'`]) {
      await expect(pool.query(change)).rejects.toThrow('stays until the archive has it');
    }
  });

  it('stop no purchase where one is missing: the default has it, and it goes to the archive like any', async () => {
    await whenOld(async () => {
      await archive();
    });
    const { rows } = await pool.query(`select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'job_texts'::regclass and relname ~ '_[0-9]{4}_[0-9]{2}$'`);
    for (const { relname } of rows) await pool.query(`drop table ${relname}`);
    const jobKey = await accepted();
    const before = await texts(jobKey);
    expect(await tablesOf(jobKey)).toEqual(['job_texts_default']);
    await whenOld(async () => {
      await archive();
      expect(await tablesOf(jobKey)).toEqual([]);
      expect(await texts(jobKey)).toEqual(before);
    });
  });

  it('refuse a report or receipt without its text', async () => {
    const jobKey = await agent.paidJob();
    await expect(
      pool.query(`insert into reports (job_key, number, digest, delivered_at) values ($1, 1, 'sha256:0', now())`, [
        jobKey,
      ]),
    ).rejects.toThrow('has no text');
    await expect(
      pool.query(
        `insert into receipts (receipt_key, job_key, sequence, digest, issued_at)
        values ('rcpt_1', $1, 2, 'sha256:0', now())`,
        [jobKey],
      ),
    ).rejects.toThrow('has no text');
  });
});
