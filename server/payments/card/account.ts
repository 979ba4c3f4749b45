import Stripe from 'stripe';
import type { Database, Queries } from '../../kernel/database.ts';
import { type Microcents, microcents } from '../../kernel/money.ts';
import { sql, statement } from '../../kernel/sql.ts';
import { type Tx, transact } from '../../kernel/transaction.ts';
import { accountSums } from '../../ledger/closing.ts';
import { accountLeft, accountResumed } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
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

/** The account in use, as an SQL value. */
export const accountNow = '(select account_id from card_accounts order by since desc limit 1)';

/**
 * Whether the charge `c` was made at another account than is in use, which shows nothing of it, as SQL. One from before
 * the account was known is, once another took its place.
 */
export const isOfFormer = (c: string): string =>
  `coalesce(${c}.account_id <> ${accountNow}, exists (select from card_accounts where because is not null))`;

/** The account that this installation sells over; undefined before its first start with a key that may read it. */
export async function accountInUse(db: Queries): Promise<string | undefined> {
  const newest = await db.maybe<{ account_id: string | null }>(statement(`select ${accountNow} as account_id`, []));
  return newest?.account_id ?? undefined;
}

/** Keeps the first account. */
export async function keepFirstAccount(db: Queries, accountId: string, now: Date): Promise<void> {
  await db.many(sql`
    insert into card_accounts (account_id, since) select ${accountId}, ${now}::timestamptz
    where not exists (select from card_accounts) on conflict do nothing`);
}

/**
 * Another account takes the place of the one in use, whatever clock wrote when that began. What is left at the former is
 * booked as paid out, as it will be, unseen; it is there again once that account is in use again.
 */
export async function changeAccount(db: Database, accountId: string, because: string, now: Date): Promise<void> {
  await transact(db, async (tx) => {
    tx.write(sql`lock table card_accounts in exclusive mode`);
    const before = await accountInUse(tx);
    if (before === accountId) return;
    if (before) await leave(tx, before, now);
    // Of an account that is in use again, compare what went on there meanwhile.
    tx.write(sql`
      update card_searches set searched_to = least(searched_to, (
        select min(later.since) from card_accounts later
        where later.since > (select since from card_accounts where account_id = ${accountId})))`);
    const { left } = await tx.one<{ left: bigint | null }>(sql`
      insert into card_accounts (account_id, since, because)
      select ${accountId}, greatest(${now}::timestamptz, max(since) + interval '1 ms'), ${because} from card_accounts
      on conflict (account_id) do update
        set since = excluded.since, because = excluded.because, left_microcents = null
      returning old.left_microcents as left`);
    bookRest(tx, `${accountId}:${now.toISOString()}`, -(left ?? 0n), now);
  });
}

async function leave(tx: Tx, accountId: string, now: Date): Promise<void> {
  const { sums } = await accountSums(tx);
  const own = sums.find(({ account }) => account === 'asset:card');
  const left = own ? own.debited - own.credited : 0n;
  tx.write(sql`update card_accounts set left_microcents = ${left} where account_id = ${accountId}`);
  bookRest(tx, `${accountId}:${now.toISOString()}`, left, now);
}

/** Takes what is left out of `asset:card`, or puts it back when negative. */
function bookRest(tx: Tx, key: string, left: bigint, at: Date): void {
  if (left === 0n) return;
  const amount: Microcents = microcents(left < 0n ? -left : left);
  post(tx, { ...(left > 0n ? accountLeft : accountResumed), key, jobKey: null, principalKey: null, amount, at });
}
