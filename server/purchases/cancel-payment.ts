import { Problem } from '../door/problem.ts';
import type { Verb } from '../door/verb.ts';
import { openPaymentOf } from '../payments/x402/attempt.ts';
import { isFinal } from '../payments/x402/chain.ts';
import { lookUpOpen } from '../payments/x402/outcome.ts';
import { recordOutcome } from './collect.ts';
import type * as contract from './contract.ts';
import { jobReply, loadJob, notAllowed } from './job.ts';
import { paymentIsOpen } from './states.ts';

/**
 * Ends an open payment, if that is certain to work. A signed transfer cannot be called back: whoever holds it can carry
 * it out until it runs out. So the chain is asked at once, and a transfer that can no longer happen is ended without
 * waiting for the reconciler.
 */
export const cancelPayment: Verb<typeof contract.cancelPayment> = async ({ ctx, caller, input, db, steps }) => {
  const job = await loadJob(db, input.job_key, caller);
  const noneOpen = () => notAllowed('No payment for this job is open.');
  if (!paymentIsOpen(job.payment_state)) throw noneOpen();
  const payment = await openPaymentOf(db, job.job_key);
  const rail = ctx.runtime.x402;
  const onChain = payment && rail && (await lookUpOpen(ctx.runtime.db, rail, payment).catch(() => null));
  const reply = await steps.transact(async (tx) => {
    const isEnded =
      onChain &&
      isFinal(onChain) &&
      (await recordOutcome(tx, ctx.runtime, payment, onChain, { now: ctx.runtime.clock() }));
    const reply = await jobReply(tx, job.job_key, caller, ctx);
    if (reply.body.payment_state !== 'none') return reply;
    // Of two who ask at once one ends it, and the other is told what it would be told a moment later.
    if (!isEnded) throw noneOpen();
    steps.remember(tx, reply);
    return reply;
  });
  const { payment_state } = reply.body;
  if (payment_state === 'none') return reply;
  if (!paymentIsOpen(payment_state)) throw notAllowed('The payment has arrived. Cancel the job to have it credited.');
  throw new Problem(
    'payment_unknown',
    'A signed payment cannot be called back. It is collected, or ends within minutes and the job can be paid anew.',
    { headers: { 'Retry-After': '2' } },
  );
};
