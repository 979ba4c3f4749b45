import type { Address, Hex } from 'viem';
import type { Network } from '../../configuration/networks.ts';
import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { newKey } from '../../kernel/id.ts';
import { leaseUntil } from '../../kernel/lease.ts';
import { microcents, toTokenUnits } from '../../kernel/money.ts';
import { sql, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { arrivedLate, movedOut, returnOwed } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import type { Refund } from '../rail.ts';
import type { TransferAttempt } from './attempt.ts';
import type { Authorization } from './authorization.ts';
import {
  bookKeyOf,
  claimDeparture,
  giveUpArrival,
  lockTransfer,
  logsOfRefund,
  markRemoved,
  type TransferRow,
  takeOver,
} from './transfers.ts';

/** A refund, with its arrival as the chain knows it. */
export interface TransferRefund extends Refund {
  rail: 'x402';
  valid_before: Date | null;
  network: Network;
  arrival_transaction: Hex;
  arrival_position: number;
  asset: Address;
  /** Sent it, and gets it back. */
  sender: Address;
  /** The receiving address. */
  recipient: Address;
  refund_nonce: Hex;
}

/** What a `TransferRefund` is read from, behind `select`. */
const refundColumns = `'x402' as rail, refunds.refund_key, refunds.payment_key, refunds.job_key, refunds.amount_microcents,
  refunds.reason, refunds.state, refunds.tries, refunds.valid_before, refunds.created_at, refunds.network,
  refunds.arrival_transaction, refunds.arrival_position, c.asset, c.sender, c.recipient, c.refund_nonce
  from refunds join chain_transfers c on c.network = refunds.network and c.transaction = arrival_transaction
    and c.position = arrival_position`;

/** Records that an arrival goes back to its sender. The database allows that once, up to the arrived amount. */
export function owe(
  tx: Tx,
  arrival: TransferRow,
  why: { paymentKey: string | null; jobKey: string | null; reason: Refund['reason']; now: Date },
): string {
  const refundKey = newKey('refund');
  tx.write(sql`
    insert into refunds (refund_key, payment_key, job_key, network, arrival_transaction, arrival_position,
      amount_microcents, reason, state, next_try_at, created_at)
    values (${refundKey}, ${why.paymentKey}, ${why.jobKey}, ${arrival.network}, ${arrival.transaction},
      ${arrival.position}, ${arrival.amount_microcents}, ${why.reason}, 'refund_pending', ${why.now}, ${why.now})`);
  return refundKey;
}

/** Owes back a late arrival, in full. False when it was used. */
export async function requestLateRefund(
  tx: Tx,
  arrival: TransferRow,
  payment: TransferAttempt,
  now: Date,
): Promise<boolean> {
  if (!(await giveUpArrival(tx, arrival, 'late'))) return false;
  const { payment_key: paymentKey, job_key: jobKey, principal_key: principalKey } = payment;
  owe(tx, arrival, { paymentKey, jobKey, reason: 'late_payment', now });
  const amount = microcents(arrival.amount_microcents);
  post(tx, { ...arrivedLate, key: bookKeyOf(arrival), jobKey, principalKey, amount, at: now });
  return true;
}

/** Owes back an unmatched arrival. Undefined when it was used. */
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

/** Lifetime of a signed refund; the next try signs anew, with the same nonce. */
export const validSeconds = 3_600;
/** About a day of tries; then an operator decides. */
const triesMax = 2_880;

const due = `select ${refundColumns}
  where refunds.state = 'refund_pending' and next_try_at <= $1 and recipient = any($2) and removed_at is null
  order by next_try_at limit $3`;

/** Refunds due for a try, longest due first. What the chain lost can wait. */
export function dueRefunds(
  db: Queries,
  paidTo: readonly Address[],
  now: Date,
  limit: number,
): Promise<TransferRefund[]> {
  return db.many<TransferRefund>(statement(due, [now, paidTo, limit]));
}

const lost = `select ${refundColumns}
  where refunds.refund_key in (
    select refund_key from chain_transfers where use = 'refund' and removed_at is not null)
    and not exists (select from chain_transfers back where back.refund_key = refunds.refund_key
      and back.removed_at is null)
    and c.recipient = any($1) and c.removed_at is null
  limit $2`;

/** Refunds that a reorganisation removed without a replacement. */
export function lostRefunds(db: Queries, paidTo: readonly Address[], limit: number): Promise<TransferRefund[]> {
  return db.many<TransferRefund>(statement(lost, [paidTo, limit]));
}

/** The intent: leases the refund to this try. Undefined when another has it. */
export async function takeRefund(db: Queries, refund: TransferRefund, now: Date): Promise<TransferRefund | undefined> {
  // Wait until the last signature expires: the money may still move.
  const validBefore = refund.tries < triesMax ? after(now, validSeconds) : refund.valid_before;
  const taken = await db.maybe<Pick<TransferRefund, 'tries' | 'valid_before'>>(sql`
    update refunds set tries = tries + 1, valid_before = ${validBefore}, next_try_at = ${leaseUntil(now)}
    where refund_key = ${refund.refund_key} and state = 'refund_pending' and next_try_at <= ${now}
    returning tries, valid_before`);
  return taken && { ...refund, ...taken };
}

/** Takes back a try that nobody answered: only tries that a chain answered use up the day there is for them. */
export async function forgetTry(db: Queries, { refund_key, tries }: TransferRefund): Promise<void> {
  await db.many(sql`
    update refunds set tries = tries - 1
    where refund_key = ${refund_key} and state = 'refund_pending' and tries = ${tries} and tries > 0`);
}

/**
 * The transfer back, to the sender alone. Its nonce derives from the arrival, so the token lets it happen once, however
 * often it is signed and sent.
 */
export function transferBack(refund: TransferRefund): Authorization {
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

/** The chain holds a refund in another log, new or back. False when recorded before. */
export async function moveRefund(tx: Tx, departure: TransferRow, refundKey: string, now: Date): Promise<boolean> {
  const key = bookKeyOf(departure);
  for (const row of await logsOfRefund(tx, refundKey)) if (bookKeyOf(row) !== key) markRemoved(tx, row, now);
  const row = await lockTransfer(tx, departure);
  const isNew = await claimDeparture(tx, departure, { refundKey });
  if (isNew) {
    const amount = microcents(departure.amount_microcents);
    post(tx, { ...movedOut, key, jobKey: null, principalKey: null, amount, at: now });
  } else if (!row?.is_superseded || row.removed_at !== null) return false;
  takeOver(tx, departure, { refundKey });
  return true;
}
