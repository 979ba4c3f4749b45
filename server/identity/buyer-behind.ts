import type { Queries } from '../kernel/database.ts';
import { sql, statement } from '../kernel/sql.ts';
import type { BlockCause, Buyer, GrantRow } from '../operation/caller.ts';

interface BuyerRow extends GrantRow {
  kind: Buyer['kind'];
  account_key: string;
  name: string | null;
  blocks: BlockCause[];
}

/**
 * The agent or wallet whose request somebody else may carry out, with its current grant. `presented` stands in for
 * a credential. Undefined once revoked.
 */
export async function buyerBehind(
  db: Queries,
  principalKey: string,
  presented: { key: string; at: Date },
): Promise<Buyer | undefined> {
  const row = await db.maybe<BuyerRow>(sql`
    select p.kind, p.account_key, p.name, g.grant_key, g.service_keys, g.payment_methods, g.per_job_limit_microcents,
      g.daily_limit_microcents, g.total_limit_microcents, g.governed_refs, g.review_authority, g.paused_at,
      g.expires_at, g.approval_above_microcents, g.may_ask_above_limits, g.grant_digest, array(
        select distinct cause from purchase_blocks b
        where b.lifted_at is null and (b.account_key = p.account_key or b.payer = p.principal_key)
        order by cause) as blocks
    from principals p join grants g using (principal_key)
    where p.principal_key = ${principalKey} and p.revoked_at is null`);
  if (!row) return undefined;
  const { kind, account_key, name, blocks, ...grant } = row;
  const credential = { credentialKey: presented.key, createdAt: presented.at, expiresAt: null, lastUsedAt: null };
  return { kind, principalKey, accountKey: account_key, name, credential, grant, blocks };
}

/** Whether a principal may buy nothing now, as SQL over `principals p join grants g`: paused, ended, revoked or blocked. */
const isStopped = (now: string) => `(g.paused_at is not null or p.revoked_at is not null or g.expires_at <= ${now}
  or exists (
    select from purchase_blocks b
    where b.lifted_at is null and (b.account_key = p.account_key or b.payer = p.principal_key)))`;

/** How each principal may pay now, none when it may buy nothing, as SQL: columns `principal_key` and `payment_methods`. */
export const buyersMethods = (now: string) => `
  select p.principal_key, case when ${isStopped(now)} then '{}' else payment_methods end as payment_methods
  from principals p join grants g using (principal_key)`;

const ofPrincipal = `
  select name, per_job_limit_microcents, daily_limit_microcents, total_limit_microcents,
    case when ${isStopped('$2')} then '{}' else payment_methods end as payment_methods
  from principals p join grants g using (principal_key) where principal_key = $1`;

/** A principal, how it may pay now and its limits, for the page on which somebody else pays. */
export function buyerOfPrincipal(
  db: Queries,
  principalKey: string,
  now: Date,
): Promise<
  { name: string | null } & Pick<GrantRow, 'payment_methods' | `${'per_job' | 'daily' | 'total'}_limit_microcents`>
> {
  return db.one(statement(ofPrincipal, [principalKey, now]));
}
