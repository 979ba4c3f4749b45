import type { Tx } from '../../kernel/transaction.ts';
import type { Attempt } from '../../payments/rail.ts';
import type { Runtime } from '../../runtime.ts';
import { advance, lockJob } from '../job/advance.ts';
import { waiveCharge } from '../review/waive.ts';
import { can } from '../states.ts';
import { giveUpHeld } from '../work/undelivered.ts';

/**
 * The rail shows that a collected payment went back, in a time that a restored database does not know. The job gives its
 * charge up wherever it is; the refund that it owes is found carried out by the next try.
 */
export async function recordGoneBack(tx: Tx, runtime: Runtime, payment: Attempt, now: Date): Promise<void> {
  const job = await lockJob(tx, payment.job_key);
  if (job.payment_state !== 'collected') return;
  const step = { jobKey: job.job_key, actor: 'system', now };
  const waiver = (['waive', 'fail_recheck', 'refund'] as const).find((one) => can(one, job.state));
  if (waiver) return waiveCharge(tx, runtime, { ...step, transition: waiver }, { review_state: 'not_open' });
  const failed = await advance(tx, 'fail', step, {
    payment_state: 'refund_pending',
    finalized_at: now,
    lease_until: null,
    failure: 'What was paid has gone back.',
    stage: 'failed',
  });
  await giveUpHeld(tx, runtime, failed, now);
}
