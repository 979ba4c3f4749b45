import { release } from '../identity/grant.ts';
import { after } from '../kernel/clock.ts';
import { newKey } from '../kernel/id.ts';
import { microcents, toText } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import { collected, creditSpent, type Movement } from '../ledger/entries.ts';
import { post, walletCreditLocked } from '../ledger/ledger.ts';
import { decide, markUnknown, type PaymentRow, recordCreditPayment } from '../payments/x402/attempt.ts';
import { isFinal, type OnChain } from '../payments/x402/chain.ts';
import type { LoggedTransfer } from '../payments/x402/logs.ts';
import { claimArrival, lockTransfer, noteTransfer } from '../payments/x402/transfers.ts';
import { enqueueCheck } from '../queue/queue.ts';
import type { Runtime } from '../runtime.ts';
import { seconds } from '../service/terms.ts';
import { advance, type JobRow, notAllowed } from './job.ts';
import { issueReceipt } from './receipt.ts';

/** Why a payment was given up, by how the chain says it ended. */
const failures = {
  never: 'The authorization can no longer pay.',
  returned: 'What it paid has gone back.',
  foreign: 'It was carried out before it was presented, and not by the wallet that buys.',
} as const;

/**
 * Writes down what the chain says about an open payment, and gives whether that has ended it here: somebody else may have
 * been first. While it can still end either way, nobody tries again with the same signature before `tryAgainAt`.
 */
export async function recordOutcome(
  tx: Tx,
  runtime: Runtime,
  payment: PaymentRow,
  onChain: OnChain,
  { now, tryAgainAt = now }: { now: Date; tryAgainAt?: Date },
): Promise<boolean> {
  if (onChain.outcome === 'paid') return collect(tx, runtime, payment, onChain.transfer, now);
  if (isFinal(onChain)) return giveUp(tx, payment, failures[onChain.outcome], now);
  markUnknown(tx, payment.payment_key, tryAgainAt);
  tx.write(sql`
    update jobs set payment_state = 'unknown', updated_at = ${now}
    where job_key = ${payment.job_key} and state = 'awaiting_payment' and payment_state = 'processing'`);
  return false;
}

/**
 * Records the fact that a payment arrived, all in one transaction: the arrival is used for it, the attempt is decided, the
 * job may start, the books hold the money, the receipt is signed and the work is queued. Whoever learns the fact first
 * records it (the request that paid, its repeat, or the reconciler); for everyone else it is done.
 */
async function collect(
  tx: Tx,
  runtime: Runtime,
  payment: PaymentRow,
  logged: LoggedTransfer,
  now: Date,
): Promise<boolean> {
  const { network, asset, pay_to: payTo, payment_key: paymentKey } = payment;
  const arrival = { network, transaction: logged.transaction, position: logged.position };
  // Sent together: the job moves only by a payment that is collected here, and that only by an arrival that was free.
  noteTransfer(tx, { network, asset, payTo, logged }, now);
  claimArrival(tx, arrival, paymentKey);
  const decided = decide(tx, paymentKey, { state: 'collected' }, now);
  const started = start(tx, runtime, payment, collected, now, paymentKey);
  started.catch(() => {});
  if (await decided) {
    await started;
    return true;
  }
  const taken = await lockTransfer(tx, arrival);
  const wentElsewhere = taken?.use === 'late' || taken?.use === 'returned';
  return wentElsewhere ? giveUp(tx, payment, failures.returned, now) : false;
}

/**
 * Pays for a job out of its principal's credit, all in one transaction: nothing outside has a say in it. False when the
 * job cannot be paid now. Throws `action_not_allowed` when the credit does not cover the price.
 */
export async function spendCredit(tx: Tx, runtime: Runtime, job: JobRow, now: Date): Promise<boolean> {
  const payable = await tx.maybe(sql`
    select 1 from jobs
    where job_key = ${job.job_key} and state = 'awaiting_payment' and payment_state = 'none' for no key update`);
  if (!payable) return false;
  const credit = await walletCreditLocked(tx, job.principal_key);
  if (credit < job.price_microcents) {
    const [have, need] = [toText(credit), toText(job.price_microcents)];
    throw notAllowed(
      `Your credit of ${have} does not cover the price of ${need}. Without method the job is paid in USDC.`,
    );
  }
  const payment = { payment_key: newKey('pay'), job_key: job.job_key, amount_microcents: job.price_microcents };
  recordCreditPayment(tx, payment, now);
  await start(tx, runtime, payment, creditSpent, now);
  release(tx, job.job_key);
  return true;
}

/** The money is there: the job may start; with `decided`, if that payment is collected in this transaction. */
async function start(
  tx: Tx,
  runtime: Runtime,
  payment: Pick<PaymentRow, 'payment_key' | 'job_key' | 'amount_microcents'>,
  movement: Movement,
  now: Date,
  decided?: string,
): Promise<void> {
  const job = await advance(
    tx,
    'collect',
    payment.job_key,
    { actor: 'system', now, ...(decided ? { payment: decided } : {}) },
    {
      payment_state: 'collected',
      collected_at: now,
      deliver_by: after(now, seconds.executionDeadline),
      stage: 'queued',
    },
  );
  post(tx, {
    ...movement,
    key: payment.payment_key,
    jobKey: job.job_key,
    principalKey: job.principal_key,
    amount: microcents(payment.amount_microcents),
    at: now,
  });
  enqueueCheck(tx, runtime.queue, job.job_key);
  // Beside what the caller reads for its answer, which is no part of the receipt.
  tx.join(() => issueReceipt(tx, runtime.receiptSigner, job.job_key, job, now));
}

/** Records the fact that a payment will never arrive: the job can be paid again. */
async function giveUp(tx: Tx, payment: PaymentRow, failure: string, now: Date): Promise<boolean> {
  if (!(await decide(tx, payment.payment_key, { state: 'failed', failure }, now))) return false;
  tx.write(sql`
    update jobs set payment_state = 'none', updated_at = ${now}
    where job_key = ${payment.job_key} and state = 'awaiting_payment'`);
  return true;
}
