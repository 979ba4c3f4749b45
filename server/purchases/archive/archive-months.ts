import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, lockNotAvailable, type Queries, sqlState } from '../../kernel/database.ts';
import { type Sql, sql, statement } from '../../kernel/sql.ts';
import { transact } from '../../kernel/transaction.ts';
import { type Archiver, noteManifest, putAndRead, putManifest } from './archive-due.ts';
import { dueAuditMonths, dueLedgerMonths, textMonths } from './due.ts';
import { hashesOf, hexOf, objectAt, packMonth } from './pack.ts';

/** Purchases of one object. */
const batch = 200;

/** A month goes while nobody holds its table; each try waits for a moment, in which nobody else reads the table. */
const dropTries = 60;
const dropPauseMs = 1_000;

export interface ArchivedMonths {
  months: number;
  rows: number;
  bytes: number;
}

/** A table that lies in months, all rows of a purchase in one. */
interface Monthly {
  /** The table, and that of its objects. */
  rows: 'audit_rows' | 'ledger_transfers';
  objects: 'archived_audit' | 'archived_ledger';
  /** Whose rows lie together, as a column; all columns of a row `t`, with its hash; the order of the rows of one key. */
  key: 'purchase_key' | 'job_key';
  columns: string;
  order: string;
  /** The function that takes a month out, and the months that may go. */
  drop: 'drop_audit_month' | 'drop_ledger_month';
  due: (db: Queries, now: Date, afterDays: number) => Promise<string[]>;
}

const audit: Monthly = {
  rows: 'audit_rows',
  objects: 'archived_audit',
  key: 'purchase_key',
  columns: `purchase_key, sequence, at, actor, action, state_from, state_to, previous_hash, hash, principal_key,
    transaction::text as transaction`,
  order: 'sequence',
  drop: 'drop_audit_month',
  due: dueAuditMonths,
};

const ledger: Monthly = {
  rows: 'ledger_transfers',
  objects: 'archived_ledger',
  key: 'job_key',
  columns: `event_key, event, job_key, principal_key, debit_account, credit_account, amount_microcents::text as
    amount_microcents, currency, at, transaction::text as transaction, transfer_hash(t) as hash`,
  order: 'event_key',
  drop: 'drop_ledger_month',
  due: dueLedgerMonths,
};

/** A row of either, with its key as `of_key`. */
interface Row {
  of_key: string;
  at: Date;
  hash: string;
}

/** The same without `of_key`: an object has it as its own column. */
const packed = ({ of_key: _, at, ...row }: Row) => ({ ...row, at: at.toISOString() });

/** Moves the audit of old months to the archive: see `archiveMonths`. */
export const archiveAudit = (archiver: Archiver): Promise<ArchivedMonths> => archiveMonths(archiver, audit);

/** Moves the entries of the books of old months to the archive: see `archiveMonths`. */
export const archiveLedger = (archiver: Archiver): Promise<ArchivedMonths> => archiveMonths(archiver, ledger);

/**
 * Moves each month whose purchases are all old to the archive: puts object after object, reads each back, signs a
 * manifest of it, records it, and takes the month out of the database once all its rows are there. One that got a row
 * meanwhile is old later, and is put again then. May be stopped anywhere and started again. Rejects when the bucket fails, and when another run got ahead.
 */
async function archiveMonths(archiver: Archiver, table: Monthly): Promise<ArchivedMonths> {
  const sum = { months: 0, rows: 0, bytes: 0 };
  const due = await transact(archiver.db, (tx) => {
    // It reads whole months.
    tx.write(sql`set local statement_timeout = 0`);
    return table.due(tx, archiver.now, archiver.afterDays);
  });
  for (const month of due) {
    const progress = await progressOf(archiver.db, table, month);
    await putMonth(archiver, table, { month, ...progress }, sum);
    const dropping = statement(`select ${table.drop}($1::date, $2) as is_gone`, [month, progress.until]);
    if (await drop(archiver.db, dropping)) sum.months += 1;
  }
  return sum;
}

/** Puts what is left of a month, and adds it to the sum. */
async function putMonth(
  archiver: Archiver,
  table: Monthly,
  { month, until, done }: Progress & { month: string },
  sum: ArchivedMonths,
) {
  for (let { number, key } = done; ; ) {
    const rows = await nextRows(archiver.db, table, { month, until, after: key });
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) return;
    number += 1;
    key = last.of_key;
    const object = packMonth(month, rows.map(packed));
    await put(archiver, table, object, { month, until, number, first: first.of_key, rows });
    sum.rows += rows.length;
    sum.bytes += object.length;
  }
}

interface Progress {
  /** The rows of transactions before this one go; all of these have ended. */
  until: bigint;
  /** The last object that is recorded, and the last purchase in it. */
  done: { number: number; key: string };
}

/** Where an earlier run stopped, unless the month got a row since it began: then from its first purchase again. */
async function progressOf(db: Database, { rows, objects }: Monthly, month: string): Promise<Progress> {
  const known = await db.maybe<{ until: bigint; number: number; key: string }>(
    statement(
      `select until_transaction as until, number, last_key as key from ${objects} a
      where month = $1::date and until_transaction = (select max(until_transaction) from ${objects} where month = $1::date)
        and not exists (select from ${rows} r where r.month = a.month and transaction >= a.until_transaction)
      order by number desc limit 1`,
      [month],
    ),
  );
  if (known) return { until: known.until, done: known };
  const { until } = await db.one<{ until: bigint }>(sql`select oldest_open_transaction() as until`);
  return { until, done: { number: 0, key: '' } };
}

/** All rows of the next purchases of a month, by purchase. */
function nextRows(
  db: Database,
  { rows, key, columns, order }: Monthly,
  { month, until, after }: { month: string; until: bigint; after: string },
): Promise<Row[]> {
  return db.many<Row>(
    statement(
      `select ${key} as of_key, ${columns} from ${rows} t
      where month = $1::date and transaction < $2 and ${key} in (
        select distinct ${key} from ${rows} where month = $1::date and transaction < $2 and ${key} > $3
        order by ${key} limit ${batch})
      order by ${key}, ${order}`,
      [month, until, after],
    ),
  );
}

/** Puts an object, signs it, and records it. The database refuses one that has other rows than the month. */
async function put(
  archiver: Archiver,
  { objects }: Monthly,
  object: Buffer,
  part: { month: string; until: bigint; number: number; first: string; rows: readonly Row[] },
): Promise<void> {
  const { month, until, number, first, rows } = part;
  const digest = hexOf(object);
  await putAndRead(archiver.archive, objectAt(digest), object);
  const manifest = await putManifest(archiver, [{ month, digest, bytes: object.length }]);
  await transact(archiver.db, async (tx) => {
    noteManifest(tx, manifest, 1, archiver.now);
    tx.write(
      statement(
        `insert into ${objects} (month, until_transaction, number, first_key, last_key, rows, hashes, digest, manifest)
        values ($1::date, $2, $3, $4, $5, $6, decode($7, 'hex'), decode($8, 'hex'), $9)`,
        [month, until, number, first, rows.at(-1)?.of_key, rows.length, hashesOf(rows), digest, manifest.number],
      ),
    );
  });
}

/** Drops the tables of texts of old months that have next to none left; how many these are. One that somebody holds waits for the next run. */
export async function dropTextMonths({ db, now, afterDays }: Archiver): Promise<number> {
  let dropped = 0;
  for (const month of await textMonths(db, now, afterDays)) {
    try {
      if (await drop(db, sql`select drop_text_month(${month}::date) as is_gone`)) dropped += 1;
    } catch (error) {
      if (sqlState(error) !== lockNotAvailable) throw error;
    }
  }
  return dropped;
}

/** Takes a month out of the database. False when it has, or got meanwhile, what the archive has not. */
async function drop(db: Database, dropping: Sql): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await transact(db, async (tx) => {
        // It reads the month first.
        tx.write(sql`set local statement_timeout = 0`);
        const { is_gone } = await tx.one<{ is_gone: boolean }>(dropping);
        return is_gone;
      });
    } catch (error) {
      if (sqlState(error) !== lockNotAvailable || tries === dropTries) throw error;
      await sleep(dropPauseMs);
    }
  }
}
