import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { leaseUntil, whileHeld } from '../kernel/lease.ts';
import { microcents } from '../kernel/money.ts';
import { sql, statement } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import { credited, creditedOfRevenue, refundOwed, refundOwedOfRevenue } from '../ledger/entries.ts';
import { post } from '../ledger/ledger.ts';
import { collectionOf } from './attempt.ts';
import { isForOperator, isOfFormer } from './attempt-sql.ts';
import { owesAfterDispute } from './dispute.ts';
import { type Process, type Rails, type Refund, type RefundReason, railOf } from './rail.ts';

/** What every rail stores of money going back, in `refunds`. */

/**
 * Owes a waived job's collection back in the caller's transaction, which also moves the job and issues its receipt.
 * Money goes to its payer: records the refund as `refund_pending` for the reconciler. While the payer's bank contests
 * the payment, it waits for that to end. Spent credit is credited again at once. Resolves to the job's new
 * `payment_state`. A job gives back once: a second call fails, here and in the database. `isEarned`: the charge was
 * final, so take it from revenue.
 */
export async function requestRefund(
  tx: Tx,
  rails: Rails,
  request: { jobKey: string; reason: RefundReason; isEarned?: boolean; now: Date },
): Promise<'refund_pending' | 'credited' | 'disputed'> {
  const { jobKey, reason, isEarned = false, now } = request;
  const payment = await collectionOf(tx, jobKey);
  const amount = microcents(payment.amount_microcents);
  const owed = { jobKey, principalKey: payment.principal_key, amount, at: now };
  if (payment.method === 'wallet_credit') {
    post(tx, { ...(isEarned ? creditedOfRevenue : credited), ...owed, key: jobKey });
    return 'credited';
  }
  post(tx, { ...(isEarned ? refundOwedOfRevenue : refundOwed), ...owed, key: payment.payment_key });
  await railOf(rails, payment).refunds.owe(tx, { paymentKey: payment.payment_key, jobKey, reason, now });
  return (await owesAfterDispute(tx, payment.payment_key)) ? 'disputed' : 'refund_pending';
}

/**
 * A refund that was carried out by this departure has come back: it is owed again unless it was settled. Undefined when
 * recorded before, or when it has left anew since.
 */
export async function reopenRefund(
  tx: Tx,
  departure: string,
  because: string,
  now: Date,
): Promise<
  { refund_key: string; reason: Refund['reason']; amount_microcents: bigint; is_settled: boolean } | undefined
> {
  return tx.maybe(sql`
    update refunds set state = 'refund_failed', decided_at = ${now}, failure = ${because},
      dropped_at = case when settled_at is not null then ${now}::timestamptz end
    where provider_refund_id = ${departure} and state = 'refunded'
    returning refund_key, reason, amount_microcents, settled_at is not null as is_settled`);
}

/** Drops a refund that came back after a bank had taken its money. */
export function dropRefund(tx: Tx, refundKey: string, now: Date): void {
  tx.write(sql`update refunds set dropped_at = ${now} where refund_key = ${refundKey}`);
}

/** A dropped refund left all the same. Undefined when none was dropped. */
export async function undropRefund(tx: Tx, refundKey: string, now: Date): Promise<{ is_settled: boolean } | undefined> {
  return tx.maybe(sql`
    update refunds set state = 'refunded', dropped_at = null, decided_at = ${now}, failure = null
    where refund_key = ${refundKey} and dropped_at is not null returning settled_at is not null as is_settled`);
}

/** Drops the refund of a payment that the rail took back itself; money that came besides stays owed. False when none was owed. */
export async function cancelRefund(tx: Tx, paymentKey: string, now: Date): Promise<boolean> {
  const canceled = await tx.maybe(sql`
    update refunds set state = 'refund_failed', dropped_at = ${now}, decided_at = coalesce(decided_at, ${now}),
      failure = coalesce(failure, 'The payment itself was reversed.')
    where payment_key = ${paymentKey} and state <> 'refunded' and dropped_at is null and reason <> 'late_payment' returning refund_key`);
  return canceled !== undefined;
}

/** Drops the refund of a late charge that its payer's bank took back itself. Undefined when it had gone back before. */
export async function cancelLateRefund(
  tx: Tx,
  intentId: string,
  now: Date,
): Promise<{ amount_microcents: bigint } | undefined> {
  return tx.maybe(sql`
    update refunds set state = 'refund_failed', dropped_at = ${now}, decided_at = coalesce(decided_at, ${now}),
      failure = coalesce(failure, 'The payment itself was reversed.')
    where intent_id = ${intentId} and reason = 'late_payment' and state <> 'refunded' and dropped_at is null returning amount_microcents`);
}

/**
 * Restores the refund of a late charge after its bank returned the charge; one that has come back once is for a person.
 * Undefined when none was dropped.
 */
export async function reviveLateRefund(
  tx: Tx,
  intentId: string,
  now: Date,
): Promise<{ amount_microcents: bigint } | undefined> {
  return tx.maybe(sql`
    update refunds set state = case when provider_refund_id is null then 'refund_pending' else 'refund_failed' end,
      dropped_at = null, tries = 0, next_try_at = ${now},
      decided_at = case when provider_refund_id is null then null else decided_at end,
      failure = case when provider_refund_id is null then null else failure end
    where intent_id = ${intentId} and reason = 'late_payment' and dropped_at is not null and settled_at is null returning amount_microcents`);
}

/**
 * Restores a refund that was dropped because of a wrong reversal, and says how it stands: one that has come back once is
 * for a person. Undefined when none is dropped: it has left.
 */
export async function reviveRefund(
  tx: Tx,
  paymentKey: string,
  state: 'refund_pending' | 'refund_failed',
  now: Date,
): Promise<'refund_pending' | 'refund_failed' | undefined> {
  const isPending = state === 'refund_pending';
  const revived = await tx.maybe<{ state: 'refund_pending' | 'refund_failed' }>(sql`
    update refunds set dropped_at = null, tries = 0, next_try_at = ${now},
      state = case when ${isPending}::boolean and provider_refund_id is null then 'refund_pending' else 'refund_failed' end,
      decided_at = case when ${isPending}::boolean and provider_refund_id is null then null else decided_at end,
      failure = case when ${isPending}::boolean and provider_refund_id is null then null else failure end
    where payment_key = ${paymentKey} and dropped_at is not null and settled_at is null and reason <> 'late_payment'
    returning state`);
  return revived?.state;
}

/** How an operator settles a refund that failed, or is pending for long. */
export interface Settlement {
  as: 'sent_by_hand' | 'wallet_credit';
  /** What was sent is named by it; the database refuses it without. */
  reference?: string;
}

const ofKey = `
  select job_key, job_key is not null and reason <> 'late_payment' as is_own, intent_id is not null as is_card,
    exists (select from card_charges c where c.intent_id = refunds.intent_id and not ${isOfFormer('c')}) as is_found
  from refunds where refund_key = $1`;

/** A refund that an operator may settle. */
interface Settleable {
  job_key: string | null;
  /** It gives back what its purchase collected. */
  is_own: boolean;
  is_card: boolean;
  /** What leaves at the card provider is found by itself. */
  is_found: boolean;
}

/** What to know of a refund before it is settled. Undefined when there is none. */
export function settleable(db: Queries, refundKey: string): Promise<Settleable | undefined> {
  return db.maybe(statement(ofKey, [refundKey]));
}

/** The failure of one that was pending is that an operator took it over: then no worker sends it. */
const settling = `
  with open as (
    select refund_key, state from refunds r
    where refund_key = $1 and dropped_at is null and (state = 'refund_failed' or ${isForOperator('r', '$4::timestamptz')})
      and not exists (select from card_disputes d where d.intent_id = r.intent_id and closed_at is null)
    for update)
  update refunds r set state = 'refund_failed', settled_as = $2, settled_reference = $3, settled_at = $4, dropped_at = $4,
    decided_at = coalesce(decided_at, $4), failure = coalesce(failure, 'It was pending for long, and an operator settled it.')
  from open where r.refund_key = open.refund_key
  returning r.amount_microcents, open.state as was`;

/**
 * Settles a refund that failed, or that is pending for long and rests: it is owed no more, and nothing revives or sends it.
 * Undefined when it is none, was settled or dropped before, may be under way, or waits for a dispute.
 */
export async function settleFailed(
  tx: Tx,
  refundKey: string,
  settlement: Settlement,
  now: Date,
): Promise<{ amount_microcents: bigint; was: 'refund_pending' | 'refund_failed' } | undefined> {
  const reference = settlement.as === 'sent_by_hand' ? (settlement.reference ?? null) : null;
  return tx.maybe(statement(settling, [refundKey, settlement.as, reference, now]));
}

/** Delays the next try while `attempt` runs. */
export function whileTrying<T>({ db, clock }: Process, refund: Refund, attempt: () => Promise<T>): Promise<T> {
  const renew = () =>
    db.many(sql`
      update refunds set next_try_at = ${leaseUntil(clock())}
      where refund_key = ${refund.refund_key} and state = 'refund_pending' and tries = ${refund.tries}`);
  return whileHeld(renew, attempt);
}

const waitMaxSeconds = 30;

/** Backs off: twice as long each time, at most half a minute, to recover soon. */
export async function waitWithRefund(db: Queries, refund: Refund, now: Date): Promise<void> {
  const wait = Math.min(2 ** (refund.tries - 1), waitMaxSeconds);
  await db.many(sql`
    update refunds set next_try_at = ${after(now, wait)}
    where refund_key = ${refund.refund_key} and state = 'refund_pending' and tries = ${refund.tries}`);
}

/**
 * Records the refund, once, by its claimed departure; one that `isNew` carries out a failed refund, too. Resolves to how it
 * stood; undefined when already recorded.
 */
export async function decideRefund(
  tx: Tx,
  refundKey: string,
  fact: { state: 'refunded'; isNew: boolean } | { state: 'refund_failed'; failure: string },
  now: Date,
): Promise<'refund_pending' | 'refund_failed' | undefined> {
  const isLeaving = fact.state === 'refunded' && fact.isNew;
  const decided = await tx.maybe<{ was: 'refund_pending' | 'refund_failed' }>(sql`
    update refunds set state = ${fact.state}, decided_at = ${now},
      failure = ${fact.state === 'refund_failed' ? fact.failure : null}
    where refund_key = ${refundKey} and dropped_at is null
      and (state = 'refund_pending' or (${isLeaving}::boolean and state = 'refund_failed'))
    returning old.state as was`);
  return decided?.was;
}
