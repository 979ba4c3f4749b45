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
} from './transfers.ts';
import { confirmCollected, markReversed } from './watched.ts';

/** Gives an arrival its one use and decides the attempt by it. The writes are sent without waiting in between. */
export async function collect(
  tx: Tx,
  attempt: TransferAttempt,
  proof: Proof,
  now: Date,
): Promise<'collected' | 'decided' | 'elsewhere'> {
  const arrival = note(tx, attempt, proof, now);
  if (!arrival) return 'decided';
  claimArrival(tx, arrival, attempt.payment_key);
  if (await decide(tx, attempt.payment_key, { state: 'collected' }, now)) return 'collected';
  const taken = await lockTransfer(tx, arrival);
  return taken?.use === 'late' || taken?.use === 'returned' ? 'elsewhere' : 'decided';
}

/** The chain shows a collected payment: when that is in another log than before, that one pays from now on. */
export async function confirm(tx: Tx, attempt: TransferAttempt, proof: Proof, now: Date): Promise<boolean> {
  const arrival = note(tx, attempt, proof, now);
  const hasMoved = arrival !== null && (await move(tx, attempt, arrival, now));
  if ('logged' in proof) confirmCollected(tx, attempt, proof.isFinal, now);
  return hasMoved;
}

/** Writes down the log of a proof, and gives its name; null when it is the one that is written down already. */
function note(tx: Tx, attempt: TransferAttempt, proof: Proof, now: Date): TransferName | null {
  if ('noted' in proof) return proof.noted;
  const { network, asset, pay_to: payTo } = attempt;
  const { logged } = proof;
  noteTransfer(tx, { network, asset, payTo, logged }, now);
  return { network, transaction: logged.transaction, position: logged.position };
}

async function move(tx: Tx, attempt: TransferAttempt, arrival: TransferName, now: Date): Promise<boolean> {
  const { payment_key: paymentKey } = attempt;
  const before = await logsOfPayment(tx, paymentKey);
  if (before.some((row) => bookKeyOf(row) === bookKeyOf(arrival))) return false;
  for (const row of before) markRemoved(tx, row, now);
  claimArrival(tx, arrival, paymentKey);
  const claimed = await lockTransfer(tx, arrival);
  if (claimed?.payment_key !== paymentKey) throw new Error(`${bookKeyOf(arrival)} is used for something else`);
  post(tx, {
    ...movedIn,
    key: bookKeyOf(arrival),
    jobKey: null,
    principalKey: null,
    amount: microcents(claimed.amount_microcents),
    at: now,
  });
  tx.write(sql`
    update refunds set network = ${arrival.network}, arrival_transaction = ${arrival.transaction},
      arrival_position = ${arrival.position}
    where payment_key = ${paymentKey} and reason <> 'late_payment'`);
  return true;
}

/** The chain has lost a collected payment for good, and the logs that the books still count on. */
export async function reverse(tx: Tx, { payment_key: paymentKey }: TransferAttempt, now: Date): Promise<boolean> {
  const there = await logsOfPayment(tx, paymentKey);
  if (!(await markReversed(tx, paymentKey, now))) return false;
  for (const row of there) markRemoved(tx, row, now);
  return true;
}
