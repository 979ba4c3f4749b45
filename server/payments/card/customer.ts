import { sql } from '../../kernel/sql.ts';
import { transact } from '../../kernel/transaction.ts';
import type { Process } from '../rail.ts';
import { type CardAttempt, countFailedCall } from './attempt.ts';
import { type CardProvider, isProviderFailure } from './provider.ts';

/**
 * The provider's customer of an account, created when a member may first keep a card. If an answer was lost, another is
 * created; the first one recorded is used, the other stays unused.
 */
export async function customerOf(
  { db, clock }: Process,
  { stripe }: CardProvider,
  { account_key: accountKey, payment_key: paymentKey, failed_calls: failed }: CardAttempt,
): Promise<string> {
  const known = await db.maybe<{ customer_id: string }>(sql`
    select customer_id from card_customers where account_key = ${accountKey}`);
  if (known) return known.customer_id;
  const made = await stripe.customers
    .create({ metadata: { account_key: accountKey } }, { idempotencyKey: `cus:${paymentKey}:${failed}` })
    .catch(async (error) => {
      if (isProviderFailure(error)) await countFailedCall(db, paymentKey);
      throw error;
    });
  const { customer_id } = await db.one<{ customer_id: string }>(sql`
    insert into card_customers (account_key, customer_id, created_at) values (${accountKey}, ${made.id}, ${clock()})
    on conflict (account_key) do update set customer_id = card_customers.customer_id
    returning customer_id`);
  return customer_id;
}

/** The provider has forgotten the customer and its cards: the next page creates it again, this one goes without. */
export function forgetCustomer(
  { db, clock }: Process,
  { account_key: accountKey, payment_key: key }: CardAttempt,
): Promise<void> {
  return transact(db, async (tx) => {
    tx.write(sql`
      update card_payments set customer_id = null, asks_holder = true, failed_calls = failed_calls + 1
      where payment_key = ${key} and session_id is null and customer_id is not null`);
    tx.write(sql`
      update saved_cards set removed_at = ${clock()} where account_key = ${accountKey} and removed_at is null`);
    tx.write(sql`delete from card_customers where account_key = ${accountKey}`);
  });
}
