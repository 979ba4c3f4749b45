import { absentRail } from '../../availability/availability.ts';
import { blockedRefusal, payerIsBlocked, payerRefusal } from '../../identity/blocked.ts';
import { buyerBehind } from '../../identity/buyer-behind.ts';
import { outsideGrant } from '../../identity/grant.ts';
import { ensureWallet, isKnownWallet, openWalletSession } from '../../identity/wallet.ts';
import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { canonicalJson, digestOf } from '../../kernel/digest.ts';
import { type Claim, isTaken, recall, remember, takeKey } from '../../kernel/idempotency.ts';
import { toWire } from '../../kernel/money.ts';
import type { Tx } from '../../kernel/transaction.ts';
import type { Buyer } from '../../operation/caller.ts';
import type { Reply, Verb } from '../../operation/verb.ts';
import { linkRail } from '../../payments/contract.ts';
import type { PaymentRequest, Presented } from '../../payments/rail.ts';
import { railUnavailable } from '../../payments/unavailable.ts';
import { Problem, refuse } from '../../problems/problem.ts';
import type { Context } from '../../runtime.ts';
import { price, seconds, service } from '../../service/terms.ts';
import { loadJob } from '../job/load.ts';
import { jobReply } from '../job/view.ts';
import { buyCheck as operation } from '../keyless-contract.ts';
import { authorize } from '../quote/authorize.ts';
import { checkWork } from '../quote/quote.ts';
import { attested } from '../receipt/attested.ts';
import { listing } from './listing.ts';
import { payForJob } from './pay.ts';
import { readUrl } from './read-check.ts';

type Asked = Parameters<typeof buyCheck>[0]['input'];
type Session = ReturnType<typeof openWalletSession> | null;

/**
 * Quote, authorization and payment in one call. The signature is judged before anything is kept; then the job is made,
 * once for each payment, and paid as every job is. A repeat finds its job by the payment's name and goes on with it.
 */
export const buyCheck: Verb<typeof operation> = async ({ ctx, input, db, steps }) => {
  const presented = await presentedIn(ctx);
  const payer = presented.payer ?? '';
  const claim: Claim = {
    scope: payer,
    operation: operation.name,
    pathKeys: '',
    key: presented.name ?? '',
    fingerprint: digestOf(canonicalJson(input)),
  };
  let jobKey = await boughtBefore(db, claim);
  // Whoever reads the chain can repeat this payment: only its first sender is the payer for certain.
  let session: Session = null;
  if (jobKey === null) {
    await requireNewPayment(presented, db);
    ({ jobKey, session } = await steps
      .transact((tx) => order(tx, ctx, input, claim))
      .catch(async (error) => {
        // A twin of this request made it.
        const made = isTaken(error) ? await boughtBefore(db, claim) : null;
        if (made === null) throw error;
        return { jobKey: made, session: null };
      }));
  }
  const caller = await buyer(db, payer, ctx);
  const paid = await paidReply(jobKey);
  if (!('body' in paid)) throw new Error('a paid job has a body');
  return {
    status: 202,
    body: { ...paid.body, session, read_url: readUrl(ctx, jobKey) },
    ...(paid.headers ? { headers: paid.headers } : {}),
  };

  async function paidReply(job_key: string) {
    const job = await loadJob(db, job_key, caller);
    const known = await presented.known(db);
    // Another signature for what was paid before is a repeat, too, and is not carried out.
    if (job.payment_state !== 'none' && known?.job_key !== job_key) return jobReply(db, job_key, caller, ctx);
    const request = { job_key, rail: linkRail };
    const context = { ...ctx, idempotencyKey: claim.key, paidAt: addressOf(ctx) };
    return payForJob({ ctx: context, caller, input: request, db, steps }, job) as ReturnType<typeof jobReply>;
  }
};

const addressOf = ({ baseUrl }: Context) => `${baseUrl}${operation.path}`;

/** The payment in the request. Throws the demand without one. */
async function presentedIn(ctx: Context): Promise<Presented> {
  const { runtime, now } = ctx;
  const rail = runtime.rails.get(linkRail);
  if (!rail) throw absentRail(linkRail);
  if (!rail.isSetUp) throw railUnavailable(linkRail, (await rail.standing(now, false)).reasons);
  const request: PaymentRequest = {
    db: runtime.db,
    clock: runtime.clock,
    ...attested(ctx, addressOf(ctx)),
    // Nothing exists yet, and nobody has signed in: an authorization that was used before is nobody's.
    jobKey: '',
    principalKey: '',
    accountKey: '',
    idempotencyKey: '',
    payBy: after(now, seconds.payWindow),
    method: undefined,
    grantDigest: '',
    covers: () => true,
    isBlocked: payerIsBlocked,
    price,
    network: undefined,
    signature: ctx.payment,
    isVersion1: ctx.isVersion1,
    listing,
  };
  const presented = await rail.present(request);
  if (presented instanceof Error) throw presented;
  return presented;
}

/** The job that this payment bought; null for none. */
async function boughtBefore(db: Queries, claim: Claim): Promise<string | null> {
  const found = await recall(db, claim);
  if (found.state === 'conflict') {
    throw new Problem('idempotency_key_conflict', 'This payment was presented with another body.');
  }
  return found.state === 'answered' ? JSON.parse(found.answer.body).job_key : null;
}

/** Refuses a payment that paid elsewhere, that its payer may not make, or that the chain would not carry out. */
async function requireNewPayment(presented: Presented, db: Queries): Promise<void> {
  if (await presented.known(db)) {
    throw new Problem('payment_already_used', 'This signature was presented for another job.');
  }
  if (presented.payer !== null) refuse(await payerRefusal(db, presented.payer));
  await presented.accepted();
}

/**
 * Makes the wallet's account and session where it has none, the quote and the job, and notes which job the payment is
 * for.
 */
async function order(tx: Tx, ctx: Context, input: Asked, claim: Claim): Promise<{ jobKey: string; session: Session }> {
  takeKey(tx, claim, ctx.now);
  const hasBeenHere = await isKnownWallet(tx, claim.scope);
  await ensureWallet(tx, claim.scope as `0x${string}`, ctx.now);
  const caller = await buyer(tx, claim.scope, ctx);
  refuse(blockedRefusal(caller));
  const wanted = { ...input, max_price_microcents: input.max_price_microcents ?? toWire(price) };
  const { quote_key } = bodyOf(await checkWork({ ctx, caller, input: wanted, tx }));
  const accepting = { quote_key, terms_version: service.termsVersion };
  const authorized = await authorize({ ctx, caller, input: accepting, tx }).catch((error) => {
    if (!(error instanceof Problem) || error.code !== 'approval_required') throw error;
    // Nothing of this request stays, so nobody could be asked about it.
    throw outsideGrant('A person has to approve this purchase: sign in with the wallet and buy it step by step.');
  });
  const { job_key } = bodyOf(authorized);
  remember(tx, claim, { status: 202, body: JSON.stringify({ job_key }), headers: {} }, ctx.now);
  // A signature says whom it pays, and not for what: a shop that had it signed may present it. It must read nothing older.
  return { jobKey: job_key, session: hasBeenHere ? null : openWalletSession(tx, claim.scope, ctx) };
}

function bodyOf<Output>(reply: Reply<Output>): Output {
  if (!('body' in reply)) throw new Error('the answer was kept as text');
  return reply.body;
}

/** The paying wallet, as if it had signed in. */
async function buyer(db: Queries, payer: string, { now }: Context): Promise<Buyer> {
  const found = await buyerBehind(db, payer, { key: payer, at: now });
  if (!found) throw new Problem('grant_scope_missing', 'This wallet may not buy here.');
  return found;
}
