import { microcents } from '../../kernel/money.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { creditTaken } from '../../ledger/entries.ts';
import { post, walletCreditLocked } from '../../ledger/ledger.ts';
import type { Attempt } from '../../payments/rail.ts';
import { requestRefund } from '../../payments/refund.ts';
import type { Runtime } from '../../runtime.ts';
import { advance, lockJob, moveMoney, noteOnJob } from '../job/advance.ts';
import type { JobRow } from '../job/row.ts';
import { issueReceipt } from '../receipt/receipt.ts';
import { waiveCharge } from '../review/waive.ts';
import { can } from '../states.ts';
import { giveUpHeld } from '../work/undelivered.ts';

/**
 * The rail shows that a collected payment went back, in a time that a restored database does not know. The job gives its
 * charge up wherever it is; the refund that it owes is found carried out by the next try.
 */
export async function recordGoneBack(tx: Tx, runtime: Runtime, payment: Attempt, now: Date): Promise<void> {
  const job = await lockJob(tx, payment.job_key);
  if (job.payment_state === 'credited') return takeCredit(tx, runtime, { job, payment }, now);
  if (job.payment_state !== 'collected') return;
  await giveUpCharge(tx, runtime, { job, failure: 'What was paid has gone back.' }, now);
}

/** Gives up the charge of a paid job wherever it is, and owes its payment back; `failure` says why no report comes. */
export async function giveUpCharge(
  tx: Tx,
  runtime: Runtime,
  { job, because, failure }: { job: JobRow; because?: 'payment_reported'; failure: string },
  now: Date,
): Promise<void> {
  const step = { jobKey: job.job_key, actor: 'system', now };
  const waiver = (['waive', 'fail_recheck', 'refund'] as const).find((one) => can(one, job.state));
  if (waiver) {
    const as = { review_state: 'not_open', ...(because ? { because } : {}) } as const;
    return waiveCharge(tx, runtime, { ...step, transition: waiver }, as);
  }
  const failed = await advance(tx, 'fail', step, {
    payment_state: 'refund_pending',
    finalized_at: now,
    lease_until: null,
    failure,
    stage: 'failed',
  });
  await giveUpHeld(tx, runtime, failed, now);
}

/** What became credit before the rail was read has gone back, too: it is taken again; what was spent of it is lost. */
async function takeCredit(
  tx: Tx,
  { rails, receiptSigner }: Runtime,
  { job, payment }: { job: JobRow; payment: Attempt },
  now: Date,
): Promise<void> {
  const { job_key: jobKey, principal_key: principalKey } = job;
  const amount = microcents(payment.amount_microcents);
  const isLeft = (await walletCreditLocked(tx, principalKey)) >= amount;
  const from = isLeft ? 'liability:wallet_credit' : 'expense:reversals';
  post(tx, { ...creditTaken(from), key: jobKey, jobKey, principalKey, amount, at: now });
  const payment_state = await requestRefund(tx, rails, { jobKey, reason: 'not_delivered', now });
  const owed = await moveMoney(tx, jobKey, { to: payment_state, from: 'credited' }, now);
  noteOnJob(tx, owed, 'refunded', now);
  await issueReceipt(tx, receiptSigner, owed, now);
}
