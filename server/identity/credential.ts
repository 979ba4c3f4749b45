import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { newKey } from '../kernel/id.ts';
import type { Keyring } from '../kernel/keyring.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { GrantRow } from '../operation/caller.ts';
import type { Context, Runtime } from '../runtime.ts';
import { seconds } from '../service/terms.ts';
import { recordEvent } from './account-event.ts';
import { grantView } from './grant.ts';
import { newToken, tokenHash } from './token.ts';

/**
 * Creates an agent's credential and revokes unused ones, which may be in the wrong hands. Put the token into one answer
 * and keep it nowhere.
 */
export async function releaseCredential(
  tx: Tx,
  ctx: Pick<Context, 'runtime' | 'now'>,
  agentKey: string,
  replacing: { credentialKey: string; graceSeconds: number } | null = null,
): Promise<{
  credential: string;
  credential_key: string;
  agent_key: string;
  account_key: string;
  grant: ReturnType<typeof grantView>;
}> {
  const { now } = ctx;
  const { first } = ctx.runtime.configuration.keyring;
  const credential = newToken('agent');
  const credentialKey = newKey('cred');
  tx.write(sql`
    update credentials set revoked_at = ${now}
    where principal_key = ${agentKey} and last_used_at is null and revoked_at is null`);
  tx.write(sql`
    insert into credentials (credential_key, principal_key, kind, token_hash, key_id, created_at, use_by, replaces, grace_seconds)
    values (${credentialKey}, ${agentKey}, 'agent', ${tokenHash(credential, first)}, ${first.id}, ${now},
      ${after(now, seconds.credentialFirstUse)}, ${replacing?.credentialKey ?? null}, ${replacing?.graceSeconds ?? null})`);
  const row = await tx.one<GrantRow & { account_key: string }>(sql`
    select grant_key, service_keys, payment_methods, per_job_limit_microcents, daily_limit_microcents,
      total_limit_microcents, governed_refs, review_authority, paused_at,
      grants.expires_at, approval_above_microcents, may_ask_above_limits, grant_digest,
      account_key
    from principals join grants using (principal_key) where principal_key = ${agentKey}`);
  recordEvent(tx, {
    accountKey: row.account_key,
    principalKey: agentKey,
    actor: agentKey,
    action: 'credential_released',
    detail: { credential_key: credentialKey },
    at: now,
  });
  return {
    credential,
    credential_key: credentialKey,
    agent_key: agentKey,
    account_key: row.account_key,
    grant: grantView(row),
  };
}

/** The agent's newest used credential that still works; else null. */
export async function credentialInUse(db: Queries, agentKey: string, now: Date): Promise<string | null> {
  const row = await db.maybe<{ credential_key: string }>(sql`
    select credential_key from credentials
    where principal_key = ${agentKey} and revoked_at is null and last_used_at is not null
      and (expires_at is null or expires_at > ${now})
    order by created_at desc limit 1`);
  return row?.credential_key ?? null;
}

/** Re-hashes a credential with the server's first key: its old key is needed no more. */
export async function rehash(
  db: Queries,
  { credentialKey, token }: { credentialKey: string; token: string },
  { first }: Keyring,
): Promise<void> {
  await db.many(sql`
    update credentials set token_hash = ${tokenHash(token, first)}, key_id = ${first.id}
    where credential_key = ${credentialKey} and key_id <> ${first.id}`);
}

/**
 * Notes use. First use sets the end of the replaced credential. False when it was revoked meanwhile: first use decides
 * whether a credential lives on.
 */
export async function noteUse(db: Queries, credentialKey: string, now: Date): Promise<boolean> {
  const used = await db.maybe(sql`
    with used as (
      update credentials set last_used_at = ${now}
      where credential_key = ${credentialKey} and revoked_at is null returning replaces, grace_seconds
    ), replaced as (
      update credentials old set expires_at = least(old.expires_at, ${now}::timestamptz + make_interval(secs => used.grace_seconds))
      from used where old.credential_key = used.replaces
        and (select last_used_at from credentials where credential_key = ${credentialKey}) is null
    )
    select 1 from used`);
  return used !== undefined;
}

/** Rows per sweep. */
const batch = 200;

/** Revokes unused credentials whose time is over. Requests refuse them from the first second; this writes it down. */
export async function revokeUnused(runtime: Runtime): Promise<void> {
  const now = runtime.clock();
  await runtime.db.many(sql`
    with revoked as (
      update credentials set revoked_at = ${now}
      where credential_key in (
        select credential_key from credentials
        where last_used_at is null and revoked_at is null and use_by <= ${now} order by use_by limit ${batch}
      ) and last_used_at is null and revoked_at is null
      returning credential_key, principal_key
    )
    insert into account_events (account_key, principal_key, at, actor, action, detail)
    select account_key, principal_key, ${now}::timestamptz, 'system', 'credential_revoked',
      jsonb_build_object('credential_key', credential_key, 'reason', 'unused')
    from revoked join principals using (principal_key)`);
}
