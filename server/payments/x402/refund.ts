import type { Address, Hex } from 'viem';
import type { Network } from '../../configuration.ts';
import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { newKey } from '../../kernel/id.ts';
import { leaseUntil, whileHeld } from '../../kernel/lease.ts';
import { microcents, toTokenUnits } from '../../kernel/money.ts';
import { sql } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { arrivedLate, credited, refundOwed, returnOwed } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import type { PaymentRow } from './attempt.ts';
import type { Authorization } from './chain.ts';
import { arrivalOf, bookKeyOf, giveUpArrival, type TransferRow } from './transfers.ts';

/** Why a collection goes back to who paid it. */
export type RefundReason = 'second_dispute' | 'recheck_failed' | 'waived_by_operator';

/**
 * Owes back what was collected for a job whose charge is waived, in the caller's transaction, which also moves the job
 * and issues its receipt. Money goes back to the address that paid: the refund is recorded as `refund_pending` and
 * carried out by the sweep. Credit that was spent is credited again at once. Resolves to the job's new
 * `payment_state`. A job gives back once: a second call fails the transaction, and the database refuses it too.
 */
export async function requestRefund(
  tx: Tx,
  request: { jobKey: string; reason: RefundReason; now: Date },
): Promise<'refund_pending' | 'credited'> {
  const { jobKey, reason, now } = request;
  const payment = await tx.one<{
    payment_key: string;
    method: 'x402' | 'wallet_credit';
    amount_microcents: bigint;
    principal_key: string;
  }>(sql`
    select payment_key, method, amount_microcents, principal_key
    from payments join jobs using (job_key)
    where job_key = ${jobKey} and payments.state = 'collected'`);
  const amount = microcents(payment.amount_microcents);
  const owed = { jobKey, principalKey: payment.principal_key, amount, at: now };
  if (payment.method === 'wallet_credit') {
    post(tx, { ...credited, ...owed, key: jobKey });
    return 'credited';
  }
  post(tx, { ...refundOwed, ...owed, key: payment.payment_key });
  const arrival = await arrivalOf(tx, payment.payment_key);
  if (!arrival) throw new Error(`no transfer is known that paid ${payment.payment_key}`);
  owe(tx, arrival, { paymentKey: payment.payment_key, jobKey, reason, now });
  return 'refund_pending';
}

/** Writes down that an arrival goes back to who sent it. The database lets each go back once, and no more than it brought. */
export function owe(
  tx: Tx,
  arrival: TransferRow,
  why: { paymentKey: string | null; jobKey: string | null; reason: RefundRow['reason']; now: Date },
): string {
  const refundKey = newKey('refund');
  tx.write(sql`
    insert into refunds (refund_key, payment_key, job_key, network, arrival_transaction, arrival_position,
      amount_microcents, reason, state, next_try_at, created_at)
    values (${refundKey}, ${why.paymentKey}, ${why.jobKey}, ${arrival.network}, ${arrival.transaction},
      ${arrival.position}, ${arrival.amount_microcents}, ${why.reason}, 'refund_pending', ${why.now}, ${why.now})`);
  return refundKey;
}

/**
 * Owes an arrival back that paid for an attempt after that had been given up: exactly what arrived. False when the arrival
 * was used before.
 */
export async function requestLateRefund(
  tx: Tx,
  arrival: TransferRow,
  payment: PaymentRow,
  now: Date,
): Promise<boolean> {
  if (!(await giveUpArrival(tx, arrival, 'late'))) return false;
  const { payment_key: paymentKey, job_key: jobKey, principal_key: principalKey } = payment;
  owe(tx, arrival, { paymentKey, jobKey, reason: 'late_payment', now });
  const amount = microcents(arrival.amount_microcents);
  post(tx, { ...arrivedLate, key: bookKeyOf(arrival), jobKey, principalKey, amount, at: now });
  return true;
}

/** Owes an arrival back that no payment knows of. Undefined when it was used before. */
export async function requestReturn(
  tx: Tx,
  arrival: TransferRow,
  reason: 'returned_by_operator' | 'returned_before',
  now: Date,
): Promise<string | undefined> {
  if (!(await giveUpArrival(tx, arrival, 'returned'))) return undefined;
  const amount = microcents(arrival.amount_microcents);
  post(tx, { ...returnOwed, key: bookKeyOf(arrival), jobKey: null, principalKey: null, amount, at: now });
  return owe(tx, arrival, { paymentKey: null, jobKey: null, reason, now });
}

/** Gives up a refund of money that the chain has taken back itself. False when none was on its way. */
export async function cancelRefund(tx: Tx, paymentKey: string, now: Date): Promise<boolean> {
  const canceled = await tx.maybe(sql`
    update refunds set state = 'refund_failed', decided_at = ${now}, failure = 'The payment itself was reversed.'
    where payment_key = ${paymentKey} and state = 'refund_pending' returning refund_key`);
  return canceled !== undefined;
}

/** Owes a refund again that was given up because its payment was reversed, and should not have been. */
export async function reviveRefund(tx: Tx, paymentKey: string, now: Date): Promise<boolean> {
  const revived = await tx.maybe(sql`
    update refunds set state = 'refund_pending', decided_at = null, failure = null, tries = 0, next_try_at = ${now}
    where payment_key = ${paymentKey} and state = 'refund_failed' returning refund_key`);
  return revived !== undefined;
}

/** A refund with what the chain needs to know of the arrival that it gives back. */
export interface RefundRow {
  refund_key: string;
  /** Null for what was no payment. */
  payment_key: string | null;
  job_key: string | null;
  amount_microcents: bigint;
  /**
   * `payment_reversed`: of a charge that a reversal gave up which proved wrong. `late_payment`: it arrived after its attempt had been given up, so its job knows nothing of it. `returned_…`: no
   * payment knows of it, and an operator said so, or the chain shows that it went back before (after a restore).
   */
  reason: RefundReason | 'payment_reversed' | 'late_payment' | 'returned_by_operator' | 'returned_before';
  state: 'refund_pending' | 'refunded' | 'refund_failed';
  tries: number;
  valid_before: Date | null;
  created_at: Date;
  network: Network;
  arrival_transaction: Hex;
  arrival_position: number;
  asset: Address;
  /** Who sent it, and gets it back. */
  sender: Address;
  /** The address that was paid. */
  recipient: Address;
  refund_nonce: Hex;
  block_number: bigint;
}

const waitMaxSeconds = 30;
/** A signed transfer back is good for this long; the next try signs anew, with the same nonce. */
export const validSeconds = 3_600;
/** About a day of tries; what could not be given back by then is left to an operator. */
const triesMax = 2_880;

/** Refunds of what this address was paid whose next try is due, longest due first. What the chain lost can wait. */
export function dueRefunds(db: Queries, paidTo: Address, now: Date, limit: number): Promise<RefundRow[]> {
  return db.many<RefundRow>(sql`
    select refunds.refund_key, refunds.payment_key, refunds.job_key, refunds.amount_microcents, reason, state, tries,
      valid_before, created_at, refunds.network, arrival_transaction, arrival_position, asset, sender, recipient,
      refund_nonce, block_number
    from refunds join chain_transfers c on c.network = refunds.network and c.transaction = arrival_transaction
      and c.position = arrival_position
    where refunds.state = 'refund_pending' and next_try_at <= ${now} and recipient = ${paidTo} and removed_at is null
    order by next_try_at limit ${limit}`);
}

/** Refunds whose transfer a reorganisation removed, and that no other transfer has taken the place of. */
export function lostRefunds(db: Queries, paidTo: Address, limit: number): Promise<RefundRow[]> {
  return db.many<RefundRow>(sql`
    select refunds.refund_key, refunds.payment_key, refunds.job_key, refunds.amount_microcents, reason, state, tries,
      valid_before, created_at, refunds.network, arrival_transaction, arrival_position, asset, sender, recipient,
      c.refund_nonce, block_number
    from refunds join chain_transfers c on c.network = refunds.network and c.transaction = arrival_transaction
      and c.position = arrival_position
    where refunds.refund_key in (
      select refund_key from chain_transfers where use = 'refund' and removed_at is not null)
      and not exists (select from chain_transfers back where back.refund_key = refunds.refund_key
        and back.removed_at is null)
      and c.recipient = ${paidTo} and c.removed_at is null
    limit ${limit}`);
}

/** The intent: this try, and no other, may carry the refund out for a while. Undefined when somebody else has it. */
export async function takeRefund(db: Queries, refund: RefundRow, now: Date): Promise<RefundRow | undefined> {
  // Afterwards the last signature runs out, and with it the last chance that the money moves after all.
  const validBefore = refund.tries < triesMax ? after(now, validSeconds) : refund.valid_before;
  const taken = await db.maybe<Pick<RefundRow, 'tries' | 'valid_before'>>(sql`
    update refunds set tries = tries + 1, valid_before = ${validBefore}, next_try_at = ${leaseUntil(now)}
    where refund_key = ${refund.refund_key} and state = 'refund_pending' and next_try_at <= ${now}
    returning tries, valid_before`);
  return taken && { ...refund, ...taken };
}

/** Keeps the next try away while `attempt`, the one that was taken last, is under way. */
export function whileTrying<T>(
  { db, clock }: { db: Queries; clock: () => Date },
  refund: RefundRow,
  attempt: () => Promise<T>,
): Promise<T> {
  const renew = () =>
    db.many(sql`
      update refunds set next_try_at = ${leaseUntil(clock())}
      where refund_key = ${refund.refund_key} and state = 'refund_pending' and tries = ${refund.tries}`);
  return whileHeld(renew, attempt);
}

/**
 * The transfer that gives an arrival back, to its sender alone. Its nonce follows from the arrival, so the token itself
 * lets it happen once, whatever crashes, and however often it is signed and sent.
 */
export function transferBack(refund: RefundRow): Authorization {
  return {
    network: refund.network,
    asset: refund.asset,
    from: refund.recipient,
    to: refund.sender,
    nonce: refund.refund_nonce,
    amount: BigInt(toTokenUnits(microcents(refund.amount_microcents))),
    validAfter: new Date(0),
    validBefore: refund.valid_before ?? refund.created_at,
  };
}

/** Lets the next try wait: twice as long each time, half a minute at most, so that it soon follows a recovery. */
export async function waitWithRefund(db: Queries, refund: RefundRow, now: Date): Promise<void> {
  const wait = Math.min(2 ** (refund.tries - 1), waitMaxSeconds);
  await db.many(sql`
    update refunds set next_try_at = ${after(now, wait)}
    where refund_key = ${refund.refund_key} and state = 'refund_pending' and tries = ${refund.tries}`);
}

/** The fact, once; it is refunded by a departure that was claimed for it. False when it was written down before. */
export async function decideRefund(
  tx: Tx,
  refundKey: string,
  fact: { state: 'refunded' } | { state: 'refund_failed'; failure: string },
  now: Date,
): Promise<boolean> {
  const decided = await tx.maybe(sql`
    update refunds set state = ${fact.state}, decided_at = ${now},
      failure = ${fact.state === 'refund_failed' ? fact.failure : null}
    where refund_key = ${refundKey} and state = 'refund_pending'
    returning refund_key`);
  return decided !== undefined;
}
