import type { z } from 'zod';
import { endOfUtcDay, utcDay } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { toText, toWire } from '../kernel/money.ts';
import { Problem, refuse } from '../kernel/problem.ts';
import { sql, statement } from '../kernel/sql.ts';
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

/** Why the grant does not let the agent buy this service; null when it does. */
export function serviceRefusal(grant: GrantRow, serviceKey: string): Problem | null {
  if (grant.paused_at) return outsideGrant('The customer has paused this agent.');
  return grant.service_keys.includes(serviceKey) ? null : outsideGrant(`The grant does not cover ${serviceKey}.`);
}

/** Why the grant does not let the agent pay in this way; null when it does. */
export function methodRefusal(grant: GrantRow, method: string): Problem | null {
  return grant.payment_methods.includes(method) ? null : outsideGrant(`The grant does not cover ${method}.`);
}

/** What is held against the limits of a grant, as SQL: what one job takes, and all that is used with it. */
interface Spending {
  job: string;
  onItsDay: string;
  inTotal: string;
}

/** The limits in the order in which a refusal names them, each as the condition under which `g`, a grant, keeps it. */
const limits = {
  per_job: ({ job }, g) => `${job} <= ${g}.per_job_limit_microcents`,
  daily: ({ onItsDay }, g) => `${onItsDay} <= ${g}.daily_limit_microcents`,
  total: ({ inTotal }, g) => `(${g}.total_limit_microcents is null or ${inTotal} <= ${g}.total_limit_microcents)`,
} as const satisfies Record<string, (spending: Spending, g: string) => string>;
type Limit = keyof typeof limits;

const withinLimits = (spending: Spending, g: string): string =>
  Object.values(limits)
    .map((kept) => kept(spending, g))
    .join(' and ');

/** Whether a job could be authorized on a day: `reserve` would find room. A condition on `g`, the row of a grant. */
export function hasRoom(g: string, amount: string, day: string): string {
  const onItsDay = `coalesce((
    select used_microcents from grant_usage u where u.grant_key = ${g}.grant_key and u.day = ${day}::date), 0)`;
  const spending = { job: amount, onItsDay: `${amount} + ${onItsDay}`, inTotal: `${amount} + ${usedInTotal(g)}` };
  return withinLimits(spending, g);
}

/** What a grant has given away in all. */
const usedInTotal = (g: string): string =>
  `coalesce((select sum(used_microcents) from grant_usage t where t.grant_key = ${g}.grant_key), 0)`;

const takeRoom = `
  with g as (
    select grants.*, price_microcents as price, coalesce((
      select sum(used_microcents)::bigint from grant_usage u
      where u.grant_key = grants.grant_key and u.day <> $2::date and total_limit_microcents is not null), 0) as other_days
    from jobs join grants using (grant_key) where job_key = $1)
  insert into grant_usage as usage (grant_key, day, used_microcents)
  select grant_key, $2::date, price from g
  where ${withinLimits({ job: 'price', onItsDay: 'price', inTotal: 'other_days + price' }, 'g')}
  on conflict (grant_key, day) do update set used_microcents = usage.used_microcents + excluded.used_microcents
  where exists (select from g where ${withinLimits(
    {
      job: 'price',
      onItsDay: 'usage.used_microcents + price',
      inTotal: 'other_days + usage.used_microcents + price',
    },
    'g',
  )})
  returning 1`;

/**
 * Takes what a job costs that is authorized now of the limits of its grant, and gives whether there was room. The
 * counter of the day is checked, locked and raised in one statement, so parallel authorizations cannot pass a limit
 * together. Counters of other days only ever fall, which keeps the total on the safe side.
 */
export async function reserve(tx: Tx, jobKey: string, now: Date): Promise<boolean> {
  return (await tx.maybe(statement(takeRoom, [jobKey, utcDay(now)]))) !== undefined;
}

/** Says which limit left no room for the job: throws `grant_limit_exceeded`. */
export async function refuseWithoutRoom(
  tx: Tx,
  job: { job_key: string; grant_key: string; price_microcents: bigint },
  now: Date,
): Promise<void> {
  const today = { day: utcDay(now), resetsAt: endOfUtcDay(now) };
  refuse(await exceeded(tx, job.grant_key, job.price_microcents, today));
  // A moment later nothing stands in the way any more.
  if (!(await reserve(tx, job.job_key, now))) await refuseWithoutRoom(tx, job, now);
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
export function stillWithinLimits(job: string): string {
  const spending = { job: `${job}.price_microcents`, onItsDay: 'u.used_microcents', inTotal: usedInTotal('g') };
  return `exists (
    select from grants g join grant_usage u using (grant_key)
    where g.grant_key = ${job}.grant_key and u.day = ${job}.authorized_on and ${withinLimits(spending, 'g')})`;
}

/** The refusal of a job that does not; null when it does by now. */
export function outsideLimits(
  db: Queries,
  { grant_key, authorized_on, price_microcents }: Taken,
): Promise<Problem | null> {
  return exceeded(db, grant_key, price_microcents, { day: authorized_on, reserved: price_microcents });
}

const spent = { job: '$3::bigint', onItsDay: '$3::bigint + that_day', inTotal: '$3::bigint + total' };
const findLimit = `
  with used as (
    select coalesce(sum(used_microcents) filter (where day = $2::date), 0)::bigint - $4::bigint as that_day,
      coalesce(sum(used_microcents), 0)::bigint - $4::bigint as total
    from grant_usage where grant_key = $1)
  select g.per_job_limit_microcents, g.daily_limit_microcents, g.total_limit_microcents, that_day, total, case
    ${Object.entries(limits)
      .map(([limit, kept]) => `when not ${kept(spent, 'g')} then '${limit}'`)
      .join(' ')} end as limit_name
  from grants g, used where grant_key = $1`;

/**
 * The limit that stands in the way, with figures to act on, or null when none does; what is `reserved` already is a part
 * of what is used.
 */
async function exceeded(
  db: Queries,
  grantKey: string,
  amount: bigint,
  { day, resetsAt, reserved = 0n }: { day: string; resetsAt?: Date; reserved?: bigint },
): Promise<Problem | null> {
  const row = await db.one<
    Pick<GrantRow, `${Limit}_limit_microcents`> & { that_day: bigint; total: bigint; limit_name: Limit | null }
  >(statement(findLimit, [grantKey, day, amount, reserved]));
  switch (row.limit_name) {
    case 'per_job':
      return overLimit('per_job', row.per_job_limit_microcents, 0n, amount);
    case 'daily':
      return overLimit('daily', row.daily_limit_microcents, row.that_day, amount, resetsAt);
    case 'total':
      return overLimit('total', row.total_limit_microcents ?? 0n, row.total, amount);
    case null:
      return null;
  }
}

/** Gives back what a job took, to the day it was authorized on. */
export function release(tx: Tx, grantKey: string, day: string, amount: bigint): void {
  tx.write(sql`
    update grant_usage set used_microcents = used_microcents - ${amount}
    where grant_key = ${grantKey} and day = ${day}::date`);
}

function overLimit(limit: Limit, limitAt: bigint, used: bigint, asked: bigint, resetsAt?: Date) {
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
