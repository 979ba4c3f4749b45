import { blockAccount, blockPayer } from '../../identity/blocked.ts';
import type { Tx } from '../../kernel/transaction.ts';
import type { BlockCause } from '../../operation/caller.ts';
import type { JobRow } from '../job/row.ts';

/**
 * Blocks what a payment turned against: new purchases of its account, and of the card that paid in every account. An address
 * stays open, as others may pay from it.
 */
export function blockBehind(
  tx: Tx,
  { account_key: accountKey }: Pick<JobRow, 'account_key'>,
  { payer, ...by }: { cause: BlockCause; paymentKey: string; payer: string | null; now: Date },
): void {
  blockAccount(tx, accountKey, by);
  if (payer?.startsWith('card:')) blockPayer(tx, payer, by);
}
