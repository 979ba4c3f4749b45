import { type Tx, transact } from '../../kernel/transaction.ts';
import { type Attempt, type News, railOf } from '../../payments/rail.ts';
import { each, guarded } from '../../queue/rounds.ts';
import type { Runtime } from '../../runtime.ts';
import { lockJob, noteOnJob } from '../job/advance.ts';
import { recordOutcome } from '../pay/collect.ts';
import { issueReceipt } from '../receipt/receipt.ts';
import { dispute, endDispute, loseDispute } from './dispute.ts';
import { recordGoneBack } from './gone-back.ts';
import { recordRefunded, undoRefund } from './refund.ts';
import { recordReported } from './reported.ts';
import { heal, reverse } from './reverse.ts';

/** Lets every rail look for unexpected changes, and records what it finds, each in its own transaction. */
export async function watchRails(runtime: Runtime): Promise<void> {
  await each([...runtime.rails.values()], (rail) =>
    guarded('rail_not_watched', { rail: rail.name }, () => rail.watch(runtime, telling(runtime))),
  );
}

/** The same for what the rails' providers have announced. */
export async function hearRails(runtime: Runtime): Promise<void> {
  await each([...runtime.rails.values()], (rail) =>
    guarded('rail_not_heard', { rail: rail.name }, () => rail.hear(runtime, telling(runtime))),
  );
}

const telling = (runtime: Runtime) => (attempt: Attempt, news: News) =>
  transact(runtime.db, (tx) => recordNews(tx, runtime, attempt, news));

/** Records later changes of a decided attempt, in whatever order a rail, or an operator in its place, learns of them. */
export async function recordNews(tx: Tx, runtime: Runtime, attempt: Attempt, news: News): Promise<void> {
  const now = runtime.clock();
  switch (news.is) {
    case 'never':
    case 'collected':
      if (attempt.state === 'settling' || attempt.state === 'unknown') {
        await recordOutcome(tx, runtime, { attempt, outcome: news }, now);
        return;
      }
      if (news.is === 'never') return;
      return attempt.state === 'failed'
        ? recordLate(tx, runtime, { attempt, proof: news.proof }, now)
        : recordWhere(tx, runtime, { attempt, proof: news.proof }, now);
    case 'late':
      return recordLate(tx, runtime, { attempt, proof: news.proof }, now);
    case 'reported':
      return recordReported(tx, runtime, { ...news, payment: attempt }, now);
    case 'gone_back':
      return recordGoneBack(tx, runtime, attempt, now);
    case 'disputed':
      return dispute(tx, runtime, { payment: attempt, disputeKey: news.disputeKey }, now);
    case 'dispute_won':
      return endDispute(tx, runtime, { payment: attempt, disputeKey: news.disputeKey }, now);
    case 'reversed':
      if (news.disputeKey !== undefined) {
        const contested = { payment: attempt, disputeKey: news.disputeKey };
        if (!(await loseDispute(tx, runtime, contested, now))) return;
      }
      return reverse(tx, runtime, attempt, now);
    case 'refund_moved':
      return recordRefundMoved(tx, runtime, { ...news, attempt }, now);
    case 'refunded':
      return recordRefunded(tx, runtime, news, now);
    case 'refund_undone':
      return undoRefund(tx, runtime, { ...news, payment: attempt }, now);
    default:
      return news satisfies never;
  }
}

interface Proved {
  attempt: Attempt;
  proof: unknown;
}

/** Money arrived for an attempt that was given up. Its job is paid otherwise or ended, so the money goes back. */
async function recordLate(tx: Tx, { rails }: Runtime, { attempt, proof }: Proved, now: Date): Promise<void> {
  const job = await lockJob(tx, attempt.job_key);
  if (await railOf(rails, attempt).returnLate(tx, attempt, proof, now)) noteOnJob(tx, job, 'arrived_late', now);
}

/** The rail holds a collected payment again, or in another place than before. */
async function recordWhere(tx: Tx, runtime: Runtime, { attempt, proof }: Proved, now: Date): Promise<void> {
  const job = await lockJob(tx, attempt.job_key);
  const hasMoved = await railOf(runtime.rails, attempt).confirm(tx, attempt, proof, now);
  if (hasMoved) noteOnJob(tx, job, 'moved_on_chain', now);
  if (attempt.reversed_at !== null) await heal(tx, runtime, attempt, now);
  else if (hasMoved) await issueReceipt(tx, runtime.receiptSigner, job, now);
}

/** The rail holds a carried out refund in another place than before: the receipt names that. */
async function recordRefundMoved(
  tx: Tx,
  { rails, receiptSigner }: Runtime,
  { attempt, refundKey, proof }: Proved & { refundKey: string },
  now: Date,
): Promise<void> {
  const job = await lockJob(tx, attempt.job_key);
  if (!(await railOf(rails, attempt).refunds.move?.(tx, refundKey, proof, now))) return;
  noteOnJob(tx, job, 'refund_moved_on_chain', now);
  await issueReceipt(tx, receiptSigner, job, now);
}
