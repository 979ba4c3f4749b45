import type { z } from 'zod';
import { endOfUtcDay, utcDay } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { toText, toWire } from '../kernel/money.ts';
import { Problem } from '../kernel/problem.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { Grant } from './contract.ts';

/** A grant as stored (service.md 2.8). */
export interface GrantRow {
  grant_key: string;
  service_keys: string[];
  payment_methods: string[];
  per_job_limit_microcents: bigint;
  daily_limit_microcents: bigint;
  total_limit_microcents: bigint | null;
  governed_refs: boolean;
  review_authority: boolean;
  paused_at: Date | null;
}

/** A grant on the wire (service.md 2.8). */
export function grantView(grant: GrantRow): z.input<typeof Grant> {
  return {
    service_keys: grant.service_keys,
    payment_methods: grant.payment_methods,
    per_job_limit_microcents: toWire(grant.per_job_limit_microcents),
    daily_limit_microcents: toWire(grant.daily_limit_microcents),
    total_limit_microcents: grant.total_limit_microcents === null ? null : toWire(grant.total_limit_microcents),
    governed_refs: grant.governed_refs,
    review_authority: grant.review_authority,
    paused: grant.paused_at !== null,
  };
}

/** A refusal that says which part of the grant is missing. */
export function outsideGrant(detail: string): Problem {
  return new Problem('grant_scope_missing', detail);
}

/** Whether the grant lets the agent buy this service at all. Throws `grant_scope_missing`. */
export function requireService(grant: GrantRow, serviceKey: string): void {
  if (grant.paused_at) throw outsideGrant('The customer has paused this agent.');
  if (!grant.service_keys.includes(serviceKey)) throw outsideGrant(`The grant does not cover ${serviceKey}.`);
}

/**
 * Takes `amount` of the grant's limits for a job authorized now. The counter of the day is checked, locked and raised
 * in one statement, so parallel authorizations cannot pass a limit together. Counters of other days only ever fall,
 * which keeps the total on the safe side. Throws `grant_limit_exceeded`.
 */
export async function reserve(tx: Tx, grantKey: string, amount: bigint, now: Date): Promise<void> {
  const day = utcDay(now);
  const taken = await tx.maybe(sql`
    with g as (
      select grant_key, daily_limit_microcents as daily, total_limit_microcents as total,
        coalesce((select sum(used_microcents)::bigint from grant_usage u
          where u.grant_key = ${grantKey} and u.day <> ${day}::date and grants.total_limit_microcents is not null), 0)
          as other_days
      from grants
      where grant_key = ${grantKey} and per_job_limit_microcents >= ${amount}::bigint
    )
    insert into grant_usage as usage (grant_key, day, used_microcents)
    select grant_key, ${day}::date, ${amount}::bigint from g
    where ${amount}::bigint <= daily and (total is null or other_days + ${amount}::bigint <= total)
    on conflict (grant_key, day) do update set used_microcents = usage.used_microcents + excluded.used_microcents
    where usage.used_microcents + excluded.used_microcents <= (select daily from g)
      and ((select total from g) is null
        or (select other_days from g) + usage.used_microcents + excluded.used_microcents <= (select total from g))
    returning 1`);
  if (!taken) throw await exceeded(tx, grantKey, amount, { day, resetsAt: endOfUtcDay(now) });
}

/** What a job has taken of the limits of its grant. */
interface Taken {
  grant_key: string;
  authorized_on: string;
  price_microcents: bigint;
}

/**
 * Whether what a job has taken of its grant still lies within the limits, which a member may have lowered since: a
 * condition on the row `job` of the statement.
 */
export const stillWithinLimits = (job: string): string => `exists (
  select from grants g join grant_usage u using (grant_key)
  where g.grant_key = ${job}.grant_key and u.day = ${job}.authorized_on
    and ${job}.price_microcents <= g.per_job_limit_microcents and u.used_microcents <= g.daily_limit_microcents
    and (g.total_limit_microcents is null or g.total_limit_microcents
      >= (select sum(used_microcents) from grant_usage t where t.grant_key = g.grant_key)))`;

/** The refusal of a job that does not. */
export function outsideLimits(db: Queries, { grant_key, authorized_on, price_microcents }: Taken): Promise<Problem> {
  return exceeded(db, grant_key, price_microcents, { day: authorized_on, reserved: price_microcents });
}

/** The limit that stands in the way, with figures to act on; what is `reserved` already is a part of what is used. */
async function exceeded(
  db: Queries,
  grantKey: string,
  amount: bigint,
  { day, resetsAt, reserved = 0n }: { day: string; resetsAt?: Date; reserved?: bigint },
): Promise<Problem> {
  const row = await db.one<GrantRow & { that_day: bigint; total: bigint }>(sql`
    select grants.*, coalesce(sum(used_microcents), 0)::bigint - ${reserved}::bigint as total,
      coalesce(sum(used_microcents) filter (where day = ${day}::date), 0)::bigint - ${reserved}::bigint as that_day
    from grants left join grant_usage using (grant_key)
    where grant_key = ${grantKey} group by grants.grant_key`);
  if (amount > row.per_job_limit_microcents) return overLimit('per_job', row.per_job_limit_microcents, 0n, amount);
  if (row.that_day + amount > row.daily_limit_microcents) {
    return overLimit('daily', row.daily_limit_microcents, row.that_day, amount, resetsAt);
  }
  return overLimit('total', row.total_limit_microcents ?? 0n, row.total, amount);
}

/** Gives back what a job took, to the day it was authorized on. */
export function release(tx: Tx, grantKey: string, day: string, amount: bigint): void {
  tx.write(sql`
    update grant_usage set used_microcents = used_microcents - ${amount}
    where grant_key = ${grantKey} and day = ${day}::date`);
}

function overLimit(
  limit: 'per_job' | 'daily' | 'total',
  limitAt: bigint,
  used: bigint,
  asked: bigint,
  resetsAt?: Date,
) {
  const left = limitAt > used ? limitAt - used : 0n;
  return new Problem(
    'grant_limit_exceeded',
    `${toText(asked)} was asked for with ${toText(left)} left of the ${limit.replace('_', '-')} limit.`,
    {
      members: {
        limit,
        limit_microcents: toWire(limitAt),
        used_microcents: toWire(used),
        remaining_microcents: toWire(left),
        resets_at: resetsAt?.toISOString() ?? null,
      },
    },
  );
}
