import type { Queries } from '../../kernel/database.ts';
import { newKey } from '../../kernel/id.ts';
import { each, guarded } from '../../kernel/rounds.ts';
import { sql } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import type { Attempt, KeptCard, Process } from '../rail.ts';
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

/** The card to charge when nobody is there to choose. */
export function cardToCharge(
  db: Queries,
  accountKey: string,
): Promise<{ card_key: string; customer_id: string } | undefined> {
  return db.maybe(sql`
    select card_key, customer_id from saved_cards where account_key = ${accountKey} and removed_at is null
    order by saved_at desc, card_key limit 1`);
}

/** Keeps the card that a payer ticked, only for the account of the provider's customer. */
export function keepCard(tx: Tx, accountKey: string, kept: KeptMethod, now: Date): void {
  tx.write(sql`
    insert into saved_cards (card_key, account_key, customer_id, method_id, brand, last4, exp_month, exp_year, saved_at)
    select ${newKey('card')}, account_key, customer_id, ${kept.methodId}, ${kept.brand}, ${kept.last4},
      ${kept.expMonth}::int, ${kept.expYear}::int, ${now}::timestamptz
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
