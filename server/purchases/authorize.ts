import { reserve, serviceRefusal } from '../identity/grant.ts';
import { audit } from '../kernel/audit.ts';
import { after, utcDay } from '../kernel/clock.ts';
import { newKey } from '../kernel/id.ts';
import { Problem, refuse } from '../kernel/problem.ts';
import { sql } from '../kernel/sql.ts';
import type { Verb } from '../perform.ts';
import { seconds, service } from '../service/terms.ts';
import type * as contract from './contract.ts';
import { jobReply, purchaseRefusal } from './job.ts';
import { loadQuote } from './quote.ts';

/** Accepts the quote: the price is reserved under the grant's limits, and the job waits for its payment. */
export const authorize: Verb<typeof contract.authorize> = async ({ ctx, caller, input, tx }) => {
  if (input.terms_version !== service.termsVersion) {
    throw new Problem('terms_version_mismatch', `The current terms are ${service.termsVersion}.`);
  }
  refuse(serviceRefusal(caller.grant, service.serviceKey));
  const jobKey = newKey('job');
  const job = await tx.maybe<{ price_microcents: bigint }>(sql`
    with authorized as (
      update quotes set state = 'authorized'
      where quote_key = ${input.quote_key} and principal_key = ${caller.principalKey} and state = 'open'
        and expires_at > ${ctx.now}
      returning quote_key, principal_key, account_key, price_microcents)
    insert into jobs (job_key, quote_key, principal_key, account_key, grant_key, state, payment_state, charge_state,
      review_state, price_microcents, authorized_on, created_at, updated_at, pay_by, stage)
    select ${jobKey}, quote_key, principal_key, account_key, ${caller.grant.grant_key}, 'awaiting_payment', 'none',
      'none', 'not_open', price_microcents, ${utcDay(ctx.now)}, ${ctx.now}, ${ctx.now},
      ${after(ctx.now, seconds.payWindow)}, 'awaiting_payment'
    from authorized
    returning price_microcents`);
  if (!job) {
    const { job_key } = await loadQuote(tx, input.quote_key, caller, ctx.now);
    if (!job_key) throw new Problem('quote_expired', 'The quote has expired.');
    return { status: 200, ...(await jobReply(tx, job_key, caller, ctx)) };
  }
  // A job that nobody could pay for would only hold the limits.
  refuse(purchaseRefusal(caller));
  audit(tx, {
    purchase: input.quote_key,
    actor: caller.principalKey,
    action: 'authorize',
    from: 'open',
    to: 'awaiting_payment',
    at: ctx.now,
  });
  // Sent in this order, together: the answer looks at what is reserved.
  const [, reply] = await Promise.all([
    reserve(tx, caller.grant.grant_key, job.price_microcents, ctx.now),
    jobReply(tx, jobKey, caller, ctx),
  ]);
  return { status: 201, ...reply };
};
