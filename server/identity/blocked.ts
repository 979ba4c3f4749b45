import type { Database } from '../kernel/database.ts';
import { Problem } from '../kernel/problem.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { Buyer } from './caller.ts';

/** The refusal of a new purchase of an account that owes a payment which was reversed (service.md 3); else null. */
export function blockedRefusal(caller: Buyer): Problem | null {
  if (!caller.isBlocked) return null;
  return new Problem(
    'purchases_blocked',
    'A payment of this account was reversed. Until that is settled nothing new can be bought.',
  );
}

/** Keeps an account from buying anything new. What is paid for goes on, and what was delivered stays readable. */
export function blockPurchases(tx: Tx, accountKey: string, now: Date): void {
  tx.write(sql`
    update accounts set purchases_blocked_at = ${now}
    where account_key = ${accountKey} and purchases_blocked_at is null`);
}

/** Lets an account buy again; an operator does that. Throws `not_found` where no such account is blocked. */
export async function unblockPurchases(db: Database, accountKey: string): Promise<void> {
  const unblocked = await db.maybe(sql`
    update accounts set purchases_blocked_at = null
    where account_key = ${accountKey} and purchases_blocked_at is not null returning account_key`);
  if (!unblocked) throw new Problem('not_found', `${accountKey} is no account that is blocked.`);
}
