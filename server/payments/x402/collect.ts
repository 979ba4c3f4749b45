import { microcents } from '../../kernel/money.ts';
import { sql } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { movedIn } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import { decide, type TransferAttempt } from './attempt.ts';
import type { Proof } from './outcome.ts';
import {
  bookKeyOf,
  claimArrival,
  lockTransfer,
  logsOfPayment,
  markRemoved,
  noteTransfer,
  type TransferName,
  takeOver,
} from './transfers.ts';
import { confirmCollected, markReversed } from './watched.ts';

/** Claims an arrival for the attempt and decides it, pipelined. */
export async function collect(
  tx: Tx,
  attempt: TransferAttempt,
  proof: Proof,
  now: Date,
): Promise<'collected' | 'decided' | 'elsewhere'> {
  const arrival = nameIn(attempt, proof);
  if (!arrival) return 'decided';
  note(tx, attempt, proof, now);
  claimArrival(tx, arrival, attempt.payment_key);
  if (await decide(tx, attempt.payment_key, { state: 'collected' }, now)) return 'collected';
  const taken = await lockTransfer(tx, arrival);
  return taken?.use === 'late' || taken?.use === 'returned' ? 'elsewhere' : 'decided';
}

/** The chain holds a collected payment; a log that is new, or back, takes over from the one it replaces. */
export async function confirm(tx: Tx, attempt: TransferAttempt, proof: Proof, now: Date): Promise<boolean> {
  const arrival = nameIn(attempt, proof);
  const hasMoved = arrival !== null && (await move(tx, attempt, { arrival, proof }, now));
  if ('logged' in proof) confirmCollected(tx, attempt, proof.isFinal, now);
  return hasMoved;
}

/** The name of a proof's log; null when recorded before. */
function nameIn({ network }: TransferAttempt, proof: Proof): TransferName | null {
  if ('noted' in proof) return proof.noted;
  const { transaction, position } = proof.logged;
  return { network, transaction, position };
}

/** Records a proof's log unless that happened. */
function note(tx: Tx, { network, asset, pay_to: payTo }: TransferAttempt, proof: Proof, now: Date): void {
  if ('logged' in proof) noteTransfer(tx, { network, asset, payTo, logged: proof.logged }, now);
}

async function move(
  tx: Tx,
  attempt: TransferAttempt,
  { arrival, proof }: { arrival: TransferName; proof: Proof },
  now: Date,
): Promise<boolean> {
  const { payment_key: paymentKey } = attempt;
  const key = bookKeyOf(arrival);
  const counted = await logsOfPayment(tx, paymentKey);
  for (const row of counted) if (bookKeyOf(row) !== key) markRemoved(tx, row, now);
  note(tx, attempt, proof, now);
  if (counted.some((row) => bookKeyOf(row) === key && !row.is_superseded)) return false;
  const row = await lockTransfer(tx, arrival);
  const isNew = row?.use === 'unmatched';
  if (row?.removed_at !== null || !(isNew || row.is_superseded)) throw new Error(`${key} is used or gone`);
  if (isNew) {
    claimArrival(tx, arrival, paymentKey);
    const amount = microcents(row.amount_microcents);
    post(tx, { ...movedIn, key, jobKey: null, principalKey: null, amount, at: now });
  }
  takeOver(tx, arrival, { paymentKey });
  tx.write(sql`
    update refunds set network = ${arrival.network}, arrival_transaction = ${arrival.transaction},
      arrival_position = ${arrival.position}
    where payment_key = ${paymentKey} and reason <> 'late_payment'`);
  return true;
}

/** The chain lost a collected payment for good, with its remaining logs. */
export async function reverse(tx: Tx, { payment_key: paymentKey }: TransferAttempt, now: Date): Promise<boolean> {
  const there = await logsOfPayment(tx, paymentKey);
  if (!(await markReversed(tx, paymentKey, now))) return false;
  for (const row of there) markRemoved(tx, row, now);
  return true;
}
