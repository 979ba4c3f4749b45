import { Problem } from '../../door/problem.ts';
import { newKey } from '../../kernel/id.ts';
import { sql, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import type { RefundReason } from '../../payments/rail.ts';
import { requestRefund } from '../../payments/refund.ts';
import type { Runtime } from '../../runtime.ts';
import { advance, heldJob } from '../job/advance.ts';
import { type JobRow, notAllowed, reviewStateAt } from '../job/row.ts';
import { issueReceipt } from '../receipt/receipt.ts';
import { type ReviewState, reportNumberIn } from '../states.ts';

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
  { receiptSigner, rails }: Pick<Runtime, 'receiptSigner' | 'rails'>,
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
  const payment_state = await requestRefund(tx, rails, { jobKey, reason, now: by.now });
  tx.write(sql`update jobs set payment_state = ${payment_state} where job_key = ${jobKey}`);
  await issueReceipt(tx, receiptSigner, waived.job_key, { ...waived, payment_state }, by.now);
}

/**
 * What an operator does about a review that is overdue: the buyer, who has not answered, gets the money back. `because`
 * is kept with the decision. Throws `not_found`, and `action_not_allowed` while the buyer still has time to decide.
 */
export async function waiveOverdue(
  tx: Tx,
  runtime: Pick<Runtime, 'receiptSigner' | 'rails'>,
  { jobKey, because, now }: { jobKey: string; because: string; now: Date },
): Promise<void> {
  const job = await tx.maybe<JobRow>(statement(heldJob, [jobKey]));
  if (!job) throw new Problem('not_found', `There is no job ${jobKey}.`);
  if (reviewStateAt(job, now) !== 'overdue') throw notAllowed('Its review is not overdue.');
  tx.write(sql`
    insert into reviews (review_key, job_key, report_number, decision, reviewer, reason, at)
    values (${newKey('review')}, ${jobKey}, ${reportNumberIn(job.state)}, 'waive', 'operator', ${because}, ${now})`);
  await waiveCharge(tx, runtime, 'waive', jobKey, { actor: 'operator', now }, { review_state: 'not_open' });
}
