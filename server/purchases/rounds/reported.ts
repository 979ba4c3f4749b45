import type { Tx } from '../../kernel/transaction.ts';
import type { Attempt } from '../../payments/rail.ts';
import type { Runtime } from '../../runtime.ts';
import { lockJob } from '../job/advance.ts';
import { blockBehind } from './block.ts';
import { giveUpCharge } from './gone-back.ts';

/**
 * The payer's bank reports a payment as fraud, and may soon take it back, with a fee on top that is three times the price:
 * so what it paid for is given back at once, however far the job is, and its account and card buy nothing more until an
 * operator has looked. What is contested, or goes back already, is left to that. `isPayment`: not a charge that was late.
 */
export async function recordReported(
  tx: Tx,
  runtime: Runtime,
  { payment, isPayment }: { payment: Attempt; isPayment: boolean },
  now: Date,
): Promise<void> {
  const job = await lockJob(tx, payment.job_key);
  await blockBehind(tx, job, { cause: 'card_reported', paymentKey: payment.payment_key, now });
  if (!isPayment || job.payment_state !== 'collected') return;
  const failure = 'The bank of the card reported the payment as fraud.';
  await giveUpCharge(tx, runtime, { job, because: 'payment_reported', failure }, now);
}
