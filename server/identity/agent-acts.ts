import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { GrantRow } from '../operation/caller.ts';
import { Problem } from '../problems/problem.ts';
import { type Act, recordEvent } from './account-event.ts';

/** What a member or an operator does to an agent of an account. Each act records its event. */

/** Who acts, for which account. */
export interface ActingFor {
  accountKey: string;
  /** The name in events: a member's key, or an operator's address. */
  actor: string;
}

interface LockedAgent extends GrantRow {
  kind: 'agent' | 'wallet';
  revoked_at: Date | null;
}

/** The grant of an agent of the account, locked. Throws `not_found`. */
async function lockAnyAgent(tx: Tx, { accountKey }: ActingFor, agentKey: string): Promise<LockedAgent> {
  const row = await tx.maybe<LockedAgent>(sql`
    select g.grant_key, g.service_keys, g.payment_methods, g.per_job_limit_microcents, g.daily_limit_microcents,
      g.total_limit_microcents, g.governed_refs, g.review_authority, g.paused_at,
      g.expires_at, g.approval_above_microcents, g.may_ask_above_limits, g.grant_digest,
      p.kind, p.revoked_at
    from principals p join grants g using (principal_key)
    where p.principal_key = ${agentKey} and p.account_key = ${accountKey} for no key update`);
  if (!row) throw noAgent();
  return row;
}

/** The same, for an agent that is not revoked. Throws `action_not_allowed`. */
export async function lockAgent(tx: Tx, by: ActingFor, agentKey: string): Promise<LockedAgent> {
  const row = await lockAnyAgent(tx, by, agentKey);
  if (row.revoked_at) throw new Problem('action_not_allowed', 'This agent was revoked. Connect it as a new agent.');
  return row;
}

/** The account that an agent buys for. Throws `not_found`. */
export async function accountOfAgent(tx: Tx, agentKey: string): Promise<string> {
  const row = await tx.maybe<{ account_key: string }>(sql`
    select account_key from principals where principal_key = ${agentKey}`);
  if (!row) throw noAgent();
  return row.account_key;
}

/** Pauses an agent, or lets it buy again. No effect if it is already so. */
export async function pauseAgentBy(
  tx: Tx,
  by: ActingFor,
  { agent_key: agentKey, paused }: { agent_key: string; paused: boolean },
  now: Date,
): Promise<void> {
  const before = await lockAgent(tx, by, agentKey);
  if ((before.paused_at !== null) === paused) return;
  tx.write(sql`update grants set paused_at = ${paused ? now : null} where grant_key = ${before.grant_key}`);
  recordOnAgent(tx, by, agentKey, { action: paused ? 'agent_paused' : 'agent_resumed', detail: {}, at: now });
}

/** Revokes an agent, once. Throws `action_not_allowed` for a wallet. */
export async function revokeAgentBy(tx: Tx, by: ActingFor, agentKey: string, now: Date): Promise<void> {
  const agent = await lockAnyAgent(tx, by, agentKey);
  requireKind(agent, 'revoked');
  if (!agent.revoked_at) revoke(tx, by, agentKey, now);
}

/** From the commit on, the agent's credentials and releases are void. */
export function revoke(tx: Tx, by: ActingFor, agentKey: string, now: Date): void {
  tx.write(sql`update principals set revoked_at = ${now} where principal_key = ${agentKey}`);
  tx.write(sql`update credentials set revoked_at = ${now} where principal_key = ${agentKey} and revoked_at is null`);
  tx.write(sql`update registrations set claim_until = ${now} where agent_key = ${agentKey} and claim_until > ${now}`);
  recordOnAgent(tx, by, agentKey, { action: 'agent_revoked', detail: {}, at: now });
}

/** Throws `action_not_allowed` for a wallet: it belongs to its owner. */
export function requireKind({ kind }: { kind: 'agent' | 'wallet' }, act: string): void {
  if (kind === 'wallet') {
    throw new Problem(
      'action_not_allowed',
      `A wallet signs in with its own key and cannot be ${act}. Pause it instead.`,
    );
  }
}

export function noAgent(): Problem {
  return new Problem('not_found', 'There is no agent with this key.');
}

export function recordOnAgent(tx: Tx, by: ActingFor, agentKey: string, act: Act): void {
  recordEvent(tx, { ...by, principalKey: agentKey, ...act });
}
