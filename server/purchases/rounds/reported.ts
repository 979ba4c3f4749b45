import { wasBlockedFor } from '../../identity/blocked.ts';
import type { Tx } from '../../kernel/transaction.ts';
import type { Attempt } from '../../payments/rail.ts';
import type { Runtime } from '../../runtime.ts';
import { lockJob } from '../job/advance.ts';
import { blockBehind } from './block.ts';
import { giveUpCharge } from './gone-back.ts';

/** A payment that its payer's bank reports: who paid, and whether what it paid for is to go back. */
interface Reported {
  payment: Attempt;
  payer: string | null;
  givesBack: boolean;
}

/**
 * The payer's bank reports a payment as fraud, and may soon take it back, with a fee on top that is three times the price:
 * so what it paid is given back at once, however far the job is, and account and card buy nothing more until an operator
 * has looked. Once for each payment: an operator may have lifted that. What is contested, or goes back already, is left to that.
 */
export async function recordReported(
  tx: Tx,
  runtime: Runtime,
  { payment, payer, givesBack }: Reported,
  now: Date,
): Promise<void> {
  const { payment_key: paymentKey } = payment;
  const job = await lockJob(tx, payment.job_key);
  if (await wasBlockedFor(tx, 'card_reported', paymentKey)) return;
  blockBehind(tx, job, { cause: 'card_reported', paymentKey, payer, now });
  if (!givesBack || job.payment_state !== 'collected') return;
  const failure = 'The bank of the card reported the payment as fraud.';
  await giveUpCharge(tx, runtime, { job, because: 'payment_reported', failure }, now);
}
