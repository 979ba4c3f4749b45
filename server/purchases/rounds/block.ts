import { blockAccount, blockPayer } from '../../identity/blocked.ts';
import { statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import type { BlockCause } from '../../operation/caller.ts';
import { attemptPayers } from '../../payments/attempt-sql.ts';
import type { JobRow } from '../job/row.ts';

const cardsOf = `select payer from (${attemptPayers}) payers where payment_key = $1 and payer like 'card:%'`;

/**
 * Blocks what a payment turned against: new purchases of its account, and of its card in every account. An address stays
 * open, as others may pay from it.
 */
export async function blockBehind(
  tx: Tx,
  { account_key: accountKey }: Pick<JobRow, 'account_key'>,
  { cause, paymentKey, now }: { cause: BlockCause; paymentKey: string; now: Date },
): Promise<void> {
  blockAccount(tx, accountKey, { cause, paymentKey, now });
  for (const { payer } of await tx.many<{ payer: string }>(statement(cardsOf, [paymentKey]))) {
    blockPayer(tx, payer, { cause, paymentKey, now });
  }
}
