import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { startService } from '../../../e2e/support/service.ts';
import { perform } from '../../door/perform.ts';
import { makeAuditMonths } from '../../kernel/audit-months.ts';
import type { ObjectStore } from '../../kernel/object-store.ts';
import { daySeconds } from '../../service/terms.ts';
import { operatorContext } from '../../transports/context.ts';
import { archiveDue } from './archive-due.ts';
import { dropTextMonths } from './archive-months.ts';
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
  await dropTextMonths({ ...archiver, afterDays: 90 });
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

  it('keep their table until the month has been over for as long as a purchase stays', async () => {
    const [table = ''] = await tablesOf(await accepted());
    await archive();
    const { rows } = await pool.query(`select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'job_texts'::regclass and relname ~ '_[0-9]{4}_[0-9]{2}$' order by relname`);
    // This month, and the next two.
    expect(rows.length).toBe(3);
    expect(rows[0].relname).toBe(table);
  });

  it('go to the default table with a few that stay, and keep theirs with more', async () => {
    const [old, kept] = [await accepted(), await accepted()];
    const before = await texts(kept);
    const [table = ''] = await tablesOf(kept);
    const { quote_key } = (await agent.job(kept)).body;
    await whenOld(async () => {
      // Its content is here again, so it may not go.
      const content = async (input: string | null) =>
        pool.query(`set session_replication_role = replica;
          update quotes set input = ${input && `'${input}'`} where quote_key = '${quote_key}';
          set session_replication_role = origin`);
      await content('v2.0000000000000000.');
      await pool.query(`set session_replication_role = replica;
        insert into job_texts select job_key, 'receipts', n, '{}', at, month
        from job_texts, generate_series(10, 109) n where job_key = '${kept}' and kind = 'reports';
        set session_replication_role = origin`);
      await archive();
      expect([await isThere(table), await tablesOf(old), await tablesOf(kept)]).toEqual([true, [], [table]]);
      await pool.query(`set session_replication_role = replica;
        delete from job_texts where number >= 10; set session_replication_role = origin`);
      await archive();
      expect([await isThere(table), await tablesOf(kept)]).toEqual([false, ['job_texts_default']]);
      expect(await texts(kept)).toEqual(before);
      await content(null);
      await archive();
      expect(await tablesOf(kept)).toEqual([]);
      expect(await texts(kept)).toEqual(before);
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

  it('wait for who writes one, which stays', async () => {
    const jobKey = await accepted();
    const [table = ''] = await tablesOf(jobKey);
    await whenOld(async () => {
      const archiver = {
        db: runtime.db,
        archive: store,
        signer: runtime.receiptSigner,
        now: runtime.clock(),
        afterDays: 90,
      };
      await archiveDue(archiver);
      const writer = await pool.connect();
      try {
        await writer.query('begin');
        await writer.query(
          `insert into job_texts (job_key, kind, number, body, at, month)
          values ($1, 'receipts', 99, '{}', now(), job_month($1))`,
          [jobKey],
        );
        const dropping = dropTextMonths(archiver);
        const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        await expect.poll(async () => (await pool.query(waiting)).rowCount, { timeout: 10_000 }).toBeGreaterThan(0);
        await writer.query('commit');
        await dropping;
        expect([await isThere(table), await tablesOf(jobKey)]).toEqual([false, ['job_texts_default']]);
      } finally {
        writer.release();
        await pool.query(`set session_replication_role = replica;
          delete from job_texts where job_key = '${jobKey}'; set session_replication_role = origin`);
      }
    });
  });

  it('are not dropped under a snapshot that may miss one', async () => {
    const jobKey = await accepted();
    const client = await pool.connect();
    try {
      await client.query('begin isolation level repeatable read');
      await client.query('select 1');
      await expect(client.query('select drop_text_month(job_month($1))', [jobKey])).rejects.toThrow(
        'read committed alone',
      );
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  it('go while somebody vacuums those of another month, and once a vacuum of theirs gives way', async () => {
    const [table = ''] = await tablesOf(await accepted());
    const { rows } = await pool.query(`select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'job_texts'::regclass and relname ~ '_[0-9]{4}_[0-9]{2}$' order by relname desc limit 1`);
    await whenOld(async () => {
      const other = await pool.connect();
      const own = await pool.connect();
      try {
        await other.query('begin');
        await other.query(`lock table ${rows[0].relname} in share update exclusive mode`);
        await own.query('begin');
        await own.query(`lock table ${table} in share update exclusive mode`);
        // As long as the database lets an automatic vacuum go on, and longer.
        const giveWay = sleep(1_500).then(() => own.query('rollback'));
        await pool.query('select drop_text_month($1)', [`${table.slice(-7).replace('_', '-')}-01`]);
        await giveWay;
        expect(await isThere(table)).toBe(false);
      } finally {
        await other.query('rollback');
        for (const client of [other, own]) client.release();
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
