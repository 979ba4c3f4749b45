import type { Queries } from '../../kernel/database.ts';
import { authorizationOf, type PaymentRow } from './attempt.ts';
import type { OnChain, SignedTransfer } from './chain.ts';
import type { X402Rail } from './stablecoins.ts';
import { refundNonceOf, transactionUsing } from './transfers.ts';

/**
 * What the chain says about an open payment, and what that is worth here. A transfer whose money has gone back since, as
 * it may have before the database was restored, is not collected again.
 */
export async function lookUpOpen(db: Queries, rail: X402Rail, payment: PaymentRow): Promise<OnChain> {
  const authorization = authorizationOf(payment);
  const hint = await transactionUsing(db, authorization);
  const onChain = worth(payment, await rail.lookUp(authorization, { seenAt: payment.created_at, hint }));
  if (onChain.outcome !== 'paid') return onChain;
  const isGivenBack = await rail.isGivenBack(authorization, refundNonceOf(authorization));
  return isGivenBack ? { outcome: 'returned', transfer: onChain.transfer } : onChain;
}

/** Has an open payment carried out that the chain had not seen: nothing can have gone back of it. */
export async function settleOpen(rail: X402Rail, payment: PaymentRow, transfer: SignedTransfer): Promise<OnChain> {
  return worth(payment, await rail.settle(transfer, payment.created_at));
}

/**
 * Signatures are public once they are settled: whoever reads one off the chain must not pay with it. Of another payer than
 * the wallet that buys, a transfer counts only in a later block than any that was seen before it was presented.
 */
function worth(payment: PaymentRow, onChain: OnChain): OnChain {
  if (onChain.outcome !== 'paid' || payment.payer === payment.principal_key) return onChain;
  return onChain.transfer.blockNumber > payment.seen_block
    ? onChain
    : { outcome: 'foreign', transfer: onChain.transfer };
}
