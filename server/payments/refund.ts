import { newKey } from '../kernel/id.ts';
import { microcents } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import { credited, refundOwed } from '../ledger/entries.ts';
import { post } from '../ledger/ledger.ts';

/** Why a collection goes back to who paid it. */
export type RefundReason = 'second_dispute' | 'recheck_failed' | 'waived_by_operator';

/**
 * Owes back what was collected for a job whose charge is waived, in the caller's transaction, which also moves the job
 * and issues its receipt. Money goes back to the address that paid: the refund is recorded as `refund_pending` and
 * carried out by the sweep. Credit that was spent is credited again at once. Resolves to the job's new
 * `payment_state`. A job gives back once: a second call fails the transaction, and the database refuses it too.
 */
export async function requestRefund(
  tx: Tx,
  request: { jobKey: string; reason: RefundReason; now: Date },
): Promise<'refund_pending' | 'credited'> {
  const { jobKey, reason, now } = request;
  const payment = await tx.one<{
    payment_key: string;
    method: 'x402' | 'wallet_credit';
    amount_microcents: bigint;
    principal_key: string;
  }>(sql`
    select payment_key, method, amount_microcents, principal_key
    from payments join jobs using (job_key)
    where job_key = ${jobKey} and payments.state = 'collected'`);
  const amount = microcents(payment.amount_microcents);
  const owed = { jobKey, principalKey: payment.principal_key, amount, at: now };
  if (payment.method === 'wallet_credit') {
    post(tx, { ...credited, ...owed, key: jobKey });
    return 'credited';
  }
  post(tx, { ...refundOwed, ...owed, key: payment.payment_key });
  tx.write(sql`
    insert into refunds (refund_key, payment_key, job_key, amount_microcents, reason, state, next_try_at, created_at)
    values (${newKey('refund')}, ${payment.payment_key}, ${jobKey}, ${amount}, ${reason}, 'refund_pending', ${now},
      ${now})`);
  return 'refund_pending';
}
