import { railsSetUp } from '../availability/availability.ts';
import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { newKey } from '../kernel/id.ts';
import type { Keyring } from '../kernel/keyring.ts';
import { sql } from '../kernel/sql.ts';
import { type Tx, transact } from '../kernel/transaction.ts';
import type { Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import type { Runtime } from '../runtime.ts';
import { seconds } from '../service/terms.ts';
import { recordEvent } from './account-event.ts';
import { raises, withChange } from './agents.ts';
import type { GrantChange, GrantTerms } from './contract.ts';
import { firstPage } from './destination.ts';
import { give } from './grant-decision.ts';
import type * as contract from './registration-contract.ts';
import type { RegistrationRow } from './registration-row.ts';
import { codeOf, keyOfLink, userCodeOf } from './registration-secrets.ts';
import { openSession, type SignedIn, type SignInPlace, type SignInRuntime } from './sign-in.ts';
import { decline, liftSilence, silence, silencedUntil } from './silence.ts';

/** Whether the address belongs to an account. */
export async function hasAccount(db: Queries, email: string): Promise<boolean> {
  return (
    (await db.maybe(sql`select 1 from members where email = ${email} and removed_at is null limit 1`)) !== undefined
  );
}

export const confirmation: Verb<typeof contract.confirmation> = async ({ ctx, input, db }) => {
  const { keyring } = ctx.runtime.configuration;
  const row = await registrationOfLink(db, input.link, keyring);
  const codeExpiresAt = after(row.created_at, seconds.registrationCode);
  const state = await standing(db, row, ctx.now);
  return {
    body: {
      state,
      email: row.email,
      code:
        state === 'pending_confirmation' && codeExpiresAt > ctx.now
          ? codeOf(row.registration_key, keyring.byId(row.key_id))
          : null,
      code_expires_at: codeExpiresAt.toISOString(),
      fetched: row.state === 'released',
      agent_state: state === 'confirmed' ? await stateOfAgent(db, row.agent_key) : null,
      blocked_until:
        row.state === 'declined'
          ? ((await silencedUntil(db, row.email, row.origin, ctx.now))?.toISOString() ?? null)
          : null,
      ...askingAgent(row, ctx.runtime),
    },
  };
};

/** How a confirmed agent stands now: its people may have stopped it since. */
async function stateOfAgent(db: Queries, agentKey: string): Promise<contract.Confirmation['agent_state']> {
  const { state } = await db.one<{ state: 'active' | 'paused' | 'revoked' }>(sql`
    select case when revoked_at is not null then 'revoked' when paused_at is not null then 'paused'
      else 'active' end as state
    from principals left join grants using (principal_key) where principal_key = ${agentKey}`);
  return state;
}

/** The agent as shown to the person who decides. */
export function askingAgent(row: RegistrationRow, runtime: Runtime): contract.AskingAgent {
  const { keyring } = runtime.configuration;
  return {
    rails: railsSetUp(runtime),
    agent: { name: row.agent_name, software: row.agent_software },
    origin: row.origin,
    user_code: userCodeOf(row.registration_key, keyring.byId(row.key_id)),
    requested_grant: row.requested_grant,
    terms_version: row.terms_version,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}

export const confirm: Verb<typeof contract.confirm> = async ({ ctx, input, tx }) => {
  const row = await registrationOfLink(tx, input.link, ctx.runtime.configuration.keyring, 'locked');
  const { decision } = input;
  const wanted = decision === 'confirm' ? 'confirmed' : 'declined';
  const state = await standing(tx, row, ctx.now);
  if (state === 'declined' && decision === 'block') silence(tx, row.registration_key);
  if (state === 'declined' && decision === 'unblock') await liftSilence(tx, row.email, row.origin, ctx.now);
  // A repeat, or the agent used the code: nothing to do.
  if (state === wanted) return { body: { state: wanted, repeated: true } };
  if (state === 'expired') throw new Problem('registration_expired', 'The request expired before it was decided.');
  if (state !== 'pending_confirmation') {
    throw new Problem('action_not_allowed', 'The request was already decided, or the address now has an account.');
  }
  if (wanted === 'declined') {
    decline(tx, row, ctx.now);
    if (decision === 'block') silence(tx, row.registration_key);
  } else if (!(await confirmRegistration(tx, narrowed(row, input.grant ?? {}), 'link', ctx.now))) {
    throw new Problem('action_not_allowed', 'The address now has an account. Connect the agent to it instead.');
  }
  return { body: { state: wanted, repeated: false } };
};

/**
 * Signs in the owner of the account that the link has opened, as a sign-in link does. Only for the request whose answer
 * was that it confirmed, not repeated. Null when the owner is gone already.
 */
export function signInConfirmed(
  runtime: SignInRuntime,
  link: string,
  now: Date,
  from: SignInPlace,
): Promise<SignedIn | null> {
  const { db, configuration } = runtime;
  return transact(db, async (tx) => {
    const owner = await tx.maybe<{ member_key: string; email: string }>(sql`
      select m.member_key, m.email from registrations r join members m using (account_key, email)
      where r.registration_key = ${keyOfLink(link, configuration.keyring)} and m.removed_at is null`);
    return owner
      ? openSession(tx, runtime, { memberKey: owner.member_key, email: owner.email, next: firstPage }, { ...from, now })
      : null;
  });
}

/** The registration with the limits that the person sets. Whoever has the link may only lower what was asked for. */
function narrowed(row: RegistrationRow, change: GrantChange): RegistrationRow {
  const requested_grant = withChange(row.requested_grant, change);
  if (raises(row.requested_grant, requested_grant)) {
    throw new Problem('action_not_allowed', 'Here the limits can only be lowered. Sign in later to raise them.');
  }
  return { ...row, requested_grant };
}

/** Throws `not_found` for foreign links, and for registrations of the other mode. */
async function registrationOfLink(
  db: Queries,
  link: string,
  keyring: Keyring,
  lock?: 'locked',
): Promise<RegistrationRow> {
  const key = keyOfLink(link, keyring);
  const row = key
    ? await (lock
        ? db.maybe<RegistrationRow>(sql`
            select registration_key, mode, state, email, agent_key, agent_name, agent_software, requested_grant,
              terms_version, origin, key_id, code_tries, code_mailed_at, created_at, expires_at,
              decided_at, claim_until, account_key
            from registrations where registration_key = ${key} and mode = 'new_customer' for no key update`)
        : db.maybe<RegistrationRow>(sql`
            select registration_key, mode, state, email, agent_key, agent_name, agent_software, requested_grant,
              terms_version, origin, key_id, code_tries, code_mailed_at, created_at, expires_at,
              decided_at, claim_until, account_key
            from registrations where registration_key = ${key} and mode = 'new_customer'`))
    : undefined;
  if (!row) throw new Problem('not_found', 'This link is not valid.');
  return row;
}

async function standing(db: Queries, row: RegistrationRow, now: Date) {
  if (row.state === 'confirmed' || row.state === 'released') return 'confirmed';
  if (row.state === 'declined') return 'declined';
  if (row.expires_at <= now) return 'expired';
  return (await hasAccount(db, row.email)) ? 'address_has_account' : 'pending_confirmation';
}

/**
 * Creates the account with its owner and first agent. Null when the address has an account by now: the first
 * confirmation wins. The caller holds the registration's lock.
 */
export async function confirmRegistration(
  tx: Tx,
  registration: RegistrationRow,
  by: 'link' | 'code',
  now: Date,
): Promise<RegistrationRow | null> {
  const account = await openAccount(tx, registration.email, now);
  if (!account) return null;
  return connectAgent(tx, registration, {
    accountKey: account.accountKey,
    actor: account.memberKey,
    grant: registration.requested_grant,
    detail: { by },
    now,
  });
}

/** An account with its owner; null when the address has one by now. */
export async function openAccount(
  tx: Tx,
  email: string,
  now: Date,
): Promise<{ accountKey: string; memberKey: string } | null> {
  await tx.one(sql`select pg_advisory_xact_lock(hashtextextended(${`account of ${email}`}, 0))`);
  if (await hasAccount(tx, email)) return null;
  const accountKey = newKey('acct');
  const memberKey = newKey('member');
  tx.write(sql`insert into accounts (account_key, created_at) values (${accountKey}, ${now})`);
  tx.write(sql`
    insert into members (member_key, account_key, email, role, created_at)
    values (${memberKey}, ${accountKey}, ${email}, 'owner', ${now})`);
  return { accountKey, memberKey };
}

/** Makes the registered agent a principal with this grant. */
export async function connectAgent(
  tx: Tx,
  registration: RegistrationRow,
  to: { accountKey: string; actor: string; grant: GrantTerms; detail: Record<string, unknown>; now: Date },
): Promise<RegistrationRow> {
  const { agent_key } = registration;
  const { accountKey, grant, now } = to;
  tx.write(sql`
    insert into principals (principal_key, kind, account_key, name, created_at)
    values (${agent_key}, 'agent', ${accountKey}, ${registration.agent_name}, ${now})`);
  give(tx, agent_key, grant, now);
  recordEvent(tx, {
    accountKey,
    principalKey: agent_key,
    actor: to.actor,
    action: 'agent_connected',
    detail: { ...to.detail, grant },
    at: now,
  });
  return tx.one<RegistrationRow>(sql`
    update registrations set state = 'confirmed', decided_at = ${now}, account_key = ${accountKey},
      claim_until = ${after(now, seconds.claimWindow)}
    where registration_key = ${registration.registration_key}
    returning registration_key, mode, state, email, agent_key, agent_name, agent_software, requested_grant,
      terms_version, origin, key_id, code_tries, code_mailed_at, created_at, expires_at, decided_at,
      claim_until, account_key`);
}
