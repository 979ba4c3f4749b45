import type { Queries } from '../kernel/database.ts';
import { leaseUntil, whileHeld } from '../kernel/lease.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { RailName } from './contract.ts';
import type { Attempt, Process } from './rail.ts';

/** What every rail keeps of an attempt, in the table `payments`. */

/** Records a payment out of credit: it is collected the moment it is made. */
export function recordCreditPayment(
  tx: Tx,
  rail: RailName,
  payment: Pick<Attempt, 'payment_key' | 'job_key' | 'amount_microcents'>,
  now: Date,
): void {
  tx.write(sql`
    insert into payments (payment_key, job_key, rail, method, state, amount_microcents, created_at, lease_until,
      decided_at)
    values (${payment.payment_key}, ${payment.job_key}, ${rail}, 'wallet_credit', 'collected',
      ${payment.amount_microcents}, ${now}, ${now}, ${now})`);
}

/** Says that nobody knows yet how the attempt ended; the next try with the same payment may begin at `tryAgainAt`. */
export function markUnknown(tx: Tx, paymentKey: string, tryAgainAt: Date): void {
  tx.write(sql`
    update payments set state = 'unknown', lease_until = ${tryAgainAt}
    where payment_key = ${paymentKey} and state in ('settling', 'unknown')`);
}

/** Takes the right to call the provider again for the same attempt; false while another request holds it. */
export async function takeLease(db: Queries, paymentKey: string, now: Date): Promise<boolean> {
  const taken = await db.maybe(sql`
    update payments set lease_until = ${leaseUntil(now)}
    where payment_key = ${paymentKey} and state in ('settling', 'unknown') and lease_until <= ${now}
    returning payment_key`);
  return taken !== undefined;
}

/** Keeps that right while `call` is under way. */
export function whileCalling<T>({ db, clock }: Process, paymentKey: string, call: () => Promise<T>): Promise<T> {
  const renew = () =>
    db.many(sql`
      update payments set lease_until = ${leaseUntil(clock())}
      where payment_key = ${paymentKey} and state in ('settling', 'unknown')`);
  return whileHeld(renew, call);
}

/** The collected payment of a job. */
export function collectionOf(
  db: Queries,
  jobKey: string,
): Promise<{ rail: RailName; payment_key: string; method: string; amount_microcents: bigint; principal_key: string }> {
  return db.one(sql`
    select rail, payment_key, method, amount_microcents, principal_key
    from payments join jobs using (job_key)
    where job_key = ${jobKey} and payments.state = 'collected'`);
}
