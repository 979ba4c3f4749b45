import { release } from '../../identity/limits.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { actorOf } from '../../operation/caller.ts';
import type { Verb } from '../../operation/verb.ts';
import { Problem } from '../../problems/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type * as contract from '../contract.ts';
import { advance } from '../job/advance.ts';
import { holdJob } from '../job/load.ts';
import { type JobRow, stateAt } from '../job/row.ts';
import { jobReply } from '../job/view.ts';
import { paymentIsOpen } from '../states.ts';
import { blockAfterRemedies } from './remedies.ts';
import { giveUpHeld, remedyFor } from './undelivered.ts';

/**
 * Cancels a job before delivery. Not while a payment is open: it may have moved money. After the collection it counts
 * as a remedy.
 */
export const cancel: Verb<typeof contract.cancel> = async ({ ctx, caller, input, tx }) => {
  // Lock, so that no payment opens meanwhile.
  const job = await holdJob(tx, input.job_key, caller);
  if (stateAt(job, ctx.now) === 'canceled') return jobReply(tx, job.job_key, caller, ctx);
  if (paymentIsOpen(job.payment_state)) {
    throw new Problem('payment_unknown', 'A payment for this job is open. You can cancel once its outcome is known.', {
      headers: { 'Retry-After': '2' },
    });
  }
  await cancelHeld(tx, ctx.runtime, job, { actor: actorOf(caller), ended: 'buyer', now: ctx.now });
  if (job.collected_at !== null) await blockAfterRemedies(tx, ctx.runtime.configuration, job, ctx.now);
  return jobReply(tx, job.job_key, caller, ctx);
};

/**
 * Cancels a job that the transaction holds and that has no open payment: gives up what was collected and frees its
 * room. Throws `action_not_allowed`.
 */
export async function cancelHeld(
  tx: Tx,
  runtime: Pick<Runtime, 'rails' | 'receiptSigner'>,
  job: JobRow,
  by: { actor: string; ended: 'buyer' | 'operator'; now: Date },
): Promise<void> {
  const collected = job.collected_at !== null;
  const canceled = await advance(
    tx,
    'cancel',
    { jobKey: job.job_key, actor: by.actor, now: by.now },
    {
      payment_state: collected ? await remedyFor(tx, runtime.rails, job.job_key) : 'none',
      ended_by: by.ended,
      finalized_at: by.now,
      lease_until: null,
      stage: 'canceled',
    },
  );
  if (collected) await giveUpHeld(tx, runtime, canceled, by.now);
  else release(tx, canceled.job_key);
}
