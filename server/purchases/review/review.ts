import { newKey } from '../../kernel/id.ts';
import { microcents } from '../../kernel/money.ts';
import { seal } from '../../kernel/seal.ts';
import { sql } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { accepted } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import { actorOf, type Buyer, type Member } from '../../operation/caller.ts';
import type { Verb } from '../../operation/verb.ts';
import { Problem, refuse } from '../../problems/problem.ts';
import { enqueueCheck } from '../../queue/queue.ts';
import type { Context } from '../../runtime.ts';
import type * as contract from '../contract.ts';
import { advance, deliverBy } from '../job/advance.ts';
import { acceptRefusal, reviewRefusal } from '../job/authority.ts';
import { holdJob } from '../job/load.ts';
import { type JobRow, type LoadedJob, notAllowed, reviewStateAt } from '../job/row.ts';
import { jobReply } from '../job/view.ts';
import { issueReceipt } from '../receipt/receipt.ts';
import { can, mayAccept, mayDispute, reportNumberIn } from '../states.ts';
import { blockAfterRemedies } from '../work/remedies.ts';
import { waiveCharge } from './waive.ts';

/** A reviewer's words, kept until retention deletes them. */
export type DisputeTexts = Pick<Review, 'detail' | 'correction_request'>;

type Review = Omit<Parameters<Verb<typeof contract.review>>[0]['input'], 'job_key'>;

/**
 * Decides on the newest report: accepting finalizes the charge; the first dispute starts the re-check, the second
 * waives the charge. Repeating a decision answers with the job.
 */
export const review: Verb<typeof contract.review> = async ({ ctx, caller, input, tx }) => {
  if (caller.kind !== 'member') refuse(reviewRefusal(caller));
  const job = await holdJob(tx, input.job_key, caller);
  requireNewest(job, input);
  if (!isRepeat(job, input)) {
    if (!can('accept', job.state)) throw notAllowed(`A job that is ${job.state.replace('_', ' ')} has no open review.`);
    if (input.decision === 'accept') accept(tx, ctx, caller, job);
    else await dispute(tx, ctx, { caller, job }, input);
  }
  return jobReply(tx, job.job_key, caller, ctx);
};

/**
 * Decisions concern the newest report. Accepting a corrected one must name it (specification 9.4), so that nobody pays
 * for a replaced report. A dispute need not: after the re-check it is the second (specification 9.2), unless it names
 * the first report or repeats its key.
 */
function requireNewest(job: JobRow, { decision, report_digest }: Review): void {
  const isUnnamedCorrection = decision === 'accept' && job.state === 'redelivered' && !report_digest;
  if (!isUnnamedCorrection && (!report_digest || !job.report_digest || report_digest === job.report_digest)) return;
  throw new Problem(
    'report_changed',
    isUnnamedCorrection
      ? 'The report was corrected. Read it, and send the report_digest of the one you accept.'
      : 'The digest does not match the newest report.',
    { members: { report_digest: job.report_digest } },
  );
}

function isRepeat(job: JobRow, { decision }: Review): boolean {
  return decision === 'accept' ? job.state === 'accepted' : job.review_state === 'disputed';
}

/** A job and who reviews it. */
interface Reviewed<Job> {
  caller: Buyer | Member;
  job: Job;
}

/** Held becomes revenue; the charge is final. */
function accept(tx: Tx, ctx: Context, caller: Buyer | Member, job: LoadedJob): void {
  if (caller.kind !== 'member') refuse(acceptRefusal(caller));
  if (!mayAccept(job, caller.kind === 'member' ? 'customer' : 'agent')) {
    throw new Problem('producer_may_not_accept', 'The request names this caller as the producer of the work.');
  }
  const done = advance(
    tx,
    'accept',
    { jobKey: job.job_key, actor: actorOf(caller), now: ctx.now },
    { finalized_at: ctx.now, stage: 'accepted' },
  );
  decide(tx, ctx, { caller, job }, { decision: 'accept' });
  post(tx, {
    ...accepted,
    key: job.job_key,
    jobKey: job.job_key,
    principalKey: job.principal_key,
    amount: microcents(job.price_microcents),
    at: ctx.now,
  });
  // Pipelined with what the answer needs, which is not part of the receipt.
  tx.join(() => issueReceipt(tx, ctx.runtime.receiptSigner, { job_key: job.job_key, becomes: done }, ctx.now));
}

async function dispute(tx: Tx, ctx: Context, { caller, job }: Reviewed<LoadedJob>, input: Review): Promise<void> {
  if (!mayDispute({ review_state: reviewStateAt(job, ctx.now) })) {
    throw new Problem('dispute_window_closed', 'The review window has passed. The report can still be accepted.');
  }
  const step = { jobKey: job.job_key, actor: actorOf(caller), now: ctx.now };
  decide(tx, ctx, { caller, job }, input);
  if (!can('dispute', job.state)) {
    await waiveCharge(tx, ctx.runtime, { ...step, transition: 'dispute_again' });
    return blockAfterRemedies(tx, ctx.runtime.configuration, job, ctx.now);
  }
  const disputed = advance(tx, 'dispute', step, {
    deliver_by: deliverBy(ctx.now),
    review_by: null,
    lease_until: null,
    tries: 0,
    stage: 'queued',
    percent: 0,
  });
  enqueueCheck(tx, ctx.runtime.queue, job.job_key);
  await issueReceipt(tx, ctx.runtime.receiptSigner, { job_key: job.job_key, becomes: disputed }, ctx.now);
}

/** Records the decision. The database allows one per report. */
function decide(tx: Tx, ctx: Context, { caller, job }: Reviewed<JobRow>, review: Review): void {
  const { decision, reason = null, detail, correction_request } = review;
  const reviewKey = newKey('review');
  tx.write(sql`
    insert into reviews (review_key, job_key, report_number, decision, reviewer, reason, at)
    values (${reviewKey}, ${job.job_key}, ${reportNumberIn(job.state)}, ${decision}, ${actorOf(caller)}, ${reason},
      ${ctx.now})`);
  const texts: DisputeTexts = { detail, correction_request };
  if (detail === undefined && correction_request === undefined) return;
  tx.write(sql`
    insert into dispute_texts (review_key, texts)
    values (${reviewKey}, ${seal(JSON.stringify(texts), ctx.runtime.configuration.keyring, { column: 'dispute_texts.texts', row: reviewKey })})`);
}
