import type { Address, Hex } from 'viem';
import type { Network } from '../../configuration.ts';
import type { LoggedTransfer } from './logs.ts';

/** One EIP-3009 transfer: what the signature of `from` lets anyone carry out once. */
export interface Authorization {
  network: Network;
  asset: Address;
  from: Address;
  to: Address;
  nonce: Hex;
  /** In the token's smallest units. */
  amount: bigint;
  validAfter: Date;
  /** Past this instant the token refuses the transfer for good. */
  validBefore: Date;
}

/** A transfer of the token with the signature of its payer: anyone may carry it out, once. */
export interface SignedTransfer {
  authorization: Authorization;
  signature: Hex;
}

/**
 * What the chain says about an authorization, as far as its proof reaches. Only the chain can say it: a facilitator's
 * failure or silence is no proof that no money moved, and a node that does not show something has not denied it.
 */
export type OnChain =
  | { outcome: 'paid'; transfer: LoggedTransfer }
  /** It paid, and the chain shows that the money has gone back since. */
  | { outcome: 'returned'; transfer: LoggedTransfer }
  /** It paid another buyer's purchase, or nobody's: it was carried out before it was presented here. */
  | { outcome: 'foreign'; transfer: LoggedTransfer }
  /** Not found, or found under fewer blocks than the configuration asks for, or by one node and not by the next. */
  | { outcome: 'unconfirmed' }
  /** Not used so far; it can still be. */
  | { outcome: 'unused' }
  /** It can no longer move the money: run out unused, canceled, or used for something else, that many blocks deep. */
  | { outcome: 'never' };

/** A block may carry a time a little behind the one before which it was accepted. */
export const expiryMarginMs = 15_000;
/** How long a chain may be behind our clock. */
const chainLagMs = 5_000;

/** So long after `validBefore` a chain that keeps time says that a transfer which did not happen never will. */
export const runOutSeconds = (expiryMarginMs + chainLagMs) / 1_000;

/** Whether a chain that keeps time says by now that a transfer which did not happen never will. */
export function hasRunOut(validBefore: Date, now: Date): boolean {
  return now.getTime() > validBefore.getTime() + runOutSeconds * 1_000;
}

/** An instant in whole seconds, as the token counts them. */
export function unixSeconds(date: Date): bigint {
  return BigInt(Math.round(date.getTime() / 1000));
}
