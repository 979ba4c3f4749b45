import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { sql, statement } from '../../kernel/sql.ts';
import { daySeconds } from '../../service/terms.ts';
import { isEnded, jobStates } from '../states.ts';

/** Receipts here of ended purchases whose content is deleted and whose newest receipt is older than $1. Every report has one. */
const due = `
  from job_texts t join jobs using (job_key) join quotes using (quote_key)
  where t.kind = 'receipts' and t.at < $1 and quotes.input is null and jobs.state = any($2::text[])
    and not exists (select from receipts later where later.job_key = jobs.job_key and later.issued_at >= $1)`;

const bounds = (now: Date, afterDays: number) => [after(now, -afterDays * daySeconds), jobStates.filter(isEnded)];

/** As many as most jobs have. */
const receiptsOfAJob = 3;

/** The first jobs that may go to the archive, the oldest first. */
export async function dueJobs(db: Queries, now: Date, afterDays: number, limit: number): Promise<string[]> {
  const rows = await db.many<{ job_key: string }>(
    statement(
      `select job_key from (select job_key, t.at ${due} order by t.at limit $3 * ${receiptsOfAJob}) oldest
      group by job_key order by min(at) limit $3`,
      [...bounds(now, afterDays), limit],
    ),
  );
  return rows.map(({ job_key }) => job_key);
}

/** A table that lies in months. */
type Parted = 'audit_rows' | 'ledger_transfers' | 'job_texts';

/** The months of a parted table that are over since `$1`, the oldest first, with those in its default part. */
const monthsOf = (table: Parted) => `
  select month::text as month from (
    select to_date(right(relname, 7), 'YYYY_MM') as month from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = '${table}'::regclass and relname ~ '_[0-9]{4}_[0-9]{2}$'
    union select month from ${table}_default) parts
  where (month + interval '1 month') at time zone 'UTC' < $1 order by month`;

/**
 * The months (`2026-08-01`) whose audit may go to the archive, the oldest first: over, with nothing left of them that is
 * younger than that many days, and no purchase that has not ended or can still lose its content. A month that has gone
 * comes again when something came later.
 */
export function dueAuditMonths(db: Queries, now: Date, afterDays: number): Promise<string[]> {
  return dueMonths(
    db,
    bounds(now, afterDays),
    'audit_rows',
    `select from audit_rows a left join quotes on quote_key = purchase_key left join jobs using (quote_key)
    where a.month = $3::date and (a.at >= $1 or quotes.input is not null
      or quote_key is not null and (jobs.state = any($2::text[])) is not true) limit 1`,
  );
}

/** The same of the books, once the two closings that are kept span the month: what has its entries adds no more to them. */
export function dueLedgerMonths(db: Queries, now: Date, afterDays: number): Promise<string[]> {
  return dueMonths(
    db,
    bounds(now, afterDays),
    'ledger_transfers',
    `select from ledger_transfers t join jobs using (job_key) join quotes using (quote_key)
    where t.month = $3::date and (t.at >= $1 or quotes.input is not null or jobs.state <> all($2::text[])
      or t.transaction >= (select min(to_transaction) from ledger_closings)) limit 1`,
  );
}

/** The months that have been over for that many days and have a table of texts, the oldest first. */
export async function textMonths(db: Queries, now: Date, afterDays: number): Promise<string[]> {
  const months = await db.many<{ month: string }>(statement(monthsOf('job_texts'), bounds(now, afterDays).slice(0, 1)));
  return months.map(({ month }) => month);
}

/** Asks month by month, so that the database reads the part of each alone; `young` finds what keeps one. */
async function dueMonths(db: Queries, values: unknown[], table: Parted, young: string): Promise<string[]> {
  const due: string[] = [];
  for (const { month } of await db.many<{ month: string }>(statement(monthsOf(table), values.slice(0, 1)))) {
    const isEmpty = !(await db.maybe(statement(`select from ${table} where month = $1::date limit 1`, [month])));
    if (!isEmpty && !(await db.maybe(statement(young, [...values, month])))) due.push(month);
  }
  return due;
}

/** One number about the archive. */
interface ArchiveFigure {
  figure: 'archived_objects' | 'archive_written_seconds' | 'archive_waits_seconds';
  label: null;
  value: number;
}

/** What is in the archive, when it was last written, and for how long the oldest job could have gone there. */
export async function readArchiveFigures(db: Queries, now: Date, afterDays: number): Promise<ArchiveFigure[]> {
  const [oldest, batches] = await Promise.all([
    db.maybe<{ waits: number }>(
      statement(
        `select least(extract(epoch from $1 - (select max(issued_at) from receipts newest
            where newest.job_key = jobs.job_key)), extract(epoch from $3::timestamptz - input_deleted_at))::float8 as waits
          ${due} order by t.at limit 1`,
        [...bounds(now, afterDays), now],
      ),
    ),
    db.one<{ objects: number; written: number | null }>(sql`
      select coalesce(sum(objects), 0)::float8 as objects, extract(epoch from ${now} - max(made_at))::float8 as written
      from archive_manifests`),
  ]);
  return [
    { figure: 'archived_objects', label: null, value: batches.objects },
    ...(batches.written === null
      ? []
      : [{ figure: 'archive_written_seconds' as const, label: null, value: batches.written }]),
    { figure: 'archive_waits_seconds', label: null, value: oldest?.waits ?? 0 },
  ];
}
