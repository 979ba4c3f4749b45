import { Problem } from '../door/problem.ts';
import type { Verb } from '../door/verb.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { toWire } from '../kernel/money.ts';
import { jobStates, standing } from '../purchases/states.ts';
import * as contract from './contract/purchases.ts';

type Where = Prisma.JobWhereInput;

/** A filter's condition on a job, for its values. The charge follows from the state, so one index serves both. */
const asks: { [Field in contract.FilterField]: (values: string[], now: Date) => Where } = {
  job: (values) => ({ state: { in: values } }),
  payment: (values) => ({ paymentState: { in: values } }),
  charge: (values) => ({ state: { in: jobStates.filter((state) => values.includes(standing[state].charge_state)) } }),
  review: (values, now) => ({ OR: values.map((value) => reviewIs(value, now)) }),
  verdict: (values) => ({ reports: { some: { verdict: { in: values } } } }),
  rail: (values) => ({ payments: { some: { rail: { in: values } } } }),
  customer: (values) => ({ accountKey: { in: values } }),
  agent: (values) => ({ principalKey: { in: values } }),
};

/** Fields with one value per job: excluding some means asking for the others, which an index can find. */
const exclusive: readonly contract.FilterField[] = ['job', 'payment', 'charge', 'review'];

/** `overdue` is computed from the clock, never written. */
function reviewIs(value: string, now: Date): Where {
  if (value === 'overdue') return { reviewState: 'open', reviewBy: { lt: now } };
  if (value === 'open') return { reviewState: 'open', reviewBy: { gte: now } };
  return { reviewState: value };
}

function filtered(filters: readonly contract.Filter[], now: Date): Where[] {
  const groups = Map.groupBy(filters, ({ field, not }) => `${field} ${not}`);
  return [...groups.values()].flatMap(([first, ...rest]) => {
    if (!first) return [];
    const { field, not } = first;
    const values = [first, ...rest].map(({ value }) => value);
    if (!not || !exclusive.includes(field)) {
      const ask = asks[field](values, now);
      return [not ? { NOT: ask } : ask];
    }
    const others = contract.filterFields[field]?.filter((value) => !values.includes(value)) ?? [];
    return [asks[field](others, now)];
  });
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
  payments: { select: { rail: true, state: true }, orderBy: { createdAt: 'desc' }, take: 1 },
  reports: { select: { verdict: true }, orderBy: { number: 'desc' }, take: 1 },
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
    rail: job.payments[0]?.rail ?? null,
    state: job.state,
    payment_state: job.paymentState,
    charge_state: job.chargeState,
    review_state: isOverdue ? 'overdue' : job.reviewState,
    verdict: job.reports[0]?.verdict ?? null,
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

export const consolePurchases: Verb<typeof contract.consolePurchases> = async ({ ctx, input }) => {
  const { prisma } = ctx.runtime;
  const { from, to, sort, after, limit } = input;
  const jobs = await prisma.job.findMany({
    where: {
      AND: [
        ...filtered(input.filters, ctx.now),
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
  return {
    body: {
      purchases: shown.map((job) => rowOf(job, ctx.now)),
      next_after: jobs.length > limit ? (shown.at(-1)?.jobKey ?? null) : null,
    },
  };
};

/** The jobs after one, by index at any depth. Throws `not_found`. */
async function behind({ job }: PrismaClient, after: string, sort: 'newest' | 'oldest'): Promise<Where> {
  const last = await job.findUnique({ where: { jobKey: after }, select: { createdAt: true } });
  if (!last) throw new Problem('not_found', 'The page that after names is not there.');
  const { createdAt } = last;
  return sort === 'newest'
    ? { createdAt: { lte: createdAt }, OR: [{ createdAt: { lt: createdAt } }, { jobKey: { lt: after } }] }
    : { createdAt: { gte: createdAt }, OR: [{ createdAt: { gt: createdAt } }, { jobKey: { gt: after } }] };
}
