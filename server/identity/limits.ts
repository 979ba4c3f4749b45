import { heldByUnpaid, holdRoom, jobAskingForRoom, relyOnCreditAlone, roomGivenBack, roomTakenAgain } from '../held.ts';
import { endOfUtcDay, utcDay } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { toText, toWire } from '../kernel/money.ts';
import { sql, statement } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import { creditCovers, walletCredit } from '../ledger/ledger.ts';
import type { GrantRow } from '../operation/caller.ts';
import { Problem } from '../problems/problem.ts';

/** What is held against the limits of a grant, as SQL: what one job takes, and all that is used with it. */
interface Spending {
  job: string;
  onItsDay: string;
  inTotal: string;
}

/** The limits in order of refusal, each as the SQL condition that `g`, a grant, keeps it. */
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

/** Whether a job could be authorized that day: room is left, or credit covers it. SQL on `g`, a grant row. */
export function hasRoom(g: string, amount: string, day: string): string {
  const onItsDay = `coalesce((
    select used_microcents from grant_usage u where u.grant_key = ${g}.grant_key and u.day = ${day}::date), 0)`;
  const spending = { job: amount, onItsDay: `${amount} + ${onItsDay}`, inTotal: `${amount} + ${usedInTotal(g)}` };
  return `((${withinLimits(spending, g)}) or (${limits.per_job(spending, g)} and ${creditCovers(`${g}.principal_key`, amount)}))`;
}

/** The same for a principal's grant, for statements of other rooms. */
export const principalHasRoom = (principal: string, amount: string, day: string): string =>
  `exists (select from grants g where g.principal_key = ${principal} and ${hasRoom('g', amount, day)})`;

/**
 * Whether nobody is to be asked about a purchase that day: SQL on `g`, a grant row. Where only limits could stand in the
 * way, that is a refusal, unless they may be asked about.
 */
export const buysAlone = (g: string, amount: string, day: string): string =>
  `((${g}.approval_above_microcents is null or ${amount} <= ${g}.approval_above_microcents)
    and (not ${g}.may_ask_above_limits or ${hasRoom(g, amount, day)}))`;

/** The same for a principal's grant, for statements of other rooms. */
export const principalBuysAlone = (principal: string, amount: string, day: string): string =>
  `exists (select from grants g where g.principal_key = ${principal} and ${buysAlone('g', amount, day)})`;

/** Whether a principal's grant lets a person's yes pass its limits, as SQL. */
export const principalMayPassLimits = (principal: string): string =>
  `exists (select from grants g where g.principal_key = ${principal} and g.may_ask_above_limits)`;

/** What a grant has used in total. */
const usedInTotal = (g: string): string =>
  `coalesce((select sum(used_microcents) from grant_usage t where t.grant_key = ${g}.grant_key), 0)`;

const takeRoom = `
  with g as (
    select grant_key, per_job_limit_microcents, daily_limit_microcents, total_limit_microcents,
      price, above_limits, coalesce((
      select sum(used_microcents)::bigint from grant_usage u
      where u.grant_key = grants.grant_key and u.day <> $2::date and total_limit_microcents is not null), 0) as other_days
    from (${jobAskingForRoom}) asking join grants using (grant_key)),
  taken as (
    insert into grant_usage as usage (grant_key, day, used_microcents)
    select grant_key, $2::date, price from g
    where above_limits or (${withinLimits({ job: 'price', onItsDay: 'price', inTotal: 'other_days + price' }, 'g')})
    on conflict (grant_key, day) do update set used_microcents = usage.used_microcents + excluded.used_microcents
    where exists (select from g where above_limits or (${withinLimits(
      {
        job: 'price',
        onItsDay: 'usage.used_microcents + price',
        inTotal: 'other_days + usage.used_microcents + price',
      },
      'g',
    )}))
    returning 1)
  ${holdRoom('exists (select from taken)')}`;

/**
 * Reserves a job's price in the limits of its grant; returns whether there was room. Checks, locks and raises the day's
 * counter in one statement, so parallel authorizations cannot exceed a limit together. A total limit spans days, so it
 * locks the grant first.
 */
export async function reserve(tx: Tx, jobKey: string, grant: GrantRow, now: Date): Promise<boolean> {
  if (grant.total_limit_microcents !== null) {
    tx.write(sql`select 1 from grants where grant_key = ${grant.grant_key} for no key update`);
  }
  return (await tx.maybe(statement(takeRoom, [jobKey, utcDay(now)]))) !== undefined;
}

/**
 * A job without room may be paid by credit alone, if that covers the price (specification 4.8). Throws
 * `grant_limit_exceeded` with the limit.
 */
export async function relyOnCredit(
  tx: Tx,
  job: { job_key: string; principal_key: string; price_microcents: bigint },
  grant: GrantRow,
  now: Date,
): Promise<void> {
  const today = { day: utcDay(now), resetsAt: endOfUtcDay(now) };
  const over = await exceeded(tx, grant.grant_key, job.price_microcents, today);
  if (!over) {
    // By now nothing stands in the way.
    if (!(await reserve(tx, job.job_key, grant, now))) await relyOnCredit(tx, job, grant, now);
    return;
  }
  const covered = over.limit !== 'per_job' && (await walletCredit(tx, job.principal_key)) >= job.price_microcents;
  if (!covered) throw over.problem;
  tx.write(statement(relyOnCreditAlone, [job.job_key]));
}

/** Why there is no room for a price today; null when there is by now. */
export async function roomRefusal(db: Queries, grantKey: string, amount: bigint, now: Date): Promise<Problem | null> {
  const over = await exceeded(db, grantKey, amount, { day: utcDay(now), resetsAt: endOfUtcDay(now) });
  return over?.problem ?? null;
}

/** What a job holds of its grant, and how it may be paid. */
interface Taken {
  grant_key: string;
  authorized_on: string;
  price_microcents: bigint;
  reserved_microcents: bigint;
  credit_only: boolean;
}

/**
 * Whether an unpaid job is within the limits, which a member may have lowered, or may pass them: SQL on the row `job`. A
 * job without room needs enough credit.
 */
export function stillWithinLimits(job: string): string {
  const spending = {
    job: `${job}.price_microcents`,
    onItsDay: 'coalesce(u.used_microcents, 0)',
    inTotal: usedInTotal('g'),
  };
  return `(${job}.above_limits or exists (
    select from grants g left join grant_usage u on u.grant_key = g.grant_key and u.day = ${job}.authorized_on
    where g.grant_key = ${job}.grant_key and case when ${job}.credit_only
      then ${limits.per_job(spending, 'g')} and ${creditCovers('g.principal_key', `${job}.price_microcents`)}
      else ${withinLimits(spending, 'g')} end))`;
}

/** The refusal of a job beyond the limits; null when it fits by now or only lacks credit. */
export async function outsideLimits(db: Queries, job: Taken): Promise<Problem | null> {
  const { grant_key, authorized_on, price_microcents, reserved_microcents } = job;
  const over = await exceeded(db, grant_key, price_microcents, { day: authorized_on, reserved: reserved_microcents });
  return over && (over.limit === 'per_job' || !job.credit_only) ? over.problem : null;
}

/** Refuses cash for a job authorized without room, whatever room there is by now. */
export async function cashRefusal(db: Queries, job: Taken): Promise<Problem | null> {
  if (!job.credit_only) return null;
  const today = { day: job.authorized_on, resetsAt: endOfUtcDay(new Date(job.authorized_on)) };
  const over = await exceeded(db, job.grant_key, job.price_microcents, today);
  return new Problem(
    'grant_limit_exceeded',
    'The limits left no room for cash when this job was authorized: only wallet_credit can pay for it.',
    over?.problem.extras ?? {},
  );
}

const spent = { job: '$3::bigint', onItsDay: '$3::bigint + that_day', inTotal: '$3::bigint + total' };
const findLimit = `
  with used as (
    select coalesce(sum(used_microcents) filter (where day = $2::date), 0)::bigint - $4::bigint as that_day,
      coalesce(sum(used_microcents), 0)::bigint - $4::bigint as total
    from grant_usage where grant_key = $1),
  unpaid as (
    select held.that_day as reserved_that_day, held.in_total as reserved
    from grants owner, lateral (${heldByUnpaid('owner.principal_key', '$2')}) held where owner.grant_key = $1)
  select g.per_job_limit_microcents, g.daily_limit_microcents, g.total_limit_microcents, that_day, total,
    reserved_that_day, reserved, case
    ${Object.entries(limits)
      .map(([limit, kept]) => `when not ${kept(spent, 'g')} then '${limit}'`)
      .join(' ')} end as limit_name
  from grants g, used, unpaid where grant_key = $1`;

/** The limit that stands in the way, with figures to act on; else null. `reserved` is part of what is used. */
async function exceeded(
  db: Queries,
  grantKey: string,
  amount: bigint,
  { day, resetsAt, reserved = 0n }: { day: string; resetsAt?: Date; reserved?: bigint },
): Promise<{ limit: Limit; problem: Problem } | null> {
  const row = await db.one<
    Pick<GrantRow, `${Limit}_limit_microcents`> & {
      that_day: bigint;
      total: bigint;
      reserved_that_day: bigint;
      reserved: bigint;
      limit_name: Limit | null;
    }
  >(statement(findLimit, [grantKey, day, amount, reserved]));
  const limit = row.limit_name;
  if (limit === null) return null;
  const figures = {
    per_job: { at: row.per_job_limit_microcents, used: 0n, reserved: 0n },
    daily: { at: row.daily_limit_microcents, used: row.that_day, reserved: row.reserved_that_day, resetsAt },
    total: { at: row.total_limit_microcents ?? 0n, used: row.total, reserved: row.reserved },
  }[limit];
  return { limit, problem: overLimit(limit, figures, amount) };
}

/** Changes the counter of `freed`'s day by its amount. */
const raisingUsage = (by: string): string => `
  update grant_usage u set used_microcents = u.used_microcents ${by}
  from freed where u.grant_key = freed.grant_key and u.day = freed.day`;

/**
 * Returns a job's room to the day it was authorized on, once. The database refuses this before the money is back with
 * its payer.
 */
export function release(tx: Tx, jobKey: string): void {
  tx.write(statement(`with freed as (${roomGivenBack}) ${raisingUsage('- freed.amount')}`, [jobKey]));
}

/** Takes the room again, even above the limits: the money is here after all. Only then does the database allow it. */
export function retake(tx: Tx, jobKey: string): void {
  tx.write(sql`select set_config('purchases.retakes_room', 'on', true)`);
  tx.write(statement(`with freed as (${roomTakenAgain}) ${raisingUsage('+ freed.amount')}`, [jobKey]));
  tx.write(sql`select set_config('purchases.retakes_room', 'off', true)`);
}

function overLimit(
  limit: Limit,
  { at, used, reserved, resetsAt }: { at: bigint; used: bigint; reserved: bigint; resetsAt?: Date | undefined },
  asked: bigint,
): Problem {
  const left = at > used ? at - used : 0n;
  return new Problem(
    'grant_limit_exceeded',
    `This needs ${toText(asked)}, but only ${toText(left)} is left of the ${limit.replace('_', '-')} limit.${sinceReserved(reserved)}`,
    {
      members: {
        limit,
        limit_microcents: toWire(at),
        used_microcents: toWire(used),
        reserved_microcents: toWire(reserved),
        remaining_microcents: toWire(left),
        resets_at: resetsAt?.toISOString() ?? null,
      },
    },
  );
}

/** Room that is only reserved comes back. */
function sinceReserved(reserved: bigint): string {
  if (reserved === 0n) return '';
  return ` ${toText(reserved)} is reserved for unpaid jobs: cancel one to free its part.`;
}
