import { requireLetters } from '../availability/availability.ts';
import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { newKey } from '../kernel/id.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { Member } from '../operation/caller.ts';
import type { MemberRole } from '../operation/member-roles.ts';
import type { Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import { enqueueLetter } from '../queue/queue.ts';
import type { Context } from '../runtime.ts';
import { daySeconds } from '../service/terms.ts';
import { lockAccount } from './account.ts';
import { byMember, recordEvent } from './account-event.ts';
import { requireFreshSignIn } from './fresh.ts';
import type { IdentityLetter } from './letters.ts';
import * as contract from './people-contract.ts';
import { keyOfLink } from './registration-secrets.ts';

export const people: Verb<typeof contract.people> = async ({ ctx, caller, db }) => ({
  body: await peopleOf(db, ctx, caller),
});

export const inviteMember: Verb<typeof contract.inviteMember> = async ({ ctx, caller, input, tx }) => {
  requireFreshSignIn(caller, ctx.now);
  await requireLetters(ctx.runtime, ctx.now);
  await lockAccount(tx, caller.accountKey);
  const { members, invitations } = await peopleOf(tx, ctx, caller);
  const others = invitations.filter(({ email }) => email !== input.email);
  if (members.some(({ email }) => email === input.email)) {
    throw new Problem('action_not_allowed', 'This address belongs to a member of the account.');
  }
  if (members.length + others.length >= contract.peopleMax || others.length >= contract.invitationsMax) {
    throw new Problem('action_not_allowed', 'The account has as many members and open invitations as it may.');
  }
  // Asked again, nothing is sent again.
  if (invitations.some(({ email, role }) => email === input.email && role === input.role)) {
    return { body: { members, invitations } };
  }
  const since = after(ctx.now, -daySeconds);
  const sent = await tx.one<{ by_account: number; to_address: number }>(sql`
    select count(*) filter (where account_key = ${caller.accountKey})::int as by_account,
      count(*) filter (where email = ${input.email})::int as to_address
    from invitations where created_at > ${since} and (account_key = ${caller.accountKey} or email = ${input.email})`);
  if (sent.by_account >= contract.invitedADay.byAccount || sent.to_address >= contract.invitedADay.toAddress) {
    throw new Problem('action_not_allowed', 'Too many invitations were sent today. Try again tomorrow.');
  }
  const invitation_key = newKey('invite');
  tx.write(sql`
    update invitations set withdrawn_at = ${ctx.now}
    where account_key = ${caller.accountKey} and email = ${input.email} and accepted_at is null and withdrawn_at is null`);
  tx.write(sql`
    insert into invitations (invitation_key, account_key, email, role, invited_by, created_at, expires_at)
    values (${invitation_key}, ${caller.accountKey}, ${input.email}, ${input.role}, ${caller.memberKey}, ${ctx.now},
      ${after(ctx.now, contract.invitationDays * daySeconds)})`);
  const detail = { email: input.email, role: input.role };
  recordEvent(tx, { ...byMember(caller), action: 'member_invited', detail, at: ctx.now });
  enqueueLetter<IdentityLetter>(tx, ctx.runtime.queue, { kind: 'invitation', invitation_key });
  return { body: await peopleOf(tx, ctx, caller) };
};

export const withdrawInvitation: Verb<typeof contract.withdrawInvitation> = async ({ ctx, caller, input, tx }) => {
  const gone = await tx.maybe(sql`
    update invitations set withdrawn_at = coalesce(withdrawn_at, ${ctx.now})
    where invitation_key = ${input.invitation_key} and account_key = ${caller.accountKey} and accepted_at is null
    returning 1`);
  if (!gone) throw new Problem('not_found', 'There is no such invitation.');
  return { body: await peopleOf(tx, ctx, caller) };
};

export const changeRole: Verb<typeof contract.changeRole> = async ({ ctx, caller, input, tx }) => {
  const member = await lockMember(tx, caller, input.member_key);
  if (member.role === input.role) return { body: await peopleOf(tx, ctx, caller) };
  requireFreshSignIn(caller, ctx.now);
  if (member.role === 'owner') await requireOtherOwner(tx, caller, input.member_key);
  if (input.role === 'owner') {
    const elsewhere = await tx.maybe(sql`
      select 1 from members where email = ${member.email} and role = 'owner' and removed_at is null`);
    if (elsewhere) throw new Problem('action_not_allowed', 'This person cannot own this account.');
  }
  tx.write(sql`update members set role = ${input.role} where member_key = ${input.member_key}`);
  const detail = { email: member.email, from: member.role, to: input.role };
  recordEvent(tx, { ...byMember(caller), action: 'role_changed', detail, at: ctx.now });
  return { body: await peopleOf(tx, ctx, caller) };
};

export const removeMember: Verb<typeof contract.removeMember> = async ({ ctx, caller, input, tx }) => {
  await lockAccount(tx, caller.accountKey);
  const isGone = await tx.maybe(sql`
    select 1 from members where member_key = ${input.member_key} and account_key = ${caller.accountKey}
      and removed_at is not null`);
  if (isGone && caller.role === 'owner') return { body: await peopleOf(tx, ctx, caller) };
  const member = await lockMember(tx, caller, input.member_key);
  if (caller.role !== 'owner' && input.member_key !== caller.memberKey) {
    throw new Problem('role_missing', 'Only an owner removes other members.');
  }
  if (member.role === 'owner') await requireOtherOwner(tx, caller, input.member_key);
  tx.write(sql`update members set removed_at = ${ctx.now} where member_key = ${input.member_key}`);
  tx.write(sql`
    update member_sessions set ended_at = ${ctx.now} where member_key = ${input.member_key} and ended_at is null`);
  tx.write(
    sql`update sign_in_links set used_at = ${ctx.now} where member_key = ${input.member_key} and used_at is null`,
  );
  recordEvent(tx, { ...byMember(caller), action: 'member_removed', detail: { email: member.email }, at: ctx.now });
  return { body: await peopleOf(tx, ctx, caller) };
};

export const invitation: Verb<typeof contract.invitation> = async ({ ctx, input, db }) => ({
  body: viewOf(await invitationOf(db, ctx, input.link), ctx.now),
});

export const acceptInvitation: Verb<typeof contract.acceptInvitation> = async ({ ctx, input, tx }) => {
  const { account_key } = await invitationOf(tx, ctx, input.link);
  await lockAccount(tx, account_key);
  // Read again under the lock: of two clicks the second finds it accepted.
  const row = await invitationOf(tx, ctx, input.link);
  const view = viewOf(row, ctx.now);
  if (view.state === 'accepted') return { body: view };
  if (view.state !== 'open') throw new Problem('action_not_allowed', 'The invitation has ended.');
  const memberKey = newKey('member');
  await tx.one(sql`
    insert into members (member_key, account_key, email, role, created_at)
    values (${memberKey}, ${account_key}, ${row.email}, ${row.role}, ${ctx.now})
    on conflict (account_key, email) do update set removed_at = null, role = case
      when members.removed_at is null then members.role else excluded.role end
    returning member_key`);
  tx.write(sql`update invitations set accepted_at = ${ctx.now} where invitation_key = ${row.invitation_key}`);
  recordEvent(tx, {
    accountKey: account_key,
    principalKey: null,
    actor: memberKey,
    action: 'member_joined',
    detail: { email: row.email, role: row.role },
    at: ctx.now,
  });
  return { body: { ...view, state: 'accepted' } };
};

interface InvitationRow {
  invitation_key: string;
  account_key: string;
  email: string;
  role: 'approver' | 'reader';
  inviter: string;
  expires_at: Date;
  accepted_at: Date | null;
  withdrawn_at: Date | null;
}

/** Throws `not_found` for links that are not ours. */
async function invitationOf(db: Queries, { runtime }: Context, link: string): Promise<InvitationRow> {
  const key = keyOfLink(link, runtime.configuration.keyring);
  const row =
    key === null
      ? undefined
      : await db.maybe<InvitationRow>(sql`
          select i.invitation_key, i.account_key, i.email, i.role, m.email as inviter, i.expires_at, i.accepted_at,
            coalesce(i.withdrawn_at, a.closed_at) as withdrawn_at
          from invitations i join members m on m.member_key = i.invited_by join accounts a on a.account_key = i.account_key
          where invitation_key = ${key}`);
  if (!row) throw new Problem('not_found', 'This link is not valid.');
  return row;
}

function viewOf(row: InvitationRow, now: Date): contract.Invitation {
  const ended = row.withdrawn_at ? 'withdrawn' : row.expires_at <= now ? 'expired' : 'open';
  return {
    state: row.accepted_at ? 'accepted' : ended,
    email: row.email,
    role: row.role,
    invited_by: row.inviter,
    expires_at: row.expires_at.toISOString(),
  };
}

/** The member of the caller's account, which is locked, so that its owners are counted in order. */
async function lockMember(tx: Tx, caller: Member, memberKey: string): Promise<{ email: string; role: MemberRole }> {
  await lockAccount(tx, caller.accountKey);
  const row = await tx.maybe<{ email: string; role: MemberRole }>(sql`
    select email, role from members
    where member_key = ${memberKey} and account_key = ${caller.accountKey} and removed_at is null`);
  if (!row) throw new Problem('not_found', 'There is no such member of this account.');
  return row;
}

async function requireOtherOwner(tx: Tx, { accountKey }: Member, memberKey: string): Promise<void> {
  const other = await tx.maybe(sql`
    select 1 from members where account_key = ${accountKey} and role = 'owner' and removed_at is null
      and member_key <> ${memberKey} limit 1`);
  if (!other) throw new Problem('action_not_allowed', 'The account needs an owner: make somebody else one first.');
}

async function peopleOf(db: Queries, { now }: Context, caller: Member): Promise<contract.People> {
  const members = await db.many<{ member_key: string; email: string; role: MemberRole; created_at: Date }>(sql`
    select member_key, email, role, created_at from members
    where account_key = ${caller.accountKey} and removed_at is null order by created_at limit ${contract.peopleMax}`);
  const open = await db.many<{
    invitation_key: string;
    email: string;
    role: 'approver' | 'reader';
    expires_at: Date;
  }>(sql`
    select invitation_key, email, role, expires_at from invitations
    where account_key = ${caller.accountKey} and accepted_at is null and withdrawn_at is null and expires_at > ${now}
    order by created_at limit ${contract.invitationsMax}`);
  return {
    members: members.map(({ created_at, ...row }) => ({
      ...row,
      since: created_at.toISOString(),
      you: row.member_key === caller.memberKey,
    })),
    invitations: open.map((row) => ({ ...row, expires_at: row.expires_at.toISOString() })),
  };
}
