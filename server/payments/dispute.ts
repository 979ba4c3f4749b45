import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';

/** The effect of a bank's dispute on its job's payment. */

/**
 * Records the job's payment state before the dispute, to restore when it is won, and tells the card that paid. Null when the dispute is about a
 * charge that its job does not know, or that has no money left. Undefined when recorded before.
 */
export async function noteDispute(
  tx: Tx,
  disputeKey: string,
  paymentState: string,
  now: Date,
): Promise<{ job_payment_state: string | null; payer: string | null } | undefined> {
  return tx.maybe(sql`
    update card_disputes d set told_at = ${now}, job_payment_state = case
      when c.use = 'payment' and ${paymentState}::text not in ('refunded', 'reversed', 'disputed') then ${paymentState} end
    from card_charges c
    where d.intent_id = c.intent_id and dispute_id = ${disputeKey} and told_at is null and closed_at is null
    returning job_payment_state, c.payer`);
}

/** A dispute that just ended. */
export interface ClosedDispute {
  intent_id: string;
  /** It was about the job's payment. */
  is_payment: boolean;
  /** The payment state of the job before the dispute; null if the dispute does not concern it. */
  job_payment_state: string | null;
  /** Its earlier result. */
  before: 'lost' | null;
  /** How often it moved money, and what its bank holds of it. */
  movements: number;
  withdrawn_microcents: bigint;
  /** No other dispute of the payment is open. */
  is_last: boolean;
}

/** Ends a dispute. A lost one can still be won. Undefined when it already had this result. */
export async function closeDispute(
  tx: Tx,
  disputeKey: string,
  outcome: 'won' | 'lost',
  now: Date,
): Promise<ClosedDispute | undefined> {
  return tx.maybe(sql`
    update card_disputes d set closed_at = ${now}, outcome = ${outcome}, told_at = coalesce(told_at, ${now})
    from card_charges c
    where d.intent_id = c.intent_id and dispute_id = ${disputeKey}
      and (closed_at is null or (outcome = 'lost' and ${outcome}::text = 'won'))
    returning new.job_payment_state, new.intent_id, c.use = 'payment' as is_payment, old.outcome as before, new.movements,
      new.withdrawn_microcents, not exists (
        select from card_disputes other
        where other.payment_key = d.payment_key and other.dispute_id <> d.dispute_id and other.closed_at is null) as is_last`);
}

/** Leaves what to restore to another open dispute of the payment, when the one that held it ends. False without one. */
export async function passStateOn(tx: Tx, paymentKey: string, state: string): Promise<boolean> {
  const passed = await tx.maybe(sql`
    update card_disputes set job_payment_state = ${state} where dispute_id = (
      select dispute_id from card_disputes d join card_charges c using (intent_id)
      where d.payment_key = ${paymentKey} and c.use = 'payment' and closed_at is null and told_at is not null
      order by opened_at, dispute_id limit 1)
    returning dispute_id`);
  return passed !== undefined;
}

/** Takes what another open dispute of the payment was to restore. Null when none holds it. */
export async function takeState(tx: Tx, paymentKey: string): Promise<string | null> {
  const taken = await tx.maybe<{ job_payment_state: string }>(sql`
    update card_disputes set job_payment_state = null
    where payment_key = ${paymentKey} and closed_at is null and job_payment_state is not null
    returning old.job_payment_state`);
  return taken?.job_payment_state ?? null;
}

/** Changes what a contested payment is restored to, because its refund was carried out or failed. False when it is none. */
export async function changeDisputed(tx: Tx, paymentKey: string, state: string, from: string): Promise<boolean> {
  const changed = await tx.maybe(sql`
    update card_disputes set job_payment_state = ${state}
    where payment_key = ${paymentKey} and closed_at is null and job_payment_state = ${from} returning dispute_id`);
  return changed !== undefined;
}

/**
 * Changes what is booked as an expense of the lost dispute of a late charge, when its refund leaves besides or comes
 * back. False when no dispute of it was lost, or no such expense is booked.
 */
export async function changeExpense(tx: Tx, refundKey: string, change: bigint): Promise<boolean> {
  const changed = await tx.maybe(sql`
    update card_disputes set expensed_microcents = expensed_microcents + ${change} where dispute_id = (
      select dispute_id from card_disputes join refunds using (intent_id)
      where refund_key = ${refundKey} and outcome = 'lost' and expensed_microcents + ${change} >= 0
      order by closed_at desc, dispute_id limit 1)
    returning dispute_id`);
  return changed !== undefined;
}

/** Records what of a dispute is booked as an expense. */
export function noteExpense(tx: Tx, disputeKey: string, amount: bigint): void {
  tx.write(sql`update card_disputes set expensed_microcents = ${amount} where dispute_id = ${disputeKey}`);
}

/** Postpones the refund of a contested payment until the dispute is won. False when none is open. */
export async function owesAfterDispute(tx: Tx, paymentKey: string): Promise<boolean> {
  const waiting = await tx.maybe(sql`
    update card_disputes set job_payment_state = 'refund_pending'
    where payment_key = ${paymentKey} and closed_at is null and job_payment_state is not null returning dispute_id`);
  return waiting !== undefined;
}

/**
 * Takes what is booked as an expense of a dispute that was lost and is won after all, else of another one of the charge
 * that stays lost: that one now holds the money. 0 without any.
 */
export async function takeExpense(tx: Tx, disputeKey: string, intentId: string): Promise<bigint> {
  const taken = await tx.maybe<{ expensed_microcents: bigint }>(sql`
    update card_disputes set expensed_microcents = 0 where dispute_id = (
      select dispute_id from card_disputes
      where intent_id = ${intentId} and expensed_microcents > 0 and (dispute_id = ${disputeKey} or outcome = 'lost')
      order by dispute_id = ${disputeKey} desc, closed_at, dispute_id limit 1)
    returning old.expensed_microcents`);
  return taken?.expensed_microcents ?? 0n;
}
