// Longer than 300 lines: one month on its way, seen from each side.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { brokenInvariants } from '../../../e2e/support/invariants.ts';
import { startService } from '../../../e2e/support/service.ts';
import { controlClient } from '../../../sandbox/control-client.ts';
import { readFigures } from '../../console/figures.ts';
import { perform } from '../../door/perform.ts';
import { makeAuditMonths } from '../../kernel/audit-months.ts';
import { isIntegrityViolation } from '../../kernel/database.ts';
import type { ObjectStore } from '../../kernel/object-store.ts';
import { daySeconds } from '../../service/terms.ts';
import { operatorContext } from '../../transports/context.ts';
import { archiveAudit } from './archive-months.ts';
import { checkArchive } from './check-archive.ts';

const service = await startService();
const { pool } = service.database;
const { runtime } = service;
const sandbox = controlClient(service.sandbox.controlUrl);
const store = runtime.archive as ObjectStore;
const jobAt = (jobKey: string) => `/api/agent/v1/jobs/${jobKey}`;
const nothing = { months: 0, rows: 0, bytes: 0 };

let agent: Agent;
/** A purchase as buyers and operators see it while all of it is in the database. */
let jobKey: string;
let before: Awaited<ReturnType<typeof readings>>;

beforeEach(async () => {
  await makeAuditMonths(runtime);
  agent = await Agent.arrive(service);
  jobKey = await accepted();
  before = await readings();
});
afterEach(() => sandbox.clearArchiveFaults());

async function accepted(): Promise<string> {
  const bought = await agent.paidJob();
  await service.execute(bought);
  expect((await agent.post(`${jobAt(bought)}/review`, { decision: 'accept' })).status).toBe(200);
  return bought;
}

const consolePurchase = async (key = jobKey) =>
  (await perform('console_purchase', operatorContext(runtime), { key })).body;
const verify = async (purchase_key: string) =>
  (await perform('verify_acts', operatorContext(runtime), { purchase_key })).body;
const refundCharge = () => perform('refund_charge', operatorContext(runtime), { key: jobKey, reason: 'a trial' });

async function readings() {
  const { timeline, quote_key } = await consolePurchase();
  return {
    history: (await agent.get(jobAt(jobKey))).body.timeline,
    entries: timeline.filter(({ kind }: { kind: string }) => kind === 'state'),
    quote_key: quote_key as string,
  };
}

const archive = (through = store) =>
  archiveAudit({
    db: runtime.db,
    archive: through,
    signer: runtime.receiptSigner,
    now: runtime.clock(),
    afterDays: 90,
  });

async function rowsHere(): Promise<number> {
  const { rows } = await pool.query('select count(*)::int as here from audit_rows where purchase_key = $1', [
    before.quote_key,
  ]);
  return rows[0].here;
}

/** Does `work` when the month of what was bought until now is long over: all has ended, and its content is deleted. */
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

/** What `work` is told while the database takes no month out. */
async function withoutDrop(work: () => Promise<unknown>): Promise<unknown> {
  await pool.query('alter function drop_audit_month(date, bigint) rename to kept_away');
  try {
    return await work().then(
      () => null,
      (error: unknown) => error,
    );
  } finally {
    await pool.query('alter function kept_away(date, bigint) rename to drop_audit_month');
  }
}

async function expectWhole(): Promise<void> {
  expect(await readings()).toEqual(before);
  expect((await verify(before.quote_key)).broken).toEqual([]);
  expect((await checkArchive(runtime.db, store)).faults).toEqual([]);
  expect(await brokenInvariants(pool)).toEqual([]);
}

describe('the audit of a month', () => {
  it('goes to the archive as a whole, and doors, console and check read it there as it was', async () => {
    await agent.authorizedJob();
    await agent.quote();
    service.advanceClock(2 * daySeconds);
    await service.sweep();
    service.advanceClock(-2 * daySeconds);
    const { rows } = await pool.query('select count(*)::int as all from audit_rows');
    await whenOld(async () => {
      const gone = await archive();
      expect([gone.months, gone.rows >= rows[0].all]).toEqual([1, true]);
      expect((await pool.query('select from audit_rows')).rowCount).toBe(0);
      const tables = await pool.query(`select from pg_inherits where inhparent = 'audit_rows'::regclass`);
      // The next two months, and the default.
      expect(tables.rowCount).toBe(3);
      await expectWhole();
      expect(await archive()).toEqual(nothing);
    });
  });

  it('stays while one purchase of it has not ended, can lose its content, or is young', async () => {
    expect(await archive()).toEqual(nothing);
    service.advanceClock(140 * daySeconds);
    expect(await archive()).toEqual(nothing);
    service.advanceClock(-140 * daySeconds);
    await whenOld(async () => {
      await refundCharge();
      expect(await archive()).toEqual(nothing);
      expect(await rowsHere()).toBe(before.history.length + 1);
      service.advanceClock(120 * daySeconds);
      expect((await archive()).months).toBe(1);
      service.advanceClock(-120 * daySeconds);
    });
  });

  it('gets what comes later behind what the archive has, and that goes there in time, too', async () => {
    await whenOld(async () => {
      await archive();
      await refundCharge();
      const { timeline } = (await agent.get(jobAt(jobKey))).body;
      expect(timeline.slice(0, -1)).toEqual(before.history);
      const { rows } = await pool.query('select sequence, previous_hash from audit_rows where purchase_key = $1', [
        before.quote_key,
      ]);
      expect(rows).toEqual([{ sequence: timeline.length, previous_hash: before.entries[0]?.raw.hash }]);
      expect((await verify(before.quote_key)).broken).toEqual([]);
      expect(await brokenInvariants(pool)).toEqual([]);
      before = await readings();
      service.advanceClock(200 * daySeconds);
      expect(await archive()).toMatchObject({ months: 1, rows: 1 });
      service.advanceClock(-200 * daySeconds);
      expect(await rowsHere()).toBe(0);
      await expectWhole();
    });
  });
});

describe('an archive that does not answer', () => {
  it('is 503 for who proves what lies there; the steps of a purchase are told, and what is young goes on', async () => {
    await whenOld(async () => {
      await archive();
      await sandbox.archiveFault({ mode: 'refuse', times: 'always' });
      const job = await agent.get(jobAt(jobKey));
      expect([job.status, job.body.timeline]).toEqual([200, before.history]);
      const entries = (await consolePurchase()).timeline.filter(({ kind }: { kind: string }) => kind === 'state');
      expect(entries.map(({ id }: { id: string }) => id)).toEqual(before.entries.map(({ id }: { id: string }) => id));
      expect(entries[0]?.detail).toContain('lies in the archive, which does not answer');
      await expect(verify(before.quote_key)).rejects.toMatchObject({
        code: 'service_unavailable',
        extras: { members: { reasons: ['archive_unreachable'] } },
      });
    });
    const young = await accepted();
    const { rows } = await pool.query('select quote_key from jobs where job_key = $1', [young]);
    expect((await verify(rows[0].quote_key)).broken).toEqual([]);
  });

  it('gives nothing that was changed there', async () => {
    await whenOld(async () => {
      await archive();
      const { rows } = await pool.query(
        `select encode(digest, 'hex') as hex from archived_audit
        join audit_ends using (month, until_transaction, number) where purchase_key = $1`,
        [before.quote_key],
      );
      const key = `objects/${rows[0].hex}`;
      const object = await store.get(key);
      await store.put(key, Buffer.from('another'));
      await expect(verify(before.quote_key)).rejects.toMatchObject({ code: 'service_unavailable' });
      expect((await checkArchive(runtime.db, store)).faults).toEqual([
        expect.stringMatching(/^the audit of \d{4}-\d\d-01, object \w+: the object is another one$/),
      ]);
      await store.put(key, object);
      await expectWhole();
    });
  });
});

describe('a run that dies', () => {
  const dead = new Error('died');
  /** The bucket for a run that dies at its call to `at`, before it or after. */
  const dying = (at: 'put' | 'get', prefix: string, when: 'before' | 'after'): ObjectStore => {
    const call = async <T>(name: string, key: string, work: () => Promise<T>): Promise<T> => {
      const isHere = name === at && key.startsWith(prefix);
      if (isHere && when === 'before') throw dead;
      const result = await work();
      if (isHere) throw dead;
      return result;
    };
    return {
      put: (key, bytes) => call('put', key, () => store.put(key, bytes)),
      get: (key) => call('get', key, () => store.get(key)),
    };
  };

  it.each([
    ['before it puts an object', 'put', 'objects/', 'before'],
    ['once the object is there', 'put', 'objects/', 'after'],
    ['once it has read the object back', 'get', 'objects/', 'after'],
    ['once the manifest is there', 'put', 'manifests/', 'after'],
    ['before it records the object', 'get', 'manifests/', 'after'],
  ] as const)('%s has changed nothing, and the next one does all', async (_, at, prefix, when) => {
    await whenOld(async () => {
      await expect(archive(dying(at, prefix, when))).rejects.toBe(dead);
      expect(await rowsHere()).toBe(before.history.length);
      await expectWhole();
      expect((await archive()).months).toBe(1);
      expect(await rowsHere()).toBe(0);
      await expectWhole();
    });
  });

  it('between the record and the month has doubled nothing, and the next one puts nothing again', async () => {
    await whenOld(async () => {
      expect(await withoutDrop(archive)).toMatchObject({ code: '42883' });
      expect(await rowsHere()).toBe(before.history.length);
      await expectWhole();
      expect(await archive()).toEqual({ months: 1, rows: 0, bytes: 0 });
      expect(await rowsHere()).toBe(0);
      await expectWhole();
    });
  });

  it('is overtaken by what happens then: a row that came since is in what goes', async () => {
    await whenOld(async () => {
      await withoutDrop(archive);
      await refundCharge();
      before = await readings();
      await expectWhole();
      service.advanceClock(120 * daySeconds);
      expect(await archive()).toMatchObject({ months: 1 });
      service.advanceClock(-120 * daySeconds);
      expect(await rowsHere()).toBe(0);
      await expectWhole();
    });
  });

  it('is none of two at once: the later one says so', async () => {
    await whenOld(async () => {
      let isLeft = true;
      const overtaken: ObjectStore = {
        put: (key, bytes) => store.put(key, bytes),
        async get(key) {
          if (isLeft && key.startsWith('manifests/')) {
            isLeft = false;
            await archive();
          }
          return store.get(key);
        },
      };
      const refused = await archive(overtaken).catch((error: unknown) => error);
      expect(isIntegrityViolation(refused)).toBe(true);
      await expectWhole();
    });
  });
});

describe('the tables of the months', () => {
  const thisMonth = async () => {
    const { rows } = await pool.query(`select 'audit_rows_' || to_char(now() at time zone 'UTC', 'YYYY_MM') as name`);
    return rows[0].name as string;
  };

  it('stay while a customer can still delete a content, whatever a run says', async () => {
    await expect(
      pool.query(`
        insert into archived_audit
        select month, oldest_open_transaction(), 1, min(purchase_key), max(purchase_key), count(*), 0,
          sha256(convert_to(string_agg(hash, '' order by hash), 'UTF8')), sha256('an object'), 1
        from audit_rows group by month`),
    ).rejects.toThrow('is not deleted yet');
  });

  it('refuse what the whole refuses: another month, and any change', async () => {
    await expect(
      pool.query(
        `insert into audit_rows select (jsonb_populate_record(a, '{"month": "2020-01-01"}')).* from audit_rows a`,
      ),
    ).rejects.toThrow('belongs to');
    for (const table of [await thisMonth(), 'audit_rows_default', 'archived_audit']) {
      await expect(pool.query(`delete from ${table}`)).rejects.toThrow('only grows');
      await expect(pool.query(`truncate ${table} cascade`)).rejects.toThrow('only grows');
    }
    await expect(pool.query('delete from audit_ends')).rejects.toThrow('the audit ends where the archive has it');
  });

  it('do not go while the archive lacks a row', async () => {
    const { rows } = await pool.query('select month::text from audit_rows limit 1');
    await expect(pool.query('select drop_audit_month($1, $2)', [rows[0].month, 2 ** 40])).rejects.toThrow('lacks rows');
  });

  it('stop no purchase where one is missing: the default has it, and it goes to the archive like any', async () => {
    await whenOld(async () => {
      await archive();
    });
    const ahead = async () =>
      (await readFigures(runtime.db, runtime.clock(), null)).find(({ figure }) => figure === 'audit_months_ahead')
        ?.value;
    const { rows } = await pool.query(`select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'audit_rows'::regclass and relname <> 'audit_rows_default'`);
    for (const { relname } of rows) await pool.query(`drop table ${relname}`);
    expect(await ahead()).toBe(0);
    jobKey = await accepted();
    before = await readings();
    expect((await pool.query('select from audit_rows_default')).rowCount).toBeGreaterThan(0);
    await makeAuditMonths(runtime);
    expect(await ahead()).toBe(2);
    expect((await pool.query('select to_regclass($1) as made', [await thisMonth()])).rows[0].made).toBe(null);
    await whenOld(async () => {
      expect((await archive()).months).toBe(1);
      expect(await rowsHere()).toBe(0);
      await expectWhole();
    });
    await accepted();
  });
});
