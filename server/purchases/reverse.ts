import { blockAccount } from '../identity/blocked.ts';
import { release } from '../identity/grant.ts';
import { microcents } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import { reversed } from '../ledger/entries.ts';
import { post, walletCreditLocked } from '../ledger/ledger.ts';
import { markReversed, type PaymentRow } from '../payments/payment.ts';
import { cancelRefund } from '../payments/refund.ts';
import type { Runtime } from '../runtime.ts';
import { advance, type JobRow, lockJob, noteOnJob } from './job.ts';
import { issueReceipt } from './receipt.ts';
import { can } from './states.ts';

/** What a job that still held the money says instead of its charge. */
const failure = 'The chain no longer holds the payment.';

/**
 * Writes down that a collected payment is gone from its chain for good: work that was not delivered is not done, a
 * charge that was not decided is given up, and what was decided stays. The books lose it where it had gone, and the
 * account buys nothing new until an operator has settled that.
 */
export async function reverse(
  tx: Tx,
  { receiptSigner }: Pick<Runtime, 'receiptSigner'>,
  payment: PaymentRow,
  now: Date,
): Promise<void> {
  const job = await lockJob(tx, payment.job_key);
  if (!(await markReversed(tx, payment.payment_key, now))) return;
  const from = await accountOf(tx, job, payment, now);
  const ended = await end(tx, job, now);
  release(tx, job.job_key);
  blockAccount(tx, job.account_key, { cause: 'payment_reversed', paymentKey: payment.payment_key, now });
  post(tx, {
    ...reversed(payment.network, from),
    key: payment.payment_key,
    jobKey: job.job_key,
    principalKey: job.principal_key,
    amount: microcents(payment.amount_microcents),
    at: now,
  });
  await issueReceipt(tx, receiptSigner, ended.job_key, ended, now);
}

/** Where the money is missing. What was given away already, or earned, is a loss. */
async function accountOf(tx: Tx, job: JobRow, payment: PaymentRow, now: Date): Promise<Parameters<typeof reversed>[1]> {
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
async function end(tx: Tx, job: JobRow, now: Date): Promise<JobRow> {
  const by = { actor: 'system', now };
  const over = { payment_state: 'reversed', finalized_at: now, lease_until: null } as const;
  const waiver = can('waive', job.state) ? 'waive' : can('fail_recheck', job.state) ? 'fail_recheck' : null;
  if (!can('fail', job.state) && !waiver) {
    noteOnJob(tx, job, 'reversed', now);
    return tx.one<JobRow>(sql`
      update jobs set payment_state = 'reversed', updated_at = ${now} where job_key = ${job.job_key} returning *`);
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
