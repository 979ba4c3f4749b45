import type { Claim, ClaimRow } from '../kernel/idempotency.ts';
import type { Audience, LimitName } from '../kernel/operation.ts';
import { unpacking } from '../kernel/packed.ts';
import { Problem } from '../kernel/problem.ts';
import { type About, countedBy, counting, countRequest, paced } from '../kernel/rate-limit.ts';
import { sql } from '../kernel/sql.ts';
import type { Context, Runtime } from '../runtime.ts';
import type { BlockCause } from './blocked.ts';
import { noteUse, rehash } from './credential.ts';
import type { GrantRow } from './grant.ts';
import { isWellFormedToken, tokenHashes } from './token.ts';

/** An agent or a wallet with its grant. `principalKey` outlives its credentials; a wallet's is its address. */
export interface Buyer {
  kind: 'agent' | 'wallet';
  principalKey: string;
  accountKey: string;
  name: string | null;
  credential: { credentialKey: string; createdAt: Date; expiresAt: Date | null; lastUsedAt: Date | null };
  grant: GrantRow;
  /** Why it may buy nothing new; empty when it may. */
  blocks: BlockCause[];
  /** The headers that tell how many requests are left. */
  pace: Record<string, string>;
  /** What is stored under the idempotency key of this request. */
  claimed: ClaimRow | null;
  /** What else was read with the buyer, as it stood then. */
  about: unknown;
}

/** A person who belongs to the account. */
export interface Member {
  kind: 'member';
  memberKey: string;
  accountKey: string;
  signedInAt: Date;
  /** The headers that tell how many requests are left. */
  pace: Record<string, string>;
}

export interface Anonymous {
  kind: 'anonymous';
}

/** Who runs the service: whoever can run its commands can read and write its database anyway. */
export interface Operator {
  kind: 'operator';
  name: string;
}

export type Caller = Buyer | Member | Operator | Anonymous;

/** Who can stand before an operation of this audience. */
export type CallerFor<A extends Audience> = A extends 'public'
  ? Anonymous
  : A extends 'agent'
    ? Buyer
    : A extends 'member'
      ? Member
      : A extends 'operator'
        ? Operator
        : never;

/** Whose purchases a caller sees: a buyer its own, a member all of the account's. */
export function ownedBy(caller: Buyer | Member): { principalKey: string | null; accountKey: string | null } {
  return caller.kind === 'member'
    ? { principalKey: null, accountKey: caller.accountKey }
    : { principalKey: caller.principalKey, accountKey: null };
}

/** The principals whose purchases an owner sees, as a part of a statement; `owner` is one of its values. */
export const principalsOf = (column: 'principal_key' | 'account_key', owner: string): string =>
  `select principal_key from principals where ${column} = ${owner}`;

/** The name of a caller in the audit: who did it. */
export function actorOf(caller: Buyer | Member): string {
  return caller.kind === 'member' ? caller.memberKey : caller.principalKey;
}

/** Use of a credential is noted once a minute, so that reads stay reads. */
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

const unpackedCredential = unpacking<CredentialRow>({
  instants: { credential_created_at: true, credential_expires_at: true, last_used_at: true, paused_at: true },
  amounts: { per_job_limit_microcents: true, daily_limit_microcents: true, total_limit_microcents: true },
});

/** What else the statement that finds a buyer does: count under a limit, look up what a key stands for, read a row. */
export interface Besides {
  limit: LimitName | undefined;
  key: Pick<Claim, 'operation' | 'pathKeys' | 'key'> | null;
  about: About | null;
}

/**
 * Authenticates what was presented; a bad credential is refused even where none is needed. A buyer's request is counted
 * with that. Throws `invalid_token` or `rate_limited`.
 */
export async function callerOf(
  ctx: Context,
  besides: Besides = { limit: undefined, key: null, about: null },
): Promise<Caller> {
  if (ctx.presented.operator !== undefined) return { kind: 'operator', name: ctx.presented.operator };
  if (ctx.presented.bearer !== null) return buyerOf(ctx, ctx.presented.bearer, besides);
  if (ctx.presented.memberSession !== null) return memberOf(ctx, ctx.presented.memberSession, { counted: true });
  return { kind: 'anonymous' };
}

/** Whether somebody is known by what was presented. Counts nothing: the request itself will be counted. */
export async function isKnown({ presented, runtime, now }: Context): Promise<boolean> {
  const { bearer, memberSession } = presented;
  if (bearer === null) return memberSession !== null && (await memberRow(runtime, memberSession, now)) !== undefined;
  if (!isWellFormedToken(bearer)) return false;
  const found = await runtime.db.shared.maybe(sql`
    select 1 from credentials c join principals p using (principal_key)
    where c.token_hash = any(${tokenHashes(bearer, runtime.configuration.keyring)}::text[])
      and p.revoked_at is null and c.revoked_at is null and (c.expires_at is null or c.expires_at > ${now})`);
  return found !== undefined;
}

async function buyerOf(ctx: Context, token: string, { limit, key, about }: Besides): Promise<Buyer> {
  const { keyring, rateLimits } = ctx.runtime.configuration;
  const known = isWellFormedToken(token)
    ? sql`
        select c.credential_key, c.key_id, c.created_at as credential_created_at, c.expires_at as credential_expires_at,
          c.last_used_at, p.principal_key, p.kind, p.account_key, p.name,
          g.grant_key, g.service_keys, g.payment_methods, g.per_job_limit_microcents, g.daily_limit_microcents,
          g.total_limit_microcents, g.governed_refs, g.review_authority, g.paused_at,
          array(
            select distinct cause from purchase_blocks b
            where b.lifted_at is null and (b.account_key = p.account_key or b.payer = p.principal_key)
            order by cause) as blocks, (
            select to_json(claimed) from idempotency_claims claimed
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
      counting(known, 'principal_key', names, rateLimits, ctx.now, about),
    ));
  if (!found) throw ended();
  const row = unpackedCredential(found.who);
  if (!row.last_used_at || ctx.now.getTime() - row.last_used_at.getTime() > noteUseEveryMs) {
    if (!(await noteUse(ctx.runtime.db, row.credential_key, ctx.now))) throw ended();
  }
  if (row.key_id !== keyring.first.id) {
    await rehash(ctx.runtime.db, { credentialKey: row.credential_key, token }, keyring);
  }
  return {
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
    pace: paced(found.counts, rateLimits, ctx.now),
    claimed: row.claimed,
    about: found.about,
  };
}

function ended(): Problem {
  return new Problem('invalid_token', 'The credential is unknown, or it has ended.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="svc", error="invalid_token"' },
  });
}

/** Throws `rate_limited` for a member who is counted. */
async function memberOf(
  { runtime, now }: Context,
  sessionKey: string,
  { counted }: { counted: boolean },
): Promise<Member | Anonymous> {
  const row = await memberRow(runtime, sessionKey, now);
  if (!row) return { kind: 'anonymous' };
  const { rateLimits } = runtime.configuration;
  const pace = counted
    ? paced(await countRequest(runtime.db.shared, row.member_key, 'requests', rateLimits, now), rateLimits, now)
    : {};
  return { kind: 'member', memberKey: row.member_key, accountKey: row.account_key, signedInAt: row.created_at, pace };
}

function memberRow(
  { db }: Pick<Runtime, 'db'>,
  sessionKey: string,
  now: Date,
): Promise<{ member_key: string; account_key: string; created_at: Date } | undefined> {
  return db.shared.maybe(sql`
    select m.member_key, m.account_key, s.created_at from member_sessions s join members m using (member_key)
    where s.session_key = ${sessionKey} and s.ended_at is null and s.expires_at > ${now}`);
}

/** A caller who was let in a while ago, with the grant as it is now. Throws `invalid_token` once it has ended. */
export async function stillThere(ctx: Context, caller: Caller): Promise<Caller> {
  if (caller.kind === 'anonymous' || caller.kind === 'operator') return caller;
  if (caller.kind === 'member') {
    const { memberSession } = ctx.presented;
    const member = memberSession === null ? null : await memberOf(ctx, memberSession, { counted: false });
    if (member?.kind !== 'member') throw ended();
    return member;
  }
  const now = ctx.runtime.clock();
  const row = await ctx.runtime.db.shared.maybe<GrantRow & { blocks: BlockCause[] }>(sql`
    select g.grant_key, g.service_keys, g.payment_methods, g.per_job_limit_microcents, g.daily_limit_microcents,
      g.total_limit_microcents, g.governed_refs, g.review_authority, g.paused_at, array(
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
