import { cardEnds, cardPayers, cardReference, cardRefundReference } from './card/attempt.ts';
import { keepsCard } from './card/saved.ts';
import { backReference, transferEnds, transferPayers, transferReference } from './x402/attempt.ts';

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

/** Whether an account keeps something that can be charged. */
export { keepsCard };
