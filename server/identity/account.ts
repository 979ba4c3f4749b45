import type { Queries } from '../kernel/database.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { BlockCause, Member } from '../operation/caller.ts';
import { type MemberChange, type MemberRole, memberMay, memberRoles } from '../operation/member-roles.ts';
import type { Verb } from '../operation/verb.ts';
import type { Context } from '../runtime.ts';
import type * as contract from './account-contract.ts';
import { byMember, recordEvent } from './account-event.ts';
import { blockWords } from './blocked.ts';
import { liftSilence as lift, silencesOf } from './silence.ts';

/** Sign-ins shown to a person. */
const sessionsMax = 100;

/** Locks an account, so that counts hold until the transaction ends. */
export async function lockAccount(tx: Tx, accountKey: string): Promise<void> {
  await tx.one(sql`select account_key from accounts where account_key = ${accountKey} for no key update`);
}

/** Since when strangers cannot pay by card on the account's payment links; null while they can. */
export async function linksClosedAt(db: Queries, accountKey: string): Promise<Date | null> {
  const { links_closed_at: at } = await db.one<{ links_closed_at: Date | null }>(sql`
    select links_closed_at from accounts where account_key = ${accountKey}`);
  return at;
}

/** Lets only members pay by card on the account's payment links, for good. */
export function closeLinks(tx: Tx, accountKey: string, now: Date): void {
  tx.write(sql`
    update accounts set links_closed_at = coalesce(links_closed_at, ${now}) where account_key = ${accountKey}`);
}

export const member: Verb<typeof contract.member> = async ({ ctx, caller, db }) => ({
  body: await signedIn(db, ctx, caller),
});

export const endSessions: Verb<typeof contract.endSessions> = async ({ ctx, caller, input, tx }) => {
  const { session_key = null } = input;
  const ended = await tx.many<{ session_key: string }>(sql`
    update member_sessions set ended_at = ${ctx.now}
    where member_key = ${caller.memberKey} and ended_at is null
      and case when ${session_key}::text is null then session_key <> ${ctx.presented.memberSession}
        else session_key = ${session_key} end
    returning session_key`);
  if (ended.length > 0) {
    const detail = { count: ended.length, sessions: ended.map((one) => one.session_key) };
    recordEvent(tx, { ...byMember(caller), action: 'sign_ins_ended', detail, at: ctx.now });
  }
  return { body: await signedIn(tx, ctx, caller) };
};

export const liftSilence: Verb<typeof contract.liftSilence> = async ({ ctx, caller, input, tx }) => {
  const { origin } = input;
  if (await lift(tx, (await memberOf(tx, caller)).email, origin, ctx.now)) {
    recordEvent(tx, { ...byMember(caller), action: 'silence_lifted', detail: { origin }, at: ctx.now });
  }
  return { body: await signedIn(tx, ctx, caller) };
};

export const changeLetters: Verb<typeof contract.changeLetters> = async ({ ctx, caller, input, tx }) => {
  tx.write(sql`update members set report_letters = ${input.reports} where member_key = ${caller.memberKey}`);
  return { body: await signedIn(tx, ctx, caller) };
};

function memberOf(db: Queries, { memberKey }: Member): Promise<{ email: string; report_letters: boolean }> {
  return db.one(sql`select email, report_letters from members where member_key = ${memberKey}`);
}

async function signedIn(db: Queries, { now, presented }: Context, caller: Member): Promise<contract.SignedIn> {
  const { email, report_letters } = await memberOf(db, caller);
  const sessions = await db.many<{
    session_key: string;
    created_at: Date;
    expires_at: Date;
    origin: string;
    browser: string | null;
  }>(sql`
    select session_key, created_at, expires_at, origin, browser from member_sessions
    where member_key = ${caller.memberKey} and ended_at is null and expires_at > ${now}
    order by created_at desc limit ${sessionsMax}`);
  return {
    email,
    sessions: sessions.map((session) => ({
      ...session,
      created_at: session.created_at.toISOString(),
      expires_at: session.expires_at.toISOString(),
      current: session.session_key === presented.memberSession,
    })),
    silenced: (await silencesOf(db, email, now)).map(({ origin, since, until }) => ({
      origin,
      since: since.toISOString(),
      until: until.toISOString(),
    })),
    blocks: await blocksOf(db, caller.accountKey),
    report_letters,
  };
}

/** What keeps the account from buying, oldest first, as its letters say it. */
async function blocksOf(db: Queries, accountKey: string): Promise<contract.SignedIn['blocks']> {
  const rows = await db.many<{ cause: BlockCause; since: Date }>(sql`
    select cause, min(created_at) as since from purchase_blocks
    where account_key = ${accountKey} and lifted_at is null group by cause order by since`);
  return rows.map(({ cause, since }) => ({ ...blockWords[cause], since: since.toISOString() }));
}

/** At most so many people of an account get a letter. */
const readersMax = 50;

/**
 * The addresses of an account's members.
 *
 * @param who only those who may ask for a change; or only those who want letters about reports; `former`: of a closed
 *   account also those who were this when it was closed
 */
export async function memberAddresses(
  db: Queries,
  accountKey: string,
  {
    change,
    wantReports = false,
    former = [],
  }: { change?: MemberChange | undefined; wantReports?: boolean; former?: readonly MemberRole[] } = {},
): Promise<string[]> {
  const roles = memberRoles.filter((role) => change === undefined || memberMay(role, change));
  const members = await db.many<{ email: string }>(sql`
    select m.email from members m join accounts a using (account_key)
    where account_key = ${accountKey} and role = any(${roles}::text[]) and (report_letters or not ${wantReports})
      and (removed_at is null or removed_at = a.closed_at and role = any(${[...former]}::text[]))
    order by m.created_at limit ${readersMax}`);
  return members.map(({ email }) => email);
}

/** The principals whose purchases an owner sees, as SQL; `owner` is a value. */
export const principalsOf = (column: 'principal_key' | 'account_key', owner: string): string =>
  `select principal_key from principals where ${column} = ${owner}`;
