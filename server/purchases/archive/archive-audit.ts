import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, sqlState } from '../../kernel/database.ts';
import { sql } from '../../kernel/sql.ts';
import { transact } from '../../kernel/transaction.ts';
import { type Archiver, noteManifest, putAndRead, putManifest } from './archive-due.ts';
import { dueMonths } from './due.ts';
import { type ArchivedRow, hexOf, objectAt, packAudit } from './pack.ts';

/** Purchases of one object. */
const batch = 200;

/** A month goes while nobody holds the audit; each try waits for a second. */
const dropTries = 60;
const dropPauseMs = 500;
const lockNotAvailable = '55P03';

export interface ArchivedMonths {
  months: number;
  rows: number;
  bytes: number;
}

/**
 * Moves the audit of each month whose purchases are all old to the archive: puts object after object, reads each back,
 * signs a manifest of it, records it, and takes the month out of the database once all its rows are there. May be stopped
 * anywhere and started again. Rejects when the bucket fails, and when another run got ahead.
 */
export async function archiveAudit(archiver: Archiver): Promise<ArchivedMonths> {
  const sum = { months: 0, rows: 0, bytes: 0 };
  const due = await transact(archiver.db, (tx) => {
    // It reads whole months.
    tx.write(sql`set local statement_timeout = 0`);
    return dueMonths(tx, archiver.now, archiver.afterDays);
  });
  for (const month of due) {
    for (let isGone = false; !isGone; ) {
      const progress = await progressOf(archiver.db, month);
      await putMonth(archiver, month, progress, sum);
      isGone = await drop(archiver.db, month, progress.until);
    }
    sum.months += 1;
  }
  return sum;
}

/** Puts what is left of a month, and adds it to the sum. */
async function putMonth(archiver: Archiver, month: string, { until, done }: Progress, sum: ArchivedMonths) {
  for (let { number, key } = done; ; ) {
    const rows = await nextRows(archiver.db, { month, until, after: key });
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) return;
    number += 1;
    key = last.purchase_key;
    const object = packAudit(month, rows);
    await put(archiver, object, { month, until, number, first: first.purchase_key, rows });
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
async function progressOf(db: Database, month: string): Promise<Progress> {
  const known = await db.maybe<{ until: bigint; number: number; key: string }>(sql`
    select until_transaction as until, number, last_key as key from archived_audit a
    where month = ${month}::date and until_transaction = (
        select max(until_transaction) from archived_audit where month = ${month}::date)
      and not exists (select from audit_rows where audit_rows.month = a.month and transaction >= a.until_transaction)
    order by number desc limit 1`);
  if (known) return { until: known.until, done: known };
  const { until } = await db.one<{ until: bigint }>(sql`select oldest_open_transaction() as until`);
  return { until, done: { number: 0, key: '' } };
}

/** All rows of the next purchases of a month, by purchase. */
async function nextRows(
  db: Database,
  { month, until, after }: { month: string; until: bigint; after: string },
): Promise<ArchivedRow[]> {
  const rows = await db.many<Omit<ArchivedRow, 'at'> & { at: Date }>(sql`
    select purchase_key, sequence, at, actor, action, state_from, state_to, previous_hash, hash, principal_key,
      transaction::text as transaction
    from audit_rows
    where month = ${month}::date and transaction < ${until} and purchase_key in (
      select distinct purchase_key from audit_rows
      where month = ${month}::date and transaction < ${until} and purchase_key > ${after}
      order by purchase_key limit ${batch})
    order by purchase_key, sequence`);
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}

/** Puts an object, signs it, and records it. The database refuses one that has other rows than the audit. */
async function put(
  archiver: Archiver,
  object: Buffer,
  part: { month: string; until: bigint; number: number; first: string; rows: readonly ArchivedRow[] },
): Promise<void> {
  const { month, until, number, first, rows } = part;
  const digest = hexOf(object);
  await putAndRead(archiver.archive, objectAt(digest), object);
  const manifest = await putManifest(archiver, [{ month, digest, bytes: object.length }]);
  await transact(archiver.db, async (tx) => {
    noteManifest(tx, manifest, 1, archiver.now);
    tx.write(sql`
      insert into archived_audit (month, until_transaction, number, first_key, last_key, rows, hashes, digest, manifest)
      values (${month}::date, ${until}, ${number}, ${first}, ${rows.at(-1)?.purchase_key}, ${rows.length},
        decode(${hashesOf(rows)}, 'hex'), decode(${digest}, 'hex'), ${manifest.number})`);
  });
}

/** SHA-256 over the hashes of rows, in the order of these, in hexadecimal. */
export const hashesOf = (rows: readonly Pick<ArchivedRow, 'hash'>[]): string =>
  hexOf(
    rows
      .map(({ hash }) => hash)
      .toSorted()
      .join(''),
  );

/** Takes the month out of the database. False when it got a row meanwhile. */
async function drop(db: Database, month: string, until: bigint): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await transact(db, async (tx) => {
        // It counts the month first.
        tx.write(sql`set local statement_timeout = 0`);
        const { is_gone } = await tx.one<{ is_gone: boolean }>(sql`
          select drop_audit_month(${month}::date, ${until}) as is_gone`);
        return is_gone;
      });
    } catch (error) {
      if (sqlState(error) !== lockNotAvailable || tries === dropTries) throw error;
      await sleep(dropPauseMs);
    }
  }
}
