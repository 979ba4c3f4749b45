import { release } from '../identity/grant.ts';
import { after } from '../kernel/clock.ts';
import { microcents } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import { transact } from '../kernel/transaction.ts';
import { refunded } from '../ledger/entries.ts';
import { post } from '../ledger/ledger.ts';
import { isFinal, type OnChain } from '../payments/chain.ts';
import { authorizationOf, openPayments, type PaymentRow, takeLease, whileCalling } from '../payments/payment.ts';
import {
  decideRefund,
  dueRefunds,
  type RefundRow,
  takeRefund,
  transferBack,
  waitWithRefund,
  whileTrying,
} from '../payments/refund.ts';
import type { X402Rail } from '../payments/x402.ts';
import type { Runtime } from '../runtime.ts';
import { recordOutcome } from './collect.ts';
import { type JobRow, lockJob, noteOnJob } from './job.ts';
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
    ? await whileCalling(runtime, payment.payment_key, () => carriedOut(rail, payment))
    : await rail.lookUp(authorizationOf(payment), payment.created_at);
  if (!leased && !isFinal(onChain)) return;
  const now = runtime.clock();
  await transact(runtime.db, (tx) =>
    recordOutcome(tx, runtime, payment, onChain, { now, tryAgainAt: after(now, tryAgainSeconds) }),
  );
}

/** What became of a payment on its chain: one that the chain has not seen is carried out, when its signature is there. */
async function carriedOut(rail: X402Rail, payment: PaymentRow): Promise<OnChain> {
  const authorization = authorizationOf(payment);
  const { signature, created_at } = payment;
  const onChain = await rail.lookUp(authorization, created_at);
  return onChain.outcome === 'unused' && signature ? rail.settle({ authorization, signature }, created_at) : onChain;
}

async function carryOutRefunds(runtime: Runtime, rail: X402Rail): Promise<void> {
  // Without the key of the address that was paid, refunds wait for an operator.
  if (!rail.refundsFrom) return;
  const due = await dueRefunds(runtime.db, rail.refundsFrom, runtime.clock(), batch);
  await each(due, (refund) =>
    guarded('refund_not_carried_out', { refund_key: refund.refund_key }, () => carryOut(runtime, rail, refund)),
  );
}

/** Intent, call, fact. A try whose answer was lost is found on the chain before anything is sent again. */
async function carryOut(runtime: Runtime, rail: X402Rail, due: RefundRow): Promise<void> {
  const refund = await takeRefund(runtime.db, due, runtime.clock());
  if (!refund) return;
  const transfer = transferBack(refund);
  const onChain = await whileTrying(runtime, refund, async () => {
    const found = await rail.lookUp(transfer, refund.created_at);
    return found.outcome === 'unused' ? rail.settle(await rail.sign(transfer), refund.created_at) : found;
  });
  const now = runtime.clock();
  if (!isFinal(onChain)) return waitWithRefund(runtime.db, refund, now);
  const fact =
    onChain.outcome === 'paid'
      ? { state: 'refunded' as const, transaction: onChain.transaction }
      : { state: 'refund_failed' as const, failure: 'The transfer back can no longer be carried out.' };
  await recordRefund(runtime, refund, fact, now);
}

/** Writes down how a refund ended: on its row, on the job, in the books and on the next receipt. */
async function recordRefund(
  runtime: Runtime,
  refund: RefundRow,
  fact: Parameters<typeof decideRefund>[2],
  now: Date,
): Promise<void> {
  await transact(runtime.db, async (tx) => {
    if (!(await decideRefund(tx, refund.refund_key, fact, now))) return;
    const isLate = refund.reason === 'late_payment';
    const job = isLate
      ? await lockJob(tx, refund.job_key)
      : await tx.one<JobRow>(sql`
        update jobs set payment_state = ${fact.state}, updated_at = ${now}
        where job_key = ${refund.job_key} and payment_state = 'refund_pending'
        returning *`);
    if (fact.state === 'refunded') {
      post(tx, {
        ...refunded(refund.network),
        key: refund.payment_key,
        jobKey: job.job_key,
        principalKey: job.principal_key,
        amount: microcents(refund.amount_microcents),
        at: now,
      });
      if (!isLate) release(tx, job.job_key);
    }
    if (isLate) {
      noteOnJob(tx, job, fact.state === 'refunded' ? 'late_payment_refunded' : 'late_payment_kept', now);
    } else {
      noteOnJob(tx, job, fact.state, now);
      await issueReceipt(tx, runtime.receiptSigner, job.job_key, job, now);
    }
  });
}
