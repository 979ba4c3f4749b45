import type { PrismaClient } from '../generated/prisma/client.ts';
import type { Queries } from '../kernel/database.ts';
import { sql, statement } from '../kernel/sql.ts';
import { transact } from '../kernel/transaction.ts';
import { transitions } from '../purchases/states.ts';
import type { Runtime } from '../runtime.ts';
import { seconds } from '../service/terms.ts';
import { planned } from './planned.ts';

/**
 * What happened in each hour, counted, so that a month on the first screen need not be read purchase by purchase. Rows of
 * the audit and of the books only grow: each is counted once, by the transaction that left it, after all before that one
 * have ended. What came since is read as it stands.
 */

/** So many transactions are counted at once: a database that was never counted is caught up with step by step. */
const partMax = 50_000n;

/** Delivery times are counted in steps of 5%: the value of a step is its upper end. */
export const secondsOfStep = (step: number): number => 1.05 ** step;

/**
 * The figures of what transactions from `$1` on and before `$2` have left. `step` is a row of the audit by its action, with
 * the price; `took` a delivery by the step of its seconds, `late` one past the target; `report` one by its verdict,
 * `corrected` one whose verdict is another than that which was disputed; `posted` an entry of the books by its event.
 */
const figuresIn = (behind: string): string => `
  with steps as materialized (
    select date_trunc('hour', at, 'UTC') as hour, coalesce(last_rail, '') as rail, action, job_key, price_microcents as price,
      extract(epoch from at - collected_at)::float8 as took
    from audit_rows join jobs on quote_key = purchase_key
    where transaction >= $1 and transaction < $2 and action <> 'quote' ${behind})
  select hour, 'step' as figure, rail, action as label, count(*) as count, sum(price) as amount_microcents
  from steps group by hour, rail, action
  union all
  select hour, 'took', rail, ceil(ln(greatest(took, 0.1)) / ln(1.05))::int::text, count(*), 0
  from steps where action = 'deliver' and took is not null group by 1, 2, 3, 4
  union all
  select hour, 'late', rail, '', count(*), 0
  from steps where action = 'deliver' and took > ${seconds.deliveryTarget} group by hour, rail
  union all
  select hour, case n when 1 then 'report' else 'corrected' end, rail, case n when 1 then after.verdict else '' end, count(*), 0
  from steps join reports after on after.job_key = steps.job_key
      and number = case action when 'deliver' then 1 when 'redeliver' then 2 end
    left join reports before on after.number = 2 and before.job_key = after.job_key and before.number = 1
    cross join generate_series(1, 2) n
  where after.verdict is not null and (n = 1 or before.verdict <> after.verdict) group by 1, 2, 3, 4
  union all
  select date_trunc('hour', at, 'UTC'), 'posted', '', event, count(*), sum(amount_microcents)
  from ledger_transfers where transaction >= $1 and transaction < $2 ${behind} group by 1, 4`;

const added = `
  insert into hourly_figures (hour, figure, rail, label, count, amount_microcents)
  select hour, figure, rail, label, count, amount_microcents from (${figuresIn('')}) counted order by hour
  on conflict (hour, figure, rail, label) do update set count = hourly_figures.count + excluded.count,
    amount_microcents = hourly_figures.amount_microcents + excluded.amount_microcents`;

/** Counts what transactions from `from` on and before `until` have left. */
export async function countBetween(db: Queries, from: bigint, until: bigint, now: Date): Promise<void> {
  await db.many(statement(added, [from, until]));
  await db.many(sql`update hours_counted set to_transaction = ${until}, counted_at = ${now}`);
}

/** Counts what ended transactions have left since the last time. */
export async function countHours({ db, clock }: Pick<Runtime, 'db' | 'clock'>): Promise<void> {
  for (let isBehind = true; isBehind; ) {
    isBehind = await transact(db, async (tx) => {
      // Of two workers one counts.
      const last = await tx.maybe<{ from: bigint; until: bigint }>(sql`
        select to_transaction as "from", oldest_open_transaction() as until
        from hours_counted for no key update skip locked`);
      if (!last || last.until <= last.from) return false;
      const until = last.until < last.from + partMax ? last.until : last.from + partMax;
      await countBetween(tx, last.from, until, clock());
      return until < last.until;
    });
  }
}

/** A figure of a period. */
export interface HourlyFigure {
  figure: 'step' | 'took' | 'late' | 'report' | 'corrected' | 'posted';
  rail: string;
  label: string;
  count: number;
  amount_microcents: bigint;
}

/** What was counted and what came since, in one view of the database. */
const everything = `
  select hour, figure, rail, label, count, amount_microcents from hourly_figures where hour >= $3
  union all
  select hour, figure, rail, label, count, amount_microcents
  from (${figuresIn('and transaction >= (select to_transaction from hours_counted)')}) since where hour >= $3`;

const noEnd = 2n ** 63n - 1n;

/** The figures since an hour began, by the hour, the day or the week (UTC) that they fall into, the newest first. */
export async function figuresBy(
  prisma: PrismaClient,
  since: Date,
  step: 'hour' | 'day' | 'week',
): Promise<(HourlyFigure & { at: Date })[]> {
  // The beginning of what is not counted yet stands in the values, so that the plan knows how little that is.
  const [last] = await planned<{ from: bigint }>(prisma, sql`select to_transaction as "from" from hours_counted`);
  const { text } = statement(
    `select date_trunc('${step}', hour, 'UTC') as at, figure, rail, label, sum(count)::int as count,
      sum(amount_microcents)::bigint as amount_microcents
    from (${everything}) rows group by 1, 2, 3, 4 order by 1 desc, 5 desc`,
    [],
  );
  return planned(prisma, { name: '', text, values: [last?.from ?? 0n, noEnd, since] });
}

/** Actions that end with the charge waived. */
export const waivingActions: readonly string[] = Object.entries(transitions)
  .filter(([, { to }]) => to === 'waived')
  .map(([name]) => name);
