import { liftBlocks } from '../../identity/blocked.ts';
import { release, retake } from '../../identity/limits.ts';
import { microcents } from '../../kernel/money.ts';
import { sql, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { healed, type LosingAccount, reversed } from '../../ledger/entries.ts';
import { post, walletCreditLocked } from '../../ledger/ledger.ts';
import { attemptPayers } from '../../payments/attempt-sql.ts';
import { restoredReasons, reversalReasons } from '../../payments/contract.ts';
import { passStateOn } from '../../payments/dispute.ts';
import { type Attempt, type Rail, railOf } from '../../payments/rail.ts';
import { cancelRefund, reviveRefund } from '../../payments/refund.ts';
import type { Runtime } from '../../runtime.ts';
import { advance, lockJob, moveMoney, noteOnJob } from '../job/advance.ts';
import type { JobRow } from '../job/row.ts';
import { issueReceipt } from '../receipt/receipt.ts';
import { can } from '../states.ts';
import { blockBehind } from './block.ts';

const payerOf = `select payer from (${attemptPayers}) payers where payment_key = $1`;

/** What recording a reversal needs of the process. */
type Recorder = Pick<Runtime, 'receiptSigner' | 'rails'>;

/**
 * Records that the rail took a payment back for good: undelivered work stops, an undecided charge is waived, decisions
 * stay. The books post the loss, and the account is blocked until an operator settles it.
 */
export async function reverse(tx: Tx, { receiptSigner, rails }: Recorder, payment: Attempt, now: Date): Promise<void> {
  const rail = railOf(rails, payment);
  const job = await lockJob(tx, payment.job_key);
  if (!(await rail.reverse(tx, payment, now))) return;
  const from = await accountOf(tx, job, payment, now);
  const ended = await end(tx, job, reversalReasons[rail.name], now);
  const { number } = await tx.one<{ number: number }>(sql`
    insert into reversals (payment_key, number, job_payment_state, job_ended, room_microcents, books_account, reversed_at)
    select ${payment.payment_key}, coalesce(max(number), 0) + 1, ${job.payment_state}, ${ended.state !== job.state},
      ${job.reserved_microcents}, ${from}, ${now}
    from reversals where payment_key = ${payment.payment_key} returning number`);
  release(tx, job.job_key);
  const { payment_key: paymentKey } = payment;
  const paid = await tx.maybe<{ payer: string | null }>(statement(payerOf, [paymentKey]));
  blockBehind(tx, job, { cause: 'payment_reversed', paymentKey, payer: paid?.payer ?? null, now });
  post(tx, {
    ...reversed(from, rail.suspense),
    key: `${payment.payment_key}:${number}`,
    jobKey: job.job_key,
    principalKey: job.principal_key,
    amount: microcents(payment.amount_microcents),
    at: now,
  });
  await issueReceipt(tx, receiptSigner, ended, now);
}

/**
 * Undoes a wrong reversal. A job that it ended stays ended: what it held becomes credit, a waived charge is refunded.
 * Other jobs stand as before. Takes the room again, even above the limits, and lifts the block that the reversal set.
 */
export async function heal(tx: Tx, { receiptSigner, rails }: Recorder, payment: Attempt, now: Date): Promise<void> {
  const paymentKey = payment.payment_key;
  const rail = railOf(rails, payment);
  const job = await lockJob(tx, payment.job_key);
  if (!(await rail.restore(tx, payment, now))) return;
  const reversal = await tx.one<Reversal>(sql`
    update reversals set healed_at = ${now} where payment_key = ${paymentKey} and healed_at is null
    returning number, job_payment_state, job_ended, room_microcents, books_account`);
  const { payment_state, account } = await standingAfter(tx, rail, { job, payment, reversal }, now);
  await liftBlocks(tx, paymentKey, {
    actor: 'system',
    because: restoredReasons[rail.name],
    now,
    cause: 'payment_reversed',
  });
  // A payment that had gone back held no room; it does once its refund has come back, too.
  const hadRoom = reversal.room_microcents > 0n || reversal.job_payment_state === 'refunded';
  if (hadRoom && payment_state !== 'refunded') retake(tx, job.job_key);
  post(tx, {
    ...healed(account, rail.suspense),
    key: `${paymentKey}:${reversal.number}`,
    jobKey: job.job_key,
    principalKey: job.principal_key,
    amount: microcents(payment.amount_microcents),
    at: now,
  });
  // Another bank's dispute may have been opened since.
  const isContested = payment_state !== 'refunded' && (await passStateOn(tx, paymentKey, payment_state));
  const standing = await moveMoney(tx, job.job_key, { to: isContested ? 'disputed' : payment_state }, now);
  noteOnJob(tx, standing, 'reversal_healed', now);
  await issueReceipt(tx, receiptSigner, standing, now);
}

/** What a reversal changed. */
interface Reversal {
  number: number;
  job_payment_state: JobRow['payment_state'];
  job_ended: boolean;
  room_microcents: bigint;
  books_account: LosingAccount;
}

/** The job's payment state and the account of its money once a reversal is undone. */
async function standingAfter(
  tx: Tx,
  rail: Rail,
  { job, payment, reversal }: { job: JobRow; payment: Attempt; reversal: Reversal },
  now: Date,
): Promise<{ payment_state: JobRow['payment_state']; account: LosingAccount }> {
  const { payment_key: paymentKey } = payment;
  if (!reversal.job_ended) {
    const { job_payment_state: before } = reversal;
    if (before !== 'refund_pending' && before !== 'refund_failed' && before !== 'refunded') {
      return { payment_state: before, account: reversal.books_account };
    }
    // Meanwhile a refund that was carried out may have come back, or one that was dropped may have left.
    const owed = before === 'refund_pending' ? before : 'refund_failed';
    const revived = await reviveRefund(tx, paymentKey, owed, now);
    return revived
      ? { payment_state: revived, account: 'liability:refunds' }
      : { payment_state: 'refunded', account: 'expense:reversals' };
  }
  if (job.state === 'failed' && rail.remedies.undelivered === 'wallet_credit') {
    return { payment_state: 'credited', account: 'liability:wallet_credit' };
  }
  await rail.refunds.owe(tx, { paymentKey, jobKey: job.job_key, reason: 'payment_reversed', now });
  return { payment_state: 'refund_pending', account: 'liability:refunds' };
}

/** The account that bears the loss; what was given away or earned is an expense. */
async function accountOf(tx: Tx, job: JobRow, payment: Attempt, now: Date): Promise<LosingAccount> {
  if (job.charge_state === 'held') return 'liability:held';
  if (await cancelRefund(tx, payment.payment_key, now)) return 'liability:refunds';
  if (
    job.payment_state === 'credited' &&
    (await walletCreditLocked(tx, job.principal_key)) >= payment.amount_microcents
  ) {
    return 'liability:wallet_credit';
  }
  return 'expense:reversals';
}

/** The job afterwards; an unfinished one ends here. */
async function end(tx: Tx, job: JobRow, failure: string, now: Date): Promise<JobRow> {
  const step = { jobKey: job.job_key, actor: 'system', now };
  const over = { payment_state: 'reversed', finalized_at: now, lease_until: null } as const;
  const waiver = can('waive', job.state) ? 'waive' : can('fail_recheck', job.state) ? 'fail_recheck' : null;
  if (!can('fail', job.state) && !waiver) {
    noteOnJob(tx, job, 'reversed', now);
    return moveMoney(tx, job.job_key, { to: 'reversed' }, now);
  }
  return waiver
    ? advance(tx, waiver, step, {
        ...over,
        review_state: 'not_open',
        waived_because: 'payment_reversed',
        stage: 'waived',
      })
    : advance(tx, 'fail', step, { ...over, failure, stage: 'failed' });
}
