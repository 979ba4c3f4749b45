import type { z } from 'zod';
import { toWire } from '../kernel/money.ts';
import type { GrantRow } from '../operation/caller.ts';
import { Problem } from '../problems/problem.ts';
import type { Grant } from './contract.ts';

/** A grant on the wire (specification 4.7). */
export function grantView(grant: GrantRow): z.input<typeof Grant> {
  return {
    service_keys: grant.service_keys,
    payment_methods: grant.payment_methods,
    per_job_limit_microcents: toWire(grant.per_job_limit_microcents),
    daily_limit_microcents: toWire(grant.daily_limit_microcents),
    total_limit_microcents: grant.total_limit_microcents === null ? null : toWire(grant.total_limit_microcents),
    governed_refs: grant.governed_refs,
    review_authority: grant.review_authority,
    expires_at: grant.expires_at?.toISOString() ?? null,
    approval_above_microcents:
      grant.approval_above_microcents === null ? null : toWire(grant.approval_above_microcents),
    may_ask_above_limits: grant.may_ask_above_limits,
    paused: grant.paused_at !== null,
  };
}

/** A refusal that names the missing part of the grant. */
export function outsideGrant(detail: string): Problem {
  return new Problem('grant_scope_missing', detail);
}

/** The refusal of a paused agent: another grant would not help. */
function paused(): Problem {
  return new Problem('grant_scope_missing', 'The customer has paused this agent.', { members: { paused: true } });
}

/** Why the grant does not cover this service now; else null. */
export function serviceRefusal(grant: GrantRow, serviceKey: string, now: Date): Problem | null {
  if (grant.paused_at) return paused();
  if (grant.expires_at && grant.expires_at <= now) {
    return outsideGrant(`The grant ended at ${grant.expires_at.toISOString()}. The customer can give it a later end.`);
  }
  return grant.service_keys.includes(serviceKey) ? null : outsideGrant(`The grant does not cover ${serviceKey}.`);
}

/** Why the grant does not cover this payment method; else null. */
export function methodRefusal(grant: GrantRow, method: string): Problem | null {
  return grant.payment_methods.includes(method) ? null : outsideGrant(`The grant does not cover ${method}.`);
}

/** The account whose grant shares governed sources, as SQL. */
export const accountSharing = (principal: string): string =>
  `select account_key from principals join grants using (principal_key) where principal_key = ${principal} and governed_refs`;

/** What a limit of spending reads of a principal's grant, as SQL. */
export const limitsOf = (principal: string): string =>
  `select principal_key, grant_key, per_job_limit_microcents, daily_limit_microcents, total_limit_microcents,
    approval_above_microcents, may_ask_above_limits
    from grants where principal_key = ${principal}`;
