import { createHmac } from 'node:crypto';
import { after } from '../kernel/clock.ts';
import type { Database } from '../kernel/database.ts';
import { digestOf } from '../kernel/digest.ts';
import { newKey, randomText } from '../kernel/id.ts';
import type { SecretKey } from '../kernel/keyring.ts';
import { sql } from '../kernel/sql.ts';
import { type Tx, transact } from '../kernel/transaction.ts';
import { originOf } from '../operation/rate-limit.ts';
import { enqueueLetter } from '../queue/queue.ts';
import type { Runtime } from '../runtime.ts';
import { seconds } from '../service/terms.ts';
import { firstPage } from './destination.ts';
import { isNewBrowser, marksWith } from './known-browser.ts';
import type { IdentityLetter } from './letters.ts';

/** Session length. */
export const sessionLifetimeSeconds = 12 * 3_600;
/** Stored length of a browser's name. */
const browserMax = 200;
/** 43 characters of base 62 carry 256 bits. */
const tokenLength = 43;

/** What a link's page may show. */
export type LinkState = 'good' | 'used' | 'expired' | 'unknown';

/**
 * Creates a single-use sign-in link, and the member if needed: an owner where there is none, else an approver. Stores
 * only a digest of the token. `beside` writes in the same transaction. Resolves to the address to open.
 */
export async function makeSignInLink(
  db: Database,
  baseUrl: string,
  member: { accountKey: string; email: string; beside?: (tx: Tx) => void },
  now: Date,
): Promise<string> {
  const token = randomText(tokenLength);
  await transact(db, async (tx) => {
    const row = await tx.one<{ member_key: string }>(sql`
      insert into members (member_key, account_key, email, created_at, role)
      select ${newKey('member')}, ${member.accountKey}, ${member.email.toLowerCase()}, ${now}, case when exists (
          select from members where role = 'owner' and removed_at is null
            and (account_key = ${member.accountKey} or email = ${member.email.toLowerCase()}))
        then 'approver' else 'owner' end
      on conflict (account_key, email) do update set removed_at = null
      returning member_key`);
    tx.write(sql`
      insert into sign_in_links (token_digest, member_key, created_at, expires_at, next, made_by)
      values (${digestOf(token)}, ${row.member_key}, ${now}, ${after(now, seconds.signInLink)}, ${firstPage},
        'operator')`);
    member.beside?.(tx);
  });
  return addressOf(baseUrl, token);
}

const addressOf = (baseUrl: string, token: string): string => `${baseUrl}/sign-in?link=${token}`;

/** Resend a link that works this much longer instead of making another. */
const worthSendingSeconds = 300;

/**
 * The link of a letter. Resends the outstanding one, so that every letter says the same until it is used; derives its
 * token with the server's key instead of storing it.
 */
export async function letterLink(
  { db, configuration: { baseUrl, keyring } }: Pick<Runtime, 'db' | 'configuration'>,
  memberKey: string,
  next: string,
  now: Date,
): Promise<string> {
  const tokenOf = (createdAt: Date, { codes }: SecretKey) =>
    createHmac('sha256', codes)
      .update(`sign-in link:${memberKey}:${createdAt.toISOString()}:${next}`)
      .digest('base64url');
  const sent = await db.maybe<{ created_at: Date; token_digest: string }>(sql`
    select created_at, token_digest from sign_in_links
    where member_key = ${memberKey} and made_by = 'letter' and next = ${next} and used_at is null
      and expires_at > ${after(now, worthSendingSeconds)}
    order by created_at desc limit 1`);
  const again = sent && keyring.all.map((key) => tokenOf(sent.created_at, key));
  const outstanding = again?.find((token) => digestOf(token) === sent?.token_digest);
  if (outstanding !== undefined) return addressOf(baseUrl, outstanding);
  const token = tokenOf(now, keyring.first);
  await db.many(sql`
    insert into sign_in_links (token_digest, member_key, created_at, expires_at, next, made_by)
    values (${digestOf(token)}, ${memberKey}, ${now}, ${after(now, seconds.signInLink)}, ${next}, 'letter')
    on conflict do nothing`);
  return addressOf(baseUrl, token);
}

/** What a link's page shows before its button is pressed. Changes nothing. */
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

/** Where a person signs in from. */
export interface SignInPlace {
  /** The block of addresses. */
  origin: string | null;
  /** The browser's name for itself. */
  browser: string | null;
  /** The marks that the browser keeps (`known-browser.ts`); null without any. */
  marks: string | null;
}

/** Uses the link and opens a session; one of many parallel tries succeeds. Null when the link does not work. */
export async function spendSignInLink(
  runtime: SignInRuntime,
  token: string,
  now: Date,
  from: SignInPlace,
): Promise<SignedIn | null> {
  return transact(runtime.db, async (tx) => {
    const link = await tx.maybe<{ member_key: string; email: string; next: string }>(sql`
      update sign_in_links set used_at = ${now} from members
      where token_digest = ${digestOf(token)} and used_at is null and expires_at > ${now}
        and members.member_key = sign_in_links.member_key and members.removed_at is null
      returning members.member_key, members.email, sign_in_links.next`);
    if (!link) return null;
    const member = { memberKey: link.member_key, email: link.email, next: link.next };
    return openSession(tx, runtime, member, { ...from, now });
  });
}

/** What signing in needs. */
export type SignInRuntime = Pick<Runtime, 'db' | 'queue'> & {
  configuration: Pick<Runtime['configuration'], 'keyring'>;
};

/** Who has just signed in, and where that leads. */
export interface SignedIn {
  memberKey: string;
  email: string;
  sessionKey: string;
  next: string;
  /** The marks for the browser to keep from now on. */
  marks: string;
}

/** Signs a member in, in this browser. Tells them by letter where the browser is new to them. */
export async function openSession(
  tx: Tx,
  { queue, configuration: { keyring } }: SignInRuntime,
  member: Pick<SignedIn, 'memberKey' | 'email' | 'next'>,
  { origin, browser, marks, now }: SignInPlace & { now: Date },
): Promise<SignedIn> {
  const sessionKey = newKey('session');
  if (await isNewBrowser(tx, { marks, memberKey: member.memberKey }, keyring, now)) {
    enqueueLetter<IdentityLetter>(tx, queue, { kind: 'new_browser', session_key: sessionKey });
  }
  tx.write(sql`
    insert into member_sessions (session_key, member_key, created_at, expires_at, origin, browser)
    values (${sessionKey}, ${member.memberKey}, ${now}, ${after(now, sessionLifetimeSeconds)}, ${originOf({ origin })},
      ${browser?.slice(0, browserMax) ?? null})`);
  return { ...member, sessionKey, marks: marksWith(marks, { memberKey: member.memberKey, sessionKey }, keyring) };
}

/** Ends a session at once, for every process. */
export async function endSession(db: Database, sessionKey: string, now: Date): Promise<void> {
  await db.many(sql`
    update member_sessions set ended_at = ${now} where session_key = ${sessionKey} and ended_at is null`);
}
