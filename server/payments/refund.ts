import { type Address, keccak256, toBytes } from 'viem';
import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import type { Network } from '../kernel/env.ts';
import { newKey } from '../kernel/id.ts';
import { leaseUntil, whileHeld } from '../kernel/lease.ts';
import { microcents, toTokenUnits } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import { arrivedLate, credited, refundOwed } from '../ledger/entries.ts';
import { post } from '../ledger/ledger.ts';
import type { Authorization } from './chain.ts';
import type { PaymentRow } from './payment.ts';

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
  tx.write(sql`
    insert into refunds (refund_key, payment_key, job_key, amount_microcents, reason, state, next_try_at, created_at)
    values (${newKey('refund')}, ${payment.payment_key}, ${jobKey}, ${amount}, ${reason}, 'refund_pending', ${now},
      ${now})`);
  return 'refund_pending';
}

/** Owes a payment back that arrived after it had been given up, once. False when that was done before. */
export async function requestLateRefund(
  tx: Tx,
  payment: PaymentRow,
  principalKey: string,
  now: Date,
): Promise<boolean> {
  const { payment_key, job_key, amount_microcents } = payment;
  const owed = await tx.maybe(sql`
    insert into refunds (refund_key, payment_key, job_key, amount_microcents, reason, state, next_try_at, created_at)
    values (${newKey('refund')}, ${payment_key}, ${job_key}, ${amount_microcents}, 'late_payment', 'refund_pending',
      ${now}, ${now})
    on conflict (payment_key) do nothing returning refund_key`);
  if (!owed) return false;
  const amount = microcents(amount_microcents);
  post(tx, { ...arrivedLate(payment.network), key: payment_key, jobKey: job_key, principalKey, amount, at: now });
  return true;
}

/** Gives up a refund of money that the chain has taken back itself. False when none was on its way. */
export async function cancelRefund(tx: Tx, paymentKey: string, now: Date): Promise<boolean> {
  const canceled = await tx.maybe(sql`
    update refunds set state = 'refund_failed', decided_at = ${now}, failure = 'The payment itself was reversed.'
    where payment_key = ${paymentKey} and state = 'refund_pending' returning refund_key`);
  return canceled !== undefined;
}

/** A refund with what the chain needs to know of the payment that it gives back. */
export interface RefundRow {
  refund_key: string;
  payment_key: string;
  job_key: string;
  amount_microcents: bigint;
  /** `late_payment`: it arrived after it had been given up, so its job knows nothing of it. */
  reason: RefundReason | 'late_payment';
  tries: number;
  valid_before: Date | null;
  created_at: Date;
  network: Network;
  asset: Address;
  payer: Address;
  pay_to: Address;
}

const waitMaxSeconds = 30;
/** A signed transfer back is good for this long; the next try signs anew, with the same nonce. */
const validSeconds = 3_600;
/** About a day of tries; what could not be given back by then is left to an operator. */
const triesMax = 2_880;

/** Refunds of what this address was paid whose next try is due, longest due first. */
export function dueRefunds(db: Queries, paidTo: Address, now: Date, limit: number): Promise<RefundRow[]> {
  return db.many<RefundRow>(sql`
    select refunds.*, network, asset, payer, pay_to from refunds join payments using (payment_key)
    where refunds.state = 'refund_pending' and next_try_at <= ${now} and pay_to = ${paidTo}
    order by next_try_at limit ${limit}`);
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
 * The transfer that gives a payment back. Its nonce follows from the payment, so the token itself lets it happen once,
 * whatever crashes, and however often it is signed and sent.
 */
export function transferBack(refund: RefundRow): Authorization {
  return {
    network: refund.network,
    asset: refund.asset,
    from: refund.pay_to,
    to: refund.payer,
    nonce: keccak256(toBytes(`refund:${refund.payment_key}`)),
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

/** The fact, once. False when it was written down before. */
export async function decideRefund(
  tx: Tx,
  refundKey: string,
  fact: { state: 'refunded'; transaction: string } | { state: 'refund_failed'; failure: string },
  now: Date,
): Promise<boolean> {
  const decided = await tx.maybe(sql`
    update refunds set state = ${fact.state}, decided_at = ${now},
      transaction = ${fact.state === 'refunded' ? fact.transaction : null},
      failure = ${fact.state === 'refund_failed' ? fact.failure : null}
    where refund_key = ${refundKey} and state = 'refund_pending'
    returning refund_key`);
  return decided !== undefined;
}
