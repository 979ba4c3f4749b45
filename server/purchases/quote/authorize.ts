import { Problem, refuse } from '../../door/problem.ts';
import type { Verb } from '../../door/verb.ts';
import { relyOnCredit, reserve, serviceRefusal } from '../../identity/grant.ts';
import { after, utcDay } from '../../kernel/clock.ts';
import { newKey } from '../../kernel/id.ts';
import { sql } from '../../kernel/sql.ts';
import { switchedOffRefusal } from '../../service/availability.ts';
import { seconds, service } from '../../service/terms.ts';
import type * as contract from '../contract.ts';
import { purchaseRefusal } from '../job/authority.ts';
import { findJob } from '../job/load.ts';
import { jobReply, replyWith } from '../job/view.ts';
import { loadQuote } from './quote.ts';

/**
 * Accepts the quote: the price is reserved under the grant's limits, and the job waits for its payment. Without room,
 * credit that covers the price may pay for it.
 */
export const authorize: Verb<typeof contract.authorize> = async ({ ctx, caller, input, tx }) => {
  if (input.terms_version !== service.termsVersion) {
    throw new Problem('terms_version_mismatch', `The current terms are ${service.termsVersion}.`);
  }
  refuse(serviceRefusal(caller.grant, service.serviceKey));
  const jobKey = newKey('job');
  // Pipelined: the reservation uses the job's price, and the answer needs both.
  tx.write(sql`
    with authorized as (
      update quotes set state = 'authorized'
      where quote_key = ${input.quote_key} and principal_key = ${caller.principalKey} and state = 'open'
        and expires_at > ${ctx.now}
      returning quote_key, principal_key, account_key, price_microcents),
    noted as (
      insert into audit_rows (purchase_key, at, actor, action, state_from, state_to)
      select quote_key, ${ctx.now}, ${caller.principalKey}, 'authorize', 'open', 'awaiting_payment' from authorized)
    insert into jobs (job_key, quote_key, principal_key, account_key, grant_key, state, payment_state, charge_state,
      review_state, price_microcents, authorized_on, created_at, updated_at, pay_by, stage)
    select ${jobKey}, quote_key, principal_key, account_key, ${caller.grant.grant_key}, 'awaiting_payment', 'none',
      'none', 'not_open', price_microcents, ${utcDay(ctx.now)}, ${ctx.now}, ${ctx.now},
      ${after(ctx.now, seconds.payWindow)}, 'awaiting_payment'
    from authorized`);
  const [isReserved, job, off] = await Promise.all([
    reserve(tx, jobKey, caller.grant, ctx.now),
    findJob(tx, jobKey, caller),
    switchedOffRefusal(tx, ctx.runtime.rails),
  ]);
  if (!job) {
    const { job_key } = await loadQuote(tx, input.quote_key, caller, ctx.now);
    if (!job_key) throw new Problem('quote_expired', 'The quote has expired.');
    return { status: 200, ...(await jobReply(tx, job_key, caller, ctx)) };
  }
  refuse(off);
  // A job that nobody could pay for would only hold room.
  refuse(purchaseRefusal(caller, ctx.runtime.rails));
  if (isReserved) return { status: 201, ...replyWith(job, caller, ctx) };
  await relyOnCredit(tx, job, caller.grant, ctx.now);
  return { status: 201, ...(await jobReply(tx, jobKey, caller, ctx)) };
};
