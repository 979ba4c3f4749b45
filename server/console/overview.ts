import { availability } from '../availability/availability.ts';
import { switchNames } from '../availability/contract.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { isFresh } from '../identity/fresh.ts';
import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { toWire } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import { accountSums } from '../ledger/closing.ts';
import type { Verb } from '../operation/verb.ts';
import { readChainBooks } from '../payments/x402/unsettled.ts';
import type { Runtime } from '../runtime.ts';
import * as contract from './contract/overview.ts';
import { figuresBy, type HourlyFigure, secondsOfStep, waivingActions } from './hours.ts';
import { chainView } from './money.ts';
import { planned } from './planned.ts';

type Overview = contract.Overview;

const daySeconds = 86_400;

/** How much waits for a person, for the console's navigation. */
export const consoleMe: Verb<typeof contract.consoleMe> = async ({ ctx, caller, db }) => {
  const waiting = await db.one<Record<keyof typeof contract.consoleMe.output.shape.waiting.shape, bigint>>(sql`
    select (select count(*) from payments p join jobs using (job_key) where p.state in ('settling', 'unknown')
        and p.created_at < ${after(ctx.now, -60)} and payment_state <> 'requires_payer') as in_doubt,
      (select count(*) from (
        select from jobs where state in ('delivered', 'redelivered') and review_by < ${ctx.now} limit ${contract.waitingMax}) late)
        as overdue,
      (select count(*) from jobs where state = 'failed' and created_at > ${after(ctx.now, -daySeconds)}) as failed,
      (select count(*) from refunds where state <> 'refunded' and dropped_at is null) as refunds,
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
  const since = hourOf(after(ctx.now, -input.days * daySeconds));
  const [shown, period, queued, store, chains, card, turned] = await Promise.all([
    availability(ctx.runtime, ctx.now),
    periodSince(ctx.runtime, db, { since, days: input.days }),
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

/** The beginning of the hour: figures are counted by the hour. */
function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000);
}

/** One after the other: there are few connections for what is planned anew. */
async function periodSince({ prisma }: Runtime, db: Queries, { since, days }: { since: Date; days: number }) {
  const step = days === 1 ? 'hour' : 'day';
  const figures = await figuresBy(prisma, since, step);
  return {
    ...purchasesIn(figures),
    rails: railsIn(figures, await notPaidSince(prisma, since)),
    series: seriesIn(figures, { since, days, step }),
    held_microcents: await heldNow(db),
    webhooks: await webhooks(prisma, since),
  };
}

/** The sum of some figures: how many, or of which amount. */
function total(
  figures: readonly HourlyFigure[],
  wanted: Partial<Record<'figure' | 'rail', string>>,
  labels?: readonly string[],
) {
  const found = figures.filter(
    (one) =>
      (wanted.figure === undefined || one.figure === wanted.figure) &&
      (wanted.rail === undefined || one.rail === wanted.rail) &&
      (labels === undefined || labels.includes(one.label)),
  );
  return {
    count: found.reduce((sum, { count }) => sum + count, 0),
    amount: toWire(found.reduce((sum, { amount_microcents }) => sum + amount_microcents, 0n)),
  };
}

/** What happened in the period, each fact when it did: a report that is disputed today may be of yesterday. */
function purchasesIn(figures: readonly HourlyFigure[]) {
  const steps = (...actions: string[]) => total(figures, { figure: 'step' }, actions);
  const posted = (event: string) => total(figures, { figure: 'posted' }, [event]).amount;
  const verdicts = figures.filter(({ figure }) => figure === 'report');
  const reviews = { accept: steps('accept').count, dispute: steps('dispute', 'dispute_again').count };
  return {
    purchases: steps('authorize').count,
    volume_microcents: steps('collect').amount,
    delivered: steps('deliver').count,
    failed: steps('fail').count,
    disputed: steps('dispute').count,
    waived: steps(...waivingActions).count,
    reviews: Object.entries(reviews).flatMap(([value, count]) => (count > 0 ? [{ value, count }] : [])),
    verdicts: [...new Set(verdicts.map(({ label }) => label))]
      .map((value) => ({ value, count: total(verdicts, {}, [value]).count }))
      .toSorted((a, b) => b.count - a.count),
    refunded_microcents: posted('refunded'),
    credited_microcents: posted('credited'),
  };
}

/** What was paid over each rail, and how fast it was delivered, against the target. */
function railsIn(
  figures: readonly HourlyFigure[],
  notPaid: readonly { rail: string; count: number }[],
): Overview['rails'] {
  const paid = figures.filter(({ figure, rail, label }) => rail && (figure !== 'step' || label === 'collect'));
  const names = new Set([...paid, ...notPaid].map(({ rail }) => rail));
  return [...names].toSorted().map((rail) => {
    const steps = (action: string) => total(figures, { figure: 'step', rail }, [action]).count;
    const took = figures.filter((one) => one.figure === 'took' && one.rail === rail);
    return {
      rail,
      collected: steps('collect'),
      ended_otherwise: notPaid.find((one) => one.rail === rail)?.count ?? 0,
      delivered: steps('deliver'),
      failed: steps('fail'),
      over_target: total(figures, { figure: 'late', rail }).count,
      median_seconds: secondsAt(took, 0.5),
      p95_seconds: secondsAt(took, 0.95),
    };
  });
}

/** The time within which so large a part was delivered, to 5%; null when nothing was. */
function secondsAt(took: readonly HourlyFigure[], part: number): number | null {
  const steps = took.map(({ label, count }) => ({ step: Number(label), count })).toSorted((a, b) => a.step - b.step);
  let left = part * steps.reduce((sum, { count }) => sum + count, 0);
  for (const { step, count } of steps) {
    left -= count;
    if (left <= 0) return secondsOfStep(step);
  }
  return null;
}

/** Attempts to pay that failed, by rail. */
function notPaidSince(prisma: PrismaClient, since: Date): Promise<{ rail: string; count: number }[]> {
  return planned(
    prisma,
    sql`
    select rail, count(*)::int as count from payments where state = 'failed' and decided_at >= ${since} group by rail`,
  );
}

/** Purchases by the hour of a day, or by the day. */
function seriesIn(
  figures: readonly (HourlyFigure & { at: Date })[],
  { since, days, step }: { since: Date; days: number; step: 'hour' | 'day' },
): Overview['series'] {
  const length = (step === 'hour' ? 3_600 : daySeconds) * 1_000;
  const first = Math.floor(since.getTime() / length) * length;
  const begun = figures.filter(({ figure, label }) => figure === 'step' && label === 'authorize');
  const counts = new Map<number, number>();
  for (const { at, count } of begun) counts.set(at.getTime(), (counts.get(at.getTime()) ?? 0) + count);
  return Array.from({ length: (days * daySeconds * 1_000) / length + 1 }, (_, index) => {
    const at = first + index * length;
    return { at: new Date(at).toISOString(), count: counts.get(at) ?? 0 };
  });
}

/** What was collected and neither earned nor given back, as the books say it. */
async function heldNow(db: Queries): Promise<number> {
  const { sums } = await accountSums(db);
  const held = sums.find(({ account }) => account === 'liability:held');
  return toWire(held ? held.credited - held.debited : 0n);
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
  const [row] = await planned<{ waiting: number; failing: number; oldest_at: Date | null; lag: number | null }>(
    prisma,
    sql`
    select count(*)::int as waiting, count(*) filter (where tries > 0)::int as failing, min(received_at) as oldest_at, (
        select percentile_cont(0.5) within group (order by extract(epoch from handled_at - created_at)::float8)
        from card_events where received_at >= ${since} and handled_at is not null) as lag
    from card_events where handled_at is null`,
  );
  if (!row) throw new Error('A sum has one row.');
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
