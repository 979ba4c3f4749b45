import { release } from '../identity/grant.ts';
import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { microcents } from '../kernel/money.ts';
import { type Tx, transact } from '../kernel/transaction.ts';
import { refunded } from '../ledger/entries.ts';
import { post } from '../ledger/ledger.ts';
import { authorizationOf, openPayments, type PaymentRow, takeLease, whileCalling } from '../payments/x402/attempt.ts';
import { isFinal, type OnChain } from '../payments/x402/chain.ts';
import type { LoggedTransfer } from '../payments/x402/logs.ts';
import { lookUpOpen, settleOpen } from '../payments/x402/outcome.ts';
import {
  decideRefund,
  dueRefunds,
  lostRefunds,
  type RefundRow,
  takeRefund,
  transferBack,
  validSeconds,
  waitWithRefund,
  whileTrying,
} from '../payments/x402/refund.ts';
import type { X402Rail } from '../payments/x402/stablecoins.ts';
import { claimDeparture, noteTransfer, transactionUsing } from '../payments/x402/transfers.ts';
import type { Runtime } from '../runtime.ts';
import { recordOutcome } from './collect.ts';
import { type JobRow, lockJob, noteOnJob, setPaymentState } from './job.ts';
import { moveRefund } from './match.ts';
import { issueReceipt } from './receipt.ts';
import { each, guarded } from './rounds.ts';

/** Rows one round takes of each kind; the next round takes the rest. */
const batch = 50;
/** A transfer that could not be carried out is tried again after this long. */
const tryAgainSeconds = 5;

/**
 * Brings our books and the chain together: payments whose outcome is open, and refunds that are owed. Each is moved on
 * by the same steps as on the ordinary path, so a round beside a living request, or beside another round, changes
 * nothing twice.
 */
export async function reconcile(runtime: Runtime): Promise<void> {
  const rail = runtime.x402;
  if (!rail) return;
  await Promise.all([reconcilePayments(runtime, rail), carryOutRefunds(runtime, rail)]);
}

async function reconcilePayments(runtime: Runtime, rail: X402Rail): Promise<void> {
  await each(await openPayments(runtime.db, runtime.clock(), batch), (payment) =>
    guarded('payment_not_reconciled', { payment_key: payment.payment_key }, () =>
      reconcilePayment(runtime, rail, payment),
    ),
  );
}

/**
 * Asks the chain how a payment stands. A transfer that it has not seen is carried out again, as long as its signature
 * is good and no request is at it: that can move the money once at most.
 */
async function reconcilePayment(runtime: Runtime, rail: X402Rail, payment: PaymentRow): Promise<void> {
  const leased = await takeLease(runtime.db, payment.payment_key, runtime.clock());
  const onChain = leased
    ? await whileCalling(runtime, payment.payment_key, () => carriedOut(runtime.db, rail, payment))
    : await lookUpOpen(runtime.db, rail, payment);
  if (!leased && !isFinal(onChain)) return;
  const now = runtime.clock();
  await transact(runtime.db, (tx) =>
    recordOutcome(tx, runtime, payment, onChain, { now, tryAgainAt: after(now, tryAgainSeconds) }),
  );
}

/** What became of a payment on its chain: one that the chain has not seen is carried out, when its signature is there. */
async function carriedOut(db: Queries, rail: X402Rail, payment: PaymentRow): Promise<OnChain> {
  const onChain = await lookUpOpen(db, rail, payment);
  const { signature } = payment;
  return onChain.outcome === 'unused' && signature
    ? settleOpen(rail, payment, { authorization: authorizationOf(payment), signature })
    : onChain;
}

async function carryOutRefunds(runtime: Runtime, rail: X402Rail): Promise<void> {
  // Without the key of the address that was paid, refunds wait for an operator.
  if (!rail.refundsFrom) return;
  const due = await dueRefunds(runtime.db, rail.refundsFrom, runtime.clock(), batch);
  await each(due, (refund) =>
    guarded('refund_not_carried_out', { refund_key: refund.refund_key }, () => carryOut(runtime, rail, refund)),
  );
  await each(await lostRefunds(runtime.db, rail.refundsFrom, batch), (refund) =>
    guarded('refund_not_carried_out', { refund_key: refund.refund_key }, () => carryOutAgain(runtime, rail, refund)),
  );
}

/** Intent, call, fact. A try whose answer was lost is found on the chain before anything is sent again. */
async function carryOut(runtime: Runtime, rail: X402Rail, due: RefundRow): Promise<void> {
  const refund = await takeRefund(runtime.db, due, runtime.clock());
  if (!refund) return;
  const onChain = await whileTrying(runtime, refund, () => sentBack(runtime, rail, refund));
  const now = runtime.clock();
  if (!isFinal(onChain)) return waitWithRefund(runtime.db, refund, now);
  await transact(runtime.db, (tx) =>
    onChain.outcome === 'paid'
      ? recordRefunded(tx, runtime, refund, onChain.transfer, now)
      : recordRefundFailed(tx, runtime, refund, now),
  );
}

/** A refund that was carried out, and that a reorganisation has removed: the same nonce lets it happen once. */
async function carryOutAgain(runtime: Runtime, rail: X402Rail, refund: RefundRow): Promise<void> {
  const onChain = await sentBack(runtime, rail, { ...refund, valid_before: after(runtime.clock(), validSeconds) });
  if (onChain.outcome !== 'paid') return;
  const { network, asset, recipient, amount_microcents } = refund;
  const now = runtime.clock();
  await transact(runtime.db, async (tx) => {
    noteTransfer(tx, { network, asset, payTo: recipient, logged: onChain.transfer }, now);
    await moveRefund(tx, { network, ...onChain.transfer, amount_microcents }, refund.refund_key, now);
  });
}

/** Sends an arrival back, unless that has happened, and as long as the chain shows the arrival: in live mode, for good. */
async function sentBack(runtime: Runtime, rail: X402Rail, refund: RefundRow): Promise<OnChain> {
  const transfer = transferBack(refund);
  const hint = await transactionUsing(runtime.db, transfer);
  const found = await rail.lookUp(transfer, { seenAt: refund.created_at, hint });
  if (found.outcome !== 'unused' || !(await isThere(rail, refund))) return found;
  return rail.settle(await rail.sign(transfer), refund.created_at);
}

async function isThere(rail: X402Rail, refund: RefundRow): Promise<boolean> {
  const { network, arrival_transaction, arrival_position } = refund;
  const arrival = (await rail.transfersIn(network, arrival_transaction))?.find(
    ({ position }) => position === arrival_position,
  );
  if (!arrival) return false;
  return !rail.refundsWaitForFinality || (await rail.finalized(network)) >= arrival.blockNumber;
}

/** Writes down that a refund was carried out: the departure, its row, the job, the books and the next receipt. */
async function recordRefunded(
  tx: Tx,
  runtime: Runtime,
  refund: RefundRow,
  logged: LoggedTransfer,
  now: Date,
): Promise<void> {
  const { network, asset, recipient: payTo, refund_key: refundKey } = refund;
  noteTransfer(tx, { network, asset, payTo, logged }, now);
  await claimDeparture(tx, { network, ...logged }, { refundKey });
  if (!(await decideRefund(tx, refundKey, { state: 'refunded' }, now))) return;
  const job = await jobAfter(tx, refund, 'refunded', now);
  post(tx, {
    ...refunded,
    key: refundKey,
    jobKey: job?.job_key ?? null,
    principalKey: job?.principal_key ?? null,
    amount: microcents(refund.amount_microcents),
    at: now,
  });
  if (!job) return;
  if (refund.reason === 'late_payment') return noteOnJob(tx, job, 'late_payment_refunded', now);
  release(tx, job.job_key);
  noteOnJob(tx, job, 'refunded', now);
  await issueReceipt(tx, runtime.receiptSigner, job.job_key, job, now);
}

async function recordRefundFailed(tx: Tx, runtime: Runtime, refund: RefundRow, now: Date): Promise<void> {
  const failure = 'The transfer back can no longer be carried out.';
  if (!(await decideRefund(tx, refund.refund_key, { state: 'refund_failed', failure }, now))) return;
  const job = await jobAfter(tx, refund, 'refund_failed', now);
  if (!job) return;
  if (refund.reason === 'late_payment') return noteOnJob(tx, job, 'late_payment_kept', now);
  noteOnJob(tx, job, 'refund_failed', now);
  await issueReceipt(tx, runtime.receiptSigner, job.job_key, job, now);
}

/** The job of a refund as it stands afterwards. A late payment is nothing to its job, and what was returned has none. */
async function jobAfter(
  tx: Tx,
  { job_key, reason }: RefundRow,
  state: 'refunded' | 'refund_failed',
  now: Date,
): Promise<JobRow | null> {
  if (job_key === null) return null;
  if (reason === 'late_payment') return lockJob(tx, job_key);
  return setPaymentState(tx, job_key, state, now, 'refund_pending');
}
