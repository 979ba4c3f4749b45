import type { Verb } from '../../operation/verb.ts';
import { Problem } from '../../problems/problem.ts';
import type * as contract from '../contract.ts';
import { loadJob } from '../job/load.ts';
import { notAllowed } from '../job/row.ts';
import { jobReply } from '../job/view.ts';
import { paymentIsOpen } from '../states.ts';
import { recordOutcome } from './collect.ts';
import { withdrawn } from './withdraw.ts';

/**
 * Cancels an open payment, if that is certain to work. Its rail withdraws it as far as it can, and is asked at once, so
 * that an attempt that can no longer succeed ends without waiting for the reconciler.
 */
export const cancelPayment: Verb<typeof contract.cancelPayment> = async ({ ctx, caller, input, db, steps }) => {
  const job = await loadJob(db, input.job_key, caller);
  const noneOpen = () => notAllowed('No payment for this job is open.');
  if (!paymentIsOpen(job.payment_state)) throw noneOpen();
  const open = await withdrawn(ctx.runtime, job.job_key);
  const reply = await steps.transact(async (tx) => {
    const isEnded = open && (await recordOutcome(tx, ctx.runtime, open, ctx.runtime.clock()));
    const reply = await jobReply(tx, job.job_key, caller, ctx);
    if (reply.body.payment_state !== 'none') return reply;
    // Of two concurrent requests one cancels; the other is refused as if it had come later.
    if (!isEnded) throw noneOpen();
    steps.remember(tx, reply);
    return reply;
  });
  const { payment_state } = reply.body;
  if (payment_state === 'none') return reply;
  if (!paymentIsOpen(payment_state)) throw notAllowed('The payment has arrived. Cancel the job to have it given back.');
  throw new Problem(
    'payment_unknown',
    'This payment cannot be recalled now. It is collected, or it ends within minutes and you can pay again.',
    { headers: { 'Retry-After': '2' } },
  );
};
