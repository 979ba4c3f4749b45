import type { Buyer } from '../identity/caller.ts';
import { outsideGrant, requireService } from '../identity/grant.ts';
import { after } from '../kernel/clock.ts';
import { sqlState, uniqueViolation } from '../kernel/database.ts';
import { newKey } from '../kernel/id.ts';
import { microcents } from '../kernel/money.ts';
import { Problem } from '../kernel/problem.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { OnChain } from '../payments/chain.ts';
import {
  markUnknown,
  type PaymentRow,
  paymentOf,
  recordIntent,
  settleLeaseSeconds,
  takeLease,
} from '../payments/payment.ts';
import { paymentResponse, type SignedPayment, type X402Rail } from '../payments/x402.ts';
import type { Reply, Steps, Verb } from '../perform.ts';
import type { Context } from '../runtime.ts';
import { railUnavailable } from '../service/availability.ts';
import { service } from '../service/terms.ts';
import { collect, giveUp } from './collect.ts';
import type * as contract from './contract.ts';
import { type JobRow, jobReply, loadJob, notAllowed } from './job.ts';
import { can, paymentIsOpen } from './states.ts';

/**
 * Pays for a job in three steps, and only the first and the last are transactions: record the intent, let the
 * facilitator carry the signed transfer out, record the fact. A crash between any two leaves a row from which the
 * reconciler, or the buyer's repeat with the same signature, goes on.
 */
export const pay: Verb<typeof contract.pay> = async ({ ctx, caller, input, db, steps }) => {
  const rail = railOf(ctx, caller, input.rail);
  const job = await loadJob(db, input.job_key, caller);
  const offer = await rail.offer(
    microcents(job.price_microcents),
    `${ctx.baseUrl}${jobPath(job)}/payments`,
    input.network,
  );
  if (ctx.payment === null) {
    requirePayable(job);
    if (offer.requirements.length === 0) throw unsupportedNetwork(rail);
    throw await rail.demand(offer, 'Payment required');
  }
  const payment = await rail.read(ctx.payment, offer);
  const known = await paymentOf(db, payment.authorization);
  if (known) return repeat(ctx, caller, rail, steps, job, known, payment);

  requirePayable(job);
  const refusal = await rail.refusal(payment);
  if (refusal && !wasUsed(refusal)) throw await rail.demand(offer, refusal);

  const intent = await recordedIntent(ctx, caller, steps, job, payment);
  if (!intent) return afterLostRace(ctx, caller, rail, steps, job, payment);
  return settle(ctx, caller, rail, steps, intent, payment);
};

function railOf(ctx: Context, caller: Buyer, name: 'card' | 'x402'): X402Rail {
  requireService(caller.grant, service.serviceKey);
  if (name === 'card' || !ctx.runtime.x402) throw railUnavailable(ctx.runtime, name);
  if (!caller.grant.payment_methods.includes('x402')) throw outsideGrant('The grant does not cover x402.');
  return ctx.runtime.x402;
}

function jobPath(job: JobRow): string {
  return `/api/agent/v1/jobs/${job.job_key}`;
}

/** Refuses a job that cannot be paid now. While an outcome is unknown the answer must not ask for another payment. */
function requirePayable(job: JobRow): void {
  if (paymentIsOpen(job.payment_state)) throw outcomeUnknown();
  if (!can('collect', job.state)) throw notAllowed(`A job that is ${job.state.replace('_', ' ')} cannot be paid.`);
}

function outcomeUnknown(): Problem {
  return new Problem(
    'payment_unknown',
    'Please do not pay again. It is not known yet whether this payment went through.',
    {
      headers: { 'Retry-After': '2' },
    },
  );
}

function unsupportedNetwork(rail: X402Rail): Problem {
  const detail = `Supported networks are ${rail.networks.join(' and ')}.`;
  return new Problem('validation_failed', detail, {
    errors: [{ pointer: '/network', code: 'unsupported_network', detail }],
  });
}

/** The facilitator says the signature has been carried out, though we never asked: the chain knows whether to us. */
function wasUsed(reason: string): boolean {
  return reason.endsWith('nonce_already_used');
}

/** Step 1. Null when a twin was faster: with this signature, or with another payment for the same job. */
async function recordedIntent(
  ctx: Context,
  caller: Buyer,
  steps: Steps,
  job: JobRow,
  payment: SignedPayment,
): Promise<PaymentRow | null> {
  const paymentKey = newKey('pay');
  try {
    return await steps.transact(async (tx) => {
      const locked = await tx.maybe(sql`
        update jobs set payment_state = 'processing', updated_at = ${ctx.now}
        where job_key = ${job.job_key} and principal_key = ${caller.principalKey} and state = 'awaiting_payment'
          and payment_state = 'none'
        returning job_key`);
      if (!locked) return null;
      recordIntent(tx, {
        paymentKey,
        jobKey: job.job_key,
        amount: microcents(job.price_microcents),
        authorization: payment.authorization,
        now: ctx.now,
        leaseUntil: after(ctx.now, settleLeaseSeconds),
      });
      return (await paymentOf(tx, payment.authorization)) ?? null;
    });
  } catch (error) {
    if (sqlState(error) === uniqueViolation) return null;
    throw error;
  }
}

/** Steps 2 and 3. */
async function settle(
  ctx: Context,
  caller: Buyer,
  rail: X402Rail,
  steps: Steps,
  intent: PaymentRow,
  payment: SignedPayment,
): Promise<Reply<contract.Job>> {
  // Neither the facilitator nor the chain answered: that is an unknown outcome too.
  const onChain = await rail.settle(payment).catch((): OnChain => ({ outcome: 'unused' }));
  return record(ctx, caller, steps, intent, onChain);
}

/** Step 3: writes down what the chain says, and answers with it. */
async function record(
  ctx: Context,
  caller: Buyer,
  steps: Steps,
  payment: PaymentRow,
  onChain: OnChain,
): Promise<Reply<contract.Job>> {
  const now = ctx.runtime.clock();
  if (onChain.outcome === 'paid') {
    return steps.transact(async (tx) => {
      await collect(tx, ctx.runtime, payment, onChain.transaction, now);
      return paidReply(ctx, caller, steps, tx, payment, onChain.transaction);
    });
  }
  if (onChain.outcome === 'never') {
    await steps.transact((tx) => giveUp(tx, payment, 'The authorization can no longer pay.', now));
    throw notAllowed('This payment did not and will not go through. Nothing was collected; the job can be paid anew.');
  }
  await steps.transact(async (tx) => {
    markUnknown(tx, payment.payment_key, now);
    tx.write(sql`
      update jobs set payment_state = 'unknown', updated_at = ${now}
      where job_key = ${payment.job_key} and state = 'awaiting_payment' and payment_state = 'processing'`);
  });
  throw outcomeUnknown();
}

async function paidReply(
  ctx: Context,
  caller: Buyer,
  steps: Steps,
  tx: Tx,
  payment: PaymentRow,
  transaction: string,
): Promise<Reply<contract.Job>> {
  const { body } = await jobReply(tx, payment.job_key, caller, ctx);
  const reply = { body, headers: paymentResponse(payment.payer, transaction, payment.network) };
  steps.remember(tx, reply);
  return reply;
}

/** A signature that was seen before: it answers for its own job, and for no other. */
async function repeat(
  ctx: Context,
  caller: Buyer,
  rail: X402Rail,
  steps: Steps,
  job: JobRow,
  known: PaymentRow,
  payment: SignedPayment,
): Promise<Reply<contract.Job>> {
  if (known.job_key !== job.job_key) {
    throw new Problem('payment_already_used', 'This signature was presented for another job.');
  }
  if (known.state === 'collected' && known.transaction) {
    const { transaction } = known;
    return steps.transact((tx) => paidReply(ctx, caller, steps, tx, known, transaction));
  }
  if (known.state === 'failed') throw notAllowed('This payment did not go through. Sign a new one.');
  // One request at a time calls out; its lease ends by itself when the process that took it is gone.
  if (!(await takeLease(ctx.runtime.db, known.payment_key, ctx.now, after(ctx.now, settleLeaseSeconds)))) {
    throw outcomeUnknown();
  }
  const onChain = await rail.lookUp(payment.authorization).catch((): OnChain => ({ outcome: 'unconfirmed' }));
  if (onChain.outcome !== 'unused') return record(ctx, caller, steps, known, onChain);
  // The same signature can move the money once at most, so carrying it out again is safe.
  return settle(ctx, caller, rail, steps, known, payment);
}

/** After a race for the job was lost: the winner's payment may be this very signature. */
async function afterLostRace(
  ctx: Context,
  caller: Buyer,
  rail: X402Rail,
  steps: Steps,
  job: JobRow,
  payment: SignedPayment,
): Promise<Reply<contract.Job>> {
  const known = await paymentOf(ctx.runtime.db, payment.authorization);
  if (known) return repeat(ctx, caller, rail, steps, job, known, payment);
  requirePayable(await loadJob(ctx.runtime.db, job.job_key, caller));
  throw outcomeUnknown();
}
