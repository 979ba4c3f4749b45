import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { sql, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { attemptColumns, nextLook, type TransferAttempt } from './attempt.ts';

/** Collected payments that a reorganisation can still remove, and what the looks at their chain have shown. */

/** A look that ended without an answer is taken again after this long. */
const lookAgainSeconds = 30;
/** A payment that is not final after the last look is looked up again after this long. */
const untilFinalSeconds = 1_800;

const takeDue = `
  with taken as (
    update x402_transfers set watch_at = $1
    where payment_key in (
      select payment_key from x402_transfers where watch_at <= $2 order by watch_at limit $3 for update skip locked)
    returning payment_key)
  select ${attemptColumns} from x402_payments x join taken using (payment_key)`;

/** Takes collected payments that are due to be looked up again, longest due first: nobody else does for a while. */
export function takeWatched(db: Queries, now: Date, limit: number): Promise<TransferAttempt[]> {
  return db.many<TransferAttempt>(statement(takeDue, [after(now, lookAgainSeconds), now, limit]));
}

/**
 * The chain still holds the payment. Once it is final it is not watched any more: then nothing can carry the transfer out
 * again, and its signature is forgotten.
 */
export function confirmCollected(tx: Tx, payment: TransferAttempt, isFinal: boolean, now: Date): void {
  const next = nextLook(payment.decided_at ?? payment.created_at, now);
  const watchAt = next ?? (isFinal ? null : after(now, untilFinalSeconds));
  tx.write(sql`
    update x402_transfers set watch_at = ${watchAt}, missing_looks = 0,
      signature = case when ${watchAt}::timestamptz is null then null else signature end
    where payment_key = ${payment.payment_key} and watch_at is not null`);
}

/** A final block shows that the payment is not there: how many looks in a row have said so. */
export async function countMissing(db: Queries, paymentKey: string): Promise<number> {
  const counted = await db.maybe<{ missing_looks: number }>(sql`
    update x402_transfers set missing_looks = missing_looks + 1
    where payment_key = ${paymentKey} and watch_at is not null returning missing_looks`);
  return counted?.missing_looks ?? 0;
}

/** The chain has lost the payment for good, written down once. False when it was before. */
export async function markReversed(tx: Tx, paymentKey: string, now: Date): Promise<boolean> {
  const reversed = await tx.maybe(sql`
    with reversed as (
      update payments set reversed_at = ${now}
      where payment_key = ${paymentKey} and state = 'collected' and reversed_at is null
      returning payment_key)
    update x402_transfers set watch_at = null, signature = null from reversed
    where x402_transfers.payment_key = reversed.payment_key
    returning reversed.payment_key`);
  return reversed !== undefined;
}

/** The chain holds the payment after all, and is watched again. False when it was not reversed. */
export async function markHealed(tx: Tx, paymentKey: string, now: Date): Promise<boolean> {
  const healed = await tx.maybe(sql`
    with healed as (
      update payments set reversed_at = null where payment_key = ${paymentKey} and reversed_at is not null
      returning payment_key)
    update x402_transfers set watch_at = ${after(now, lookAgainSeconds)}, missing_looks = 0 from healed
    where x402_transfers.payment_key = healed.payment_key
    returning healed.payment_key`);
  return healed !== undefined;
}
