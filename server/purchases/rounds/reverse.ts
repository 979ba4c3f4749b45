import { blockAccount, liftBlocks } from '../../identity/blocked.ts';
import { release, retake } from '../../identity/grant.ts';
import { microcents } from '../../kernel/money.ts';
import { sql } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { healed, type LosingAccount, reversed } from '../../ledger/entries.ts';
import { post, walletCreditLocked } from '../../ledger/ledger.ts';
import { restoredReasons, reversalReasons } from '../../payments/contract.ts';
import { type Attempt, type Rail, railOf } from '../../payments/rail.ts';
import { cancelRefund, reviveRefund } from '../../payments/refund.ts';
import type { Runtime } from '../../runtime.ts';
import { advance, lockJob, moveMoney, noteOnJob } from '../job/advance.ts';
import type { JobRow } from '../job/row.ts';
import { issueReceipt } from '../receipt/receipt.ts';
import { can } from '../states.ts';

/** What of the process it takes to record a reversal. */
type Recorder = Pick<Runtime, 'receiptSigner' | 'rails'>;

/**
 * Writes down that the rail has taken a collected payment back for good: work that was not delivered is not done, a
 * charge that was not decided is given up, and what was decided stays. The books lose it where it had gone, and the
 * account buys nothing new until an operator has settled that.
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
  blockAccount(tx, job.account_key, { cause: 'payment_reversed', paymentKey: payment.payment_key, now });
  post(tx, {
    ...reversed(from, rail.suspense),
    key: `${payment.payment_key}:${number}`,
    jobKey: job.job_key,
    principalKey: job.principal_key,
    amount: microcents(payment.amount_microcents),
    at: now,
  });
  await issueReceipt(tx, receiptSigner, ended.job_key, ended, now);
}

/**
 * Undoes a reversal that proves wrong: the rail holds the payment after all. A job that the reversal ended is not taken up again: what it would have held becomes
 * credit, a charge that it gave up is refunded. Any other stands as before. The room that the job gave back is taken again,
 * even above the limits, and the block that the reversal set is lifted: no other.
 */
export async function heal(tx: Tx, { receiptSigner, rails }: Recorder, payment: Attempt, now: Date): Promise<void> {
  const paymentKey = payment.payment_key;
  const rail = railOf(rails, payment);
  const job = await lockJob(tx, payment.job_key);
  if (!(await rail.restore(tx, payment, now))) return;
  const reversal = await tx.one<Reversal>(sql`
    update reversals set healed_at = ${now} where payment_key = ${paymentKey} and healed_at is null
    returning number, job_payment_state, job_ended, room_microcents, books_account`);
  const { payment_state, account } = await standingAfter(tx, rail, job, payment, reversal, now);
  await liftBlocks(tx, paymentKey, { actor: 'system', because: restoredReasons[rail.name], now });
  if (reversal.room_microcents > 0n) retake(tx, job.job_key);
  post(tx, {
    ...healed(account, rail.suspense),
    key: `${paymentKey}:${reversal.number}`,
    jobKey: job.job_key,
    principalKey: job.principal_key,
    amount: microcents(payment.amount_microcents),
    at: now,
  });
  const standing = await moveMoney(tx, job.job_key, payment_state, now);
  noteOnJob(tx, standing, 'reversal_healed', now);
  await issueReceipt(tx, receiptSigner, standing.job_key, standing, now);
}

/** What a reversal has changed. */
interface Reversal {
  number: number;
  job_payment_state: JobRow['payment_state'];
  job_ended: boolean;
  room_microcents: bigint;
  books_account: LosingAccount;
}

/** How the job's payment stands once its reversal is undone, and where the money is then. */
async function standingAfter(
  tx: Tx,
  rail: Rail,
  job: JobRow,
  payment: Attempt,
  reversal: Reversal,
  now: Date,
): Promise<{ payment_state: JobRow['payment_state']; account: LosingAccount }> {
  const { payment_key: paymentKey } = payment;
  if (!reversal.job_ended) {
    if (reversal.books_account === 'liability:refunds') await reviveRefund(tx, paymentKey, now);
    return { payment_state: reversal.job_payment_state, account: reversal.books_account };
  }
  if (job.state === 'failed' && rail.remedies.undelivered === 'wallet_credit') {
    return { payment_state: 'credited', account: 'liability:wallet_credit' };
  }
  await rail.refunds.owe(tx, { paymentKey, jobKey: job.job_key, reason: 'payment_reversed', now });
  return { payment_state: 'refund_pending', account: 'liability:refunds' };
}

/** Where the money is missing. What was given away already, or earned, is a loss. */
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

/** The job as it goes on: a job that is not over ends here. */
async function end(tx: Tx, job: JobRow, failure: string, now: Date): Promise<JobRow> {
  const by = { actor: 'system', now };
  const over = { payment_state: 'reversed', finalized_at: now, lease_until: null } as const;
  const waiver = can('waive', job.state) ? 'waive' : can('fail_recheck', job.state) ? 'fail_recheck' : null;
  if (!can('fail', job.state) && !waiver) {
    noteOnJob(tx, job, 'reversed', now);
    return moveMoney(tx, job.job_key, 'reversed', now);
  }
  return waiver
    ? advance(tx, waiver, job.job_key, by, {
        ...over,
        review_state: 'not_open',
        waived_because: 'payment_reversed',
        stage: 'waived',
      })
    : advance(tx, 'fail', job.job_key, by, { ...over, failure, stage: 'failed' });
}
