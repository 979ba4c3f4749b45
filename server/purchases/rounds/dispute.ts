import { liftBlocks } from '../../identity/blocked.ts';
import { microcents } from '../../kernel/money.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { healed, type Movement, reversed } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import {
  type ClosedDispute,
  closeDispute,
  noteDispute,
  noteExpense,
  passStateOn,
  takeExpense,
  takeState,
} from '../../payments/dispute.ts';
import { type Attempt, railOf } from '../../payments/rail.ts';
import { cancelLateRefund, reviveLateRefund } from '../../payments/refund.ts';
import type { Runtime } from '../../runtime.ts';
import { lockJob, moveMoney, noteOnJob } from '../job/advance.ts';
import type { JobRow } from '../job/row.ts';
import { issueReceipt } from '../receipt/receipt.ts';
import type { PaymentState } from '../states.ts';
import { freeRoom } from '../work/ended-room.ts';
import { blockBehind } from './block.ts';
import { heal } from './reverse.ts';

/** A payment and its bank's dispute. */
interface Contested {
  payment: Attempt;
  disputeKey: string;
}

/**
 * Records that the payer's bank contests a payment: until that ends its account and card buy nothing new. Paid jobs continue,
 * and delivered reports stay readable (specification 8).
 */
export async function dispute(
  tx: Tx,
  { receiptSigner }: Pick<Runtime, 'receiptSigner'>,
  { payment, disputeKey }: Contested,
  now: Date,
): Promise<void> {
  const job = await lockJob(tx, payment.job_key);
  const noted = await noteDispute(tx, disputeKey, job.payment_state, now);
  if (!noted) return;
  blockBehind(tx, job, { cause: 'card_dispute', paymentKey: payment.payment_key, payer: noted.payer, now });
  if (noted.job_payment_state === null) return;
  const disputed = await moveMoney(tx, job.job_key, { to: 'disputed' }, now);
  noteOnJob(tx, disputed, 'disputed', now);
  await issueReceipt(tx, receiptSigner, disputed, now);
}

/** Records that the payment stands: a refund that waited continues. Undoes an earlier loss of the dispute. */
export async function endDispute(
  tx: Tx,
  recorder: Pick<Runtime, 'receiptSigner' | 'rails'>,
  { payment, disputeKey }: Contested,
  now: Date,
): Promise<void> {
  const { receiptSigner, rails } = recorder;
  const job = await lockJob(tx, payment.job_key);
  const closed = await closeDispute(tx, disputeKey, 'won', now);
  if (!closed) return;
  if (closed.before === 'lost') {
    const expensed = await takeExpense(tx, disputeKey, closed.intent_id);
    if (expensed > 0n) {
      noteOnJob(tx, job, 'reversal_healed', now);
      const back = healed('expense:reversals', railOf(rails, payment).suspense);
      return postOf(tx, job, { ...back, key: keyOf(disputeKey, closed), amount: expensed }, now);
    }
    if (closed.is_payment) return heal(tx, recorder, payment, now);
    const late = await reviveLateRefund(tx, closed.intent_id, now);
    if (!late) return;
    noteOnJob(tx, job, 'reversal_healed', now);
    const owed = healed('liability:refunds', railOf(rails, payment).suspense);
    return postOf(tx, job, { ...owed, key: keyOf(disputeKey, closed), amount: late.amount_microcents }, now);
  }
  await liftDisputed(tx, payment, { ...closed, because: 'The dispute was won.' }, now);
  if (closed.job_payment_state === null) return;
  if (await passStateOn(tx, payment.payment_key, closed.job_payment_state)) return;
  const to = closed.job_payment_state as PaymentState;
  const standing = await moveMoney(tx, job.job_key, { to, from: 'disputed' }, now);
  if (standing.payment_state === 'refunded') await freeRoom(tx, standing, now);
  noteOnJob(tx, standing, 'dispute_won', now);
  await issueReceipt(tx, receiptSigner, standing, now);
}

/**
 * Ends a lost dispute before its reversal, which has a block of its own for an operator to lift. False when it ended
 * before, was about a late charge, whose refund is then no longer owed, or came after another had reversed the payment.
 * Money that had gone back already is a loss.
 */
export async function loseDispute(
  tx: Tx,
  { rails }: Pick<Runtime, 'rails'>,
  { payment, disputeKey }: Contested,
  now: Date,
): Promise<boolean> {
  const job = await lockJob(tx, payment.job_key);
  const closed = await closeDispute(tx, disputeKey, 'lost', now);
  if (!closed) return false;
  await liftDisputed(
    tx,
    payment,
    { ...closed, because: 'The dispute was lost.', isFollowed: closed.is_payment && job.payment_state !== 'reversed' },
    now,
  );
  const before = closed.job_payment_state ?? (closed.is_payment ? await takeState(tx, payment.payment_key) : null);
  if (before !== null) await moveMoney(tx, job.job_key, { to: before as PaymentState, from: 'disputed' }, now);
  const { suspense } = railOf(rails, payment);
  if (closed.is_payment && job.payment_state !== 'reversed') return true;
  const late = closed.is_payment ? undefined : await cancelLateRefund(tx, closed.intent_id, now);
  noteOnJob(tx, job, 'reversed', now);
  const amount = late ? late.amount_microcents : closed.withdrawn_microcents;
  if (!late) noteExpense(tx, disputeKey, amount);
  const from = reversed(late ? 'liability:refunds' : 'expense:reversals', suspense);
  if (amount > 0n) postOf(tx, job, { ...from, key: keyOf(disputeKey, closed), amount }, now);
  return false;
}

/** Names one result of a dispute in the books. Each later result comes with another movement. */
const keyOf = (disputeKey: string, { movements }: ClosedDispute): string => `${disputeKey}:${movements}`;

/** Lets account and card buy again once no dispute of the payment is open; the block of a reversal stays. */
async function liftDisputed(
  tx: Tx,
  { payment_key: paymentKey }: Attempt,
  {
    is_last: isLast,
    because,
    isFollowed = false,
  }: Pick<ClosedDispute, 'is_last'> & { because: string; isFollowed?: boolean },
  now: Date,
): Promise<void> {
  const by = { actor: 'system', because, now, cause: 'card_dispute', isFollowed } as const;
  if (isLast) await liftBlocks(tx, paymentKey, by);
}

/** Posts what the result of a dispute does to money beside that of the job. */
function postOf(
  tx: Tx,
  { job_key: jobKey, principal_key: principalKey }: JobRow,
  { amount, ...movement }: Movement & { key: string; amount: bigint },
  now: Date,
): void {
  post(tx, { ...movement, jobKey, principalKey, amount: microcents(amount), at: now });
}
