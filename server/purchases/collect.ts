import { after } from '../kernel/clock.ts';
import { microcents } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import { collected } from '../ledger/entries.ts';
import { post } from '../ledger/ledger.ts';
import { decide, type PaymentRow } from '../payments/payment.ts';
import { enqueueCheck } from '../queue/queue.ts';
import type { Runtime } from '../runtime.ts';
import { seconds } from '../service/terms.ts';
import { advance } from './job.ts';
import { issueReceipt } from './receipt.ts';

/**
 * Records the fact that a payment arrived, all in one transaction: the attempt is decided, the job may start, the books
 * hold the money, the receipt is signed and the work is queued. Whoever learns the fact first records it (the request
 * that paid, its repeat, or the reconciler); for everyone else it is done. False when it was done before.
 */
export async function collect(
  tx: Tx,
  runtime: Runtime,
  payment: PaymentRow,
  transaction: string,
  now: Date,
): Promise<boolean> {
  if (!(await decide(tx, payment.payment_key, { state: 'collected', transaction }, now))) return false;
  const job = await advance(
    tx,
    'collect',
    payment.job_key,
    { actor: 'system', now },
    {
      payment_state: 'collected',
      collected_at: now,
      deliver_by: after(now, seconds.executionDeadline),
      stage: 'queued',
    },
  );
  post(tx, {
    ...collected(payment.network),
    key: payment.payment_key,
    jobKey: job.job_key,
    principalKey: job.principal_key,
    amount: microcents(payment.amount_microcents),
    at: now,
  });
  enqueueCheck(tx, runtime.queue, job.job_key);
  await issueReceipt(tx, runtime.receiptSigner, job, now);
  return true;
}

/** Records the fact that a payment will never arrive: the job can be paid again. */
export async function giveUp(tx: Tx, payment: PaymentRow, failure: string, now: Date): Promise<void> {
  if (!(await decide(tx, payment.payment_key, { state: 'failed', failure }, now))) return;
  tx.write(sql`
    update jobs set payment_state = 'none', updated_at = ${now}
    where job_key = ${payment.job_key} and state = 'awaiting_payment'`);
}
