import type { Queries } from '../kernel/database.ts';
import { canonicalJson, digestOf } from '../kernel/digest.ts';
import { newKey } from '../kernel/id.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { GrantDecision, GrantTerms } from './contract.ts';

/** What was decided for a principal, and when. */
interface Decided {
  grantKey: string;
  principalKey: string;
  terms: GrantTerms;
  now: Date;
}

/** A decision as it is published, with its digest: quotes and receipts name it by that. */
export function decisionOf({ grantKey, principalKey, terms, now }: Decided): { digest: string; body: GrantDecision } {
  const body = { grant_key: grantKey, principal_key: principalKey, decided_at: now.toISOString(), ...terms };
  return { digest: digestOf(canonicalJson(body)), body };
}

/** Keeps a decision and returns its digest. */
function note(tx: Tx, decided: Decided): string {
  const { digest, body } = decisionOf(decided);
  tx.write(sql`
    insert into grant_decisions (grant_digest, body, decided_at)
    values (${digest}, ${JSON.stringify(body)}, ${decided.now}) on conflict do nothing`);
  return digest;
}

/** Gives a new principal its grant. */
export function give(tx: Tx, principalKey: string, terms: GrantTerms, now: Date): void {
  const grantKey = newKey('grant');
  const digest = note(tx, { grantKey, principalKey, terms, now });
  tx.write(sql`
    insert into grants (grant_key, principal_key, service_keys, payment_methods, per_job_limit_microcents,
      daily_limit_microcents, total_limit_microcents, governed_refs, review_authority, expires_at,
      approval_above_microcents, may_ask_above_limits, created_at, grant_digest)
    values (${grantKey}, ${principalKey}, ${terms.service_keys}, ${terms.payment_methods},
      ${terms.per_job_limit_microcents}, ${terms.daily_limit_microcents}, ${terms.total_limit_microcents},
      ${terms.governed_refs}, ${terms.review_authority}, ${terms.expires_at}, ${terms.approval_above_microcents},
      ${terms.may_ask_above_limits}, ${now}, ${digest})`);
}

/** Puts other terms in force. */
export function change(tx: Tx, decided: Decided): void {
  const { grantKey, terms } = decided;
  tx.write(sql`
    update grants set payment_methods = ${terms.payment_methods}, governed_refs = ${terms.governed_refs},
      per_job_limit_microcents = ${terms.per_job_limit_microcents},
      daily_limit_microcents = ${terms.daily_limit_microcents},
      total_limit_microcents = ${terms.total_limit_microcents}, review_authority = ${terms.review_authority},
      expires_at = ${terms.expires_at}, approval_above_microcents = ${terms.approval_above_microcents},
      may_ask_above_limits = ${terms.may_ask_above_limits}, grant_digest = ${note(tx, decided)}
    where grant_key = ${grantKey}`);
}

/** The decisions with these digests, in the order they were made. */
export async function decisionsNamed(db: Queries, digests: readonly string[]): Promise<GrantDecision[]> {
  const rows = await db.many<{ body: GrantDecision }>(sql`
    select body from grant_decisions where grant_digest = any(${digests}::text[]) order by decided_at`);
  return rows.map(({ body }) => body);
}

/** The digest of the decision in force for a principal, as SQL. */
export const decisionInForce = (principal: string): string =>
  `(select grant_digest from grants where principal_key = ${principal})`;

/** Whether a decision is still in force, as SQL. */
export const inForce = (grantKey: string, digest: string): string =>
  `exists (select from grants where grant_key = ${grantKey} and grant_digest = ${digest})`;
