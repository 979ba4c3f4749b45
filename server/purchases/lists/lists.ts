import { availability } from '../../availability/availability.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { utcDay } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { statement } from '../../kernel/sql.ts';
import type { Buyer, Member } from '../../operation/caller.ts';
import type { Verb } from '../../operation/verb.ts';
import { Problem } from '../../problems/problem.ts';
import type { Context } from '../../runtime.ts';
import { readableBodies, rowsOfAPage, withBodies } from '../archive/bodies.ts';
import type { Job } from '../contract.ts';
import { loadedJobs } from '../job/load.ts';
import { type JobAsJson, readJob } from '../job/row.ts';
import { jobView } from '../job/view.ts';
import { coverOf } from '../job/ways-to-pay.ts';
import * as contract from '../list-contract.ts';
import { loadedQuotes, type QuoteRow, quoteView, railsOf } from '../quote/quote.ts';

/** A buyer lists its own rows, a member the account's. The column is ours, never input. */
export function ownerOf(caller: Buyer | Member): { column: 'principal_key' | 'account_key'; key: string } {
  return caller.kind === 'member'
    ? { column: 'account_key', key: caller.accountKey }
    : { column: 'principal_key', key: caller.principalKey };
}

/** The same for Prisma. */
function owned(caller: Buyer | Member): { accountKey: string } | { principalKey: string } {
  return caller.kind === 'member' ? { accountKey: caller.accountKey } : { principalKey: caller.principalKey };
}

export const purchases: Verb<typeof contract.purchases> = async ({ ctx, caller, input, db }) => {
  const { quote } = ctx.runtime.prisma;
  const { after = '' } = input;
  const from =
    after === '' ? null : await quote.findFirst({ where: { ...owned(caller), quoteKey: after }, select: at });
  const keys = await quote.findMany({
    where: { ...owned(caller), ...behind(after, from, { quoteKey: { lt: after } }) },
    orderBy: [{ createdAt: 'desc' }, { quoteKey: 'desc' }],
    take: input.limit + 1,
    select: { quoteKey: true },
  });
  const values = [keys.map(({ quoteKey }) => quoteKey), utcDay(ctx.now)];
  const rows = await db.many<QuoteRow>(statement(quotesOfPage, values));
  const { purchasable_rails } = await availability(ctx.runtime, ctx.now);
  const rails = railsOf(purchasable_rails, ctx.runtime.rails, coverOf(caller));
  const { shown, next_after, headers } = pageOf(rows, input, ctx.baseUrl + contract.purchases.path, 'quote_key');
  return { body: { purchases: shown.map((row) => quoteView(row, caller, ctx, rails)), next_after }, headers };
};

/** Each row by its key, whatever the planner assumes of the table's size: a statement is planned once. */
const inOrder = (loaded: string, key: string): string => `
  select row.* from unnest($1::text[]) with ordinality as page (key, place),
    lateral (select ${loaded} where ${key} = page.key limit 1) row order by place`;

const quotesOfPage = inOrder(loadedQuotes('$2'), 'quotes.quote_key');

export const jobs: Verb<typeof contract.jobs> = async (call) => {
  const { shown, next_after, headers } = await jobPage(call, call.ctx.baseUrl + contract.jobs.path);
  return { body: { jobs: shown, next_after }, headers };
};

/** A page of the caller's jobs as it sees them, of all or `only` some; `address` is the list's. Throws `not_found`. */
export async function jobPage(
  { ctx, caller, input, db }: { ctx: Context; caller: Buyer | Member; input: PageInput; db: Queries },
  address: string,
  only: Prisma.JobWhereInput = {},
): Promise<{ shown: Job[]; next_after: string | null; headers: Record<string, string> }> {
  const { job } = ctx.runtime.prisma;
  const page = await jobsPage(ctx, caller, input);
  const where = { ...page.where, AND: only };
  const keys = await job.findMany({ ...page, where, select: { jobKey: true } });
  const packed = await db.many<JobAsJson>(statement(jobsOfPage, [keys.map(({ jobKey }) => jobKey)]));
  const rows = packed.map(readJob);
  const { shown, ...rest } = pageOf(rows, input, address, 'job_key');
  return { shown: shown.map((row) => jobView(row, caller, ctx)), ...rest };
}

const jobsOfPage = inOrder(loadedJobs, 'jobs.job_key');

/** The newest receipt of each job that has one, in the jobs' order. */
export const receipts: Verb<typeof contract.receipts> = async ({ ctx, caller, input, db }) => {
  const asked = await jobsPage(ctx, caller, input);
  const rows = await ctx.runtime.prisma.job.findMany({
    ...asked,
    where: { ...asked.where, receipts: { some: {} } },
    select: {
      jobKey: true,
      receipts: {
        select: { receiptKey: true, sequence: true, issuedAt: true },
        orderBy: { sequence: 'desc' },
        take: 1,
      },
    },
  });
  const all = await withBodies(
    db,
    'receipts',
    rows.flatMap(({ jobKey, receipts: [last] }) => (last ? [{ ...last, job_key: jobKey, number: last.sequence }] : [])),
  );
  const page = { ...input, fits: rowsOfAPage(all) };
  const { shown: newest, next_after, headers } = pageOf(all, page, ctx.baseUrl + contract.receipts.path, 'job_key');
  const bodies = await readableBodies(db, ctx.runtime.archive, 'receipts', newest);
  return {
    body: {
      receipts: newest.map(({ job_key, receiptKey, sequence, issuedAt }, index) => {
        const body = bodies[index] ?? null;
        if (body !== null) return JSON.parse(body);
        const unreachable = 'archive_unreachable' as const;
        return { job_key, receipt_key: receiptKey, sequence, issued_at: issuedAt.toISOString(), unreachable };
      }),
      next_after,
    },
    headers,
  };
};

interface PageInput {
  after?: string | undefined;
  limit: number;
}

const at = { createdAt: true } as const;

/** A page of the caller's jobs, newest first, plus the first row of the next. Throws `not_found`. */
async function jobsPage({ runtime }: Context, caller: Buyer | Member, { after = '', limit }: PageInput) {
  const { job } = runtime.prisma;
  const from = after === '' ? null : await job.findFirst({ where: { ...owned(caller), jobKey: after }, select: at });
  return {
    where: { ...owned(caller), ...behind(after, from, { jobKey: { lt: after } }) },
    orderBy: [{ createdAt: 'desc' as const }, { jobKey: 'desc' as const }],
    take: limit + 1,
  };
}

/**
 * Rows after one: older, or as old with a lower key. Uses the index at any depth. Throws `not_found` when `after` is
 * not the caller's.
 */
function behind<LowerKey>(after: string, from: { createdAt: Date } | null, lowerKey: LowerKey) {
  if (after === '') return {};
  if (!from) throw new Problem('not_found', 'after does not name an existing page of this caller.');
  return { createdAt: { lte: from.createdAt }, OR: [{ createdAt: { lt: from.createdAt } }, lowerKey] };
}

/** The rows to show, and the next `after`; no more than `fits`. */
function pageOf<Row extends object>(
  rows: readonly Row[],
  { limit, fits = limit }: PageInput & { fits?: number },
  address: string,
  key: keyof Row,
): { shown: Row[]; next_after: string | null; headers: Record<string, string> } {
  const shown = rows.slice(0, Math.min(limit, fits));
  const last = shown.at(-1);
  const next_after = last && rows.length > shown.length ? String(last[key]) : null;
  return { shown, next_after, headers: next_after ? linkTo(address, next_after, limit) : {} };
}

/** The link to the next page (RFC 8288). */
export function linkTo(address: string, after: string, limit: number): Record<string, string> {
  const join = address.includes('?') ? '&' : '?';
  return { Link: `<${address}${join}after=${encodeURIComponent(after)}&limit=${limit}>; rel="next"` };
}
