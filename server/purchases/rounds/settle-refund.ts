import { microcents } from '../../kernel/money.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { refundCredited, sentByHand } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import { type Settlement, settleable, settleFailed } from '../../payments/refund.ts';
import { Problem } from '../../problems/problem.ts';
import type { Runtime } from '../../runtime.ts';
import { lockJob, moveMoney, noteOnJob } from '../job/advance.ts';
import { notAllowed } from '../job/row.ts';
import { issueReceipt } from '../receipt/receipt.ts';
import { freeRoom } from '../work/ended-room.ts';

/** The id of a refund at Stripe (docs.stripe.com/api/refunds/object; `pyr_` of payments that are no charges). */
const atStripe = /^(re|pyr)_/;

function requireElsewhere({ reference = '' }: Settlement): void {
  if (!atStripe.test(reference)) return;
  throw notAllowed(
    'That is a refund at Stripe, which is found by itself. Record what was sent elsewhere, or the books lose it twice.',
  );
}

/**
 * Closes a refund that failed, or that was pending for a day and cannot be under way, with what an operator did about it:
 * sent by hand, or kept as credit of its buyer. Its amount is the refund's. Resolves to it and to the purchase, if it is
 * of one. Throws `not_found`, and `action_not_allowed` when it may be under way, is settled, waits for a dispute, or is
 * nobody's to spend.
 */
export async function settleRefund(
  tx: Tx,
  { receiptSigner }: Pick<Runtime, 'receiptSigner'>,
  { refundKey, settlement, now }: { refundKey: string; settlement: Settlement; now: Date },
): Promise<{ amount: bigint; purchase: string | null }> {
  const refund = await settleable(tx, refundKey);
  if (!refund) throw new Problem('not_found', `${refundKey} names no refund.`);
  // The job first, like whoever records a dispute or a reversal.
  const job = refund.job_key === null ? null : await lockJob(tx, refund.job_key);
  const isCredit = settlement.as === 'wallet_credit';
  if (isCredit && !refund.is_own) throw notAllowed('Only what a purchase gives back can stay as credit.');
  if (refund.is_found) requireElsewhere(settlement);
  const settled = await settleFailed(tx, refundKey, settlement, now);
  if (!settled) {
    throw notAllowed(
      'No failed refund is open here: it is settled, waits for a dispute, or may be on its way. One that is pending can be settled after a day, where no try can be under way.',
    );
  }
  post(tx, {
    ...(isCredit ? refundCredited : sentByHand(refund.is_card)),
    key: refundKey,
    jobKey: job?.job_key ?? null,
    principalKey: job?.principal_key ?? null,
    amount: microcents(settled.amount_microcents),
    at: now,
  });
  const done = { amount: settled.amount_microcents, purchase: job?.quote_key ?? null };
  if (!job) return done;
  if (!refund.is_own) {
    noteOnJob(tx, job, 'late_payment_refunded', now);
    return done;
  }
  const to = isCredit ? 'credited' : 'refunded';
  const standing = await moveMoney(tx, job.job_key, { to, from: settled.was }, now);
  if (!isCredit) await freeRoom(tx, standing, now);
  noteOnJob(tx, standing, isCredit ? 'refund_credited' : 'refund_sent_by_hand', now);
  await issueReceipt(tx, receiptSigner, standing, now);
  return done;
}
