import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import type { Queries } from '../kernel/database.ts';
import { toWire } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import type { Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import { type JobState, reviewStates, standing } from '../purchases/states.ts';
import type * as contract from './contract/purchases.ts';
import { moneyOf } from './list-money.ts';

type Where = Prisma.JobWhereInput;

/** What a job's facet says of it (`job_facet` in the migrations): a few dozen of them serve all filters with one index. */
interface Facet {
  text: string;
  job: string;
  payment: string;
  review: string;
  rail: string;
  verdict: string;
}

/** The facets that jobs have, found one after the other by index. */
async function facetsNow(db: Queries): Promise<Facet[]> {
  const rows = await db.many<{ facet: string }>(sql`
    with recursive known as (
      (select facet from jobs order by facet limit 1)
      union all
      select (select j.facet from jobs j where j.facet > known.facet order by j.facet limit 1) from known
      where known.facet is not null)
    select facet from known where facet is not null`);
  return rows.map(({ facet: text }) => {
    const [job = '', payment = '', review = '', rail = '', verdict = ''] = text.split('.');
    return { text, job, payment, review, rail, verdict };
  });
}

type FacetField = Exclude<contract.FilterField, 'customer' | 'agent'>;

/** Whether a job may be like that by its facet. `overdue` is read off the clock, and never written. */
const fits: { [Field in FacetField]: (facet: Facet, value: string) => boolean } = {
  job: ({ job }, value) => job === value,
  payment: ({ payment }, value) => payment === value,
  charge: ({ job }, value) => standing[job as JobState].charge_state === value,
  review: ({ review }, value) => review === (value === 'overdue' ? 'open' : value),
  verdict: ({ verdict }, value) => verdict === value,
  rail: ({ rail }, value) => rail === value,
};

interface Group {
  field: contract.FilterField;
  not: boolean;
  values: string[];
}

const isOfFacet = (group: Group): group is Group & { field: FacetField } =>
  group.field !== 'customer' && group.field !== 'agent';

/** Leaving some reviews out is asking for the others: what is overdue and what is still open share a facet. */
function asked({ field, not, values }: Group): Group {
  if (field !== 'review' || !not) return { field, not, values };
  return { field, not: false, values: reviewStates.filter((value) => !values.includes(value)) };
}

/** What filters ask of jobs that have one of these facets. */
function filtered(filters: readonly contract.Filter[], facets: readonly Facet[], now: Date): Where[] {
  const groups = [...Map.groupBy(filters, ({ field, not }) => `${field} ${not}`).values()].flatMap(
    ([first, ...rest]) => (first ? [asked({ ...first, values: [first, ...rest].map(({ value }) => value) })] : []),
  );
  const ofFacet = groups.filter(isOfFacet);
  const fitting = facets.filter((facet) =>
    ofFacet.every(({ field, not, values }) => values.some((value) => fits[field](facet, value)) !== not),
  );
  return [
    ...(ofFacet.length === 0 ? [] : [{ facet: { in: fitting.map(({ text }) => text) } }]),
    ...groups.flatMap(({ field, not, values }) => {
      if (field === 'review') return reviewedBy(values, now);
      if (field !== 'customer' && field !== 'agent') return [];
      const named = field === 'customer' ? { accountKey: { in: values } } : { principalKey: { in: values } };
      return [not ? { NOT: named } : named];
    }),
  ];
}

/** Of the reviews that are open, those whose time is over, or is not. */
function reviewedBy(values: readonly string[], now: Date): Where[] {
  const [open, overdue] = [values.includes('open'), values.includes('overdue')];
  if (open === overdue) return [];
  // What is open is of the last days: the states are those of the index by the time to review.
  const inTime = open
    ? { state: { in: ['delivered', 'redelivered'] }, reviewBy: { gte: now } }
    : { reviewBy: { lt: now } };
  return [values.length === 1 ? inTime : { OR: [{ reviewState: { not: 'open' } }, inTime] }];
}

/** The columns of a job's row in a list. */
const rowParts = {
  jobKey: true,
  quoteKey: true,
  createdAt: true,
  accountKey: true,
  state: true,
  paymentState: true,
  chargeState: true,
  reviewState: true,
  reviewBy: true,
  priceMicrocents: true,
  principal: { select: { name: true, principalKey: true } },
  lastRail: true,
  lastVerdict: true,
} as const satisfies Prisma.JobSelect;
type JobParts = Prisma.JobGetPayload<{ select: typeof rowParts }>;

/** A job as lists show it. */
function rowOf(job: JobParts, now: Date): contract.Row {
  const isOverdue = job.reviewState === 'open' && job.reviewBy !== null && job.reviewBy < now;
  return {
    job_key: job.jobKey,
    quote_key: job.quoteKey,
    created_at: job.createdAt.toISOString(),
    account_key: job.accountKey,
    buyer: job.principal.name ?? job.principal.principalKey,
    rail: job.lastRail,
    state: job.state,
    payment_state: job.paymentState,
    charge_state: job.chargeState,
    review_state: isOverdue ? 'overdue' : job.reviewState,
    verdict: job.lastVerdict,
    amount_microcents: toWire(job.priceMicrocents),
  };
}

/** The rows of jobs with these keys, in their order, without missing ones. */
export async function rowsOf(prisma: PrismaClient, keys: readonly string[], now: Date): Promise<contract.Row[]> {
  const jobs = await prisma.job.findMany({ where: { jobKey: { in: [...keys] } }, select: rowParts });
  const byKey = new Map(jobs.map((job) => [job.jobKey, job]));
  return keys.flatMap((key) => {
    const job = byKey.get(key);
    return job ? [rowOf(job, now)] : [];
  });
}

export const consolePurchases: Verb<typeof contract.consolePurchases> = async ({ ctx, input, db }) => {
  const { prisma } = ctx.runtime;
  const { from, to, sort, after, limit } = input;
  const facets = input.filters.length > 0 ? await facetsNow(db) : [];
  const jobs = await prisma.job.findMany({
    where: {
      AND: [
        ...filtered(input.filters, facets, ctx.now),
        ...(from === null ? [] : [{ createdAt: { gte: new Date(from) } }]),
        ...(to === null ? [] : [{ createdAt: { lt: new Date(to) } }]),
        ...(after === null ? [] : [await behind(prisma, after, sort)]),
      ],
    },
    orderBy:
      sort === 'newest' ? [{ createdAt: 'desc' }, { jobKey: 'desc' }] : [{ createdAt: 'asc' }, { jobKey: 'asc' }],
    take: limit + 1,
    select: rowParts,
  });
  const shown = jobs.slice(0, limit);
  const keys = input.money ? shown.map(({ jobKey }) => jobKey) : [];
  const money = keys.length > 0 ? await moneyOf(db, keys) : null;
  return {
    body: {
      purchases: shown.map((job) => ({ ...rowOf(job, ctx.now), money: money?.get(job.jobKey) ?? null })),
      next_after: jobs.length > limit ? (shown.at(-1)?.jobKey ?? null) : null,
    },
  };
};

/** The jobs after one, by index at any depth. Throws `not_found`. */
async function behind({ job }: PrismaClient, after: string, sort: 'newest' | 'oldest'): Promise<Where> {
  const last = await job.findUnique({ where: { jobKey: after }, select: { createdAt: true } });
  if (!last) throw new Problem('not_found', 'after does not name an existing page.');
  const { createdAt } = last;
  return sort === 'newest'
    ? { createdAt: { lte: createdAt }, OR: [{ createdAt: { lt: createdAt } }, { jobKey: { lt: after } }] }
    : { createdAt: { gte: createdAt }, OR: [{ createdAt: { gt: createdAt } }, { jobKey: { gt: after } }] };
}
