import Stripe from 'stripe';
import type { Queries } from '../../kernel/database.ts';
import { sql } from '../../kernel/sql.ts';
import type { CardProvider } from './provider.ts';

/** The account at the provider: its books, customers and kept cards are no other's. */

/** A start waits for no provider. */
const timeoutMs = 5_000;

/** The account that the key is of; null where a restricted key may not read it. */
export async function accountOfKey({ stripe }: CardProvider): Promise<string | null> {
  try {
    const { id } = await stripe.accounts.retrieveCurrent({}, { timeout: timeoutMs });
    return id;
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return null;
    throw error;
  }
}

/** The account that this installation sells over; undefined before its first start with a key that may read it. */
export async function accountInUse(db: Queries): Promise<string | undefined> {
  const newest = await db.maybe<{ account_id: string }>(sql`
    select account_id from card_accounts order by since desc limit 1`);
  return newest?.account_id;
}

/** Keeps the first account. */
export async function keepFirstAccount(db: Queries, accountId: string, now: Date): Promise<void> {
  await db.many(sql`
    insert into card_accounts (account_id, since) select ${accountId}, ${now}::timestamptz
    where not exists (select from card_accounts) on conflict do nothing`);
}

/** Another account takes the place of the one in use, whatever clock wrote when that began. */
export async function changeAccount(db: Queries, accountId: string, because: string, now: Date): Promise<void> {
  await db.many(sql`
    insert into card_accounts (account_id, since, because)
    select ${accountId}, greatest(${now}::timestamptz, max(since) + interval '1 ms'), ${because} from card_accounts
    on conflict (account_id) do update set since = excluded.since, because = excluded.because`);
}
