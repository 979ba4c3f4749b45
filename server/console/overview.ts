import type { Verb } from '../door/verb.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { isFresh } from '../identity/fresh.ts';
import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { toWire } from '../kernel/money.ts';
import { type Sql, sql } from '../kernel/sql.ts';
import { readChainBooks } from '../payments/x402/unsettled.ts';
import type { Runtime } from '../runtime.ts';
import { availability } from '../service/availability.ts';
import { switchNames } from '../service/contract.ts';
import { seconds } from '../service/terms.ts';
import type * as contract from './contract/overview.ts';
import { chainView } from './money.ts';
import { planned } from './planned.ts';

type Overview = contract.Overview;

const daySeconds = 86_400;

/** How much waits for a person, for the console's navigation. */
export const consoleMe: Verb<typeof contract.consoleMe> = async ({ ctx, caller, db }) => {
  const waiting = await db.one<Record<keyof typeof contract.consoleMe.output.shape.waiting.shape, bigint>>(sql`
    select (select count(*) from payments p join jobs using (job_key) where p.state in ('settling', 'unknown')
        and p.created_at < ${after(ctx.now, -60)} and payment_state <> 'requires_payer') as in_doubt,
      (select count(*) from jobs where state in ('delivered', 'redelivered') and review_by < ${ctx.now}) as overdue,
      (select count(*) from jobs where state = 'failed' and created_at > ${after(ctx.now, -daySeconds)}) as failed,
      (select count(*) from refunds where state <> 'refunded') as refunds,
      (select count(*) from purchase_blocks where lifted_at is null) as blocks,
      (select count(*) from card_disputes where closed_at is null and answered_at is null) as disputes`);
  const counts = Object.fromEntries(Object.entries(waiting).map(([name, count]) => [name, Number(count)]));
  const { name, role } = caller;
  return {
    body: {
      name,
      role,
      may_move_money: isFresh(caller, ctx.now),
      waiting: counts as Record<keyof typeof waiting, number>,
    },
  };
};

export const consoleOverview: Verb<typeof contract.consoleOverview> = async ({ ctx, input, db }) => {
  const since = after(ctx.now, -input.days * daySeconds);
  const [shown, period, queued, store, chains, card, turned] = await Promise.all([
    availability(ctx.runtime, ctx.now),
    periodSince(ctx.runtime.prisma, since, input.days),
    queues(db),
    database(db),
    readChainBooks(db),
    cardBooks(db),
    switches(db),
  ]);
  return {
    body: {
      since: since.toISOString(),
      ...period,
      availability: {
        state: shown.state,
        reasons: shown.reasons,
        rails: Object.entries(shown.rails).map(([rail, { state, reasons }]) => ({ rail, state, reasons })),
        registrations: shown.registrations,
      },
      queues: queued,
      database: store,
      chains: chains.map(chainView),
      card,
      assessor: assessorNow(ctx.runtime, ctx.now),
      switches: turned,
    },
  };
};

/** In sequence: each reads much, and few connections serve that. */
async function periodSince(prisma: PrismaClient, since: Date, days: number) {
  return {
    ...(await purchasesSince(prisma, since)),
    rails: await railsSince(prisma, since),
    reviews: await countsSince(prisma, since),
    series: await seriesSince(prisma, since, days),
    verdicts: await verdictsSince(prisma, since),
    ...(await moneySince(prisma, since)),
    webhooks: await webhooks(prisma, since),
  };
}

function verdictsSince(prisma: PrismaClient, since: Date): Promise<Overview['verdicts']> {
  return planned(
    prisma,
    sql`
      select verdict as value, count(*)::int as count from reports join jobs using (job_key)
      where jobs.created_at >= ${since} and verdict is not null group by verdict order by count(*) desc`,
  );
}

async function plannedOne<Row>(prisma: PrismaClient, statement: Sql): Promise<Row> {
  const [row] = await planned<Row>(prisma, statement);
  if (!row) throw new Error('A sum has one row.');
  return row;
}

async function purchasesSince(prisma: PrismaClient, since: Date) {
  const row = await plannedOne<{
    purchases: number;
    volume: bigint;
    delivered: number;
    failed: number;
    waived: number;
    disputed: number;
  }>(
    prisma,
    sql`
      select count(*)::int as purchases, coalesce(sum(price_microcents) filter (where collected_at is not null), 0)::bigint
          as volume,
        count(*) filter (where delivered_at is not null)::int as delivered,
        count(*) filter (where state = 'failed')::int as failed,
        count(*) filter (where state = 'waived')::int as waived, (
          select count(distinct job_key)::int from reviews where at >= ${since} and decision = 'dispute') as disputed
      from jobs where created_at >= ${since}`,
  );
  const { volume, ...counts } = row;
  return { ...counts, volume_microcents: toWire(volume) };
}

/** The results of attempts over each rail, and how their jobs met the delivery target. */
function railsSince(prisma: PrismaClient, since: Date): Promise<Overview['rails']> {
  return planned(
    prisma,
    sql`
    select rail, count(*) filter (where is_paid)::int as collected, count(*) filter (where not is_paid)::int as ended_otherwise,
      count(took) filter (where is_paid)::int as delivered,
      count(*) filter (where is_paid and job_state = 'failed')::int as failed,
      count(*) filter (where is_paid and took > ${seconds.deliveryTarget})::int as over_target,
      percentile_cont(0.5) within group (order by took) filter (where is_paid) as median_seconds,
      percentile_cont(0.95) within group (order by took) filter (where is_paid) as p95_seconds
    from (
      select rail, p.state = 'collected' as is_paid, jobs.state as job_state,
        extract(epoch from delivered_at - collected_at)::float8 as took
      from jobs join payments p using (job_key) where jobs.created_at >= ${since}) attempts
    group by rail order by rail`,
  );
}

function countsSince(prisma: PrismaClient, since: Date): Promise<Overview['reviews']> {
  return planned(
    prisma,
    sql`
    select decision as value, count(*)::int as count from reviews where at >= ${since} group by decision order by decision`,
  );
}

/** Purchases by hour or by day. */
async function seriesSince(prisma: PrismaClient, since: Date, days: number): Promise<Overview['series']> {
  const step = days === 1 ? 'hour' : 'day';
  const rows = await planned<{ at: Date; count: number }>(
    prisma,
    sql`
    select at, count(job_key)::int as count
    from generate_series(date_trunc(${step}, ${since}::timestamptz, 'UTC'),
        ${after(since, days * daySeconds)}::timestamptz, ('1 ' || ${step})::interval) at
      left join jobs on created_at >= at and created_at < at + ('1 ' || ${step})::interval
    group by at order by at`,
  );
  return rows.map(({ at, count }) => ({ at: at.toISOString(), count }));
}

async function moneySince(prisma: PrismaClient, since: Date) {
  const row = await plannedOne<{ held: bigint; refunded: bigint; credited: bigint }>(
    prisma,
    sql`
    select (select coalesce(sum(price_microcents), 0)::bigint from jobs where charge_state = 'held') as held,
      coalesce(sum(amount_microcents) filter (where event = 'refunded'), 0)::bigint as refunded,
      coalesce(sum(amount_microcents) filter (where event = 'credited'), 0)::bigint as credited
    from ledger_transfers where at >= ${since}`,
  );
  return {
    held_microcents: toWire(row.held),
    refunded_microcents: toWire(row.refunded),
    credited_microcents: toWire(row.credited),
  };
}

async function queues(db: Queries): Promise<Overview['queues']> {
  const rows = await db.many<{ name: string; waiting: number; failed: number; oldest_at: Date | null }>(sql`
    select q.name, count(j.id) filter (where j.state in ('created', 'retry'))::int as waiting,
      count(j.id) filter (where j.state = 'failed')::int as failed,
      min(j.created_on) filter (where j.state in ('created', 'retry')) as oldest_at
    from pgboss.queue q left join pgboss.job j on j.name = q.name and j.state in ('created', 'retry', 'failed')
    where q.name not like '\\_\\_%' group by q.name order by q.name`);
  return rows.map((row) => ({ ...row, oldest_at: row.oldest_at?.toISOString() ?? null }));
}

/** What the card provider said it held for us, with the books at that moment and the difference. */
async function cardBooks(db: Queries): Promise<Overview['card']> {
  const row = await db.maybe<{ searched_at: Date; balance: bigint; ledger: bigint; differences: number }>(sql`
    select searched_at, balance_microcents as balance, ledger_microcents as ledger, (
        select count(*)::int from reconciliation_differences where book = 'card' and gone_at is null) as differences
    from card_searches where list = 'books' and balance_microcents is not null and ledger_microcents is not null`);
  return row
    ? {
        balance_microcents: toWire(row.balance),
        ledger_microcents: toWire(row.ledger),
        differences: row.differences,
        compared_at: row.searched_at.toISOString(),
      }
    : null;
}

async function webhooks(prisma: PrismaClient, since: Date): Promise<Overview['webhooks']> {
  const row = await plannedOne<{ waiting: number; failing: number; oldest_at: Date | null; lag: number | null }>(
    prisma,
    sql`
    select count(*)::int as waiting, count(*) filter (where tries > 0)::int as failing, min(received_at) as oldest_at, (
        select percentile_cont(0.5) within group (order by extract(epoch from handled_at - created_at)::float8)
        from card_events where received_at >= ${since} and handled_at is not null) as lag
    from card_events where handled_at is null`,
  );
  const { lag, oldest_at, ...counts } = row;
  return { ...counts, oldest_at: oldest_at?.toISOString() ?? null, median_lag_seconds: lag };
}

/** The assessors' health. The embedded one is part of the process, so it always works. */
function assessorNow({ configuration, assessorProbe }: Runtime, now: Date): Overview['assessor'] {
  const models = configuration.assessor.map(({ provider, model }) => `${provider} ${model}`).join(', ');
  const isUp = assessorProbe?.wasUp(now) ?? true;
  return { name: models || 'embedded', state: isUp ? 'available' : 'unavailable' };
}

async function database(db: Queries): Promise<Overview['database']> {
  const row = await db.one<{ version: string; bytes: bigint; connections: number }>(sql`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
      (select count(*)::int from pg_stat_activity where datname = current_database()) as connections`);
  return { ...row, bytes: toWire(row.bytes) };
}

async function switches(db: Queries): Promise<Overview['switches']> {
  const rows = await db.many<{
    name: string;
    state: 'on' | 'off';
    reason: string;
    actor: string;
    changed_at: Date;
  }>(sql`
    select name, state, reason, actor, changed_at from switches`);
  return switchNames.map((name) => {
    const turned = rows.find((row) => row.name === name);
    return {
      name,
      state: turned?.state ?? 'on',
      reason: turned?.reason ?? null,
      actor: turned?.actor ?? null,
      changed_at: turned?.changed_at.toISOString() ?? null,
    };
  });
}
