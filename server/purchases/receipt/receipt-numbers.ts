import type { Selling } from '../../configuration/operator.ts';
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
  await tx.one(sql`select pg_advisory_xact_lock(hashtextextended('receipt numbers', 0))`);
  const rows = await tx.many<Unnumbered>(sql`
    select job_key, account_key, issued_at, extract(year from issued_at at time zone 'UTC')::int as year
    from receipt_numbers where number is null order by issued_at, job_key limit ${batch}`);
  const last = new Map<number, number>();
  for (const { job_key, account_key, issued_at, year } of rows) {
    const number = 1 + (last.get(year) ?? (await lastOf(tx, details.name, year)));
    last.set(year, number);
    tx.write(sql`
      update receipt_numbers set seller = ${details.name}, year = ${year}, number = ${number},
        details = ${JSON.stringify(details)}
      where job_key = ${job_key}`);
    makeStatementDue(tx, account_key, issued_at);
  }
  return rows.length;
}

async function lastOf(tx: Tx, seller: string, year: number): Promise<number> {
  const { last } = await tx.one<{ last: number }>(sql`
    select coalesce(max(number), 0) as last from receipt_numbers where seller = ${seller} and year = ${year}`);
  return last;
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
