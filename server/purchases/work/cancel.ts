import { Problem } from '../../door/problem.ts';
import type { Verb } from '../../door/verb.ts';
import { release } from '../../identity/grant.ts';
import type * as contract from '../contract.ts';
import { advance } from '../job/advance.ts';
import { holdJob } from '../job/load.ts';
import { stateAt } from '../job/row.ts';
import { jobReply } from '../job/view.ts';
import { paymentIsOpen } from '../states.ts';
import { giveUpHeld, remedyFor } from './undelivered.ts';

/** Cancels a job before delivery. While a payment is open or unknown nothing can be canceled: it may have moved money. */
export const cancel: Verb<typeof contract.cancel> = async ({ ctx, caller, input, tx }) => {
  // Held, so that no payment can open between the look and the cancellation.
  const job = await holdJob(tx, input.job_key, caller);
  if (stateAt(job, ctx.now) === 'canceled') return jobReply(tx, job.job_key, caller, ctx);
  if (paymentIsOpen(job.payment_state)) {
    throw new Problem('payment_unknown', 'A payment for this job is open. It is canceled only once that is known.', {
      headers: { 'Retry-After': '2' },
    });
  }
  const collected = job.collected_at !== null;
  const canceled = await advance(
    tx,
    'cancel',
    job.job_key,
    { actor: caller.principalKey, now: ctx.now },
    {
      payment_state: collected ? await remedyFor(tx, ctx.runtime.rails, job.job_key) : 'none',
      finalized_at: ctx.now,
      lease_until: null,
      stage: 'canceled',
    },
  );
  if (collected) await giveUpHeld(tx, ctx.runtime, canceled, ctx.now);
  else release(tx, canceled.job_key);
  return jobReply(tx, job.job_key, caller, ctx);
};
