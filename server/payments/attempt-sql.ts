import { isOfFormer } from './card/account.ts';
import { cardEnds, cardPayers, cardReference, cardRefundReference, cardRefundRests } from './card/attempt.ts';
import { keepsCard } from './card/saved.ts';
import { backReference, transferBackRests, transferEnds, transferPayers, transferReference } from './x402/attempt.ts';

/** The rails' tables, joined for purchases. A new rail adds itself to each. */

/** The payer of each attempt: columns `payment_key` and `payer`. Credit has none. */
export const attemptPayers = `${transferPayers} union all ${cardPayers}`;

/** When each open attempt becomes cancelable, and ends: columns `payment_key`, `withdrawable_after`, `expires_at`. */
export const attemptEnds = `${transferEnds} union all ${cardEnds}`;

/** The outside reference of a collection; null for credit. */
export const collectionReference = (paymentKey: string): string =>
  `coalesce(${transferReference(paymentKey)}, ${cardReference(paymentKey)})`;

/** A refund's outside reference; null until it was carried out. */
export const refundReference = (refundKey: string): string =>
  `coalesce(${backReference(refundKey)}, ${cardRefundReference(refundKey)})`;

/** Pending for longer, a refund that rests is for an operator. */
const pendingMax = 'make_interval(days => 1)';

/** Whether an operator may settle the pending refund `r` at `now`: it is old, and its rail sends it no more. */
export const isForOperator = (r: string, now: string): string => `(
  ${r}.state = 'refund_pending' and ${r}.created_at <= ${now} - ${pendingMax}
  and (${cardRefundRests(r, now)} or ${transferBackRests(r)}))`;

/** Whether an account keeps something that can be charged; whether a card charge was made at a former account of ours. */
export { isOfFormer, keepsCard };
