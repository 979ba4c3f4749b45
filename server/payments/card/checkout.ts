import type Stripe from 'stripe';
import type { Queries } from '../../kernel/database.ts';
import { sql } from '../../kernel/sql.ts';
import { transact } from '../../kernel/transaction.ts';
import { Problem } from '../../problems/problem.ts';
import type { Outcome, Process } from '../rail.ts';
import { attemptByKey, type CardAttempt, countFailedCall, lookAgainAt, pageEnd } from './attempt.ts';
import { customerOf, forgetCustomer } from './customer.ts';
import { asksHolder } from './holder.ts';
import { type CardProof, nextLook, outcomeOfSession } from './outcome.ts';
import {
  type CardProvider,
  idOf,
  isAboutCard,
  isProviderFailure,
  retrieveIntent,
  type Session,
  toCents,
} from './provider.ts';
import { requireRoomUnderWay } from './under-way.ts';

/** Paying on the provider's page. It is created on the payer's click; until then another rail may take over. */

/** Our page for payers, before and after: it reads our database, not the provider's address. */
export interface OwnPages {
  readonly returnUrl: string;
}

/** Our page of an attempt. */
export const continuationUrl = ({ returnUrl }: OwnPages, paymentKey: string): string => `${returnUrl}/${paymentKey}`;

/** An attempt that waits for its payer. */
export function waiting(pages: OwnPages, attempt: CardAttempt): Extract<Outcome, { is: 'requires_payer' }> {
  return {
    is: 'requires_payer',
    continuationUrl: continuationUrl(pages, attempt.payment_key),
    expiresAt: attempt.session_expires_at ?? attempt.expires_at,
  };
}

/**
 * Opens an attempt's page, or returns the open one, for a member of `accountKey`; null for a stranger. Null when it cannot
 * be paid any more. A page opened by a member shows the account's cards, so others cannot have it: throws
 * `action_not_allowed`. Where `isBounded`, a page that is not open yet throws `rate_limited` while as many checks of the
 * account are under way by card as may be.
 */
export async function openPage(
  { db, clock }: Process,
  provider: CardProvider,
  pages: OwnPages,
  { attempt, accountKey, isBounded }: { attempt: CardAttempt; accountKey: string | null; isBounded: boolean },
): Promise<string | null> {
  const customerId = accountKey === attempt.account_key ? await customerOf({ db, clock }, provider, attempt) : null;
  const now = clock();
  const asked = await transact(db, async (tx) => {
    if (isBounded && !attempt.session_id) {
      await requireRoomUnderWay(tx, { accountKey: attempt.account_key, jobKey: attempt.job_key, now });
    }
    const { account_key: ofAccount, payment_key: paymentKey } = attempt;
    const isMember = customerId !== null;
    const isAsked = await asksHolder(tx, { accountKey: ofAccount, paymentKey, isMember, now });
    return ask(tx, attempt, { customerId, asksHolder: isAsked }, now);
  });
  if (!asked) return null;
  if (asked.customer_id && accountKey !== attempt.account_key) {
    throw new Problem(
      'action_not_allowed',
      "A member of the account has opened this link's card page, which shows the account's cards. Sign in to " +
        'continue there, or have the agent cancel this payment and ask for a new link.',
    );
  }
  if (asked.session_id) return asked.session_url;
  const session = await create(db, provider, pages, asked).catch(async (error) => {
    if (!asked.customer_id || !isAboutCard(error)) throw error;
    await forgetCustomer({ db, clock }, asked);
    const again = await attemptByKey(db, asked.payment_key);
    if (!again) throw error;
    return create(db, provider, pages, again);
  });
  const kept = await db.maybe<{ session_url: string }>(sql`
    update card_payments set session_id = coalesce(session_id, ${session.id}),
      session_url = coalesce(session_url, ${session.url}), look_at = ${nextLook(clock())}
    where payment_key = ${attempt.payment_key} and withdrawn_at is null returning session_url`);
  // Another rail took over meanwhile, and nobody has seen this page.
  if (!kept) await provider.stripe.checkout.sessions.expire(session.id).catch(() => {});
  return kept?.session_url ?? null;
}

/** Records the page's parameters, once: repeats ask for the same. Undefined when it cannot be paid now. */
async function ask(
  db: Queries,
  attempt: CardAttempt,
  { customerId, asksHolder: isAsked }: { customerId: string | null; asksHolder: boolean },
  now: Date,
): Promise<CardAttempt | undefined> {
  const noted = await db.maybe(sql`
    update card_payments c set session_asked_at = coalesce(session_asked_at, ${now}),
      customer_id = case when session_asked_at is null then ${customerId} else customer_id end,
      asks_holder = case when session_asked_at is null then ${isAsked} else asks_holder end,
      session_expires_at = coalesce(session_expires_at, ${pageEnd(now, attempt.expires_at)})
    from payments p
    where c.payment_key = ${attempt.payment_key} and p.payment_key = c.payment_key
      and p.state in ('settling', 'unknown') and p.method = 'card_checkout' and withdrawn_at is null
      and (session_asked_at is not null or c.expires_at > ${now})
    returning c.payment_key`);
  return noted ? attemptByKey(db, attempt.payment_key) : undefined;
}

/**
 * Creates the session. The provider replays a failure of its own for the same key, so the next try takes a new one.
 * That is safe: nobody has the address of a session whose answer was lost.
 */
async function create(db: Queries, { stripe }: CardProvider, pages: OwnPages, attempt: CardAttempt): Promise<Session> {
  const { payment_key: paymentKey, failed_calls: failed, customer_id: customerId } = attempt;
  const metadata = { payment_key: paymentKey };
  const back = continuationUrl(pages, paymentKey);
  const params: Stripe.Checkout.SessionCreateParams = {
    mode: 'payment',
    allowed_payment_method_types: ['card'],
    client_reference_id: paymentKey,
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'usd',
          unit_amount: toCents(attempt.amount_microcents),
          product_data: { name: "Check of an agent's work" },
        },
      },
    ],
    metadata,
    payment_intent_data: { metadata, capture_method: 'automatic' },
    success_url: back,
    cancel_url: back,
    expires_at: Math.floor((attempt.session_expires_at ?? attempt.expires_at).getTime() / 1_000),
    ...(attempt.asks_holder ? { payment_method_options: { card: { request_three_d_secure: 'any' as const } } } : {}),
    // Only the payer's tick keeps the card; without it the card pays once.
    ...(customerId
      ? { customer: customerId, saved_payment_method_options: { payment_method_save: 'enabled' as const } }
      : {}),
  };
  try {
    return await stripe.checkout.sessions.create(params, { idempotencyKey: `cs:${paymentKey}:${failed}` });
  } catch (error) {
    if (isProviderFailure(error)) await countFailedCall(db, paymentKey);
    throw error;
  }
}

/** Looks up an attempt that is paid on a page. */
export async function lookUpPage(
  { db, clock }: Process,
  provider: CardProvider,
  pages: OwnPages,
  attempt: CardAttempt,
): Promise<Outcome<CardProof>> {
  const now = clock();
  if (!attempt.session_id) return unopened(db, pages, attempt, now);
  const session = await provider.stripe.checkout.sessions.retrieve(attempt.session_id);
  const outcome = await outcomeOfPage(provider, pages, attempt, session);
  if (outcome.is === 'requires_payer') await lookAgainAt(db, attempt.payment_key, nextLook(now));
  return outcome;
}

/** An attempt whose page nobody opened: it ends with its time, and no page is handed out any more. */
async function unopened(db: Queries, pages: OwnPages, attempt: CardAttempt, now: Date): Promise<Outcome<CardProof>> {
  if (now < (attempt.session_expires_at ?? attempt.expires_at)) {
    await lookAgainAt(db, attempt.payment_key, attempt.session_expires_at ?? attempt.expires_at);
    return waiting(pages, attempt);
  }
  return (await close(db, attempt, now)) ? { is: 'never', because: 'Nobody paid in time.' } : { is: 'open' };
}

/** Stops handing out pages of the attempt. False when one was handed out meanwhile. */
async function close(db: Queries, { payment_key: key }: CardAttempt, now: Date): Promise<boolean> {
  const closed = await db.maybe(sql`
    update card_payments set withdrawn_at = coalesce(withdrawn_at, ${now})
    where payment_key = ${key} and session_id is null returning payment_key`);
  return closed !== undefined;
}

async function outcomeOfPage(
  provider: CardProvider,
  pages: OwnPages,
  attempt: CardAttempt,
  session: Session,
): Promise<Outcome<CardProof>> {
  const intentId = idOf(session.payment_intent);
  const intent = intentId && session.status === 'complete' ? await retrieveIntent(provider, intentId) : null;
  return outcomeOfSession(provider, attempt, { session, intent }, waiting(pages, attempt));
}

/** Expires an attempt's page: nobody can pay on it, unless that has happened. */
export async function withdrawPage(
  { db, clock }: Process,
  provider: CardProvider,
  pages: OwnPages,
  before: CardAttempt,
): Promise<Outcome<CardProof>> {
  if (await close(db, before, clock())) return { is: 'never', because: 'The payment was called back.' };
  const attempt = await attemptByKey(db, before.payment_key);
  if (!attempt?.session_id) return { is: 'open' };
  const { sessions } = provider.stripe.checkout;
  const session = await sessions
    .expire(attempt.session_id)
    // Refused for a page that is no longer open, or the answer is lost.
    .catch(() => sessions.retrieve(attempt.session_id as string));
  if (session.status === 'expired') return { is: 'never', because: 'The payment was called back.' };
  return outcomeOfPage(provider, pages, attempt, session);
}
