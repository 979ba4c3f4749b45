import type { Buyer, Member } from '../identity/caller.ts';
import { utcDay } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { toWire } from '../kernel/money.ts';
import { Problem } from '../kernel/problem.ts';
import { sql, statement } from '../kernel/sql.ts';
import type { Runtime } from '../runtime.ts';
import type { NextAction } from './contract.ts';
import { type Asking, jobView, type LoadedJob, loadedJobs, loadJob, type PackedJob, unpackedJob } from './job.ts';
import { loadQuote, quoteView } from './quote.ts';

/**
 * The refusal of an action on a purchase, with what is allowed on it instead (interface.md 1). Other errors, and what is
 * refused about nothing of the caller's, stay as they are.
 */
export async function withNextActions(
  error: unknown,
  caller: Buyer | Member,
  input: unknown,
  runtime: Runtime,
  { baseUrl }: { baseUrl: string },
): Promise<unknown> {
  if (!(error instanceof Problem) || !isAboutState(error)) return error;
  const { code, message, extras } = error;
  const { shared } = runtime.db;
  const request = { baseUrl, now: runtime.clock(), runtime };
  const about = await allowed(shared, caller, input as Record<string, unknown>, request).catch((missing) => {
    if (missing instanceof Problem) return null;
    throw missing;
  });
  const members = { ...extras.members };
  if (about) members.next_actions = about;
  if (about && code === 'grant_limit_exceeded' && caller.kind !== 'member') {
    const { jobs, today, total } = await waiting(shared, caller, request.now);
    const reserved = members.limit === 'daily' ? today : members.limit === 'total' ? total : 0n;
    members.reserved_microcents = toWire(reserved);
    const others =
      reserved === 0n ? [] : jobs.filter(({ job_key }) => job_key !== (input as { job_key?: string }).job_key);
    members.next_actions = [...about, ...others.flatMap((job) => jobView(job, caller, request).next_actions)];
  }
  return about ? new Problem(code, message, { ...extras, members }) : error;
}

/** As many of the jobs that wait for payment are named. */
const waitingMax = 5;

/** What is only reserved: the jobs that nobody has paid for, the oldest first, and what all of them hold of the limits. */
async function waiting(
  db: Queries,
  { principalKey }: Buyer,
  now: Date,
): Promise<{ jobs: LoadedJob[]; today: bigint; total: bigint }> {
  const sums = await db.one<{ today: bigint; total: bigint }>(sql`
    select coalesce(sum(price_microcents) filter (where authorized_on = ${utcDay(now)}), 0)::bigint as today,
      coalesce(sum(price_microcents), 0)::bigint as total
    from jobs where principal_key = ${principalKey} and state = 'awaiting_payment'`);
  const packed = await db.many<PackedJob>(
    statement(
      `select ${loadedJobs('jobs')} where jobs.principal_key = $1 and jobs.state = 'awaiting_payment'
       order by jobs.created_at limit ${waitingMax}`,
      [principalKey],
    ),
  );
  return { jobs: packed.map(unpackedJob), ...sums };
}

/** Whether it is the state of the purchase, or the grant, that stands in the way. */
function isAboutState({ code, status }: Problem): boolean {
  return (status === 403 || status === 409) && !code.startsWith('idempotency_');
}

async function allowed(
  db: Queries,
  caller: Buyer | Member,
  { job_key, quote_key }: Record<string, unknown>,
  request: Asking,
): Promise<NextAction[] | null> {
  if (typeof job_key === 'string') return jobView(await loadJob(db, job_key, caller), caller, request).next_actions;
  if (typeof quote_key !== 'string') return null;
  return quoteView(await loadQuote(db, quote_key, caller, request.now), caller, request, []).next_actions;
}
