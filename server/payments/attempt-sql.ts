import { cardEnds, cardPayers, cardReference } from './card/attempt.ts';
import { transferEnds, transferPayers, transferReference } from './x402/attempt.ts';

/** What purchases join of the rails' own tables, over all rails. Another rail adds itself to each. */

/** Who pays in each attempt: columns `payment_key` and `payer`. Credit has no payer. */
export const attemptPayers = `${transferPayers} union all ${cardPayers}`;

/** From when on each attempt that is open can be called back for certain: columns `payment_key`, `withdrawable_after`. */
export const attemptEnds = `${transferEnds} union all ${cardEnds}`;

/** What the collection of a payment is known by outside; null for one out of credit. */
export const collectionReference = (paymentKey: string): string =>
  `coalesce(${transferReference(paymentKey)}, ${cardReference(paymentKey)})`;
