import type { Queries } from '../kernel/database.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { Member } from '../operation/caller.ts';
import { recordEvent } from './account-event.ts';
import { revoke } from './agent-acts.ts';

/** The end of an account. What it bought and what it is owed stays in the books. */

/** The accounts that are closed, as SQL. */
export const closedAccounts = 'select account_key from accounts where closed_at is not null';

/** The member who closed an account, as SQL. */
export const closedBy = (account: string): string =>
  `(select closed_by from accounts where accounts.account_key = ${account})`;

/** Whether an account is closed. */
export async function isClosed(db: Queries, accountKey: string): Promise<boolean> {
  const open = await db.maybe(sql`select 1 from accounts where account_key = ${accountKey} and closed_at is null`);
  return open === undefined;
}

/** What the closing of an account said; undefined while it is open. */
export async function closingOf<Said>(db: Queries, accountKey: string): Promise<{ at: Date; said: Said } | undefined> {
  return db.maybe(sql`
    select closed_at as at, detail as said from accounts join account_events using (account_key)
    where account_key = ${accountKey} and closed_at is not null and action = 'account_closed'`);
}

/** Who and what ends with an account. A wallet's owner is known by no address. */
export async function standingOf(
  db: Queries,
  accountKey: string,
): Promise<{ agents: number; wallets: number; members: number; blocks: number }> {
  return db.one(sql`
    select (select count(*)::int from members where account_key = ${accountKey} and removed_at is null) as members,
      count(*) filter (where kind = 'agent' and revoked_at is null)::int as agents,
      count(*) filter (where kind = 'wallet')::int as wallets,
      (select count(*)::int from purchase_blocks where account_key = ${accountKey} and lifted_at is null) as blocks
    from principals where account_key = ${accountKey}`);
}

/**
 * Closes an account, which is locked. From the commit on no key works, nobody is signed in, no link leads in, and each
 * address may begin anew. `said` is what its members are told.
 */
export async function endAccount(
  tx: Tx,
  { accountKey, memberKey }: Member,
  said: Record<string, unknown>,
  now: Date,
): Promise<void> {
  const by = { accountKey, actor: memberKey };
  const agents = await tx.many<{ principal_key: string }>(sql`
    select principal_key from principals where account_key = ${accountKey} and revoked_at is null
    order by principal_key for no key update`);
  for (const { principal_key } of agents) revoke(tx, by, principal_key, now);
  tx.write(sql`
    update member_sessions set ended_at = ${now} from members
    where members.member_key = member_sessions.member_key and account_key = ${accountKey} and ended_at is null`);
  tx.write(sql`
    update sign_in_links set used_at = ${now} from members
    where members.member_key = sign_in_links.member_key and account_key = ${accountKey} and used_at is null`);
  tx.write(sql`
    update invitations set withdrawn_at = ${now}
    where account_key = ${accountKey} and accepted_at is null and withdrawn_at is null`);
  tx.write(sql`update members set removed_at = ${now} where account_key = ${accountKey} and removed_at is null`);
  tx.write(sql`update accounts set closed_at = ${now}, closed_by = ${memberKey} where account_key = ${accountKey}`);
  recordEvent(tx, {
    accountKey,
    principalKey: null,
    actor: memberKey,
    action: 'account_closed',
    detail: said,
    at: now,
  });
}
