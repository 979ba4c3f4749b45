import type { Selling } from '../../configuration/operator.ts';
import type { Queries } from '../../kernel/database.ts';
import { sql } from '../../kernel/sql.ts';
import { type Tx, transact } from '../../kernel/transaction.ts';
import { putOff } from '../../mail/due-letters.ts';
import type { Runtime } from '../../runtime.ts';

/** The seller as a receipt was issued by it. */
export interface SellerDetails {
  name: string;
  email: string;
  address: string | null;
  tax_id: string | null;
  tax_hundredths: number;
  untaxed_because: string;
}

interface Unnumbered {
  job_key: string;
  account_key: string;
  issued_at: Date;
  year: number;
}

/** Numbers that no receipt has, and why. */
export interface Gap {
  seller: string;
  year: number;
  first_number: number;
  last_number: number;
  reason: string;
  noted_at: Date;
}

/** Numbers given in one transaction. */
const batch = 200;

/** Seven in the morning of the first day after the month, UTC. */
const statementHour = 7;

/**
 * Gives the receipts of each job their number for the books: the next of their seller and year, in the order in which
 * money was taken. One worker at a time; a batch is given whole or not at all, so that neither a crash nor a second
 * worker leaves a gap. The first number of an account in a month makes its statement due.
 */
export async function numberReceipts(runtime: Runtime): Promise<void> {
  const details = sellerNow(runtime.configuration);
  for (;;) {
    const given = await transact(runtime.db, (tx) => numberBatch(tx, details));
    if (given < batch) return;
  }
}

/** The seller as configured: what receipts are numbered with from now on. */
export function sellerNow({ operator, bookkeeping }: Selling): SellerDetails {
  return {
    name: operator?.name ?? '',
    email: operator?.email ?? '',
    address: bookkeeping.address,
    tax_id: bookkeeping.taxId,
    tax_hundredths: bookkeeping.taxHundredths,
    untaxed_because: bookkeeping.untaxedBecause,
  };
}

async function numberBatch(tx: Tx, details: SellerDetails): Promise<number> {
  await takeTurn(tx);
  const rows = await tx.many<Unnumbered>(sql`
    select job_key, account_key, issued_at, extract(year from issued_at at time zone 'UTC')::int as year
    from receipt_numbers where number is null order by issued_at, job_key limit ${batch}`);
  const next = new Map<number, number>();
  for (const { job_key, account_key, issued_at, year } of rows) {
    const number = next.get(year) ?? (await nextOf(tx, details.name, year));
    next.set(year, number + 1);
    tx.write(sql`
      update receipt_numbers set seller = ${details.name}, year = ${year}, number = ${number},
        details = ${JSON.stringify(details)}
      where job_key = ${job_key}`);
    makeStatementDue(tx, account_key, issued_at);
  }
  return rows.length;
}

async function takeTurn(tx: Tx): Promise<void> {
  await tx.one(sql`select pg_advisory_xact_lock(hashtextextended('receipt numbers', 0))`);
}

async function nextOf(tx: Tx, seller: string, year: number): Promise<number> {
  const { next } = await tx.one<{ next: number }>(sql`select next_receipt_number(${seller}, ${year}) as next`);
  return next;
}

/**
 * Leaves out the next `count` numbers of each seller and year that a restore may have forgotten, so that none is given
 * again: of the years since the newest receipt known, or the oldest without a number; of the seller then and now.
 */
export async function skipReceiptNumbers(
  tx: Tx,
  seller: string,
  { count, reason, now }: { count: number; reason: string; now: Date },
): Promise<Gap[]> {
  await takeTurn(tx);
  const series = await tx.many<{ seller: string; year: number }>(sql`
    with known as (
      select extract(year from coalesce(min(issued_at) filter (where number is null), max(issued_at), ${now})
          at time zone 'UTC')::int as since
      from receipt_numbers
    ), sellers as (
      select ${seller}::text as seller
      union (select seller from receipt_numbers where number is not null order by issued_at desc limit 1)
    )
    select seller, year from known, sellers, generate_series(since, ${now.getUTCFullYear()}::int) as year
    order by seller, year`);
  const gaps: Gap[] = [];
  for (const one of series) {
    const first = await nextOf(tx, one.seller, one.year);
    gaps.push({ ...one, first_number: first, last_number: first + count - 1, reason, noted_at: now });
  }
  for (const gap of gaps) {
    tx.write(sql`
      insert into receipt_number_gaps (seller, year, first_number, last_number, reason, noted_at)
      values (${gap.seller}, ${gap.year}, ${gap.first_number}, ${gap.last_number}, ${reason}, ${now})`);
  }
  return gaps;
}

/** Every gap, oldest first. */
export function receiptNumberGaps(db: Queries): Promise<Gap[]> {
  return db.many(sql`
    select seller, year, first_number, last_number, reason, noted_at from receipt_number_gaps
    order by noted_at, seller, year`);
}

/** A gap as people write it: `2026-000043 to 2026-000142 of Example Ltd`. */
export function gapText({ seller, year, first_number, last_number }: Gap): string {
  const of = seller === '' ? '' : ` of ${seller}`;
  return `${numberText(year, first_number)} to ${numberText(year, last_number)}${of}`;
}

/** One letter for an account and month. */
function makeStatementDue(tx: Tx, accountKey: string, at: Date): void {
  const month = at.toISOString().slice(0, 'YYYY-MM'.length);
  const due = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1, statementHour));
  const happening = { account_key: accountKey, action: 'statement', subject: accountKey, at: at.toISOString() };
  putOff(tx, { ...happening, number: month.replace('-', '') }, due);
}

/** A number as people write it: `2026-000042`. */
export function numberText(year: number, number: number): string {
  return `${year}-${String(number).padStart(6, '0')}`;
}
