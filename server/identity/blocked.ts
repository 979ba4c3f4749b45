import { Problem } from '../door/problem.ts';
import type { Queries } from '../kernel/database.ts';
import { newKey } from '../kernel/id.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import { lasting } from '../service/terms.ts';

/** Why nothing new may be bought. Agents read it in `holds`. */
export type BlockCause = 'payment_reversed' | 'card_dispute' | 'waivers';

const sentences: Record<BlockCause, string> = {
  payment_reversed: 'A payment of this account was reversed.',
  card_dispute: 'A card payment of this account is disputed with its bank.',
  waivers: `The charges of too many disputed reports were waived within ${lasting('waivers')}.`,
};

/** The refusal of a blocked buyer's new purchase (specification 4.9); else null. */
export function blockedRefusal({ blocks }: { blocks: readonly BlockCause[] }): Problem | null {
  if (blocks.length === 0) return null;
  const because = blocks.map((cause) => sentences[cause]).join(' ');
  return new Problem('purchases_blocked', `${because} Until an operator lifts the block, nothing new can be bought.`);
}

/**
 * Blocks an account's new purchases for one cause. Paid jobs continue and reports stay readable. Does nothing if
 * already blocked for it.
 */
export function blockAccount(
  tx: Tx,
  accountKey: string,
  { cause, paymentKey = null, now }: { cause: BlockCause; paymentKey?: string | null; now: Date },
): void {
  tx.write(sql`
    with blocked as (
      insert into purchase_blocks (block_key, account_key, cause, payment_key, created_at)
      values (${newKey('block')}, ${accountKey}, ${cause}, ${paymentKey}, ${now})
      on conflict (account_key, cause, payment_key) where lifted_at is null and account_key is not null do nothing
      returning block_key, account_key, cause, payment_key, created_at)
    insert into account_events (account_key, at, actor, action, detail)
    select account_key, created_at, 'system', 'purchases_blocked',
      jsonb_build_object('block_key', block_key, 'cause', cause, 'payment_key', payment_key)
    from blocked`);
}

/** Blocks new purchases paid from this address. */
export function blockPayer(tx: Tx, payer: string, { cause, now }: { cause: BlockCause; now: Date }): void {
  tx.write(sql`
    insert into purchase_blocks (block_key, payer, cause, created_at)
    values (${newKey('block')}, ${payer}, ${cause}, ${now})
    on conflict (payer, cause, payment_key) where lifted_at is null and payer is not null do nothing`);
}

/** When a block for this cause was last lifted, by account and paying address; null if never. */
export async function lastLifted(
  db: Queries,
  cause: BlockCause,
  { accountKey, payer }: { accountKey: string; payer: string | null },
): Promise<{ of_account: Date | null; of_payer: Date | null }> {
  return db.one(sql`
    select max(lifted_at) filter (where account_key = ${accountKey}) as of_account,
      max(lifted_at) filter (where payer = ${payer}) as of_payer
    from purchase_blocks where cause = ${cause} and (account_key = ${accountKey} or payer = ${payer})`);
}

/** The refusal of a blocked payer, whoever presents the payment; else null. */
export async function payerRefusal(db: Queries, payer: string): Promise<Problem | null> {
  const rows = await db.many<{ cause: BlockCause }>(sql`
    select distinct cause from purchase_blocks where payer = ${payer} and lifted_at is null order by cause`);
  return blockedRefusal({ blocks: rows.map(({ cause }) => cause) });
}

/**
 * Lifts the open blocks that `which` selects: by key, by payment, by account, or by paying address; `cause`: those of one
 * cause alone. Returns how many.
 */
export async function liftBlocks(
  db: Queries,
  which: string,
  by: { actor: string; because: string; now: Date; cause?: BlockCause },
): Promise<number> {
  const lifted = await db.many(sql`
    with lifted as (
      update purchase_blocks set lifted_at = ${by.now}, lifted_by = ${by.actor}, lifted_because = ${by.because}
      where lifted_at is null and ${which} in (block_key, account_key, payer, payment_key)
        and cause = coalesce(${by.cause}::text, cause)
      returning block_key, account_key, cause, payment_key, lifted_at, lifted_by, lifted_because),
    noted as (
      insert into account_events (account_key, at, actor, action, detail)
      select account_key, lifted_at, lifted_by, 'purchases_unblocked',
        jsonb_build_object('block_key', block_key, 'cause', cause, 'payment_key', payment_key, 'because', lifted_because)
      from lifted where account_key is not null)
    select block_key from lifted`);
  return lifted.length;
}
