import { switchedOffRefusal } from '../../availability/availability.ts';
import { serviceRefusal } from '../../identity/grant.ts';
import { decisionInForce } from '../../identity/grant-decision.ts';
import { principalBuysAlone, principalMayPassLimits, relyOnCredit, reserve } from '../../identity/limits.ts';
import { utcDay } from '../../kernel/clock.ts';
import { newKey } from '../../kernel/id.ts';
import { statement } from '../../kernel/sql.ts';
import type { Verb } from '../../operation/verb.ts';
import { Problem, refuse } from '../../problems/problem.ts';
import { service } from '../../service/terms.ts';
import type * as contract from '../contract.ts';
import { purchaseRefusal } from '../job/authority.ts';
import { findJob } from '../job/load.ts';
import { jobReply, replyWith } from '../job/view.ts';
import { askForApproval } from './approval.ts';
import { failedOftenRefusal } from './failed-often.ts';
import { loadQuote } from './quote.ts';

/**
 * Makes job `$4` of quote `$1`, once, if nobody needs to be asked or somebody said yes. A yes is locked first, so that
 * taking it back and using it are in one order, and is used up.
 */
const accepted = `
  with yes as (
    select approval_key, above_limits from approvals
    where quote_key = $1 and state = 'approved' and expires_at > $6 for update),
  authorized as (
    update quotes set state = 'authorized'
    where quote_key = $1 and principal_key = $2 and state = 'open' and expires_at > $6 and terms_version = $3
      and (exists (select from yes) or ${principalBuysAlone('$2', 'price_microcents', '$7')})
    returning quote_key, principal_key, account_key, price_microcents, pay_seconds),
  noted as (
    insert into audit_rows (month, purchase_key, at, actor, action, state_from, state_to)
    select audit_month(quote_key), quote_key, $6, $2, 'authorize', 'open', 'awaiting_payment' from authorized),
  used as (
    update approvals a set state = 'used', used_at = $6
    from authorized q, yes where a.quote_key = q.quote_key and a.approval_key = yes.approval_key),
  closed as (
    update approvals a set state = 'lapsed' from authorized q where a.quote_key = q.quote_key and a.state = 'open')
  insert into jobs (job_key, quote_key, principal_key, account_key, grant_key, grant_digest, state, payment_state, charge_state,
    review_state, price_microcents, authorized_on, created_at, updated_at, pay_by, stage, above_limits)
  select $4, quote_key, principal_key, account_key, $5, ${decisionInForce('$2')}, 'awaiting_payment', 'none',
    'none', 'not_open', price_microcents, $7::date, $6, $6,
    $6::timestamptz + make_interval(secs => pay_seconds), 'awaiting_payment',
    exists (select from yes where above_limits) and ${principalMayPassLimits('$2')}
  from authorized`;

/**
 * Accepts the quote under the terms it was made with: the price is reserved under the grant's limits, and the job waits for its payment. Without room,
 * credit that covers the price may pay for it.
 */
export const authorize: Verb<typeof contract.authorize> = async (call) => {
  const { ctx, caller, input, tx } = call;
  refuse(serviceRefusal(caller.grant, service.serviceKey, ctx.now));
  const jobKey = newKey('job');
  // Pipelined: the reservation uses the job's price, and the answer needs both.
  tx.write(
    statement(accepted, [
      input.quote_key,
      caller.principalKey,
      input.terms_version,
      jobKey,
      caller.grant.grant_key,
      ctx.now,
      utcDay(ctx.now),
    ]),
  );
  const [isReserved, job, off, failedOften] = await Promise.all([
    reserve(tx, jobKey, caller.grant, ctx.now),
    findJob(tx, jobKey, caller),
    switchedOffRefusal(tx, ctx.runtime.rails),
    failedOftenRefusal(tx, caller.accountKey, ctx.now),
  ]);
  if (!job) return standingOf(call, off);
  refuse(off);
  refuse(failedOften);
  // A job that nobody could pay for would only hold room.
  refuse(purchaseRefusal(caller, ctx.runtime.rails, ctx.now));
  if (isReserved) return { status: 201, ...replyWith(job, caller, ctx) };
  await relyOnCredit(tx, job, caller.grant, ctx.now);
  return { status: 201, ...(await jobReply(tx, jobKey, caller, ctx)) };
};

/** The answer when no job was made: the one that was made before, or why there is none. */
async function standingOf({ ctx, caller, input, tx }: Call, off: Problem | null) {
  const quote = await loadQuote(tx, input.quote_key, caller, ctx.now);
  if (input.terms_version !== quote.terms_version) {
    throw new Problem('terms_version_mismatch', `The terms of this quote are ${quote.terms_version}.`);
  }
  if (quote.job_key) return { status: 200 as const, ...(await jobReply(tx, quote.job_key, caller, ctx)) };
  if (quote.state !== 'open' || quote.expires_at <= ctx.now) {
    throw new Problem('quote_expired', 'The quote has expired.');
  }
  refuse(off);
  refuse(purchaseRefusal(caller, ctx.runtime.rails, ctx.now));
  throw await askForApproval(tx, ctx, caller, quote);
}

type Call = Parameters<typeof authorize>[0];
