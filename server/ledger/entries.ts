import type { Microcents } from '../kernel/money.ts';

/**
 * Business events as movements between the accounts of the books: the table an accountant reads. A movement debits
 * one account and credits another with the same amount, so the books balance by their shape.
 *
 * | account | kind | what it holds |
 * | --- | --- | --- |
 * | `asset:x402:<network>` | asset | stablecoins on that chain: every log to and from our address, as the chain shows it |
 * | `asset:card` | asset | what the card provider holds for us: charges less refunds, disputes and its fees |
 * | `suspense:card_disputes` | asset | taken by a payer's bank while a dispute is open |
 * | `expense:card_fees` | expense | what the card provider takes for charges and disputes |
 * | `equity:opening` | equity | what was there before the books began |
 * | `equity:withdrawn` | equity | what an operator took out |
 * | `liability:unmatched` | liability | arrived, and not yet known to be for anything |
 * | `liability:held` | liability | collected, not yet earned: the report is not accepted |
 * | `liability:wallet_credit` | liability | owed to a wallet or agent as future work |
 * | `liability:refunds` | liability | owed back to who sent it, and not yet given back |
 * | `suspense:outgoing` | asset | left our address, and not yet known why: a refund or a withdrawal explains it |
 * | `suspense:reorganised` | either | logs that a reorganisation removed and that are expected again |
 * | `revenue:work_check` | revenue | accepted reports |
 * | `expense:reversals` | expense | lost to reorganisations of a chain after it had been given away |
 *
 * No job has more taken from `held` or `refunds` than was put there for it, and no principal more from its
 * `wallet_credit`: triggers on the table of transfers hold that.
 */
export interface Movement {
  event: string;
  debit: string;
  credit: string;
}

/** The chain shows a transfer to us. What it is for is another matter. */
export function arrived(network: string): Movement {
  return { event: 'arrived', debit: `asset:x402:${network}`, credit: 'liability:unmatched' };
}

/** The chain shows a transfer from us. What it was for is another matter. */
export function left(network: string): Movement {
  return { event: 'left', debit: 'suspense:outgoing', credit: `asset:x402:${network}` };
}

/** A reorganisation removed a transfer to or from us. */
export function removedFromChain(network: string, isArrival: boolean): Movement {
  const [chain, suspense] = [`asset:x402:${network}`, 'suspense:reorganised'];
  return { event: 'removed', debit: isArrival ? suspense : chain, credit: isArrival ? chain : suspense };
}

/** The same transfer is there again. */
export function restoredToChain(network: string, isArrival: boolean): Movement {
  const { debit, credit } = removedFromChain(network, isArrival);
  return { event: 'restored', debit: credit, credit: debit };
}

/** What a reorganisation removed is there again as another transfer, which was posted when it was seen. */
export const movedIn: Movement = { event: 'moved', debit: 'liability:unmatched', credit: 'suspense:reorganised' };
export const movedOut: Movement = { event: 'moved', debit: 'suspense:reorganised', credit: 'suspense:outgoing' };

/** What was on the chain before its first search. */
export function opening(network: string): Movement {
  return { event: 'opening', debit: `asset:x402:${network}`, credit: 'equity:opening' };
}

/** What left was taken out by an operator. */
export const withdrawn: Movement = { event: 'withdrawn', debit: 'equity:withdrawn', credit: 'suspense:outgoing' };

/** A payment arrived: the money is ours to keep only once the report is accepted. */
export const collected: Movement = { event: 'collected', debit: 'liability:unmatched', credit: 'liability:held' };

/** Credit paid for a job: it is held like any other payment. */
export const creditSpent: Movement = {
  event: 'credit_spent',
  debit: 'liability:wallet_credit',
  credit: 'liability:held',
};

/** The buyer accepted the report: what was held is earned. */
export const accepted: Movement = { event: 'accepted', debit: 'liability:held', credit: 'revenue:work_check' };

/** No report came, or the job was canceled before one: what was held is owed as credit for future work. */
export const credited: Movement = { event: 'credited', debit: 'liability:held', credit: 'liability:wallet_credit' };

/** The charge was waived: what was held is owed back to who paid. */
export const refundOwed: Movement = { event: 'refund_owed', debit: 'liability:held', credit: 'liability:refunds' };

/** What was owed has been transferred back, by a transfer that was posted when it was seen. */
export const refunded: Movement = { event: 'refunded', debit: 'liability:refunds', credit: 'suspense:outgoing' };

/** A payment arrived after it had been given up: it is owed back. */
export const arrivedLate: Movement = {
  event: 'arrived_late',
  debit: 'liability:unmatched',
  credit: 'liability:refunds',
};

/** What arrived for nothing we know is owed back. */
export const returnOwed: Movement = { event: 'return_owed', debit: 'liability:unmatched', credit: 'liability:refunds' };

/** A charge to a card succeeded. What it is for is another matter. */
export const charged: Movement = { event: 'charged', debit: 'asset:card', credit: 'liability:unmatched' };

/** The card provider kept a fee of a charge, or of a dispute. */
export const chargeFee: Movement = { event: 'charge_fee', debit: 'expense:card_fees', credit: 'asset:card' };
export const disputeFee: Movement = { event: 'dispute_fee', debit: 'expense:card_fees', credit: 'asset:card' };

/** The card provider sent money back to a card. */
export const sentToCard: Movement = { event: 'sent_to_card', debit: 'suspense:outgoing', credit: 'asset:card' };

/** What was sent back to a card was returned by its bank: it is with us again, and owed. */
export const refundReturned: Movement = { event: 'refund_returned', debit: 'asset:card', credit: 'liability:refunds' };

/** A payer's bank took a payment while it is contested, or gave it back. */
export const contested: Movement = { event: 'contested', debit: 'suspense:card_disputes', credit: 'asset:card' };
export const reinstated: Movement = { event: 'reinstated', debit: 'asset:card', credit: 'suspense:card_disputes' };

/** Where the books can lose a payment: what was given away already, or earned, is a loss. */
export type LosingAccount = 'liability:held' | 'liability:wallet_credit' | 'liability:refunds' | 'expense:reversals';

/** The rail took a payment back for good: it is missing where the money is that it became. */
export function reversed(from: LosingAccount, suspense: string): Movement {
  return { event: 'reversed', debit: from, credit: suspense };
}

/** The rail holds a reversed payment after all: it is where it was, or owed to who paid. */
export function healed(to: LosingAccount, suspense: string): Movement {
  return { event: 'healed', debit: suspense, credit: to };
}

/** A movement with everything a row of the books needs. `key` names the one event that may be posted. */
export interface Posting extends Movement {
  key: string;
  /** Null for money that no job knows of. */
  jobKey: string | null;
  principalKey: string | null;
  amount: Microcents;
  at: Date;
}
