import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';

/** What is kept of a payment that its payer's bank contests, as far as its job is touched by that. */

/**
 * Notes how the payment of the job stood when the dispute came: that is put back when it is won. Null when this dispute is
 * of a charge that its job knows nothing of, or when that has no money left to contest. Undefined when it was noted before.
 */
export async function noteDispute(
  tx: Tx,
  disputeKey: string,
  paymentState: string,
  now: Date,
): Promise<{ job_payment_state: string | null } | undefined> {
  return tx.maybe(sql`
    update card_disputes d set told_at = ${now}, job_payment_state = case
      when c.use = 'payment' and ${paymentState}::text not in ('refunded', 'reversed', 'disputed') then ${paymentState} end
    from card_charges c
    where d.intent_id = c.intent_id and dispute_id = ${disputeKey} and told_at is null and closed_at is null
    returning job_payment_state`);
}

/** Ends a dispute. Undefined when it had ended before. `is_payment`: it was about what paid for the job. */
export async function closeDispute(
  tx: Tx,
  disputeKey: string,
  outcome: 'won' | 'lost',
  now: Date,
): Promise<{ job_payment_state: string | null; intent_id: string; is_payment: boolean } | undefined> {
  return tx.maybe(sql`
    update card_disputes d set closed_at = ${now}, outcome = ${outcome}, told_at = coalesce(told_at, ${now})
    from card_charges c
    where d.intent_id = c.intent_id and dispute_id = ${disputeKey} and closed_at is null
    returning job_payment_state, d.intent_id, c.use = 'payment' as is_payment`);
}

/** Has the refund of a contested payment wait: it is owed once the dispute is won. False when none is open. */
export async function owesAfterDispute(tx: Tx, paymentKey: string): Promise<boolean> {
  const waiting = await tx.maybe(sql`
    update card_disputes set job_payment_state = 'refund_pending'
    where payment_key = ${paymentKey} and closed_at is null and job_payment_state is not null returning dispute_id`);
  return waiting !== undefined;
}
