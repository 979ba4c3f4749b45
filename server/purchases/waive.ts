import { Problem } from '../door/problem.ts';
import { newKey } from '../kernel/id.ts';
import { sql } from '../kernel/sql.ts';
import { type Tx, transact } from '../kernel/transaction.ts';
import { type RefundReason, requestRefund } from '../payments/x402/refund.ts';
import type { Runtime } from '../runtime.ts';
import { advance, type JobRow, notAllowed, reviewStateAt } from './job.ts';
import { issueReceipt } from './receipt.ts';
import { type ReviewState, reportNumberIn } from './states.ts';

/** The ways to a waived charge, each with the reason that the receipt gives. */
const reasons = {
  dispute_again: 'second_dispute',
  fail_recheck: 'recheck_failed',
  waive: 'waived_by_operator',
} as const satisfies Record<string, RefundReason>;

/**
 * Gives up the charge of a job in the caller's transaction: what was collected is owed back to who paid it, and a receipt
 * says so. The room that the job took of its grant comes back with the money. Throws `action_not_allowed` when the job is elsewhere.
 */
export async function waiveCharge(
  tx: Tx,
  { receiptSigner }: Pick<Runtime, 'receiptSigner'>,
  transition: keyof typeof reasons,
  jobKey: string,
  by: { actor: string; now: Date; fence?: number },
  changes: { failure?: string; review_state?: ReviewState } = {},
): Promise<void> {
  const reason = reasons[transition];
  // Moved first: of two who waive at once, the second is refused here and not by the books.
  const waived = await advance(tx, transition, jobKey, by, {
    ...changes,
    waived_because: reason,
    finalized_at: by.now,
    lease_until: null,
    stage: 'waived',
  });
  const payment_state = await requestRefund(tx, { jobKey, reason, now: by.now });
  tx.write(sql`update jobs set payment_state = ${payment_state} where job_key = ${jobKey}`);
  await issueReceipt(tx, receiptSigner, waived.job_key, { ...waived, payment_state }, by.now);
}

/**
 * What an operator does about a review that is overdue: the buyer, who has not answered, gets the money back. `because`
 * is kept with the decision. Throws `not_found`, and `action_not_allowed` while the buyer still has time to decide.
 */
export async function waiveOverdue(
  { db, receiptSigner }: Pick<Runtime, 'db' | 'receiptSigner'>,
  { jobKey, because, now }: { jobKey: string; because: string; now: Date },
): Promise<void> {
  await transact(db, async (tx) => {
    const job =
      await tx.maybe<JobRow>(sql`select job_key, quote_key, principal_key, account_key, grant_key, state, payment_state, charge_state,
        review_state, price_microcents, reserved_microcents, credit_only, authorized_on, created_at, pay_by, collected_at, deliver_by,
        delivered_at, review_by, finalized_at, fence, tries, stage, percent, report_digest, failure,
        waived_because
      from jobs where job_key = ${jobKey} for no key update`);
    if (!job) throw new Problem('not_found', `There is no job ${jobKey}.`);
    if (reviewStateAt(job, now) !== 'overdue') throw notAllowed('Its review is not overdue.');
    tx.write(sql`
      insert into reviews (review_key, job_key, report_number, decision, reviewer, reason, at)
      values (${newKey('review')}, ${jobKey}, ${reportNumberIn(job.state)}, 'waive', 'operator', ${because}, ${now})`);
    await waiveCharge(tx, { receiptSigner }, 'waive', jobKey, { actor: 'operator', now }, { review_state: 'not_open' });
  });
}
