import { absentRail, railOffRefusal, saleOffRefusal } from '../../availability/availability.ts';
import { blockedRefusal, payerIsBlocked, payerRefusal } from '../../identity/blocked.ts';
import { methodRefusal, serviceRefusal } from '../../identity/grant.ts';
import { cashRefusal, outsideLimits } from '../../identity/limits.ts';
import type { Queries } from '../../kernel/database.ts';
import { newKey } from '../../kernel/id.ts';
import { microcents } from '../../kernel/money.ts';
import type { Tx } from '../../kernel/transaction.ts';
import type { Buyer } from '../../operation/caller.ts';
import type { Reply, Steps, Verb } from '../../operation/verb.ts';
import { takeLease, whileCalling } from '../../payments/attempt.ts';
import type { Attempt, Attested, Decline, Outcome, Presented, Rail } from '../../payments/rail.ts';
import { railUnavailable } from '../../payments/unavailable.ts';
import { Problem, refuse } from '../../problems/problem.ts';
import type { Context } from '../../runtime.ts';
import { service } from '../../service/terms.ts';
import type * as contract from '../contract.ts';
import { loadJob } from '../job/load.ts';
import { type JobRow, type LoadedJob, notAllowed } from '../job/row.ts';
import { takingJob } from '../job/taking.ts';
import { jobReply } from '../job/view.ts';
import { failedOftenRefusal } from '../quote/failed-often.ts';
import { requireSourcesOf } from '../quote/required-sources.ts';
import { attested } from '../receipt/attested.ts';
import { can, hasLapsed, paymentIsOpen, waitsForPayer } from '../states.ts';
import { recordOutcome, spendCredit } from './collect.ts';
import { pendingReply } from './pending.ts';
import { withdrawn } from './withdraw.ts';

type Paid = contract.Job | contract.PendingPayment;

/** One request to pay for a job. */
interface Purchase {
  readonly ctx: Context;
  readonly caller: Buyer;
  readonly steps: Steps;
  readonly rail: Rail;
  readonly job: LoadedJob;
}

/** The same with its payment. */
interface Payment extends Purchase {
  readonly presented: Presented;
}

/**
 * Pays for a job in three steps: record the intent, let the rail call out, record the fact. Only the first and the last
 * touch the database. After a crash in between, the reconciler or the buyer's repeat continues from the recorded row.
 */
export const pay: Verb<typeof contract.pay> = async (call) =>
  payForJob(call, await loadJob(call.db, call.input.job_key, call.caller));

/** The same for the job as read. */
export const payForJob = async (
  { ctx, caller, input, db, steps }: Parameters<typeof pay>[0],
  job: LoadedJob,
): ReturnType<typeof pay> => {
  const rail = await requireRail(ctx, caller, input);
  const purchase: Purchase = { ctx, caller, steps, rail, job };
  if (input.method === 'wallet_credit') return payFromCredit(purchase);
  const presented = await rail.present(paymentRequest(purchase, input));
  if (presented instanceof Error) {
    await requireCash(purchase, db);
    throw presented;
  }
  const payment: Payment = { ...purchase, presented };
  const known = await presented.known(db);
  if (known) return repeat(payment, known);

  await requireCash(purchase, db);
  if (presented.payer !== null) refuse(await payerRefusal(db, presented.payer));
  const accepted = await presented.accepted().catch((refusal: Error) => refusal);
  if (accepted instanceof Error) {
    // A twin of this request may have carried it out since, which is why the chain refuses it now.
    const twin = await presented.known(db);
    if (twin) return repeat(payment, twin);
    throw accepted;
  }
  if (await endWaiting(purchase)) {
    const arrived = await presented.known(db);
    if (arrived) return repeat(payment, arrived);
    throw alreadyPaid();
  }
  const attempt = await accepted.open(newKey('pay'), takingJob);
  if (!attempt) return afterLostRace(payment);
  return settle(payment, attempt, () => accepted.settle(attempt));
};

type Asked = Parameters<typeof pay>[0]['input'];

/** The rail of the request. Throws if it is unknown here, or not covered by the grant. */
async function requireRail(
  { runtime, now }: Context,
  { grant }: Buyer,
  { rail: name, method, network }: Asked,
): Promise<Rail> {
  refuse(serviceRefusal(grant, service.serviceKey, now));
  const rail = runtime.rails.get(name);
  if (!rail) throw absentRail(name);
  if (!rail.isSetUp) throw railUnavailable(name, (await rail.standing(now, false)).reasons);
  if (network !== undefined && rail.networks.length === 0) {
    throw unfit('/network', 'unsupported_network', `The rail ${name} has no networks.`);
  }
  if (method !== undefined && rail.methods.includes(method)) {
    refuse(methodRefusal(grant, method));
    return rail;
  }
  for (const method of rail.methods) if (methodRefusal(grant, method) === null) return rail;
  refuse(methodRefusal(grant, rail.methods[0] ?? name));
  return rail;
}

function unfit(pointer: string, code: string, detail: string): Problem {
  return new Problem('validation_failed', detail, { errors: [{ pointer, code, detail }] });
}

function paymentRequest({ ctx, caller, job }: Purchase, { method, network }: Asked): Parameters<Rail['present']>[0] {
  return {
    db: ctx.runtime.db,
    clock: ctx.runtime.clock,
    jobKey: job.job_key,
    principalKey: job.principal_key,
    accountKey: job.account_key,
    idempotencyKey: ctx.idempotencyKey ?? '',
    payBy: job.pay_by,
    method,
    grantDigest: caller.grant.grant_digest,
    covers: (one) => methodRefusal(caller.grant, one) === null,
    isBlocked: payerIsBlocked,
    price: microcents(job.price_microcents),
    ...attestedBy(ctx, job),
    network,
    signature: ctx.payment,
    isVersion1: ctx.isVersion1,
  };
}

function attestedBy(ctx: Context, job: JobRow): Attested {
  return attested(ctx, ctx.paidAt ?? `${ctx.baseUrl}/api/agent/v1/jobs/${job.job_key}/payments`);
}

/** Pays with credit that covers the whole price: one transaction, because no provider is involved. */
async function payFromCredit(purchase: Purchase): Promise<Reply<Paid>> {
  const { ctx, caller, steps, rail, job } = purchase;
  refuse(blockedRefusal(caller));
  await requirePayable(purchase);
  if (await endWaiting(purchase)) throw alreadyPaid();
  const paid = await steps.transact(async (tx) => {
    if (!(await spendCredit(tx, ctx.runtime, job, { rail, grant: caller.grant, now: ctx.now }))) return null;
    const reply = await jobReply(tx, job.job_key, caller, ctx);
    steps.remember(tx, reply);
    return reply;
  });
  if (paid) return paid;
  await requirePayable({ ...purchase, job: await loadJob(ctx.runtime.db, job.job_key, caller) });
  throw outcomeUnknown();
}

/**
 * Ends a payment that waits for its payer, so that another can take its place: its page takes no more money. Resolves
 * to true when the job was paid meanwhile, on the page or by a repeat of this request. Throws `payment_unknown` when
 * the outcome is unknown: then nothing new may begin.
 */
async function endWaiting({ ctx, caller, steps, job }: Purchase): Promise<boolean> {
  if (!waitsForPayer(job.payment_state)) return false;
  const { runtime } = ctx;
  const open = await withdrawn(runtime, job.job_key);
  if (open) {
    await steps.transact((tx) => recordOutcome(tx, runtime, open, runtime.clock()));
  }
  const { payment_state } = await loadJob(runtime.db, job.job_key, caller);
  if (paymentIsOpen(payment_state)) throw outcomeUnknown();
  return payment_state !== 'none';
}

function alreadyPaid(): Problem {
  return notAllowed('The open payment has arrived: nothing is left to pay.');
}

/** Refuses a job that cannot be paid in cash now. */
async function requireCash(purchase: Purchase, db: Queries): Promise<void> {
  refuse(blockedRefusal(purchase.caller));
  await requirePayable(purchase);
  const { job } = purchase;
  refuse(await cashRefusal(db, job));
}

/** Refuses a job that cannot be paid now. While an outcome is unknown, don't ask for another payment. */
async function requirePayable({ ctx: { runtime, now }, caller, rail, job }: Purchase): Promise<void> {
  if (paymentIsOpen(job.payment_state) && !waitsForPayer(job.payment_state)) throw outcomeUnknown();
  if (hasLapsed(job, now)) throw notAllowed('The time to pay for this job has passed. Ask for a new quote.');
  if (!can('collect', job.state)) throw notAllowed(`A job that is ${job.state.replace('_', ' ')} cannot be paid.`);
  refuse(saleOffRefusal(job.off, runtime.rails) ?? railOffRefusal(job.off, rail.name));
  if (!job.within_limits) refuse(await outsideLimits(runtime.db, job));
  // Again: what was authorized ahead could be paid after any number of failures.
  refuse(await failedOftenRefusal(runtime.db, caller.accountKey, now));
  await requireSourcesOf(runtime.db, runtime.configuration, caller, job.quote_key);
}

function outcomeUnknown(): Problem {
  return new Problem('payment_unknown', 'Do not pay again. The outcome of this payment is not known yet.', {
    headers: { 'Retry-After': '2' },
  });
}

/** Steps 2 and 3. `call` carries the payment out, or looks it up. */
async function settle(payment: Payment, attempt: Attempt, call: () => Promise<Outcome>): Promise<Reply<Paid>> {
  // No answer from the provider: the outcome is unknown.
  const outcome = await whileCalling(payment.ctx.runtime, attempt.payment_key, () =>
    call().catch((): Outcome => ({ is: 'open' })),
  );
  return record(payment, attempt, outcome);
}

/** Step 3: records the attempt's state and answers with it. */
async function record(payment: Payment, attempt: Attempt, outcome: Outcome): Promise<Reply<Paid>> {
  const { runtime } = payment.ctx;
  const now = runtime.clock();
  const reply = await payment.steps.transact(async (tx) => {
    await recordOutcome(tx, runtime, { attempt, outcome }, now);
    return outcome.is === 'collected' ? paidReply(payment, tx, attempt, outcome.proof) : null;
  });
  if (reply) return reply;
  if (outcome.is === 'requires_payer' || (outcome.is === 'open' && outcome.isProcessing)) {
    return pendingReply(payment, attempt, outcome);
  }
  if (outcome.is === 'open') throw outcomeUnknown();
  if (outcome.is === 'never' && outcome.decline) return afterDecline(payment, outcome.decline);
  throw notAllowed(
    'This payment did not and will not go through. Nothing was collected; read what the job allows now.',
  );
}

/** A declined charge ends its attempt. If its holder can approve it, offer the hosted page, in a new attempt. */
async function afterDecline(payment: Payment, decline: Decline): Promise<Reply<Paid>> {
  const next = decline.needsHolder ? await payment.presented.withHolder?.() : undefined;
  if (next) {
    const attempt = await next.open(newKey('pay'), takingJob);
    if (!attempt) return afterLostRace(payment);
    return settle(payment, attempt, () => next.settle(attempt));
  }
  throw new Problem(
    'card_declined',
    'The card was declined. Nothing was collected; the payer can pay with another card.',
    {
      members: { decline_code: decline.code },
    },
  );
}

/** The answer to a collected payment; null when it was given back meanwhile, or nothing confirms it. */
async function paidReply(
  { ctx, caller, steps, rail, job }: Payment,
  tx: Tx,
  attempt: Attempt,
  proof?: unknown,
): Promise<Reply<Paid> | null> {
  const headers = rail.confirmation(attempt, attestedBy(ctx, job), proof);
  if (!headers) return null;
  const { body } = await jobReply(tx, attempt.job_key, caller, ctx);
  if (body.payment_state === 'none') return null;
  const reply = { body, headers };
  steps.remember(tx, reply);
  return reply;
}

/** A repeated payment: it answers for its own job only. */
async function repeat(payment: Payment, known: Attempt): Promise<Reply<Paid>> {
  const { ctx, steps, job, presented } = payment;
  if (known.job_key !== job.job_key) {
    throw new Problem('payment_already_used', 'This signature was presented for another job.');
  }
  if (known.state === 'collected') {
    const reply = await steps.transact((tx) => paidReply(payment, tx, known));
    if (reply) return reply;
  }
  if (known.state === 'failed') {
    if (known.decline) return afterDecline(payment, known.decline);
    await requirePayable(payment);
    throw notAllowed('This payment did not go through. Start a new one.');
  }
  // One request at a time calls out. Its lease ends by itself when its process is gone.
  if (!(await takeLease(ctx.runtime.db, known.payment_key, ctx.now))) throw outcomeUnknown();
  return settle(payment, known, () => presented.resume(known));
}

/** The race for the job was lost, maybe to a twin with this very payment. */
async function afterLostRace(payment: Payment): Promise<Reply<Paid>> {
  const { ctx, caller, job, presented } = payment;
  const known = await presented.known(ctx.runtime.db);
  if (known) return repeat(payment, known);
  await requirePayable({ ...payment, job: await loadJob(ctx.runtime.db, job.job_key, caller) });
  throw outcomeUnknown();
}
