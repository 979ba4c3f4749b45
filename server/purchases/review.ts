import { actorOf } from '../identity/caller.ts';
import { outsideGrant } from '../identity/grant.ts';
import { newKey } from '../kernel/id.ts';
import { microcents } from '../kernel/money.ts';
import { Problem } from '../kernel/problem.ts';
import { sql } from '../kernel/sql.ts';
import { accepted } from '../ledger/entries.ts';
import { post } from '../ledger/ledger.ts';
import type { Verb } from '../perform.ts';
import type * as contract from './contract.ts';
import { advance, jobReply, loadJob } from './job.ts';
import { issueReceipt } from './receipt.ts';

/** Accepts the report: what was held is earned, and the charge is final. Accepting again answers the same. */
export const review: Verb<typeof contract.review> = async ({ ctx, caller, input, tx }) => {
  if (caller.kind !== 'member' && !caller.grant.review_authority) {
    throw outsideGrant('The grant does not let the agent review deliveries.');
  }
  const job = await loadJob(tx, input.job_key, caller);
  if (input.report_digest && job.report_digest && input.report_digest !== job.report_digest) {
    throw new Problem('report_changed', 'The digest is not that of the newest report.', {
      members: { report_digest: job.report_digest },
    });
  }
  if (job.state === 'accepted') return jobReply(tx, job.job_key, caller, ctx);
  await refuseProducer(tx, job.quote_key, caller.kind === 'member' ? null : caller.principalKey);
  const done = await advance(
    tx,
    'accept',
    job.job_key,
    { actor: actorOf(caller), now: ctx.now },
    { charge_state: 'final', review_state: 'accepted', finalized_at: ctx.now, stage: 'accepted' },
  );
  tx.write(sql`
    insert into reviews (review_key, job_key, report_number, decision, reviewer, at)
    values (${newKey('review')}, ${job.job_key}, 1, 'accept', ${actorOf(caller)}, ${ctx.now})`);
  post(tx, {
    ...accepted,
    key: job.job_key,
    jobKey: job.job_key,
    principalKey: job.principal_key,
    amount: microcents(job.price_microcents),
    at: ctx.now,
  });
  await issueReceipt(tx, ctx.runtime.receiptSigner, done, ctx.now);
  return jobReply(tx, job.job_key, caller, ctx);
};

/** Whoever made the work may not accept the report on it (service.md 1.3), if the request says who made it. */
async function refuseProducer(
  tx: Parameters<typeof loadJob>[0],
  quoteKey: string,
  principalKey: string | null,
): Promise<void> {
  if (principalKey === null) return;
  const row = await tx.one<{ input: string | null }>(sql`select input from quotes where quote_key = ${quoteKey}`);
  const producer = row.input === null ? undefined : JSON.parse(row.input).producer;
  const names = [producer?.agent_key, producer?.wallet].filter((name) => typeof name === 'string');
  if (names.some((name) => name.toLowerCase() === principalKey.toLowerCase())) {
    throw new Problem('producer_may_not_accept', 'The request names this caller as the producer of the work.');
  }
}
