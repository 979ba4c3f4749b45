import type { Queries } from '../../kernel/database.ts';
import { newKey } from '../../kernel/id.ts';
import { sql, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { each, guarded } from '../../queue/rounds.ts';
import type { Attempt, KeptCard, PaymentRequest, Process } from '../rail.ts';
import { provenDays } from './holder.ts';
import type { KeptMethod } from './outcome.ts';
import { type CardProvider, isRefusedAs } from './provider.ts';

/** The cards that an account keeps. Only the provider knows their numbers. */

/** Cards listed per account. */
const cardsMax = 50;
/** Removed cards that one round detaches at the provider. */
const batch = 20;

/** Newest first. */
export function listCards(db: Queries, accountKey: string): Promise<KeptCard[]> {
  return db.many<KeptCard>(sql`
    select card_key, brand, last4, exp_month, exp_year, saved_at from saved_cards
    where account_key = ${accountKey} and removed_at is null order by saved_at desc, card_key limit ${cardsMax}`);
}

/** Declines that a job, or a card in a day, may bring about. Banks count them against us. */
const declinesOfJob = 3;
const declinesOfCard = 5;
/** After these the card is kept no longer: it will never pay. */
const endedFor = ['lost_card', 'stolen_card', 'pickup_card', 'expired_card'];

/** Charges to card `s`, in whatever account it is kept. */
const chargesTo = (s: string): string => `card_payments c join payments p using (payment_key)
  where c.card_key in (select card_key from saved_cards same where same.card_key = ${s}.card_key or same.payer = ${s}.payer)`;

const byBank = "c.decline_code <> 'authentication_required'";

/**
 * Whether card `s` may be charged, as SQL: after a decline it rests for an hour, after the second of a day for a day.
 * One that asks for its holder does not rest.
 */
const isRested = (s: string, now: string): string => `(
  select count(*) filter (where p.created_at > ${now} - make_interval(days => 1) and c.decline_code is not null) < ${declinesOfCard}
    and count(*) filter (where p.created_at > ${now} - make_interval(hours => 1) and ${byBank}) = 0
    and count(*) filter (where p.created_at > ${now} - make_interval(days => 1) and ${byBank}) < 2
  from ${chargesTo(s)})`;

/**
 * Charges in a row to a card before its holder is wanted again, and how many more each payment of it allows that was
 * accepted and has stood for a month; so many of these count.
 */
const chargesAlone = 25;
const chargesForProven = 10;
const provenMax = 100;

/**
 * Whether card `s` may be charged with nobody there, as SQL: not after more charges since its holder last paid with it on
 * the provider's page than what has stood speaks for; one that no bank saw is none. So nobody buys for weeks with one
 * visit, and contests all of it later.
 */
const isTrusted = (s: string, now: string): string => `exists (
  select from (
    select count(*) as charges from ${chargesTo(s)} and (p.state <> 'failed' or c.decline_code is not null)
      and p.created_at > coalesce((
      select max(k.seen_at) from card_charges k join payments by_page using (payment_key)
      where k.payer = ${s}.payer and by_page.method = 'card_checkout'), ${s}.saved_at)) in_a_row
  where charges < ${chargesAlone} or charges < ${chargesAlone} + ${chargesForProven} * (
    select count(*) from (
      select from card_charges k join payments using (payment_key) join jobs j using (job_key)
      where k.payer = ${s}.payer and k.seen_at <= ${now} - make_interval(days => ${provenDays})
        and j.state = 'accepted' and j.payment_state = 'collected'
      limit ${provenMax}) proven))`;

/** The cards of an account that can be charged for a job, as SQL. */
const chargeable = (account: string, job: string, now: string): string => `
  from saved_cards s where s.account_key = ${account} and s.removed_at is null and ${isRested('s', now)}
    and ${isTrusted('s', now)} and (
    select count(c.decline_code) from payments p join card_payments c using (payment_key)
    where p.job_key = ${job}) < ${declinesOfJob}`;

/** Whether the account has one whose payer is not blocked, as SQL; `isBlocked` is that, too. */
export const keepsCard = (account: string, job: string, isBlocked: (payer: string) => string): string =>
  `exists (select ${chargeable(account, job, 'now()')} and not ${isBlocked('s.payer')})`;

/** Brand and last digits of a card, kept or not any more, as SQL. */
export const printedOn = (card: string): string => `(
  select jsonb_build_object('brand', brand, 'last4', last4) from saved_cards where card_key = ${card})`;

const newest = (isBlocked: (payer: string) => string): string =>
  `select s.card_key, s.customer_id, s.payer ${chargeable('$1', '$2', '$3::timestamptz')}
  order by ${isBlocked('s.payer')}, s.saved_at desc, s.card_key limit 1`;

/** The card to charge when nobody is there to choose: the newest that does not rest; a blocked one only without another. */
export function cardToCharge(
  db: Queries,
  { accountKey, jobKey, now, isBlocked }: Pick<PaymentRequest, 'accountKey' | 'jobKey' | 'now' | 'isBlocked'>,
): Promise<CardToCharge | undefined> {
  return db.maybe(statement(newest(isBlocked), [accountKey, jobKey, now]));
}

/** A kept card to charge. */
export interface CardToCharge {
  card_key: string;
  customer_id: string;
  payer: string | null;
}

const standing = `select ${isRested('s', '$2::timestamptz')} and ${isTrusted('s', '$2::timestamptz')} as is_ready, (
    select count(*) filter (where p.state in ('settling', 'unknown')
      or p.created_at > $2::timestamptz - make_interval(days => 1) and c.decline_code is not null) < ${declinesOfCard}
    from ${chargesTo('s')}) as has_room
  from saved_cards s where s.card_key = $1 and s.removed_at is null`;

/**
 * Whether the card may be charged once more; `rests`, too, until its holder pays on a page; `busy` while as many charges
 * are under way as may be declined. Locks it until the transaction ends, so that those that begin at once see each other.
 */
export async function lockCard(
  tx: Tx,
  { card_key, payer }: CardToCharge,
  now: Date,
): Promise<'ready' | 'busy' | 'rests'> {
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${`charges to ${payer ?? card_key}`}, 0))`);
  const card = await tx.maybe<{ is_ready: boolean; has_room: boolean }>(statement(standing, [card_key, now]));
  if (!card?.is_ready) return 'rests';
  return card.has_room ? 'ready' : 'busy';
}

/** Keeps a declined card no longer, in whatever account, if its bank says that it is lost, stolen or expired. */
export async function dropIfEnded(db: Queries, { card_key }: { card_key: string | null }, code: string, now: Date) {
  if (!endedFor.includes(code)) return;
  await db.many(sql`
    update saved_cards s set removed_at = ${now} from saved_cards declined
    where declined.card_key = ${card_key} and (s.card_key = declined.card_key or s.payer = declined.payer)
      and s.removed_at is null`);
}

/** Keeps the card that a payer ticked, only for the account of the provider's customer. */
export function keepCard(tx: Tx, accountKey: string, kept: KeptMethod, now: Date): void {
  tx.write(sql`
    insert into saved_cards (card_key, account_key, customer_id, method_id, brand, last4, exp_month, exp_year, payer, saved_at)
    select ${newKey('card')}, account_key, customer_id, ${kept.methodId}, ${kept.brand}, ${kept.last4},
      ${kept.expMonth}::int, ${kept.expYear}::int, ${kept.payer}, ${now}::timestamptz
    from card_customers where account_key = ${accountKey} and customer_id = ${kept.customerId}
    on conflict (method_id) do nothing`);
}

/** Never charges the card again; the next round detaches it at the provider. */
export async function removeCard(
  tx: Tx,
  accountKey: string,
  cardKey: string,
  now: Date,
): Promise<'removed' | 'before' | 'unknown'> {
  const card = await tx.maybe<{ removed_at: Date | null }>(sql`
    select removed_at from saved_cards where card_key = ${cardKey} and account_key = ${accountKey} for update`);
  if (!card) return 'unknown';
  if (card.removed_at !== null) return 'before';
  tx.write(sql`update saved_cards set removed_at = ${now} where card_key = ${cardKey}`);
  return 'removed';
}

/** The same for all cards of these accounts; `accounts` is SQL. */
export async function removeCards(db: Queries, accounts: string, now: Date): Promise<void> {
  const text = `update saved_cards set removed_at = $1 where removed_at is null and account_key in (${accounts}) returning 1`;
  await db.many(statement(text, [now]));
}

/** The provider refuses a card that its holder or the seller detached: stop keeping it. */
export async function dropCard(db: Queries, { card_key }: { card_key: string | null }, now: Date): Promise<void> {
  await db.many(sql`update saved_cards set removed_at = ${now} where card_key = ${card_key} and removed_at is null`);
}

/** Records an agent's first charge to a card. */
export async function noteUse(tx: Tx, { payment_key, principal_key }: Attempt, now: Date): Promise<boolean> {
  const first = await tx.maybe(sql`
    insert into card_uses (card_key, principal_key, payment_key, at)
    select card_key, ${principal_key}, payment_key, ${now} from card_payments
    where payment_key = ${payment_key} and card_key is not null
    on conflict (card_key, principal_key) do nothing returning card_key`);
  return first !== undefined;
}

/** Detaches removed cards at the provider. */
export async function forgetRemoved({ db, clock }: Process, { stripe }: CardProvider): Promise<void> {
  const removed = await db.many<{ card_key: string; method_id: string }>(sql`
    select card_key, method_id from saved_cards where removed_at is not null and detached_at is null
    order by removed_at limit ${batch}`);
  await each(removed, ({ card_key, method_id }) =>
    guarded('card_not_forgotten', { card_key }, async () => {
      await stripe.paymentMethods.detach(method_id).catch((error) => {
        // It was detached before, or never attached.
        if (!isRefusedAs(error, 'resource_missing') && (error as { statusCode?: number }).statusCode !== 400)
          throw error;
      });
      await db.many(sql`update saved_cards set detached_at = ${clock()} where card_key = ${card_key}`);
    }),
  );
}
