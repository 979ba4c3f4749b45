import { railsSetUp } from '../availability/availability.ts';
import { heldByAccepted } from '../held.ts';
import { after, endOfUtcDay, utcDay } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { canonicalJson } from '../kernel/digest.ts';
import { toWire } from '../kernel/money.ts';
import { sql, statement } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { GrantRow, Member } from '../operation/caller.ts';
import type { Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import { seconds, service } from '../service/terms.ts';
import {
  type ActingFor,
  lockAgent,
  noAgent,
  pauseAgentBy,
  recordOnAgent,
  requireKind,
  revoke,
  revokeAgentBy,
} from './agent-acts.ts';
import type { GrantChange, GrantTerms } from './contract.ts';
import { requireFreshSignIn } from './fresh.ts';
import { grantView } from './grant.ts';
import { change } from './grant-decision.ts';
import * as contract from './member-contract.ts';

interface AgentRow extends GrantRow {
  principal_key: string;
  kind: 'agent' | 'wallet';
  name: string | null;
  created_at: Date;
  revoked_at: Date | null;
  last_used_at: Date | null;
  claim_until: Date | null;
  today: bigint;
  total: bigint;
  final_today: bigint;
}

/** The agents of an account, or those with these keys. */
function agentRows(
  db: Queries,
  accountKey: string,
  now: Date,
  agentKeys: readonly string[] | null = null,
): Promise<AgentRow[]> {
  const text = `
    select g.grant_key, g.service_keys, g.payment_methods, g.per_job_limit_microcents, g.daily_limit_microcents,
      g.total_limit_microcents, g.governed_refs, g.review_authority, g.paused_at,
      g.expires_at, g.approval_above_microcents, g.may_ask_above_limits, g.grant_digest,
      p.principal_key, p.kind, p.name, p.created_at, p.revoked_at,
      (select max(last_used_at) from credentials c where c.principal_key = p.principal_key) as last_used_at,
      (select claim_until from registrations r
        where r.agent_key = p.principal_key and r.state = 'confirmed' and claim_until > $4) as claim_until,
      coalesce((select sum(used_microcents) from grant_usage u
        where u.grant_key = g.grant_key and day = $2::date), 0)::bigint as today,
      coalesce((select sum(used_microcents) from grant_usage u where u.grant_key = g.grant_key), 0)::bigint as total,
      (${heldByAccepted('p.principal_key', '$2')}) as final_today
    from principals p join grants g using (principal_key)
    where p.account_key = $1 and ($3::text[] is null or p.principal_key = any($3))
    order by p.revoked_at is not null, p.created_at desc limit ${contract.maxAgents}`;
  return db.many<AgentRow>(statement(text, [accountKey, utcDay(now), agentKeys, now]));
}

/** The buyer as reports and lists name it. */
export interface PrincipalName {
  kind: 'agent' | 'wallet';
  name: string | null;
}

/** The buyer with this key. */
export function principalNamed(db: Queries, principalKey: string): Promise<PrincipalName> {
  return db.one(sql`select kind, name from principals where principal_key = ${principalKey}`);
}

/** The buyer of each of these keys. */
export async function principalsNamed(
  db: Queries,
  principalKeys: readonly string[],
): Promise<ReadonlyMap<string, PrincipalName>> {
  const rows = await db.many<PrincipalName & { principal_key: string }>(sql`
    select principal_key, kind, name from principals where principal_key = any(${principalKeys}::text[])`);
  return new Map(rows.map(({ principal_key, ...named }) => [principal_key, named]));
}

function agentView(row: AgentRow): contract.ConnectedAgent {
  return {
    agent_key: row.principal_key,
    kind: row.kind,
    name: row.name,
    state: row.revoked_at ? 'revoked' : row.paused_at ? 'paused' : 'active',
    connected_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    claim_until: row.claim_until?.toISOString() ?? null,
    grant: grantView(row),
    spend: {
      today_microcents: toWire(row.today),
      total_microcents: toWire(row.total),
      held_today_microcents: toWire(row.today - row.final_today),
    },
  };
}

/** Some agents of an account, with their limits and what they have spent. */
export async function connectedAgents(
  db: Queries,
  accountKey: string,
  now: Date,
  agentKeys: readonly string[],
): Promise<contract.ConnectedAgent[]> {
  return (await agentRows(db, accountKey, now, agentKeys)).map(agentView);
}

export const agents: Verb<typeof contract.agents> = async ({ ctx, caller, db }) => {
  const rows = await agentRows(db, caller.accountKey, ctx.now);
  const member = await db.one<{ review_due: boolean }>(sql`
    select role = 'owner' and agents_reviewed_at is null as review_due from members
    where member_key = ${caller.memberKey}`);
  return {
    body: {
      agents: rows.map(agentView),
      rails: railsSetUp(ctx.runtime),
      review_due: member.review_due && rows.some((row) => row.revoked_at === null),
      resets_at: endOfUtcDay(ctx.now).toISOString(),
      service_keys: [service.serviceKey],
    },
  };
};

const historyLength = 100;

export const agentHistory: Verb<typeof contract.agentHistory> = async ({ ctx, caller, input, db }) => {
  const [agent] = await agentRows(db, caller.accountKey, ctx.now, [input.agent_key]);
  if (!agent) throw noAgent();
  const events = await db.many<{ at: Date; actor: string; action: string; detail: Record<string, unknown> }>(sql`
    select at, coalesce(m.email, e.actor) as actor, action, detail
    from account_events e left join members m on m.member_key = e.actor
    where e.account_key = ${caller.accountKey} and e.principal_key = ${input.agent_key}
    order by at desc, sequence desc limit ${historyLength}`);
  return { body: { events: events.map((event) => ({ ...event, at: event.at.toISOString() })) } };
};

export const changeGrant: Verb<typeof contract.changeGrant> = async ({ ctx, caller, input, tx }) => {
  const { agent_key, ...changes } = input;
  const before = await lockAgent(tx, actingFor(caller), agent_key);
  const { paused: _, ...terms } = grantView(before);
  const wanted = withChange(terms, changes);
  if (raises(terms, wanted)) requireFreshSignIn(caller, ctx.now);
  if (canonicalJson(wanted) === canonicalJson(terms)) return { body: await viewOf(tx, caller, agent_key, ctx.now) };
  change(tx, { grantKey: before.grant_key, principalKey: agent_key, terms: wanted, now: ctx.now });
  const detail = { before: terms, after: wanted };
  recordOnAgent(tx, actingFor(caller), agent_key, { action: 'grant_changed', detail, at: ctx.now });
  return { body: await viewOf(tx, caller, agent_key, ctx.now) };
};

const actingFor = ({ accountKey, memberKey }: Member): ActingFor => ({ accountKey, actor: memberKey });

/** A grant with a member's changes. */
export function withChange(terms: GrantTerms, change: GrantChange): GrantTerms {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return { ...terms, ...Object.fromEntries(given) };
}

/** Whether a grant gives more than before. */
export function raises(from: GrantTerms, to: GrantTerms): boolean {
  return (
    to.per_job_limit_microcents > from.per_job_limit_microcents ||
    to.daily_limit_microcents > from.daily_limit_microcents ||
    (to.total_limit_microcents ?? Number.POSITIVE_INFINITY) >
      (from.total_limit_microcents ?? Number.POSITIVE_INFINITY) ||
    to.payment_methods.some((method) => !from.payment_methods.includes(method)) ||
    (to.governed_refs && !from.governed_refs) ||
    (to.review_authority && !from.review_authority) ||
    endOf(to) > endOf(from) ||
    (to.approval_above_microcents ?? Number.POSITIVE_INFINITY) >
      (from.approval_above_microcents ?? Number.POSITIVE_INFINITY) ||
    (to.may_ask_above_limits && !from.may_ask_above_limits)
  );
}

const endOf = ({ expires_at }: Pick<GrantTerms, 'expires_at'>): number =>
  expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);

export const pauseAgent: Verb<typeof contract.pauseAgent> = async ({ ctx, caller, input, tx }) => {
  const by = actingFor(caller);
  const before = await lockAgent(tx, by, input.agent_key);
  if (before.paused_at !== null && !input.paused) requireFreshSignIn(caller, ctx.now);
  await pauseAgentBy(tx, by, input, ctx.now);
  return { body: await viewOf(tx, caller, input.agent_key, ctx.now) };
};

export const revokeAgent: Verb<typeof contract.revokeAgent> = async ({ ctx, caller, input, tx }) => {
  await revokeAgentBy(tx, actingFor(caller), input.agent_key, ctx.now);
  return { body: await viewOf(tx, caller, input.agent_key, ctx.now) };
};

export const releaseAgain: Verb<typeof contract.releaseAgain> = async ({ ctx, caller, input, tx }) => {
  requireKind(await lockAgent(tx, actingFor(caller), input.agent_key), 'given a credential');
  requireFreshSignIn(caller, ctx.now);
  if (input.compromised) {
    const stopped = await tx.many(sql`
      update credentials set revoked_at = ${ctx.now}
      where principal_key = ${input.agent_key} and revoked_at is null returning 1`);
    if (stopped.length > 0) {
      const detail = { because: 'compromised', count: stopped.length };
      recordOnAgent(tx, actingFor(caller), input.agent_key, { action: 'credential_revoked', detail, at: ctx.now });
    }
  }
  // Keep an open window as it is.
  const opened = await tx.maybe(sql`
    update registrations set state = 'confirmed', claim_until = ${after(ctx.now, seconds.claimWindow)}
    where agent_key = ${input.agent_key} and (state = 'released' or claim_until <= ${ctx.now}) returning 1`);
  if (opened)
    recordOnAgent(tx, actingFor(caller), input.agent_key, { action: 'release_allowed', detail: {}, at: ctx.now });
  return { body: await viewOf(tx, caller, input.agent_key, ctx.now) };
};

export const reviewAgents: Verb<typeof contract.reviewAgents> = async ({ ctx, caller, input, tx }) => {
  const all = await tx.many<{ principal_key: string; kind: 'agent' | 'wallet'; revoked_at: Date | null }>(sql`
    select principal_key, kind, revoked_at from principals where account_key = ${caller.accountKey}
    order by principal_key for no key update`);
  const known = new Map(all.map((row) => [row.principal_key, row]));
  const named = new Set([...input.keep, ...input.revoke]);
  const isCurrent =
    named.size === input.keep.length + input.revoke.length &&
    all.every((row) => row.revoked_at || named.has(row.principal_key)) &&
    input.keep.every((key) => known.get(key)?.revoked_at === null) &&
    input.revoke.every((key) => known.has(key));
  if (!isCurrent) {
    throw new Problem('action_not_allowed', 'The agents of the account have changed. Read them again.');
  }
  for (const agent of all.filter(({ principal_key }) => input.revoke.includes(principal_key))) {
    requireKind(agent, 'revoked');
    if (!agent.revoked_at) revoke(tx, actingFor(caller), agent.principal_key, ctx.now);
  }
  tx.write(sql`
    update members set agents_reviewed_at = ${ctx.now}
    where member_key = ${caller.memberKey} and agents_reviewed_at is null`);
  return { body: { kept: input.keep, revoked: input.revoke } };
};

async function viewOf(tx: Tx, member: Member, agentKey: string, now: Date): Promise<contract.ConnectedAgent> {
  const [row] = await agentRows(tx, member.accountKey, now, [agentKey]);
  if (!row) throw noAgent();
  return agentView(row);
}
