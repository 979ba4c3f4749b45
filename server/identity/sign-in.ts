import { after } from '../kernel/clock.ts';
import type { Database } from '../kernel/database.ts';
import { digestOf } from '../kernel/digest.ts';
import { newKey, randomText } from '../kernel/id.ts';
import { sql } from '../kernel/sql.ts';
import { transact } from '../kernel/transaction.ts';

const linkLifetimeSeconds = 900;
/** A member signs in again after this long. */
export const sessionLifetimeSeconds = 12 * 3_600;
/** 43 characters of base 62 carry 256 bits. */
const tokenLength = 43;

/** What a link is good for, as far as its page may tell. */
export type LinkState = 'good' | 'used' | 'expired' | 'unknown';

/**
 * Makes a single-use link that signs a member of the account in. The member is made when the account has none with this
 * address. Only a digest of the token is stored. Resolves to the address to open.
 */
export async function makeSignInLink(
  db: Database,
  baseUrl: string,
  member: { accountKey: string; email: string },
  now: Date,
): Promise<string> {
  const token = randomText(tokenLength);
  await transact(db, async (tx) => {
    const row = await tx.one<{ member_key: string }>(sql`
      insert into members (member_key, account_key, email, created_at)
      values (${newKey('member')}, ${member.accountKey}, ${member.email.toLowerCase()}, ${now})
      on conflict (account_key, email) do update set email = excluded.email
      returning member_key`);
    tx.write(sql`
      insert into sign_in_links (token_digest, member_key, created_at, expires_at)
      values (${digestOf(token)}, ${row.member_key}, ${now}, ${after(now, linkLifetimeSeconds)})`);
  });
  return `${baseUrl}/sign-in?link=${token}`;
}

/** What the page of a link shows before anybody presses its button. Changes nothing. */
export async function readSignInLink(
  db: Database,
  token: string,
  now: Date,
): Promise<{ state: LinkState; email: string | null; expiresAt: Date | null }> {
  const row = await db.maybe<{ email: string; expires_at: Date; used_at: Date | null }>(sql`
    select email, expires_at, used_at from sign_in_links join members using (member_key)
    where token_digest = ${digestOf(token)}`);
  if (!row) return { state: 'unknown', email: null, expiresAt: null };
  const state = row.used_at ? 'used' : row.expires_at <= now ? 'expired' : 'good';
  return { state, email: row.email, expiresAt: row.expires_at };
}

/** Spends the link and opens a session; of many parallel tries one succeeds. Null when the link is not good. */
export async function spendSignInLink(
  db: Database,
  token: string,
  now: Date,
): Promise<{ memberKey: string; email: string; sessionKey: string } | null> {
  return transact(db, async (tx) => {
    const link = await tx.maybe<{ member_key: string; email: string }>(sql`
      update sign_in_links set used_at = ${now} from members
      where token_digest = ${digestOf(token)} and used_at is null and expires_at > ${now}
        and members.member_key = sign_in_links.member_key
      returning members.member_key, members.email`);
    if (!link) return null;
    const sessionKey = newKey('session');
    tx.write(sql`
      insert into member_sessions (session_key, member_key, created_at, expires_at)
      values (${sessionKey}, ${link.member_key}, ${now}, ${after(now, sessionLifetimeSeconds)})`);
    return { memberKey: link.member_key, email: link.email, sessionKey };
  });
}

/** Ends a session at once, on every process: the next request finds it ended. */
export async function endSession(db: Database, sessionKey: string, now: Date): Promise<void> {
  await db.many(sql`
    update member_sessions set ended_at = ${now} where session_key = ${sessionKey} and ended_at is null`);
}
