import { retake } from '../../identity/limits.ts';
import { microcents } from '../../kernel/money.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { lostTwice, refunded, refundKept, refundReturned } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import { changeDisputed, changeExpense } from '../../payments/dispute.ts';
import { type Attempt, type Refund, railOf } from '../../payments/rail.ts';
import { decideRefund, dropRefund, reopenRefund, undropRefund } from '../../payments/refund.ts';
import type { Runtime } from '../../runtime.ts';
import { lockJob, moveMoney, noteOnJob } from '../job/advance.ts';
import type { JobRow } from '../job/row.ts';
import { issueReceipt } from '../receipt/receipt.ts';
import { freeRoom } from '../work/ended-room.ts';

/**
 * What becomes of a refund, on its job, in the books and on the receipt. A payer's bank may take the same money at any
 * moment: a contested job keeps its state, and what it is restored to changes.
 */

type Recorder = Pick<Runtime, 'receiptSigner' | 'rails'>;

/** Records that a refund was carried out, once. */
export async function recordRefunded(
  tx: Tx,
  recorder: Recorder,
  { refund, proof }: { refund: Refund; proof: unknown },
  now: Date,
): Promise<void> {
  // The job first, like whoever records a dispute or a reversal.
  if (refund.job_key !== null) await lockJob(tx, refund.job_key);
  const departure = await railOf(recorder.rails, refund).refunds.prove(tx, refund, proof, now);
  const isNew = departure !== undefined;
  const was = await decideRefund(tx, refund.refund_key, { state: 'refunded', isNew }, now);
  if (!was) return isNew ? recordBeside(tx, refund, departure, now) : undefined;
  const job = await jobAfter(tx, refund, { to: 'refunded', from: was }, now);
  post(tx, {
    ...refunded,
    key: departure ?? refund.refund_key,
    jobKey: job?.job_key ?? null,
    principalKey: job?.principal_key ?? null,
    amount: microcents(refund.amount_microcents),
    at: now,
  });
  if (!job) return;
  if (refund.reason === 'late_payment') return noteOnJob(tx, job, 'late_payment_refunded', now);
  // A contested job keeps its room until its dispute ends.
  if (job.payment_state === 'refunded') await freeRoom(tx, job, now);
  noteOnJob(tx, job, 'refunded', now);
  await issueReceipt(tx, recorder.receiptSigner, job, now);
}

/** Records a refund that left although a bank had taken its money, or an operator settled it: a loss. */
async function recordBeside(tx: Tx, refund: Refund, departure: string, now: Date): Promise<void> {
  if (refund.job_key === null) return;
  // It was restored meanwhile: record nothing, or the books show a departure that nothing explains.
  const left = await undropRefund(tx, refund.refund_key, now);
  if (!left) throw new Error(`${refund.refund_key} was decided meanwhile`);
  const job = await lockJob(tx, refund.job_key);
  const { refund_key: refundKey, amount_microcents: amount } = refund;
  const of = { key: departure, jobKey: job.job_key, principalKey: job.principal_key, at: now };
  post(tx, { ...lostTwice, ...of, amount: microcents(amount) });
  // What an operator sent is no loss of the dispute.
  if (refund.reason === 'late_payment' && !left.is_settled) await changeExpense(tx, refundKey, amount);
  noteOnJob(tx, job, refund.reason === 'late_payment' ? 'late_payment_refunded' : 'refunded', now);
}

/** Records that a refund cannot go back by itself, once. */
export async function recordRefundFailed(
  tx: Tx,
  { receiptSigner }: Recorder,
  { refund, failure }: { refund: Refund; failure: string },
  now: Date,
): Promise<void> {
  if (refund.job_key !== null) await lockJob(tx, refund.job_key);
  const was = await decideRefund(tx, refund.refund_key, { state: 'refund_failed', failure }, now);
  if (!was) return;
  const job = await jobAfter(tx, refund, { to: 'refund_failed', from: was }, now);
  if (!job) return;
  if (refund.reason === 'late_payment') return noteOnJob(tx, job, 'late_payment_kept', now);
  noteOnJob(tx, job, 'refund_failed', now);
  await issueReceipt(tx, receiptSigner, job, now);
}

/**
 * Records that a refund came back: an operator must look, and the job holds its room again, with the money. When a bank
 * has taken the money meanwhile, or an operator settled it, it is not owed any more, and makes up for that loss.
 */
export async function undoRefund(
  tx: Tx,
  { receiptSigner }: Pick<Runtime, 'receiptSigner'>,
  { payment, departure, because }: { payment: Attempt; departure: string; because: string },
  now: Date,
): Promise<void> {
  const job = await lockJob(tx, payment.job_key);
  const refund = await reopenRefund(tx, departure, because, now);
  if (!refund) return;
  const { refund_key: refundKey, is_settled: isSettled } = refund;
  const amount = microcents(refund.amount_microcents);
  const posting = {
    key: departure,
    jobKey: job.job_key,
    principalKey: job.principal_key,
    amount,
    at: now,
  };
  post(tx, { ...refundReturned, ...posting });
  const isLate = refund.reason === 'late_payment';
  const isLost = isLate
    ? !isSettled && (await changeExpense(tx, refundKey, -amount))
    : job.payment_state === 'reversed';
  if (isLost || isSettled) {
    if (isLost) dropRefund(tx, refundKey, now);
    post(tx, { ...refundKept, ...posting });
    return noteOnJob(tx, job, isLate ? 'late_payment_kept' : 'refund_failed', now);
  }
  if (isLate) return noteOnJob(tx, job, 'late_payment_kept', now);
  const standing = await standAs(
    tx,
    job,
    { paymentKey: payment.payment_key, to: 'refund_failed', from: 'refunded' },
    now,
  );
  if (standing.payment_state === 'refund_failed') retake(tx, job.job_key);
  noteOnJob(tx, standing, 'refund_failed', now);
  await issueReceipt(tx, receiptSigner, standing, now);
}

/** The job after a refund; none for late and returned payments. */
async function jobAfter(
  tx: Tx,
  { job_key, payment_key, reason }: Refund,
  move: RefundMove,
  now: Date,
): Promise<JobRow | null> {
  if (job_key === null || payment_key === null) return null;
  const job = await lockJob(tx, job_key);
  return reason === 'late_payment' ? job : standAs(tx, job, { paymentKey: payment_key, ...move }, now);
}

interface RefundMove {
  to: 'refunded' | 'refund_failed';
  from: 'refunded' | 'refund_pending' | 'refund_failed';
}

/** Moves a job's payment from one state to another, or what it is restored to while its bank contests it. */
async function standAs(tx: Tx, job: JobRow, move: RefundMove & { paymentKey: string }, now: Date): Promise<JobRow> {
  const { paymentKey, to, from } = move;
  if (job.payment_state === 'disputed' && (await changeDisputed(tx, paymentKey, to, from))) return job;
  return moveMoney(tx, job.job_key, { to, from }, now);
}
