import type { Queries } from '../kernel/database.ts';
import { newKey } from '../kernel/id.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { Role } from '../operation/operator-roles.ts';

/**
 * Gives whoever signs in with this address a role; replaces the current one. An address without an account gets one, so
 * that it can sign in.
 */
export async function grantRole(tx: Tx, address: string, role: Role, now: Date): Promise<void> {
  const email = address.toLowerCase();
  if (!(await canSignIn(tx, email))) {
    const accountKey = newKey('acct');
    tx.write(sql`insert into accounts (account_key, created_at) values (${accountKey}, ${now})`);
    tx.write(sql`
      insert into members (member_key, account_key, email, role, created_at)
      values (${newKey('member')}, ${accountKey}, ${email}, 'owner', ${now})`);
  }
  tx.write(sql`
    insert into operators (email, role, granted_at) values (${email}, ${role}, ${now})
    on conflict (email) do update set role = excluded.role, granted_at = excluded.granted_at`);
}

/** Whether somebody who may sign in has the address. */
export async function canSignIn(db: Queries, address: string): Promise<boolean> {
  return (
    (await db.maybe(
      sql`select 1 from members where email = ${address.toLowerCase()} and removed_at is null limit 1`,
    )) !== undefined
  );
}

/** Revokes the role from the next request on. False when the address had none. */
export async function revokeRole(db: Queries, address: string): Promise<boolean> {
  const gone = await db.maybe(sql`delete from operators where email = ${address.toLowerCase()} returning email`);
  return gone !== undefined;
}

/** Who has a role, by address. */
export function operatorsNow(db: Queries): Promise<{ email: string; role: Role; granted_at: Date }[]> {
  return db.many(sql`select email, role, granted_at from operators order by email`);
}
