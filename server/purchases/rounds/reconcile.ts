import { buyerOfPrincipal, buyersMethods } from '../../identity/buyer-behind.ts';
import { release, retake } from '../../identity/grant.ts';
import { after } from '../../kernel/clock.ts';
import { microcents } from '../../kernel/money.ts';
import { each, guarded } from '../../kernel/rounds.ts';
import { statement } from '../../kernel/sql.ts';
import { type Tx, transact } from '../../kernel/transaction.ts';
import { refunded, refundReturned } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import { takeLease, whileCalling } from '../../payments/attempt.ts';
import type { Attempt, Rail, Refund } from '../../payments/rail.ts';
import { decideRefund, reopenRefund, waitWithRefund, whileTrying } from '../../payments/refund.ts';
import type { Runtime } from '../../runtime.ts';
import { lockJob, moveMoney, noteOnJob } from '../job/advance.ts';
import type { JobRow } from '../job/row.ts';
import { recordOutcome } from '../pay/collect.ts';
import { withdrawn } from '../pay/withdraw.ts';
import { issueReceipt } from '../receipt/receipt.ts';
import { throughAll } from './rounds.ts';

/** Rows of each kind per round. */
const batch = 50;
/** Pause before a failed payment is tried again. */
const tryAgainSeconds = 5;

/**
 * Reconciles our books with the providers: open payments and owed refunds. Uses the steps of the ordinary path, so
 * running beside a request or another round changes nothing twice.
 */
export async function reconcile(runtime: Runtime): Promise<void> {
  await Promise.all([
    endForStopped(runtime),
    ...[...runtime.rails.values()].flatMap((rail) => [
      reconcilePayments(runtime, rail),
      carryOutRefunds(runtime, rail),
    ]),
  ]);
}

const waitingForStopped = `
  select job_key from jobs join payments p using (job_key) join (${buyersMethods}) buyer using (principal_key)
  where jobs.state = 'awaiting_payment' and payment_state = 'requires_payer' and job_key > $1
    and p.state in ('settling', 'unknown') and not p.method = any (buyer.payment_methods)
  order by job_key limit $2`;

/**
 * Ends payments that wait for their payer while their buyer may not pay this way: a page that was open when its agent was
 * paused or revoked, its account blocked, or cards taken from its grant, takes no more money. Tries again in each round until the provider answers.
 */
async function endForStopped(runtime: Runtime): Promise<void> {
  await throughAll(
    ({ after: last, limit }) => runtime.db.many<{ job_key: string }>(statement(waitingForStopped, [last, limit])),
    ({ job_key }) =>
      guarded('payment_not_ended', { job_key }, async () => {
        const open = await withdrawn(runtime, job_key);
        if (!open) return;
        const now = runtime.clock();
        await transact(runtime.db, (tx) => recordOutcome(tx, runtime, open.attempt, open.outcome, { now }));
      }),
  );
}

/**
 * A round for one job, at once: looks up its open payment, and carries out a refund that is due. Changes nothing when
 * the provider does not answer.
 */
export async function askHowItStands(runtime: Runtime, jobKey: string): Promise<void> {
  await each([...runtime.rails.values()], (rail) =>
    guarded('payment_not_reconciled', { job_key: jobKey }, async () => {
      const attempt = await rail.openAttempt(runtime.db, jobKey);
      if (attempt) await reconcilePayment(runtime, rail, attempt);
      const due = await rail.refunds.due(runtime.db, runtime.clock(), batch);
      for (const refund of due) if (refund.job_key === jobKey) await carryOut(runtime, rail, refund);
    }),
  );
}

async function reconcilePayments(runtime: Runtime, rail: Rail): Promise<void> {
  await each(await rail.openAttempts(runtime.db, runtime.clock(), batch), (attempt) =>
    guarded('payment_not_reconciled', { payment_key: attempt.payment_key }, () =>
      reconcilePayment(runtime, rail, attempt),
    ),
  );
}

/** Carries an attempt out again if no request is on it; else looks it up. */
async function reconcilePayment(runtime: Runtime, rail: Rail, attempt: Attempt): Promise<void> {
  const leased = await takeLease(runtime.db, attempt.payment_key, runtime.clock());
  const outcome = leased
    ? await whileCalling(runtime, attempt.payment_key, async () => {
        const { payment_methods: methods } = await buyerOfPrincipal(runtime.db, attempt.principal_key);
        return rail.settle(runtime, attempt, (method) => methods.includes(method));
      })
    : await rail.lookUp(runtime, attempt);
  if (!leased && outcome.is !== 'collected' && outcome.is !== 'never') return;
  const now = runtime.clock();
  await transact(runtime.db, (tx) =>
    recordOutcome(tx, runtime, attempt, outcome, { now, tryAgainAt: after(now, tryAgainSeconds) }),
  );
}

async function carryOutRefunds(runtime: Runtime, rail: Rail): Promise<void> {
  await each(await rail.refunds.due(runtime.db, runtime.clock(), batch), (refund) =>
    guarded('refund_not_carried_out', { refund_key: refund.refund_key }, () => carryOut(runtime, rail, refund)),
  );
  await rail.refunds.mend(runtime);
}

/** Intent, call, fact. */
async function carryOut(runtime: Runtime, rail: Rail, due: Refund): Promise<void> {
  const refund = await rail.refunds.take(runtime.db, due, runtime.clock());
  if (!refund) return;
  const fate = await whileTrying(runtime, refund, () => rail.refunds.carryOut(runtime.db, refund));
  const now = runtime.clock();
  switch (fate.is) {
    case 'open':
      return waitWithRefund(runtime.db, refund, now);
    case 'refunded':
      return transact(runtime.db, (tx) => recordRefunded(tx, runtime, rail, refund, fate.proof, now));
    case 'refund_failed':
      return transact(runtime.db, (tx) => recordRefundFailed(tx, runtime, refund, fate.because, now));
    default:
      return fate satisfies never;
  }
}

/** Records a refund: departure, row, job, books and receipt. */
async function recordRefunded(
  tx: Tx,
  runtime: Runtime,
  rail: Rail,
  refund: Refund,
  proof: unknown,
  now: Date,
): Promise<void> {
  await rail.refunds.prove(tx, refund, proof, now);
  if (!(await decideRefund(tx, refund.refund_key, { state: 'refunded' }, now))) return;
  const job = await jobAfter(tx, refund, 'refunded', now);
  post(tx, {
    ...refunded,
    key: refund.refund_key,
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

async function recordRefundFailed(tx: Tx, runtime: Runtime, refund: Refund, failure: string, now: Date): Promise<void> {
  if (!(await decideRefund(tx, refund.refund_key, { state: 'refund_failed', failure }, now))) return;
  const job = await jobAfter(tx, refund, 'refund_failed', now);
  if (!job) return;
  if (refund.reason === 'late_payment') return noteOnJob(tx, job, 'late_payment_kept', now);
  noteOnJob(tx, job, 'refund_failed', now);
  await issueReceipt(tx, runtime.receiptSigner, job.job_key, job, now);
}

/** A refund came back: an operator must look. The job holds its room again, with the money. */
export async function undoRefund(
  tx: Tx,
  { receiptSigner }: Pick<Runtime, 'receiptSigner'>,
  payment: Attempt,
  { refundKey, because }: { refundKey: string; because: string },
  now: Date,
): Promise<void> {
  const job = await lockJob(tx, payment.job_key);
  const refund = await reopenRefund(tx, refundKey, because, now);
  if (!refund) return;
  const { job_key: jobKey, principal_key: principalKey } = job;
  const amount = microcents(refund.amount_microcents);
  post(tx, { ...refundReturned, key: refundKey, jobKey, principalKey, amount, at: now });
  if (refund.reason === 'late_payment') return noteOnJob(tx, job, 'late_payment_kept', now);
  const standing = await moveMoney(tx, jobKey, 'refund_failed', now, 'refunded');
  retake(tx, jobKey);
  noteOnJob(tx, standing, 'refund_failed', now);
  await issueReceipt(tx, receiptSigner, jobKey, standing, now);
}

/** The job after a refund; none for late and returned payments. */
async function jobAfter(
  tx: Tx,
  { job_key, reason }: Refund,
  state: 'refunded' | 'refund_failed',
  now: Date,
): Promise<JobRow | null> {
  if (job_key === null) return null;
  if (reason === 'late_payment') return lockJob(tx, job_key);
  return moveMoney(tx, job_key, state, now, 'refund_pending');
}
