// Longer than 300 lines: one month of the books on its way, seen from each side.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { brokenInvariants } from '../../../e2e/support/invariants.ts';
import { startService } from '../../../e2e/support/service.ts';
import { controlClient } from '../../../sandbox/control-client.ts';
import { perform } from '../../door/perform.ts';
import { makeAuditMonths } from '../../kernel/audit-months.ts';
import { isIntegrityViolation } from '../../kernel/database.ts';
import type { ObjectStore } from '../../kernel/object-store.ts';
import { transact } from '../../kernel/transaction.ts';
import { accountSums, closeBooks } from '../../ledger/closing.ts';
import { accepted as acceptedMovement, refundOwedOfRevenue } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import { daySeconds } from '../../service/terms.ts';
import { operatorContext } from '../../transports/context.ts';
import { archiveAudit, archiveLedger } from './archive-months.ts';
import { checkArchive } from './check-archive.ts';

const service = await startService();
const { pool } = service.database;
const { runtime } = service;
const sandbox = controlClient(service.sandbox.controlUrl);
const store = runtime.archive as ObjectStore;
const jobAt = (jobKey: string) => `/api/agent/v1/jobs/${jobKey}`;
const nothing = { months: 0, rows: 0, bytes: 0 };

let agent: Agent;
/** An accepted purchase, one that was canceled once paid, and both as they are seen while all of it is in the database. */
let jobKey: string;
let canceled: string;
let before: Awaited<ReturnType<typeof readings>>;

beforeEach(async () => {
  await makeAuditMonths(runtime);
  agent = await Agent.arrive(service);
  jobKey = await accepted();
  canceled = await agent.paidJob();
  expect((await agent.post(`${jobAt(canceled)}/cancel`, {})).status).toBe(200);
  before = await readings();
});
afterEach(() => sandbox.clearArchiveFaults());

async function accepted(): Promise<string> {
  const bought = await agent.paidJob();
  await service.execute(bought);
  expect((await agent.post(`${jobAt(bought)}/review`, { decision: 'accept' })).status).toBe(200);
  return bought;
}

const asOperator = () => operatorContext(runtime);
const refundCharge = () => perform('refund_charge', asOperator(), { key: jobKey, reason: 'a trial' });
const entriesOf = async (key: string) => {
  const { timeline } = (await perform('console_purchase', asOperator(), { key })).body;
  return timeline.filter(({ kind }: { kind: string }) => kind === 'ledger');
};

async function readings() {
  return {
    accepted: await entriesOf(jobKey),
    canceled: await entriesOf(canceled),
    credit: (await agent.get('/api/agent/v1/credit')).body,
    sums: (await accountSums(runtime.db)).sums,
  };
}

const archive = (through = store, of = archiveLedger) =>
  of({ db: runtime.db, archive: through, signer: runtime.receiptSigner, now: runtime.clock(), afterDays: 90 });

async function rowsHere(key = jobKey): Promise<number> {
  const { rows } = await pool.query('select count(*)::int as here from ledger_transfers where job_key = $1', [key]);
  return rows[0].here;
}

/** Two closings, as an hour and another leave: the older one spans all that was posted until now. */
async function closeTwice(): Promise<void> {
  for (const _ of [1, 2]) {
    await pool.query(`update ledger_closings set closed_at = 'epoch'`);
    await closeBooks(runtime);
  }
}

/** Does `work` when the month of what was bought until now is long over: all has ended, and its content is deleted. */
async function whenOld(work: () => Promise<void>): Promise<void> {
  const seconds = 140 * daySeconds;
  service.advanceClock(seconds);
  try {
    await service.deleteExpired();
    await closeTwice();
    await agent.signIn();
    await work();
  } finally {
    service.advanceClock(-seconds);
    await agent.signIn();
  }
}

/** Does `work` `days` later. */
async function later(days: number, work: () => Promise<void>): Promise<void> {
  service.advanceClock(days * daySeconds);
  try {
    await closeTwice();
    await work();
  } finally {
    service.advanceClock(-days * daySeconds);
  }
}

/** What `work` is told while the database takes no month out. */
async function withoutDrop(work: () => Promise<unknown>): Promise<unknown> {
  await pool.query('alter function drop_ledger_month(date, bigint) rename to kept_away');
  try {
    return await work().then(
      () => null,
      (error: unknown) => error,
    );
  } finally {
    await pool.query('alter function kept_away(date, bigint) rename to drop_ledger_month');
  }
}

async function expectWhole(): Promise<void> {
  expect(await readings()).toEqual(before);
  expect((await checkArchive(runtime.db, store)).faults).toEqual([]);
  expect(await brokenInvariants(pool)).toEqual([]);
}

const postAgain = (movement: typeof acceptedMovement, key: string) =>
  transact(runtime.db, async (tx) => {
    const { rows } = await pool.query('select principal_key, price_microcents from jobs where job_key = $1', [jobKey]);
    const { principal_key: principalKey, price_microcents: amount } = rows[0];
    post(tx, { ...movement, key, jobKey, principalKey, amount, at: runtime.clock() });
  });

describe('the books of a month', () => {
  it('go to the archive as a whole: console, credit, balances and check are as they were', async () => {
    await whenOld(async () => {
      before = await readings();
      const gone = await archive();
      expect(gone.months).toBe(1);
      expect([await rowsHere(), await rowsHere(canceled)]).toEqual([0, 0]);
      await expectWhole();
      expect(before.credit.changes.length).toBeGreaterThan(0);
      // What belongs to no job stays.
      const { rows } = await pool.query('select distinct job_key from ledger_transfers');
      expect(rows).toEqual([{ job_key: null }]);
      expect(await archive()).toEqual(nothing);
    });
  });

  it('go while somebody vacuums what stays', async () => {
    await whenOld(async () => {
      const other = await pool.connect();
      try {
        await other.query('begin');
        await other.query('lock table ledger_transfers_of_no_job in share update exclusive mode');
        expect((await archive()).months).toBe(1);
      } finally {
        await other.query('rollback');
        other.release();
      }
    });
  });

  it('are summed as they were, from the rest alone, where nothing closed them', async () => {
    await whenOld(async () => {
      await pool.query('delete from ledger_closings');
      before = await readings();
      expect((await archive()).months).toBe(1);
      await expectWhole();
      await closeTwice();
      await expectWhole();
    });
  });

  it('stay while a purchase has not ended, can lose its content, is young, or its entries are not closed', async () => {
    expect(await archive()).toEqual(nothing);
    service.advanceClock(140 * daySeconds);
    await closeTwice();
    expect(await archive()).toEqual(nothing);
    service.advanceClock(-140 * daySeconds);
    await whenOld(async () => {
      await pool.query('update ledger_closings set to_transaction = -to_transaction');
      expect(await archive()).toEqual(nothing);
      await pool.query('delete from ledger_closings');
      await refundCharge();
      expect(await archive()).toEqual(nothing);
      expect(await rowsHere()).toBeGreaterThan(0);
      await later(120, async () => {
        expect((await archive()).months).toBe(1);
      });
    });
  });

  it('take what comes later, cover it by what left, and let it go in time, too', async () => {
    await whenOld(async () => {
      await archive();
      await refundCharge();
      await service.sweep();
      // Owed back, and given back.
      expect(await rowsHere()).toBe(2);
      expect((await entriesOf(jobKey)).length).toBe(before.accepted.length + 2);
      expect(await brokenInvariants(pool)).toEqual([]);
      await expect(postAgain(refundOwedOfRevenue, 'another')).rejects.toThrow('gives more of revenue:work_check');
      before = await readings();
      await later(200, async () => {
        expect((await archive()).months).toBe(1);
      });
      expect(await rowsHere()).toBe(0);
      await expectWhole();
      await expect(postAgain(refundOwedOfRevenue, 'another')).rejects.toThrow('gives more of revenue:work_check');
    });
  });

  it('take no event again that left', async () => {
    const { rows } = await pool.query(
      "select event_key from ledger_transfers where job_key = $1 and event = 'accepted'",
      [jobKey],
    );
    const key = rows[0].event_key.replace('accepted:', '');
    // As much is held again: only the event itself stands in the way.
    await whenOld(async () => {
      await archive();
      const again = await postAgain({ ...acceptedMovement, debit: 'expense:reversals' }, key).catch((error) => error);
      expect(again).toMatchObject({ code: '23505', message: expect.stringContaining('the archive has it') });
      expect(await rowsHere()).toBe(0);
    });
  });
});

describe('an archive that does not answer', () => {
  it('is told where entries lie there; lists, credit, balances and later postings go on', async () => {
    await whenOld(async () => {
      before = await readings();
      await archive();
      await sandbox.archiveFault({ mode: 'refuse', times: 'always' });
      expect((await entriesOf(jobKey)).map(({ detail }: { detail: string }) => detail)).toEqual([
        `${before.accepted.length} entries lie in the archive, which does not answer`,
      ]);
      expect((await agent.get('/api/agent/v1/credit')).body).toEqual(before.credit);
      expect((await accountSums(runtime.db)).sums).toEqual(before.sums);
      const { entries, archived } = (await perform('console_entries', asOperator(), { account: 'liability:held' }))
        .body;
      expect(entries).toEqual([]);
      const held = before.sums.find(({ account }) => account === 'liability:held');
      expect(archived).toEqual({ entries: Number(held?.entries), months: [expect.stringMatching(/^\d{4}-\d\d$/)] });
      await refundCharge();
      expect(await rowsHere()).toBe(1);
      await sandbox.clearArchiveFaults();
      await later(120, async () => {
        expect((await archive()).months).toBe(1);
      });
    });
    await sandbox.archiveFault({ mode: 'refuse', times: 'always' });
    await accepted();
  });

  it('gives nothing that was changed there', async () => {
    await whenOld(async () => {
      before = await readings();
      await archive();
      const { rows } = await pool.query(
        `select encode(digest, 'hex') as hex from archived_ledger order by until_transaction desc, number limit 1`,
      );
      const key = `objects/${rows[0].hex}`;
      const object = await store.get(key);
      await store.put(key, Buffer.from('another'));
      expect((await entriesOf(jobKey))[0]?.detail).toContain('lie in the archive');
      expect((await checkArchive(runtime.db, store)).faults).toEqual([
        expect.stringMatching(/^the books of \d{4}-\d\d-01, object \w+: the object is another one$/),
      ]);
      await store.put(key, object);
      await expectWhole();
    });
  });
});

describe('a run that dies', () => {
  it('between the record and the month has doubled nothing, and the next one puts nothing again', async () => {
    await whenOld(async () => {
      before = await readings();
      expect(await withoutDrop(archive)).toMatchObject({ code: '42883' });
      expect(await rowsHere()).toBe(before.accepted.length);
      await expectWhole();
      expect(await archive()).toEqual({ months: 1, rows: 0, bytes: 0 });
      expect(await rowsHere()).toBe(0);
      await expectWhole();
    });
  });

  it('is overtaken by what happens then: an entry that came since is in what goes, and counts once', async () => {
    await whenOld(async () => {
      await withoutDrop(archive);
      await refundCharge();
      before = await readings();
      await expectWhole();
      await later(120, async () => {
        expect(await archive()).toMatchObject({ months: 1 });
      });
      expect(await rowsHere()).toBe(0);
      await expectWhole();
    });
  });

  it('waits for who is posting, and leaves the month until that is old, too', async () => {
    await whenOld(async () => {
      const poster = await pool.connect();
      await poster.query('begin');
      await poster.query(
        `insert into ledger_transfers (event_key, event, job_key, principal_key, debit_account, credit_account,
          amount_microcents, currency, at, month)
        select 'trial:' || job_key, 'trial', job_key, principal_key, 'expense:reversals', 'revenue:work_check', 1, 'USD',
          $2, ledger_month(job_key) from jobs where job_key = $1`,
        [jobKey, runtime.clock()],
      );
      const running = archive();
      const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await expect.poll(async () => (await pool.query(waiting)).rowCount, { timeout: 10_000 }).toBeGreaterThan(0);
      await poster.query('commit');
      poster.release();
      expect((await running).months).toBe(0);
      expect(await archive()).toEqual(nothing);
      await later(120, async () => {
        expect((await archive()).months).toBe(1);
      });
      expect(await rowsHere()).toBe(0);
      expect((await entriesOf(jobKey)).map(({ title }: { title: string }) => title)).toContain('Ledger: trial');
      expect(
        (await accountSums(runtime.db)).sums.find(({ account }) => account === 'revenue:work_check')?.credited,
      ).toBe(1n + (before.sums.find(({ account }) => account === 'revenue:work_check')?.credited ?? 0n));
      before = await readings();
      await expectWhole();
    });
  });

  it('is none of two at once: the later one says so', async () => {
    await whenOld(async () => {
      before = await readings();
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

describe('the tables of the books', () => {
  it('refuse what the whole refuses: another month, and any change', async () => {
    await expect(
      pool.query(`
        insert into ledger_transfers
        select (jsonb_populate_record(t, '{"month": "2020-01-01"}')).* from ledger_transfers t where job_key is not null`),
    ).rejects.toThrow('belong to');
    const { rows } = await pool.query(`select inhrelid::regclass::text as part from pg_inherits
      where inhparent = 'ledger_transfers'::regclass`);
    expect(rows.length).toBeGreaterThanOrEqual(4);
    for (const table of [...rows.map(({ part }) => part), 'ledger_transfers', 'archived_ledger']) {
      await expect(pool.query(`delete from ${table}`)).rejects.toThrow('only grows');
      await expect(pool.query(`truncate ${table} cascade`)).rejects.toThrow('only grows');
    }
    for (const table of ['job_holdings', 'archived_credit', 'ledger_left']) {
      await expect(pool.query(`delete from ${table}`)).rejects.toThrow('moves with the books');
      await expect(pool.query(`insert into ${table} select * from ${table}`)).rejects.toThrow('moves with the books');
    }
  });

  it('do not go while the archive lacks an entry, and what belongs to no job never goes', async () => {
    const { rows } = await pool.query(
      'select month::text from ledger_transfers where job_key is not null group by month',
    );
    for (const { month } of [...rows, { month: '-infinity' }]) {
      await expect(pool.query('select drop_ledger_month($1, $2)', [month, 2 ** 40])).rejects.toThrow('lacks entries');
    }
  });

  it('stop no purchase where one is missing: the default has it, and it goes to the archive like any', async () => {
    await whenOld(async () => {
      await archive(store, archiveAudit);
      await archive();
    });
    const { rows } = await pool.query(`select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'ledger_transfers'::regclass and relname ~ '_[0-9]{4}_[0-9]{2}$'`);
    for (const { relname } of rows) await pool.query(`drop table ${relname}`);
    jobKey = await accepted();
    expect((await pool.query('select from ledger_transfers_default where job_key = $1', [jobKey])).rowCount).toBe(2);
    await whenOld(async () => {
      before = await readings();
      expect((await archive()).months).toBe(1);
      expect(await rowsHere()).toBe(0);
      await expectWhole();
    });
    await accepted();
  });
});
