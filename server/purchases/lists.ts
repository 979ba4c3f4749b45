import type { Buyer, Member } from '../identity/caller.ts';
import { utcDay } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { Problem } from '../kernel/problem.ts';
import { statement } from '../kernel/sql.ts';
import type { Verb } from '../perform.ts';
import type { Context } from '../runtime.ts';
import { availability } from '../service/availability.ts';
import type { Job } from './contract.ts';
import { jobView, loadedJobs, type PackedJob, unpackedJob } from './job.ts';
import * as contract from './list-contract.ts';
import { loadedQuotes, type QuoteRow, quoteView, railsOf } from './quote.ts';

/** Whose rows a list shows: a buyer its own, a member those of the account. The column is ours, never input. */
export function ownerOf(caller: Buyer | Member): { column: 'principal_key' | 'account_key'; key: string } {
  return caller.kind === 'member'
    ? { column: 'account_key', key: caller.accountKey }
    : { column: 'principal_key', key: caller.principalKey };
}

export const purchases: Verb<typeof contract.purchases> = async ({ ctx, caller, input, db }) => {
  const rows = await newestFirst<QuoteRow>(db, caller, input, 'quotes', 'quote_key', {
    select: loadedQuotes('page', '$3'),
    values: [utcDay(ctx.now)],
  });
  const { purchasable_rails } = await availability(ctx.runtime, ctx.now);
  const rails = railsOf(purchasable_rails, ctx.runtime.x402?.networks ?? []);
  const { shown, next_after, headers } = pageOf(rows, input, ctx.baseUrl + contract.purchases.path, 'quote_key');
  return { body: { purchases: shown.map((row) => quoteView(row, caller, ctx, rails)), next_after }, headers };
};

export const jobs: Verb<typeof contract.jobs> = async (call) => {
  const { shown, next_after, headers } = await jobPage(call, call.ctx.baseUrl + contract.jobs.path);
  return { body: { jobs: shown, next_after }, headers };
};

/** A page of the caller's jobs as it sees them; `address` is that of the list. */
export async function jobPage(
  { ctx, caller, input, db }: { ctx: Context; caller: Buyer | Member; input: PageInput; db: Queries },
  address: string,
): Promise<{ shown: Job[]; next_after: string | null; headers: Record<string, string> }> {
  const packed = await newestFirst<PackedJob>(db, caller, input, 'jobs', 'job_key', { select: loadedJobs('page') });
  const rows = packed.map(unpackedJob);
  const { shown, ...rest } = pageOf(rows, input, address, 'job_key');
  return { shown: shown.map((row) => jobView(row, caller, ctx)), ...rest };
}

export const receipts: Verb<typeof contract.receipts> = async ({ ctx, caller, input, db }) => {
  const rows = await newestFirst<{ job_key: string; body: string }>(db, caller, input, 'jobs', 'job_key', {
    where: 'collected_at is not null',
    select: `page.job_key, newest.body from page, lateral (
      select body from receipts where receipts.job_key = page.job_key order by sequence desc limit 1) newest`,
  });
  const { shown, next_after, headers } = pageOf(rows, input, ctx.baseUrl + contract.receipts.path, 'job_key');
  return { body: { receipts: shown.map(({ body }) => JSON.parse(body)), next_after }, headers };
};

interface PageInput {
  after?: string | undefined;
  limit: number;
}

/**
 * A page and the first row of the one after it, by index however far back it lies. The texts given are code of the
 * caller's; values are parameters, those given from `$3` on. Throws `not_found` when `after` names no row of the caller's.
 */
async function newestFirst<Row>(
  db: Queries,
  caller: Buyer | Member,
  { after, limit }: PageInput,
  table: 'quotes' | 'jobs',
  key: 'quote_key' | 'job_key',
  { select, where = 'true', values = [] }: { select: string; where?: string; values?: unknown[] },
): Promise<Row[]> {
  const owner = ownerOf(caller);
  const from = after === undefined ? null : await positionOf(db, owner, after, table, key);
  const next = 3 + values.length;
  const text = `
    with page as (
      select * from ${table} where ${owner.column} = $1 and ${where} ${from ? `and (created_at, ${key}) < ($${next}, $${next + 1})` : ''}
      order by created_at desc, ${key} desc limit $2)
    select ${select} order by page.created_at desc, page.${key} desc`;
  return db.many<Row>(statement(text, [owner.key, limit + 1, ...values, ...(from ? [from, after] : [])]));
}

async function positionOf(
  db: Queries,
  owner: ReturnType<typeof ownerOf>,
  after: string,
  table: 'quotes' | 'jobs',
  key: 'quote_key' | 'job_key',
): Promise<Date> {
  const text = `select created_at from ${table} where ${key} = $1 and ${owner.column} = $2`;
  const row = await db.maybe<{ created_at: Date }>(statement(text, [after, owner.key]));
  if (!row) throw new Problem('not_found', 'The page that after names is not there for this caller.');
  return row.created_at;
}

/** The rows to show, and where to go on from. */
function pageOf<Row extends object>(
  rows: readonly Row[],
  { limit }: PageInput,
  address: string,
  key: keyof Row,
): { shown: Row[]; next_after: string | null; headers: Record<string, string> } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next_after = last && rows.length > limit ? String(last[key]) : null;
  return { shown, next_after, headers: next_after ? linkTo(address, next_after, limit) : {} };
}

/** The link to the next page (RFC 8288). */
export function linkTo(address: string, after: string, limit: number): Record<string, string> {
  return { Link: `<${address}?after=${encodeURIComponent(after)}&limit=${limit}>; rel="next"` };
}
