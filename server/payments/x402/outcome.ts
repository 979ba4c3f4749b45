import type { Queries } from '../../kernel/database.ts';
import type { Outcome } from '../rail.ts';
import { authorizationOf, type TransferAttempt } from './attempt.ts';
import type { OnChain, SignedTransfer } from './authorization.ts';
import type { LoggedTransfer } from './logs.ts';
import type { Stablecoins } from './stablecoins.ts';
import { refundNonceOf, type TransferRow, transactionUsing } from './transfers.ts';

/**
 * What shows that an attempt is paid: a log as the chain shows it, with whether no reorganisation removes it any more, or
 * one that was written down before. Null stands for the log that holds the attempt already.
 */
export type Proof = { logged: LoggedTransfer; isFinal: boolean } | { noted: TransferRow | null };

/** Why an attempt is given up, by how the chain says it ended. */
const failures = {
  never: 'The authorization can no longer pay.',
  returned: 'What it paid has gone back.',
  foreign: 'It was carried out before it was presented, and not by the wallet that buys.',
} as const;

/** How an attempt stands by what the chain says about its transfer. */
export function fateOf(onChain: OnChain): Outcome<Proof> {
  switch (onChain.outcome) {
    case 'paid':
      return { is: 'collected', proof: { logged: onChain.transfer, isFinal: false } };
    case 'unconfirmed':
    case 'unused':
      return { is: 'open' };
    default:
      return { is: 'never', because: failures[onChain.outcome] };
  }
}

/** The same, and carries out what the chain has not seen, as long as the signature is there. */
export async function carriedOut(db: Queries, coins: Stablecoins, attempt: TransferAttempt): Promise<OnChain> {
  const onChain = await lookUpOpen(db, coins, attempt);
  const { signature } = attempt;
  return onChain.outcome === 'unused' && signature
    ? settleOpen(coins, attempt, { authorization: authorizationOf(attempt), signature })
    : onChain;
}

/**
 * What the chain says about an open payment, and what that is worth here. A transfer whose money has gone back since, as
 * it may have before the database was restored, is not collected again.
 */
export async function lookUpOpen(db: Queries, coins: Stablecoins, attempt: TransferAttempt): Promise<OnChain> {
  const authorization = authorizationOf(attempt);
  const hint = await transactionUsing(db, authorization);
  const onChain = worth(attempt, await coins.lookUp(authorization, { seenAt: attempt.created_at, hint }));
  if (onChain.outcome !== 'paid') return onChain;
  const isGivenBack = await coins.isGivenBack(authorization, refundNonceOf(authorization));
  return isGivenBack ? { outcome: 'returned', transfer: onChain.transfer } : onChain;
}

/** Has an open payment carried out that the chain had not seen: nothing can have gone back of it. */
export async function settleOpen(
  coins: Stablecoins,
  attempt: TransferAttempt,
  transfer: SignedTransfer,
): Promise<OnChain> {
  return worth(attempt, await coins.settle(transfer, attempt.created_at));
}

/**
 * Signatures are public once they are settled: whoever reads one off the chain must not pay with it. Of another payer than
 * the wallet that buys, a transfer counts only in a later block than any that was seen before it was presented.
 */
function worth(attempt: TransferAttempt, onChain: OnChain): OnChain {
  if (onChain.outcome !== 'paid' || attempt.payer === attempt.principal_key) return onChain;
  return onChain.transfer.blockNumber > attempt.seen_block
    ? onChain
    : { outcome: 'foreign', transfer: onChain.transfer };
}
