import type { LimitName } from '../configuration/rate-limits.ts';
import type { Claim, ClaimRow } from '../kernel/idempotency.ts';
import { jsonRowReader } from '../kernel/json-row.ts';
import { sql } from '../kernel/sql.ts';
import type { BlockCause, Buyer, Caller, GrantRow, Member, Operator } from '../operation/caller.ts';
import type { MemberRole } from '../operation/member-roles.ts';
import type { Role } from '../operation/operator-roles.ts';
import { countedBy, counting, countRequest, paced, requireLeft } from '../operation/rate-limit.ts';
import { Problem } from '../problems/problem.ts';
import type { Context, Runtime } from '../runtime.ts';
import { noteUse, rehash } from './credential.ts';
import { countNewcomer } from './network-limit.ts';
import { isOAuthToken, isWellFormedToken, tokenHashes } from './token.ts';

/** Note use at most once a minute, so that reads stay reads. */
const noteUseEveryMs = 60_000;

interface CredentialRow extends GrantRow {
  claimed: ClaimRow | null;
  credential_key: string;
  key_id: string;
  credential_created_at: Date;
  credential_expires_at: Date | null;
  last_used_at: Date | null;
  principal_key: string;
  kind: 'agent' | 'wallet';
  account_key: string;
  name: string | null;
  blocks: BlockCause[];
}

const readCredential = jsonRowReader<CredentialRow>({
  instants: {
    credential_created_at: true,
    credential_expires_at: true,
    last_used_at: true,
    paused_at: true,
    expires_at: true,
  },
  amounts: {
    per_job_limit_microcents: true,
    daily_limit_microcents: true,
    total_limit_microcents: true,
    approval_above_microcents: true,
  },
});

/** What else the authenticating statement does: count, look up a claim, read a member's operator role. */
export interface Besides {
  asOperator: boolean;
  limit: LimitName | undefined;
  key: Pick<Claim, 'operation' | 'pathKeys' | 'key'> | null;
}

/** A caller, with what was read beside it. */
export interface Admission {
  caller: Caller;
  /** The rate limit headers. */
  pace: Record<string, string>;
  /** The claim of this idempotency key; undefined when not looked up. */
  claimed: ClaimRow | null | undefined;
}

const nobody: Admission = { caller: { kind: 'anonymous' }, pace: {}, claimed: undefined };

/**
 * Authenticates and counts. Refuses a bad credential even on public operations. Throws `invalid_token` or
 * `rate_limited`.
 */
export async function authenticate(
  ctx: Context,
  besides: Besides = { asOperator: false, limit: undefined, key: null },
): Promise<Admission> {
  const { operator, bearer, memberSession } = ctx.presented;
  if (operator !== undefined)
    return { ...nobody, caller: { kind: 'operator', name: operator, role: 'command', signedInAt: null } };
  if (bearer !== null) {
    // Its audience is /mcp: nothing else may accept it (RFC 8707).
    if (isOAuthToken(bearer) && !ctx.presented.atMcp) throw ended();
    return buyerOf(ctx, bearer, besides);
  }
  if (memberSession !== null) return memberOf(ctx, memberSession, besides.asOperator);
  return nobody;
}

/**
 * Whether the credential is known, asked before a large body is read. Does not count: the request itself will. Throws
 * `rate_limited` when no requests are left.
 */
export async function isKnown({ presented, runtime, now }: Context): Promise<boolean> {
  const { bearer, memberSession } = presented;
  const subject =
    bearer !== null
      ? await principalOf(runtime, bearer, now)
      : memberSession !== null && (await memberRow(runtime, memberSession, now))?.member_key;
  if (!subject) return false;
  await requireLeft(runtime.db.shared, { subject, name: 'requests' }, runtime.configuration.rateLimits, now);
  return true;
}

async function principalOf({ db, configuration }: Runtime, token: string, now: Date): Promise<string | undefined> {
  if (!isWellFormedToken(token)) return undefined;
  const found = await db.shared.maybe<{ principal_key: string }>(sql`
    select p.principal_key from credentials c join principals p using (principal_key)
    where c.token_hash = any(${tokenHashes(token, configuration.keyring)}::text[])
      and p.revoked_at is null and c.revoked_at is null and (c.expires_at is null or c.expires_at > ${now})`);
  return found?.principal_key;
}

async function buyerOf(ctx: Context, token: string, { limit, key }: Besides): Promise<Admission> {
  const { keyring, rateLimits } = ctx.runtime.configuration;
  const known = isWellFormedToken(token)
    ? sql`
        select c.credential_key, c.key_id, c.created_at as credential_created_at, c.expires_at as credential_expires_at,
          c.last_used_at, p.principal_key, p.kind, p.account_key, p.name,
          g.grant_key, g.service_keys, g.payment_methods, g.per_job_limit_microcents, g.daily_limit_microcents,
          g.total_limit_microcents, g.governed_refs, g.review_authority, g.paused_at,
      g.expires_at, g.approval_above_microcents, g.may_ask_above_limits, g.grant_digest,
          array(
            select distinct cause from purchase_blocks b
            where b.lifted_at is null and (b.account_key = p.account_key or b.payer = p.principal_key)
            order by cause) as blocks, (
            select to_json(claimed) from idempotency_requests claimed
            where claimed.scope = p.principal_key and claimed.operation = ${key?.operation}
              and claimed.path_keys = ${key?.pathKeys} and claimed.idempotency_key = ${key?.key}) as claimed
        from credentials c
        join principals p using (principal_key)
        join grants g using (principal_key)
        where c.token_hash = any(${tokenHashes(token, keyring)}::text[])
          and p.revoked_at is null and c.revoked_at is null and (c.expires_at is null or c.expires_at > ${ctx.now})
          and (c.use_by is null or c.last_used_at is not null or c.use_by > ${ctx.now})`
    : undefined;
  const names: LimitName[] = limit ? ['requests', limit] : ['requests'];
  const found =
    known &&
    (await countedBy<CredentialRow>(
      ctx.runtime.db.shared,
      counting({ who: known, column: 'principal_key' }, names, rateLimits, ctx.now),
    ));
  if (!found) throw ended();
  const row = readCredential(found.who);
  const pace = paced(found.counts, rateLimits, ctx.now);
  await countNewcomer(ctx, row.account_key, limit);
  if (!row.last_used_at || ctx.now.getTime() - row.last_used_at.getTime() > noteUseEveryMs) {
    if (!(await noteUse(ctx.runtime.db, row.credential_key, ctx.now))) throw ended();
  }
  if (row.key_id !== keyring.first.id) {
    await rehash(ctx.runtime.db, { credentialKey: row.credential_key, token }, keyring);
  }
  const caller: Buyer = {
    kind: row.kind,
    principalKey: row.principal_key,
    accountKey: row.account_key,
    name: row.name,
    credential: {
      credentialKey: row.credential_key,
      createdAt: row.credential_created_at,
      expiresAt: row.credential_expires_at,
      lastUsedAt: row.last_used_at,
    },
    grant: row,
    blocks: row.blocks,
  };
  return { caller, pace, claimed: row.claimed };
}

function ended(): Problem {
  return new Problem('invalid_token', 'The credential is unknown, or it has ended.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="svc", error="invalid_token"' },
  });
}

/** Throws `rate_limited`. */
async function memberOf(ctx: Context, sessionKey: string, asOperator: boolean): Promise<Admission> {
  const { runtime, now } = ctx;
  const row = await memberRow(runtime, sessionKey, now);
  if (!row) return nobody;
  const { rateLimits } = runtime.configuration;
  const counts = await countRequest(runtime.db.shared, { subject: row.member_key, name: 'requests' }, rateLimits, now);
  const pace = paced(counts, rateLimits, now);
  await countNewcomer(ctx, row.account_key, undefined);
  const caller = (asOperator && asOperatorOf(row)) || asMember(row);
  return { ...nobody, caller, pace };
}

/** The member as an operator; null without a role. */
function asOperatorOf({ email, operator_role, created_at }: MemberRow): Operator | null {
  return operator_role && { kind: 'operator', name: email, role: operator_role, signedInAt: created_at };
}

interface MemberRow {
  member_key: string;
  email: string;
  role: MemberRole;
  operator_role: Role | null;
  account_key: string;
  created_at: Date;
}

function asMember({ member_key, account_key, role, created_at }: MemberRow): Member {
  return { kind: 'member', memberKey: member_key, accountKey: account_key, role, signedInAt: created_at };
}

function memberRow({ db }: Pick<Runtime, 'db'>, sessionKey: string, now: Date): Promise<MemberRow | undefined> {
  return db.shared.maybe(sql`
    select m.member_key, m.account_key, m.email, m.role, o.role as operator_role, s.created_at
    from member_sessions s join members m using (member_key) left join operators o using (email)
    where s.session_key = ${sessionKey} and s.ended_at is null and s.expires_at > ${now}
      and m.removed_at is null`);
}

/** Re-reads a caller with the current grant. Throws `invalid_token` once it ended. */
export async function stillThere(ctx: Context, caller: Caller): Promise<Caller> {
  switch (caller.kind) {
    case 'anonymous':
    case 'operator':
      return caller;
    case 'member': {
      const { memberSession } = ctx.presented;
      const row = memberSession === null ? undefined : await memberRow(ctx.runtime, memberSession, ctx.now);
      if (!row) throw ended();
      return asMember(row);
    }
    case 'agent':
    case 'wallet':
      return buyerNow(ctx, caller);
  }
}

async function buyerNow(ctx: Context, caller: Buyer): Promise<Buyer> {
  const now = ctx.runtime.clock();
  const row = await ctx.runtime.db.shared.maybe<GrantRow & { blocks: BlockCause[] }>(sql`
    select g.grant_key, g.service_keys, g.payment_methods, g.per_job_limit_microcents, g.daily_limit_microcents,
      g.total_limit_microcents, g.governed_refs, g.review_authority, g.paused_at,
      g.expires_at, g.approval_above_microcents, g.may_ask_above_limits, g.grant_digest, array(
        select distinct cause from purchase_blocks b
        where b.lifted_at is null and (b.account_key = p.account_key or b.payer = p.principal_key)
        order by cause) as blocks
    from credentials c join principals p using (principal_key) join grants g using (principal_key)
    where c.credential_key = ${caller.credential.credentialKey} and p.revoked_at is null and c.revoked_at is null
      and (c.expires_at is null or c.expires_at > ${now})`);
  if (!row) throw ended();
  const { blocks, ...grant } = row;
  return { ...caller, grant, blocks };
}
