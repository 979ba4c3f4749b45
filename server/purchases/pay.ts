import { Problem, refuse } from '../door/problem.ts';
import type { Reply, Steps, Verb } from '../door/verb.ts';
import { blockedRefusal, payerRefusal } from '../identity/blocked.ts';
import type { Buyer } from '../identity/caller.ts';
import { cashRefusal, methodRefusal, outsideLimits, serviceRefusal } from '../identity/grant.ts';
import { sqlState, uniqueViolation } from '../kernel/database.ts';
import { newKey } from '../kernel/id.ts';
import { microcents, toText } from '../kernel/money.ts';
import type { Tx } from '../kernel/transaction.ts';
import { type PaymentRow, paymentOf, recordIntent, takeLease, whileCalling } from '../payments/x402/attempt.ts';
import { isFinal, type OnChain, type SignedTransfer } from '../payments/x402/chain.ts';
import { lookUpOpen, settleOpen } from '../payments/x402/outcome.ts';
import { paymentResponse, version1Refusal, type X402Rail } from '../payments/x402/stablecoins.ts';
import { saysUsed } from '../payments/x402/token-refusals.ts';
import { refundNonceOf, transactionUsing } from '../payments/x402/transfers.ts';
import type { Context } from '../runtime.ts';
import { railUnavailable, switchedOffRefusal } from '../service/availability.ts';
import { price, priceInDollars, service } from '../service/terms.ts';
import { recordOutcome, spendCredit } from './collect.ts';
import type * as contract from './contract.ts';
import { type JobRow, jobReply, type LoadedJob, loadJob, notAllowed } from './job.ts';
import { can, hasLapsed, paymentIsOpen } from './states.ts';

/**
 * Pays for a job in three steps, and only the first and the last touch the database: record the intent, let the
 * facilitator carry the signed transfer out, record the fact. A crash between any two leaves a row from which the
 * reconciler, or the buyer's repeat with the same signature, goes on.
 */
export const pay: Verb<typeof contract.pay, LoadedJob | null> = async ({ ctx, caller, input, db, steps, loaded }) => {
  requirePayer(ctx, caller, input.rail);
  const job = loaded ?? (await loadJob(db, input.job_key, caller));
  if (input.method === 'wallet_credit') return payFromCredit(ctx, caller, steps, job);
  const rail = railOf(ctx);
  const offer = await rail.offer(
    microcents(job.price_microcents),
    `${ctx.baseUrl}${jobPath(job)}/payments`,
    input.network,
  );
  if (ctx.payment === null) {
    refuse(blockedRefusal(caller));
    await requirePayable(ctx, job);
    refuse(await cashRefusal(db, job));
    if (offer.requirements.length === 0) throw unsupportedNetwork(rail);
    throw rail.demand(offer, ctx.isVersion1 ? version1Refusal : paymentRequired);
  }
  const payment = rail.read(ctx.payment, offer);
  // The chain is asked at the same time: most signatures are new.
  const judged = refusalOf(ctx, rail, payment, caller.principalKey);
  judged.catch(() => {});
  const known = await paymentOf(db, payment.authorization);
  if (known) return repeat(ctx, caller, rail, steps, job, known, payment);

  refuse(blockedRefusal(caller));
  await requirePayable(ctx, job);
  refuse(await cashRefusal(db, job));
  refuse(await payerRefusal(db, payment.authorization.from));
  const { refusal, wasUsed, head } = await judged;
  if (refusal) throw rail.demand(offer, refusal);

  const intent = await recordedIntent(ctx, job, payment, head);
  if (!intent) return afterLostRace(ctx, caller, rail, steps, job, payment);
  // What was carried out before is looked up, never sent: its money may have gone back, too.
  const call = wasUsed ? () => lookUpOpen(db, rail, intent) : () => settleOpen(rail, intent, payment);
  return settle(ctx, caller, steps, intent, call);
};

/** What an unpaid answer says: stock x402 clients stop at 1 USD a payment until they are allowed more. */
const paymentRequired =
  `Payment required: x402 version 2. Allow your client exactly ${toText(price)} a payment ` +
  `(client.setSpendControls({ maxAmountPerPayment: "${priceInDollars}" })): stock clients stop at 1 USD`;

/** Refuses a rail that the service has not, or that the grant does not cover. */
function requirePayer(ctx: Context, caller: Buyer, name: 'card' | 'x402'): void {
  refuse(serviceRefusal(caller.grant, service.serviceKey));
  if (name === 'card') throw railUnavailable(ctx.runtime, name);
  refuse(methodRefusal(caller.grant, name));
}

function railOf(ctx: Context): X402Rail {
  if (!ctx.runtime.x402) throw railUnavailable(ctx.runtime, 'x402');
  return ctx.runtime.x402;
}

/** Spends credit that covers the whole price: one transaction, because nothing outside has a say in it. */
async function payFromCredit(ctx: Context, caller: Buyer, steps: Steps, job: LoadedJob): Promise<Reply<contract.Job>> {
  refuse(blockedRefusal(caller));
  await requirePayable(ctx, job);
  const paid = await steps.transact(async (tx) => {
    if (!(await spendCredit(tx, ctx.runtime, job, ctx.now))) return null;
    const reply = await jobReply(tx, job.job_key, caller, ctx);
    steps.remember(tx, reply);
    return reply;
  });
  if (paid) return paid;
  await requirePayable(ctx, await loadJob(ctx.runtime.db, job.job_key, caller));
  throw outcomeUnknown();
}

function jobPath(job: JobRow): string {
  return `/api/agent/v1/jobs/${job.job_key}`;
}

/** Refuses a job that cannot be paid now. While an outcome is unknown the answer must not ask for another payment. */
async function requirePayable(ctx: Context, job: LoadedJob): Promise<void> {
  if (paymentIsOpen(job.payment_state)) throw outcomeUnknown();
  if (hasLapsed(job, ctx.now)) throw notAllowed('The time to pay for this job has passed. Ask for a new quote.');
  if (!can('collect', job.state)) throw notAllowed(`A job that is ${job.state.replace('_', ' ')} cannot be paid.`);
  if (job.is_off) refuse(await switchedOffRefusal(ctx.runtime.db));
  if (!job.within_limits) refuse(await outsideLimits(ctx.runtime.db, job));
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

/** What is answered to a transfer that has paid somebody else's purchase, or nobody's. */
const alreadyCarriedOut = 'already carried out; listed for return';

/**
 * Why the chain would not carry the payment out, null when it would; and its head as it was before the payment could be
 * carried out for this job. A signature that was carried out already may have paid us, by whoever did it: then, and while
 * the chain cannot tell, it is no refusal to the wallet that signed it. Throws `service_unavailable` when nobody is there
 * to carry it out.
 */
async function refusalOf(
  ctx: Context,
  rail: X402Rail,
  payment: SignedTransfer,
  principalKey: string,
): Promise<{ refusal: string | null; wasUsed: boolean; head: bigint }> {
  const { authorization } = payment;
  const [isReachable, refusal, head] = await Promise.all([
    rail.isReachable(ctx.now),
    rail.refusal(payment, ctx.now),
    rail.head(authorization.network),
  ]).catch(() => {
    throw railUnavailable(ctx.runtime, 'x402', 'chain_unreachable');
  });
  if (!isReachable) throw railUnavailable(ctx.runtime, 'x402');
  if (!refusal || !saysUsed(refusal)) return { refusal, wasUsed: false, head };
  const used = { wasUsed: true, head };
  if (authorization.from !== principalKey) return { refusal: alreadyCarriedOut, ...used };
  const hint = await transactionUsing(ctx.runtime.db, authorization);
  const onChain = await rail.lookUp(authorization, { seenAt: ctx.now, hint }).catch(() => null);
  if (onChain?.outcome === 'unconfirmed' || onChain === null) return { refusal: null, ...used };
  if (onChain.outcome !== 'paid') return { refusal, ...used };
  const isGivenBack = await rail.isGivenBack(authorization, refundNonceOf(authorization)).catch(() => false);
  return { refusal: isGivenBack ? 'already carried out, and given back' : null, ...used };
}

/** Step 1. Undefined when a twin was faster: with this signature, or with another payment for the same job. */
async function recordedIntent(
  ctx: Context,
  job: JobRow,
  transfer: SignedTransfer,
  head: bigint,
): Promise<PaymentRow | undefined> {
  try {
    return await recordIntent(ctx.runtime.db, {
      paymentKey: newKey('pay'),
      jobKey: job.job_key,
      principalKey: job.principal_key,
      amount: microcents(job.price_microcents),
      transfer,
      head,
      now: ctx.now,
    });
  } catch (error) {
    if (sqlState(error) === uniqueViolation) return undefined;
    throw error;
  }
}

/** Steps 2 and 3: `call` has the payment carried out, or asks the chain what became of it. */
async function settle(
  ctx: Context,
  caller: Buyer,
  steps: Steps,
  intent: PaymentRow,
  call: () => Promise<OnChain>,
): Promise<Reply<contract.Job>> {
  // Neither the facilitator nor the chain answered: that is an unknown outcome too.
  const onChain = await whileCalling(ctx.runtime, intent.payment_key, () =>
    call().catch((): OnChain => ({ outcome: 'unconfirmed' })),
  );
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
  const reply = await steps.transact(async (tx) => {
    await recordOutcome(tx, ctx.runtime, payment, onChain, { now });
    return onChain.outcome === 'paid' ? paidReply(ctx, caller, steps, tx, payment, onChain.transfer.transaction) : null;
  });
  if (reply) return reply;
  if (!isFinal(onChain)) throw outcomeUnknown();
  throw notAllowed(
    'This payment did not and will not go through. Nothing was collected; read what the job allows now.',
  );
}

async function paidReply(
  ctx: Context,
  caller: Buyer,
  steps: Steps,
  tx: Tx,
  payment: PaymentRow,
  transaction: string,
): Promise<Reply<contract.Job> | null> {
  const { body } = await jobReply(tx, payment.job_key, caller, ctx);
  // The arrival was given back in the meantime.
  if (body.payment_state === 'none') return null;
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
  job: LoadedJob,
  known: PaymentRow,
  payment: SignedTransfer,
): Promise<Reply<contract.Job>> {
  if (known.job_key !== job.job_key) {
    throw new Problem('payment_already_used', 'This signature was presented for another job.');
  }
  if (known.state === 'collected' && known.transaction) {
    const { transaction } = known;
    const reply = await steps.transact((tx) => paidReply(ctx, caller, steps, tx, known, transaction));
    if (reply) return reply;
  }
  if (known.state === 'failed') {
    await requirePayable(ctx, job);
    throw notAllowed('This payment did not go through. Sign a new one.');
  }
  // One request at a time calls out; its lease ends by itself when the process that took it is gone.
  if (!(await takeLease(ctx.runtime.db, known.payment_key, ctx.now))) {
    throw outcomeUnknown();
  }
  const onChain = await whileCalling(ctx.runtime, known.payment_key, () =>
    lookUpOpen(ctx.runtime.db, rail, known).catch((): OnChain => ({ outcome: 'unconfirmed' })),
  );
  if (onChain.outcome !== 'unused') return record(ctx, caller, steps, known, onChain);
  // The same signature can move the money once at most, so carrying it out again is safe.
  return settle(ctx, caller, steps, known, () => settleOpen(rail, known, payment));
}

/** After a race for the job was lost: the winner's payment may be this very signature. */
async function afterLostRace(
  ctx: Context,
  caller: Buyer,
  rail: X402Rail,
  steps: Steps,
  job: LoadedJob,
  payment: SignedTransfer,
): Promise<Reply<contract.Job>> {
  const known = await paymentOf(ctx.runtime.db, payment.authorization);
  if (known) return repeat(ctx, caller, rail, steps, job, known, payment);
  await requirePayable(ctx, await loadJob(ctx.runtime.db, job.job_key, caller));
  throw outcomeUnknown();
}
