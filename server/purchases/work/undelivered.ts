import { microcents } from '../../kernel/money.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { credited } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import { collectionOf } from '../../payments/attempt.ts';
import { type Rails, railOf } from '../../payments/rail.ts';
import { requestRefund } from '../../payments/refund.ts';
import type { Runtime } from '../../runtime.ts';
import { moveMoney } from '../job/advance.ts';
import type { JobRow } from '../job/row.ts';
import { issueReceipt } from '../receipt/receipt.ts';

/** The money of a job without a report (specification 8.2): its rail decides. Credit stays credit. */
export async function remedyFor(tx: Tx, rails: Rails, jobKey: string): Promise<'credited' | 'refund_pending'> {
  const collection = await collectionOf(tx, jobKey);
  if (collection.method === 'wallet_credit') return 'credited';
  return railOf(rails, collection).remedies.undelivered === 'wallet_credit' ? 'credited' : 'refund_pending';
}

/**
 * Gives up what is held for a job without a report. Credit keeps the grant's room; a refund frees it once the money
 * left.
 */
export async function giveUpHeld(
  tx: Tx,
  { rails, receiptSigner }: Pick<Runtime, 'rails' | 'receiptSigner'>,
  job: JobRow,
  now: Date,
): Promise<void> {
  if (job.payment_state === 'refund_pending') {
    const payment_state = await requestRefund(tx, rails, { jobKey: job.job_key, reason: 'not_delivered', now });
    const standing = await moveMoney(tx, job.job_key, { to: payment_state }, now);
    return issueReceipt(tx, receiptSigner, standing, now);
  }
  post(tx, {
    ...credited,
    key: job.job_key,
    jobKey: job.job_key,
    principalKey: job.principal_key,
    amount: microcents(job.price_microcents),
    at: now,
  });
  await issueReceipt(tx, receiptSigner, job, now);
}
