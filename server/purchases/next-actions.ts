import type { Queries } from '../kernel/database.ts';
import type { Buyer, Member } from '../operation/caller.ts';
import { Problem } from '../problems/problem.ts';
import type { Context } from '../runtime.ts';
import type { NextAction } from './contract.ts';
import { loadJob, unpaidJobs } from './job/load.ts';
import { type Asking, jobView } from './job/view.ts';
import { loadQuote, quoteView } from './quote/quote.ts';

/** Adds to a refused action on a purchase what is allowed instead (specification 3.6). Leaves other errors alone. */
export async function withNextActions(
  error: unknown,
  caller: Buyer | Member,
  input: unknown,
  { runtime, baseUrl }: Pick<Context, 'runtime' | 'baseUrl'>,
): Promise<unknown> {
  if (!(error instanceof Problem) || !isAboutState(error)) return error;
  const { code, message, extras } = error;
  const request = { baseUrl, now: runtime.clock(), runtime };
  const looked = async () => {
    const { shared } = runtime.db;
    const actions = await allowed(shared, caller, input as Record<string, unknown>, request);
    // Unpaid jobs hold room: pay or cancel them.
    return actions && holdsRoom(error) && !namesJob(input)
      ? [...actions, ...(await onUnpaid(shared, caller, request))]
      : actions;
  };
  const next_actions = await looked().catch((missing) => {
    if (missing instanceof Problem) return null;
    throw missing;
  });
  return next_actions ? new Problem(code, message, { ...extras, members: { ...extras.members, next_actions } }) : error;
}

/** Whether the purchase's state or the grant is the reason. */
function isAboutState({ code, status }: Problem): boolean {
  return (status === 403 || status === 409) && !code.startsWith('idempotency_');
}

/** Whether part of the exceeded limit is only reserved. */
function holdsRoom({ code, extras }: Problem): boolean {
  return code === 'grant_limit_exceeded' && Number(extras.members?.reserved_microcents ?? 0) > 0;
}

function namesJob(input: unknown): boolean {
  return typeof (input as Record<string, unknown>).job_key === 'string';
}

/** Actions on the caller's newest unpaid jobs. */
async function onUnpaid(db: Queries, caller: Buyer | Member, request: Asking): Promise<NextAction[]> {
  return (await unpaidJobs(db, caller)).flatMap((job) => jobView(job, caller, request).next_actions);
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
