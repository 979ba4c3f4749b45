import type { Queries } from '../../kernel/database.ts';
import type { Outcome, Process } from '../rail.ts';
import { authorizationOf, type TransferAttempt } from './attempt.ts';
import type { OnChain, SignedTransfer } from './authorization.ts';
import type { LoggedTransfer } from './logs.ts';
import type { Stablecoins } from './stablecoins.ts';
import { refundNonceOf, type TransferRow, transactionUsing } from './transfers.ts';

/**
 * Proof that an attempt is paid: a log from the chain, with whether it is final, or one recorded before. Null: the log
 * already recorded.
 */
export type Proof = { logged: LoggedTransfer; isFinal: boolean } | { noted: TransferRow | null };

/** The reason given for each way an attempt fails. */
const failures = {
  never: 'The authorization can no longer pay.',
  returned: 'What it paid has gone back.',
  foreign: 'It was carried out before it was presented, and not by the wallet that buys.',
} as const;

/** How an attempt stands by the chain's word. */
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

/**
 * The same, and carries it out if the chain has not seen it and we have the signature. Sends nothing that the chain would
 * refuse now: one balance may back several open payments.
 */
export async function carriedOut(
  { db, clock }: Process,
  coins: Stablecoins,
  attempt: TransferAttempt,
): Promise<OnChain> {
  const onChain = await lookUpOpen(db, coins, attempt);
  const { signature } = attempt;
  if (onChain.outcome !== 'unused' || !signature) return onChain;
  const transfer = { authorization: authorizationOf(attempt), signature };
  return (await coins.refusal(transfer, clock())) === null ? settleOpen(coins, attempt, transfer) : onChain;
}

/**
 * What the chain's word about an open payment means here. A transfer whose money went back, maybe before a restore, is
 * not collected again.
 */
export async function lookUpOpen(db: Queries, coins: Stablecoins, attempt: TransferAttempt): Promise<OnChain> {
  const authorization = authorizationOf(attempt);
  const hint = await transactionUsing(db, authorization);
  const onChain = worth(attempt, await coins.lookUp(authorization, { seenAt: attempt.created_at, hint }));
  if (onChain.outcome !== 'paid') return onChain;
  const isGivenBack = await coins.isGivenBack(authorization, refundNonceOf(authorization));
  return isGivenBack ? { outcome: 'returned', transfer: onChain.transfer } : onChain;
}

/** Carries out a payment that the chain had not seen, so nothing can have gone back. */
export async function settleOpen(
  coins: Stablecoins,
  attempt: TransferAttempt,
  transfer: SignedTransfer,
): Promise<OnChain> {
  return worth(attempt, await coins.settle(transfer, attempt.created_at));
}

/**
 * Settled signatures are public: whoever reads one off the chain must not pay with it. From a payer other than the
 * buying wallet, count only blocks after the presentation.
 */
function worth(attempt: TransferAttempt, onChain: OnChain): OnChain {
  if (onChain.outcome !== 'paid' || attempt.payer === attempt.principal_key) return onChain;
  return onChain.transfer.blockNumber > attempt.seen_block
    ? onChain
    : { outcome: 'foreign', transfer: onChain.transfer };
}
