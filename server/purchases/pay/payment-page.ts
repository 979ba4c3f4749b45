import { availability, railOffRefusal } from '../../availability/availability.ts';
import { switchedOff } from '../../availability/switches.ts';
import { linksClosedAt } from '../../identity/account.ts';
import { blockedRefusal } from '../../identity/blocked.ts';
import { buyerBehind, buyerOfPrincipal } from '../../identity/buyer-behind.ts';
import { methodRefusal, serviceRefusal } from '../../identity/grant.ts';
import { outsideLimits } from '../../identity/limits.ts';
import type { Queries } from '../../kernel/database.ts';
import { errorFields, log } from '../../kernel/log.ts';
import { currency, toWire } from '../../kernel/money.ts';
import { sql } from '../../kernel/sql.ts';
import type { Buyer, Caller } from '../../operation/caller.ts';
import type { Verb } from '../../operation/verb.ts';
import type { Hosted, Rails } from '../../payments/rail.ts';
import { railUnavailable } from '../../payments/unavailable.ts';
import { Problem, refuse } from '../../problems/problem.ts';
import type { Context } from '../../runtime.ts';
import { service } from '../../service/terms.ts';
import { loadJob } from '../job/load.ts';
import { notAllowed } from '../job/row.ts';
import type * as contract from '../payment-contract.ts';
import { railsOf } from '../quote/quote.ts';
import { type PaymentState, paymentIsOpen, waitsForPayer } from '../states.ts';

/** An attempt, with the rail of its page. */
interface Link {
  attempt: NonNullable<Awaited<ReturnType<Hosted['attempt']>>>;
  hosted: Hosted;
  paymentState: PaymentState;
  accountKey: string;
}

/** What a payment link asks for. Anyone with the link sees it: no content, no addresses. */
export const paymentPage: Verb<typeof contract.paymentPage> = async ({ ctx, caller, input, db }) => ({
  body: await paymentView(ctx, caller, input.payment_key, db),
});

/** A payment link as this caller sees it. Throws `not_found`. */
export async function paymentView(
  { runtime, now }: Pick<Context, 'runtime' | 'now'>,
  caller: Caller,
  paymentKey: string,
  db: Queries,
): Promise<contract.PaymentPage> {
  const link = await linkOf(db, runtime.rails, paymentKey);
  const { attempt, accountKey } = link;
  const buyer = await buyerOfPrincipal(db, attempt.principal_key, now);
  const state = stateOf(link, now);
  const isClosed = memberOf(caller, accountKey) === null && (await linksClosedAt(db, accountKey)) !== null;
  const rails = state === 'open' ? await offered(runtime, now, buyer.payment_methods) : [];
  return {
    payment_key: attempt.payment_key,
    state,
    payment_state: link.paymentState,
    checkout_begun_at: attempt.begun_at?.toISOString() ?? null,
    refused: attempt.refused && { reason: attempt.refused.code, at: attempt.refused.at.toISOString() },
    price: { amount_microcents: toWire(attempt.amount_microcents), currency },
    agent_name: buyer.name,
    job_key: memberOf(caller, accountKey) === null ? null : attempt.job_key,
    limits: {
      per_job_limit_microcents: toWire(buyer.per_job_limit_microcents),
      daily_limit_microcents: toWire(buyer.daily_limit_microcents),
      total_limit_microcents: buyer.total_limit_microcents === null ? null : toWire(buyer.total_limit_microcents),
    },
    rails: rails.filter(({ rail }) => !isClosed || rail !== attempt.rail),
    card_for_members_only: isClosed,
    offers_saving: memberOf(caller, accountKey) !== null,
    environment: runtime.configuration.environment,
    expires_at: attempt.expires_at.toISOString(),
  };
}

/** The rails that a payment may take now, among those that the grant covers. */
async function offered(
  runtime: Context['runtime'],
  now: Date,
  covered: readonly string[],
): Promise<contract.PaymentPage['rails']> {
  const { purchasable_rails } = await availability(runtime, now);
  return railsOf(purchasable_rails, runtime.rails, covered);
}

/** Opens the provider's page on the payer's click if the grant still allows it. Until somebody pays, another rail may take over. */
export const startCheckout: Verb<typeof contract.startCheckout> = async ({ ctx, caller, input, db }) => {
  const { runtime, now } = ctx;
  const link = await linkOf(db, runtime.rails, input.payment_key);
  const { attempt, hosted, accountKey } = link;
  const state = stateOf(link, now);
  if (state === 'unknown')
    throw new Problem('payment_unknown', 'Do not pay again. The outcome of this payment is not known yet.', {
      headers: { 'Retry-After': '2' },
    });
  if (state !== 'open') throw notAllowed(state === 'paid' ? 'This is paid.' : 'This payment link is no longer valid.');
  if (memberOf(caller, accountKey) === null && (await linksClosedAt(db, accountKey)) !== null) {
    throw notAllowed('The card page of this link opens for signed-in members of its account alone.');
  }
  await withoutDetails(requireGrant(db, link, now));
  refuse(railOffRefusal([...(await switchedOff(db))], attempt.rail));
  const url = await hosted.open(runtime, attempt, memberOf(caller, accountKey)).catch((error) => {
    if (error instanceof Problem) throw error;
    log('checkout_not_opened', { payment_key: attempt.payment_key, ...errorFields(error) });
    throw railUnavailable(attempt.rail, ['card_unreachable']);
  });
  if (url === null) throw notAllowed('This payment link is no longer valid.');
  return { body: { url } };
};

const forStrangers: Readonly<Partial<Record<string, string>>> = {
  grant_limit_exceeded: 'This payment is above a limit that the customer set for the agent.',
  purchases_blocked:
    'Nothing can be bought here for now: the account of this link is blocked, whose members read why on their account page, or ' +
    'what you pay from, and another card or wallet can pay.',
};

/** Whoever has a link reads its answers: a limit or a block is said to be in the way, not what was spent or happened. */
export function withoutDetails<T>(work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    const said = error instanceof Problem ? forStrangers[error.code] : undefined;
    throw said === undefined ? error : new Problem(error.code, said);
  });
}

/** Checks the current grant of the agent behind a link. */
async function requireGrant(db: Queries, { attempt, hosted }: Link, now: Date): Promise<void> {
  const buyer = await buyerOfLink(db, attempt, now);
  refuse(blockedRefusal(buyer));
  refuse(serviceRefusal(buyer.grant, service.serviceKey, now) ?? methodRefusal(buyer.grant, hosted.method));
  const job = await loadJob(db, attempt.job_key, buyer);
  if (!job.within_limits) refuse(await outsideLimits(db, job));
}

/** The agent or wallet behind a link. Throws `action_not_allowed` after it was disconnected. */
export async function buyerOfLink(
  db: Queries,
  { principal_key, payment_key }: Link['attempt'],
  now: Date,
): Promise<Buyer> {
  const buyer = await buyerBehind(db, principal_key, { key: payment_key, at: now });
  if (!buyer) throw notAllowed('The agent that made this link is no longer connected.');
  return buyer;
}

/** The account, for a signed-in member of it; null for anybody else: whoever pays keeps no card there. */
function memberOf(caller: Caller, accountKey: string): string | null {
  return caller.kind === 'member' && caller.accountKey === accountKey ? accountKey : null;
}

/** By the state of the job's payment, whichever rail it took. */
function stateOf({ attempt, paymentState }: Link, now: Date): contract.PaymentPage['state'] {
  const hasEnded = attempt.state === 'failed';
  if (paymentState === 'none') return 'ended';
  if (waitsForPayer(paymentState)) return hasEnded ? 'ended' : now < attempt.expires_at ? 'open' : 'unknown';
  // Say how the check was paid in the end: another rail may have taken over.
  return paymentIsOpen(paymentState) ? 'unknown' : 'paid';
}

/** The attempt behind a payment link, with its rail and job. Throws `not_found`. */
export async function linkOf(db: Queries, rails: Rails, paymentKey: string): Promise<Link> {
  for (const { hosted } of rails.values()) {
    const attempt = await hosted?.attempt(db, paymentKey);
    if (!hosted || !attempt) continue;
    const job = await db.one<{ payment_state: PaymentState; account_key: string }>(sql`
      select payment_state, account_key from jobs where job_key = ${attempt.job_key}`);
    return { attempt, hosted, paymentState: job.payment_state, accountKey: job.account_key };
  }
  throw new Problem('not_found', 'There is no such payment link.');
}
