import type { Microcents } from '../kernel/money.ts';

/**
 * Business events as movements between the accounts of the books: the table an accountant reads. A movement debits
 * one account and credits another with the same amount, so the books balance by their shape.
 *
 * | account | kind | what it holds |
 * | --- | --- | --- |
 * | `asset:x402:<network>` | asset | stablecoins collected on that chain |
 * | `liability:held` | liability | collected, not yet earned: the report is not accepted |
 * | `liability:wallet_credit` | liability | owed to a wallet or agent as future work |
 * | `liability:refunds` | liability | owed back to who paid, and not yet given back |
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

/** A payment arrived: the money is ours to keep only once the report is accepted. */
export function collected(network: string): Movement {
  return { event: 'collected', debit: `asset:x402:${network}`, credit: 'liability:held' };
}

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

/** What was owed has been transferred back. */
export function refunded(network: string): Movement {
  return { event: 'refunded', debit: 'liability:refunds', credit: `asset:x402:${network}` };
}

/** A payment arrived after it had been given up: it is owed back. */
export function arrivedLate(network: string): Movement {
  return { event: 'arrived_late', debit: `asset:x402:${network}`, credit: 'liability:refunds' };
}

/** The chain took a payment back: it is missing where the money is that it became. */
export function reversed(
  network: string,
  from: 'liability:held' | 'liability:wallet_credit' | 'liability:refunds' | 'expense:reversals',
): Movement {
  return { event: 'reversed', debit: from, credit: `asset:x402:${network}` };
}

/** A movement with everything a row of the books needs. `key` names the one event that may be posted. */
export interface Posting extends Movement {
  key: string;
  jobKey: string;
  principalKey: string;
  amount: Microcents;
  at: Date;
}
