import type { Microcents } from '../kernel/money.ts';

/**
 * Business events as movements between the accounts of the books: the table an accountant reads. A movement debits
 * one account and credits another with the same amount, so the books balance by their shape.
 *
 * | account | kind | what it holds |
 * | --- | --- | --- |
 * | `asset:x402:<network>` | asset | stablecoins on that chain: every log to and from our address, as the chain shows it |
 * | `asset:card` | asset | what the card provider holds for us: charges less refunds, disputes, its fees and payouts |
 * | `asset:bank` | asset | what the card provider has paid out to our bank, and what is left at a former account there |
 * | `suspense:card_disputes` | asset | taken by a payer's bank while a dispute is open |
 * | `expense:card_fees` | expense | what the card provider takes for charges, disputes and its services |
 * | `equity:opening` | equity | what was there before the books began |
 * | `equity:withdrawn` | equity | what an operator took out |
 * | `equity:contributed` | equity | what an operator sent to a payer from an address that is not ours |
 * | `liability:unmatched` | liability | arrived, and not yet known to be for anything |
 * | `liability:held` | liability | collected, not yet earned: the report is not accepted |
 * | `liability:wallet_credit` | liability | owed to a wallet or agent as future work |
 * | `liability:refunds` | liability | owed back to who sent it, and not yet given back |
 * | `suspense:outgoing` | asset | left our address, and not yet known why: a refund or a withdrawal explains it |
 * | `suspense:reorganised` | either | logs that a reorganisation removed and that are expected again |
 * | `revenue:work_check` | revenue | accepted reports |
 * | `expense:reversals` | expense | lost to reorganisations of a chain and to banks after it had been given away |
 *
 * No job has more taken from `held` or `refunds` than was put there for it, and no principal more from its
 * `wallet_credit`: triggers on the table of transfers hold that.
 */
export interface Movement {
  event: string;
  debit: string;
  credit: string;
}

/** A chain shows a transfer to us, whatever it is for. */
export function arrived(network: string): Movement {
  return { event: 'arrived', debit: `asset:x402:${network}`, credit: 'liability:unmatched' };
}

/** A chain shows a transfer from us, whatever it was for. */
export function left(network: string): Movement {
  return { event: 'left', debit: 'suspense:outgoing', credit: `asset:x402:${network}` };
}

/** A reorganisation removed a transfer to or from us. */
export function removedFromChain(network: string, isArrival: boolean): Movement {
  const [chain, suspense] = [`asset:x402:${network}`, 'suspense:reorganised'];
  return { event: 'removed', debit: isArrival ? suspense : chain, credit: isArrival ? chain : suspense };
}

/** The same transfer is back. */
export function restoredToChain(network: string, isArrival: boolean): Movement {
  const { debit, credit } = removedFromChain(network, isArrival);
  return { event: 'restored', debit: credit, credit: debit };
}

/** A removed transfer is back as another one, which was posted when seen. */
export const movedIn: Movement = { event: 'moved', debit: 'liability:unmatched', credit: 'suspense:reorganised' };
export const movedOut: Movement = { event: 'moved', debit: 'suspense:reorganised', credit: 'suspense:outgoing' };

/** The balance before the first search. */
export function opening(network: string): Movement {
  return { event: 'opening', debit: `asset:x402:${network}`, credit: 'equity:opening' };
}

/** An operator took it out. */
export const withdrawn: Movement = { event: 'withdrawn', debit: 'equity:withdrawn', credit: 'suspense:outgoing' };

/** A payment arrived: ours to keep only once the report is accepted. */
export const collected: Movement = { event: 'collected', debit: 'liability:unmatched', credit: 'liability:held' };

/** Credit paid for a job: held like any payment. */
export const creditSpent: Movement = {
  event: 'credit_spent',
  debit: 'liability:wallet_credit',
  credit: 'liability:held',
};

/** The buyer accepted: held becomes revenue. */
export const accepted: Movement = { event: 'accepted', debit: 'liability:held', credit: 'revenue:work_check' };

/** No report, or canceled before one: held becomes credit. */
export const credited: Movement = { event: 'credited', debit: 'liability:held', credit: 'liability:wallet_credit' };

/** What became credit had gone back already: it is held again, out of the credit, or as a loss once that was spent. */
export function creditTaken(from: 'liability:wallet_credit' | 'expense:reversals'): Movement {
  return { event: 'credit_taken', debit: from, credit: 'liability:held' };
}

/** The charge was waived: held is owed back. */
export const refundOwed: Movement = { event: 'refund_owed', debit: 'liability:held', credit: 'liability:refunds' };

/** Gives an accepted charge back: revenue is owed back, or becomes credit again. */
export const refundOwedOfRevenue: Movement = { ...refundOwed, debit: 'revenue:work_check' };
export const creditedOfRevenue: Movement = { ...credited, debit: 'revenue:work_check' };

/** A refund left, by a transfer posted when seen. */
export const refunded: Movement = { event: 'refunded', debit: 'liability:refunds', credit: 'suspense:outgoing' };

/** An operator sent a refund that failed by hand: from our bank, or from an address that the books don't know. */
export function sentByHand(isCard: boolean): Movement {
  return {
    event: 'sent_by_hand',
    debit: 'liability:refunds',
    credit: isCard ? 'asset:bank' : 'equity:contributed',
  };
}

/** A refund that failed stays here as credit of its buyer. */
export const refundCredited: Movement = {
  event: 'refund_credited',
  debit: 'liability:refunds',
  credit: 'liability:wallet_credit',
};

/** A payment arrived after its attempt was given up: owed back. */
export const arrivedLate: Movement = {
  event: 'arrived_late',
  debit: 'liability:unmatched',
  credit: 'liability:refunds',
};

/** An arrival that matches nothing: owed back. */
export const returnOwed: Movement = { event: 'return_owed', debit: 'liability:unmatched', credit: 'liability:refunds' };

/** A charge to a card succeeded; its use is posted separately. */
export const charged: Movement = { event: 'charged', debit: 'asset:card', credit: 'liability:unmatched' };

/** The card provider kept a fee for a charge or a dispute. */
export const chargeFee: Movement = { event: 'charge_fee', debit: 'expense:card_fees', credit: 'asset:card' };
export const disputeFee: Movement = { event: 'dispute_fee', debit: 'expense:card_fees', credit: 'asset:card' };
export const disputeFeeReturned: Movement = {
  event: 'dispute_fee_returned',
  debit: 'asset:card',
  credit: 'expense:card_fees',
};

/** The card provider took a fee for no charge or dispute, or returned it. */
export const providerFee: Movement = { event: 'provider_fee', debit: 'expense:card_fees', credit: 'asset:card' };
export const providerFeeReturned: Movement = {
  event: 'provider_fee_returned',
  debit: 'asset:card',
  credit: 'expense:card_fees',
};

/** The card provider paid out to our bank, or a payout came back. */
export const paidOut: Movement = { event: 'paid_out', debit: 'asset:bank', credit: 'asset:card' };
export const payoutReturned: Movement = { event: 'payout_returned', debit: 'asset:card', credit: 'asset:bank' };

/** Another account at the card provider took the place of one that held this, or an earlier one is in use again. */
export const accountLeft: Movement = { event: 'account_left', debit: 'asset:bank', credit: 'asset:card' };
export const accountResumed: Movement = { event: 'account_resumed', debit: 'asset:card', credit: 'asset:bank' };

/** The card provider sent money back to a card. */
export const sentToCard: Movement = { event: 'sent_to_card', debit: 'suspense:outgoing', credit: 'asset:card' };

/** A card's bank returned a refund: the money is back with us, and owed. */
export const refundReturned: Movement = { event: 'refund_returned', debit: 'asset:card', credit: 'liability:refunds' };

/** A refund left although a bank had taken the same money, or an operator settled it: both are gone. */
export const lostTwice: Movement = { event: 'lost_twice', debit: 'expense:reversals', credit: 'suspense:outgoing' };

/** A refund came back of money that a bank has taken as well, or an operator settled: it is owed to nobody, and makes up for that. */
export const refundKept: Movement = { event: 'refund_kept', debit: 'liability:refunds', credit: 'expense:reversals' };

/** A payer's bank took a contested payment, or gave it back. */
export const contested: Movement = { event: 'contested', debit: 'suspense:card_disputes', credit: 'asset:card' };
export const reinstated: Movement = { event: 'reinstated', debit: 'asset:card', credit: 'suspense:card_disputes' };

/** Where a lost payment is taken from; what was spent or earned already is a loss. */
export type LosingAccount = 'liability:held' | 'liability:wallet_credit' | 'liability:refunds' | 'expense:reversals';

/** The rail took a payment back for good. */
export function reversed(from: LosingAccount, suspense: string): Movement {
  return { event: 'reversed', debit: from, credit: suspense };
}

/** The rail holds a reversed payment after all. */
export function healed(to: LosingAccount, suspense: string): Movement {
  return { event: 'healed', debit: suspense, credit: to };
}

/** A movement as a row. `key` makes its event unique. */
export interface Posting extends Movement {
  key: string;
  /** Null when no job is concerned. */
  jobKey: string | null;
  principalKey: string | null;
  amount: Microcents;
  at: Date;
}
