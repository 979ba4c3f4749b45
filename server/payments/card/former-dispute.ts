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

const ofFormer = `
  select c.intent_id, c.payment_key, c.amount_microcents, c.account_id from card_charges c
  where c.charge_id = $1 and ${isOfFormer('c')}`;

/**
 * Books the end of the dispute of such a charge, which may have begun unseen; one that ended can still end otherwise.
 * Resolves to its payment; undefined when there is none, it has ended so, or others took all of the charge.
 */
export async function endAtFormer(
  tx: Tx,
  { disputeId, chargeId, outcome }: { disputeId: string; chargeId: string; outcome: 'won' | 'lost' },
  now: Date,
): Promise<CardAttempt | undefined> {
  const charge = await tx.maybe<Charge>(statement(ofFormer, [chargeId]));
  if (!charge) return undefined;
  tx.write(sql`
    insert into card_disputes (dispute_id, payment_key, intent_id, opened_at)
    values (${disputeId}, ${charge.payment_key}, ${charge.intent_id}, ${now}) on conflict (dispute_id) do nothing`);
  const open = await tx.maybe<{ withdrawn_microcents: bigint; movements: number; by_others: bigint }>(sql`
    select withdrawn_microcents, movements, (
      select coalesce(sum(withdrawn_microcents), 0)::bigint from card_disputes other
      where other.intent_id = d.intent_id and other.dispute_id <> d.dispute_id) as by_others
    from card_disputes d
    where dispute_id = ${disputeId} and intent_id = ${charge.intent_id}
      and (closed_at is null or outcome <> ${outcome}) for no key update`);
  if (!open) return undefined;
  const taken = open.withdrawn_microcents > 0n ? open.withdrawn_microcents : charge.amount_microcents;
  const withdrawn = outcome === 'won' ? 0n : taken;
  if (withdrawn > 0n && withdrawn + open.by_others > charge.amount_microcents) return undefined;
  if (outcome === 'lost') {
    tx.write(sql`
      update card_disputes set closed_at = null, outcome = null, told_at = null, job_payment_state = null
      where dispute_id = ${disputeId} and outcome = 'won'`);
  }
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
      update card_accounts set left_microcents = left_microcents - ${change} where account_id = ${charge.account_id}`);
  }
  return attemptOfCharge(tx, charge.intent_id);
}

interface Charge {
  intent_id: string;
  payment_key: string;
  amount_microcents: bigint;
  account_id: string | null;
}
