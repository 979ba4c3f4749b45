import type { Clock } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { sql, statement } from '../kernel/sql.ts';

/** The debits and credits of an account in microcents, and the number of entries. */
export interface AccountSums {
  account: string;
  debited: bigint;
  credited: bigint;
  entries: bigint;
}

/**
 * Closings keep the sums of all entries before a transaction, so that a trial balance need not read every entry. These
 * transactions have all ended, so nothing is added to a closing later. What left for the archive is in all of them.
 */
const everySeconds = 3_600;

/** Closes the books up to the oldest open transaction, once an hour. */
export async function closeBooks({ db, clock }: { db: Queries; clock: Clock }): Promise<void> {
  const now = clock();
  await db.many(sql`
    with last as (
      select to_transaction, closed_at from ledger_closings order by to_transaction desc limit 1),
    due as (
      select oldest_open_transaction() as until
      where not exists (select from last where closed_at > ${now}::timestamptz - make_interval(secs => ${everySeconds}))),
    sums as (
      select account, sum(debited) as debited, sum(credited) as credited, sum(entries) as entries from (
        select account, debited_microcents as debited, credited_microcents as credited, entries
        from ledger_closings where to_transaction = (select to_transaction from last)
        union all
        select debit_account, amount_microcents, 0, 1 from ledger_transfers, due
        where transaction >= (select to_transaction from last) and transaction < until
        union all
        select credit_account, 0, amount_microcents, 1 from ledger_transfers, due
        where transaction >= (select to_transaction from last) and transaction < until
        union all
        select debit_account, amount_microcents, 0, 1 from ledger_transfers, due
        where not exists (select from last) and transaction < until
        union all
        select credit_account, 0, amount_microcents, 1 from ledger_transfers, due
        where not exists (select from last) and transaction < until
        union all
        select account, debited_microcents, credited_microcents, entries from ledger_left
        where not exists (select from last)) parts
      group by account)
    insert into ledger_closings (to_transaction, account, closed_at, debited_microcents, credited_microcents, entries)
    select until, account, ${now}, debited, credited, entries from due, sums
    on conflict do nothing`);
  // Keep the last one to continue from, and the one before for concurrent readers.
  await db.many(sql`
    delete from ledger_closings where to_transaction not in (
      select distinct to_transaction from ledger_closings order by to_transaction desc limit 2)`);
}

/** All entries, with those that left, before the first closing. */
const allEntries = `
  select account, sum(debited)::bigint as debited, sum(credited)::bigint as credited, sum(entries)::bigint as entries
  from (
    select debit_account as account, amount_microcents as debited, 0 as credited, 1 as entries from ledger_transfers
    union all select credit_account, 0, amount_microcents, 1 from ledger_transfers
    union all select account, debited_microcents, credited_microcents, entries from ledger_left) parts
  group by account`;

/** With the transaction in the text, so that the plan knows how few entries came since. */
const entriesSince = (closed: bigint): string => `
  select account, sum(debited)::bigint as debited, sum(credited)::bigint as credited, sum(entries)::bigint as entries
  from (
    select account, debited_microcents as debited, credited_microcents as credited, entries from ledger_closings
    where to_transaction = ${closed}
    union all select debit_account, amount_microcents, 0, 1 from ledger_transfers where transaction >= ${closed}
    union all select credit_account, 0, amount_microcents, 1 from ledger_transfers where transaction >= ${closed}) parts
  group by account`;

/**
 * SQL for the sums of every account: the last closing and all entries since. Columns `account`, `debited`, `credited`
 * and `entries`.
 */
export async function sumsNow(db: Queries): Promise<{ text: string; closed_at: Date | null }> {
  const last = await db.maybe<{ to_transaction: bigint; closed_at: Date }>(sql`
    select to_transaction, closed_at from ledger_closings order by to_transaction desc limit 1`);
  return last
    ? { text: entriesSince(last.to_transaction), closed_at: last.closed_at }
    : { text: allEntries, closed_at: null };
}

/** The sums of every account now. */
export async function accountSums(db: Queries): Promise<{ closed_at: Date | null; sums: AccountSums[] }> {
  const { text, closed_at } = await sumsNow(db);
  return { closed_at, sums: await db.many<AccountSums>(statement(`${text} order by account`, [])) };
}
