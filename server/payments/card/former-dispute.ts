import { microcents } from '../../kernel/money.ts';
import { sql, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { accountLeft, accountResumed, contested, reinstated } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import { isOfFormer } from './account.ts';
import { attemptOfCharge, type CardAttempt } from './attempt.ts';

/**
 * Disputes of charges at a former account: nothing here can ask how they end, so an operator says it. What their bank
 * takes or gives back moves at that account, whose rest is booked into our bank.
 */

const openOfFormer = `
  select d.intent_id, d.withdrawn_microcents, d.movements, c.amount_microcents, c.account_id
  from card_disputes d join card_charges c using (intent_id)
  where dispute_id = $1 and closed_at is null and ${isOfFormer('c')} for no key update of d`;

/** Books the end of such a dispute. Resolves to its payment; undefined when it is none, or has ended. */
export async function endAtFormer(
  tx: Tx,
  disputeId: string,
  outcome: 'won' | 'lost',
  now: Date,
): Promise<CardAttempt | undefined> {
  const open = await tx.maybe<OpenDispute>(statement(openOfFormer, [disputeId]));
  if (!open) return undefined;
  const withdrawn = outcome === 'won' ? 0n : open.amount_microcents;
  const change = withdrawn - open.withdrawn_microcents;
  if (change !== 0n) {
    const key = `${disputeId}:${open.movements + 1}`;
    const of = { key, jobKey: null, principalKey: null, amount: microcents(change < 0n ? -change : change), at: now };
    for (const movement of change < 0n ? [reinstated, accountLeft] : [accountResumed, contested]) {
      post(tx, { ...movement, ...of });
    }
    tx.write(sql`
      update card_disputes set withdrawn_microcents = ${withdrawn}, movements = movements + 1
      where dispute_id = ${disputeId}`);
    tx.write(sql`
      update card_accounts set left_microcents = left_microcents - ${change} where account_id = ${open.account_id}`);
  }
  return attemptOfCharge(tx, open.intent_id);
}

interface OpenDispute {
  intent_id: string;
  withdrawn_microcents: bigint;
  movements: number;
  amount_microcents: bigint;
  account_id: string;
}
