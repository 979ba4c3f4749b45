import type { LimitName, RateLimits } from '../configuration/rate-limits.ts';
import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { type JsonRow, jsonRowReader } from '../kernel/json-row.ts';
import { assembled, type Sql, sql } from '../kernel/sql.ts';
import { Problem } from '../problems/problem.ts';

/** Where requests are counted: those of a subject under one limit. */
export interface Window {
  subject: string;
  name: LimitName;
}

/** Requests of a subject in its window, including this one. */
export interface RateCount {
  limit_name: LimitName;
  used: number;
  window_end: Date;
}

/** What `counting` finds. */
interface Counted<Who> {
  who: JsonRow<Who>;
  counts: JsonRow<RateCount>[];
}

const readCount = jsonRowReader<RateCount>({ instants: { window_end: true }, amounts: {} });

/**
 * Counts a request in the statement that authenticates it: one round trip for both. `who` selects at most one row, whose
 * `column` is the subject. The answer holds that row and a `RateCount` per limit. All processes update the same row, so a
 * limit is exact however many there are.
 */
export function counting(
  { who, column }: { who: Sql; column: string },
  names: readonly LimitName[],
  limits: RateLimits,
  now: Date,
): Sql {
  // Names and seconds come from code and configuration.
  const windows = names.map((name) => `${name} ${limits[name].windowSeconds}`).join();
  const subject = `${who.values.length} ${column}`;
  return assembled(countingText, [who.text, subject, windows], [...who.values, now]);
}

function countingText(who: string, subject: string, windows: string): string {
  const [values, column] = subject.split(' ');
  const at = `$${Number(values) + 1}::timestamptz`;
  const asked = windows
    .split(',')
    .map((window) => window.split(' '))
    .map(([name, seconds]) => `('${name}', ${at} + interval '${seconds} seconds')`)
    .join(', ');
  return `with who as (${who}), counted as (
      insert into rate_counts as counts (subject, limit_name, used, window_end)
      select who.${column}, asked.name, 1, asked.window_end from who, (values ${asked}) as asked (name, window_end)
      on conflict (subject, limit_name) do update set
        used = case when counts.window_end <= ${at} then 1 else counts.used + 1 end,
        window_end = case when counts.window_end <= ${at} then excluded.window_end else counts.window_end end
      returning limit_name, used, window_end)
    select json_build_object('who', who, 'counts', (select json_agg(counted) from counted)) as found
    from who`;
}

/** What `counting` found; undefined for an unknown caller. */
export async function countedBy<Who>(
  db: Queries,
  statement: Sql,
): Promise<{ who: JsonRow<Who>; counts: RateCount[] } | undefined> {
  const row = await db.maybe<{ found: Counted<Who> }>(statement);
  return row && { ...row.found, counts: row.found.counts.map(readCount) };
}

/** The request's block of addresses. Throws when no server noted it. */
export function originOf({ origin }: { origin: string | null }): string {
  if (origin === null) throw new Error('nobody noted where the request came from');
  return origin;
}

/** Counts a request of a subject that needs no lookup, such as a block of addresses. */
export async function countRequest(
  db: Queries,
  { subject, name }: Window,
  limits: RateLimits,
  now: Date,
): Promise<RateCount[]> {
  const who = sql`select ${subject}::text as subject`;
  return (await countedBy(db, counting({ who, column: 'subject' }, [name], limits, now)))?.counts ?? [];
}

/** To read, compose and compress so many bytes takes about as long as a small answer as a whole. */
export const bytesOfAnAnswer = 65_536;

/** Counts a request that was counted already so many times more, once it is known what it cost. */
export async function chargeMore(db: Queries, { subject, name }: Window, more: number, now: Date): Promise<void> {
  await db.many(sql`
    update rate_counts set used = used + ${more}
    where subject = ${subject} and limit_name = ${name} and window_end > ${now}`);
}

/** Refuses a subject whose window is used up, without counting. Throws `rate_limited`. */
export async function requireLeft(
  db: Queries,
  { subject, name }: Window,
  limits: RateLimits,
  now: Date,
): Promise<void> {
  const next = await db.maybe<RateCount>(sql`
    select limit_name, used + 1 as used, window_end from rate_counts
    where subject = ${subject} and limit_name = ${name} and window_end > ${now}`);
  if (next) paced([next], limits, now);
}

/**
 * The headers that tell how many requests are left (draft-ietf-httpapi-ratelimit-headers-10).
 * @throws {Problem} `rate_limited` when a count is over its limit
 */
export function paced(counts: readonly RateCount[], limits: RateLimits, now: Date): Record<string, string> {
  const left = (count: RateCount) => Math.max(0, limits[count.limit_name].quota - count.used);
  // Clocks differ and requests overtake each other: the window may open a little after `now`.
  const seconds = ({ limit_name: name, window_end: end }: RateCount) =>
    Math.min(limits[name].windowSeconds, Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000)));
  const headers = {
    RateLimit: counts.map((count) => `"${count.limit_name}";r=${left(count)};t=${seconds(count)}`).join(', '),
    'RateLimit-Policy': counts
      .map(({ limit_name: name }) => `"${name}";q=${limits[name].quota};w=${limits[name].windowSeconds}`)
      .join(', '),
  };
  const over = counts.filter(({ limit_name, used }) => used > limits[limit_name].quota);
  const [first] = over;
  if (!first) return headers;
  const { quota, windowSeconds } = limits[first.limit_name];
  const whose = first.limit_name.startsWith('network_')
    ? ' to all of your network who have accepted no purchase yet'
    : '';
  throw new Problem(
    'rate_limited',
    `${quota} ${first.limit_name.replace('_', ' ')} in ${windowSeconds} seconds are allowed${whose}, and these are used up.`,
    { headers: { ...headers, 'Retry-After': String(Math.max(...over.map(seconds))) } },
  );
}

/** Counts are deleted this long after their window. */
const forgottenAfterSeconds = 3_600;
const forgottenAtOnce = 500;

/** Deletes counts of old windows. */
export async function forgetCounts(db: Queries, now: Date): Promise<void> {
  await db.many(sql`
    delete from rate_counts where (subject, limit_name) in (
      select subject, limit_name from rate_counts where window_end < ${after(now, -forgottenAfterSeconds)}
      order by window_end limit ${forgottenAtOnce})`);
}
