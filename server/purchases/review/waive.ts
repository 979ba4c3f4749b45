import { newKey } from '../../kernel/id.ts';
import { sql, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import type { RefundReason } from '../../payments/rail.ts';
import { requestRefund } from '../../payments/refund.ts';
import { Problem } from '../../problems/problem.ts';
import type { Runtime } from '../../runtime.ts';
import { advance, heldJob, type Step } from '../job/advance.ts';
import { type JobRow, notAllowed, reviewStateAt } from '../job/row.ts';
import { issueReceipt } from '../receipt/receipt.ts';
import { type ReviewState, reportNumberIn } from '../states.ts';

/** Each way to a waived charge, with the receipt's reason unless another is given. */
const reasons = {
  dispute_again: 'second_dispute',
  fail_recheck: 'recheck_failed',
  waive: 'waived_by_operator',
  refund: 'waived_by_operator',
} as const satisfies Record<string, RefundReason>;

/**
 * Waives a job's charge in the caller's transaction: the collection is owed back, and a receipt says so. The grant's
 * room returns with the money. Throws `action_not_allowed` when the job is elsewhere.
 */
export async function waiveCharge(
  tx: Tx,
  { receiptSigner, rails }: Pick<Runtime, 'receiptSigner' | 'rails'>,
  { transition, ...step }: Step & { transition: keyof typeof reasons },
  {
    because,
    ...changes
  }: {
    because?: 'source_withdrawn' | 'assessor_unreachable' | 'payment_reported';
    failure?: string;
    review_state?: ReviewState;
  } = {},
): Promise<void> {
  const { jobKey, now } = step;
  const reason = because ?? reasons[transition];
  // Move first: the second of two concurrent waivers fails here, not at the books.
  const waived = await advance(tx, transition, step, {
    ...changes,
    waived_because: reason,
    finalized_at: now,
    lease_until: null,
    stage: 'waived',
  });
  const payment_state = await requestRefund(tx, rails, {
    jobKey,
    reason,
    isEarned: transition === 'refund',
    now,
  });
  tx.write(sql`update jobs set payment_state = ${payment_state} where job_key = ${jobKey}`);
  await issueReceipt(tx, receiptSigner, { ...waived, payment_state }, now);
}

/**
 * An operator waives an overdue review: the buyer gets the money back. Keeps `because` with the decision. Throws
 * `not_found`, and `action_not_allowed` while the buyer has time.
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
  const waiver = { transition: 'waive', jobKey, actor: 'operator', now } as const;
  await waiveCharge(tx, runtime, waiver, { review_state: 'not_open' });
}

/**
 * An operator gives an accepted charge back, whose payment stands: from revenue to who paid (specification 9.5). The
 * transaction holds the job. Throws `action_not_allowed`.
 */
export async function refundAccepted(
  tx: Tx,
  runtime: Pick<Runtime, 'receiptSigner' | 'rails'>,
  job: Pick<JobRow, 'job_key' | 'payment_state'>,
  now: Date,
): Promise<void> {
  if (job.payment_state !== 'collected') throw notAllowed(`Its payment is ${job.payment_state.replaceAll('_', ' ')}.`);
  const waiver = { transition: 'refund', jobKey: job.job_key, actor: 'operator', now } as const;
  await waiveCharge(tx, runtime, waiver, { review_state: 'not_open' });
}
