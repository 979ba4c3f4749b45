import type { Address, Hex } from 'viem';
import type { Network } from '../../configuration/networks.ts';
import type { LoggedTransfer } from './logs.ts';

/** An EIP-3009 transfer: the signature of `from` lets anyone carry it out, once. */
export interface Authorization {
  network: Network;
  asset: Address;
  from: Address;
  to: Address;
  nonce: Hex;
  /** In the token's smallest units. */
  amount: bigint;
  validAfter: Date;
  /** From then on the token refuses it for good. */
  validBefore: Date;
}

/** A signed token transfer: anyone may carry it out, once. */
export interface SignedTransfer {
  authorization: Authorization;
  signature: Hex;
}

/**
 * What the chain proves about an authorization. Only the chain can: a facilitator's failure or silence does not prove
 * that no money moved, nor does a node that shows nothing.
 */
export type OnChain =
  | { outcome: 'paid'; transfer: LoggedTransfer }
  /** It paid, and the money has gone back since. */
  | { outcome: 'returned'; transfer: LoggedTransfer }
  /** It paid another purchase, or none: it was carried out before it was presented here. */
  | { outcome: 'foreign'; transfer: LoggedTransfer }
  /** Not found, not deep enough, or shown by one node and not the next. `isFound`: a transaction holds it. */
  | { outcome: 'unconfirmed'; isFound?: true }
  /** Unused so far; it can still happen. */
  | { outcome: 'unused' }
  /** Can no longer pay: expired, canceled or used otherwise, deep enough. */
  | { outcome: 'never' };

/** A block's time may be slightly behind the one before which it was accepted. */
export const expiryMarginMs = 15_000;
/** How far a chain may lag behind our clock. */
const chainLagMs = 5_000;

/** This long after `validBefore`, a chain that keeps time proves that an absent transfer never happens. */
export const runOutSeconds = (expiryMarginMs + chainLagMs) / 1_000;

/** Whether that time has come. */
export function hasRunOut(validBefore: Date, now: Date): boolean {
  return now.getTime() > validBefore.getTime() + runOutSeconds * 1_000;
}

/** Whole seconds, as the token counts. */
export function unixSeconds(date: Date): bigint {
  return BigInt(Math.round(date.getTime() / 1000));
}
