import type { Queries } from '../kernel/database.ts';
import { newKey } from '../kernel/id.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { BlockCause } from '../operation/caller.ts';
import { Problem } from '../problems/problem.ts';
import { lasting } from '../service/terms.ts';

const sentences: Record<BlockCause, string> = {
  payment_reversed: 'A payment was reversed.',
  card_dispute: 'A card payment is disputed with its bank.',
  card_reported: 'The bank of a card reported a payment as fraud.',
  blocked_card: 'A card from which nothing more is taken here was used.',
  disowned_card: 'The account for which this card was used says that nobody of it paid.',
  remedies: `Too many jobs were canceled after payment, or their charges waived, within ${lasting('remedies')}.`,
};

const ifNotYours = 'If nobody on your account made this payment, say so on your account page.';

/** Each cause for the people of the account: why, and what to do. */
export const blockWords: Record<BlockCause, { why: string; next: string }> = {
  card_dispute: {
    why: 'The bank of a card that paid for a check is asking for the money back.',
    next: `If you did not mean to dispute it, ask your bank to withdraw the dispute. The block ends by itself when the bank decides for the payment. ${ifNotYours}`,
  },
  payment_reversed: {
    why: 'A payment of your account was taken back after it was collected.',
    next: `Write to us: an operator lifts the block when the payment is settled. ${ifNotYours}`,
  },
  card_reported: {
    why: 'The bank of a card reported that its holder did not make a payment for a check.',
    next: `If you made the payment, tell your bank, and write to us: an operator can lift the block. ${ifNotYours}`,
  },
  blocked_card: {
    why: 'A card from which nothing more is taken here paid for a check.',
    next: `What it paid goes back to it. The block ends with that of the card: write to us if you think it is a mistake. ${ifNotYours}`,
  },
  disowned_card: {
    why: 'The account for which a card was used says that nobody of it paid.',
    next: 'Write to us: an operator looks at the card and can lift the block.',
  },
  remedies: {
    why: `Too many checks were canceled after payment, or their charges waived, within ${lasting('remedies')}.`,
    next: 'Write to us: an operator looks at them and can lift the block.',
  },
};

const saidOf = (blocks: readonly BlockCause[]): string => blocks.map((cause) => sentences[cause]).join(' ');

/** The refusal of a blocked buyer's new purchase (specification 4.9); else null. */
export function blockedRefusal({ blocks }: { blocks: readonly BlockCause[] }): Problem | null {
  if (blocks.length === 0) return null;
  return new Problem('purchases_blocked', `${saidOf(blocks)} Until this is settled, the account can buy nothing new.`);
}

/**
 * Blocks an account's new purchases for one cause. Paid jobs continue and reports stay readable. Does nothing if
 * already blocked for it, or if the payment was disowned: then its card is blocked. `behindPayer`: the blocked card that
 * it used, with whose last block this one ends.
 */
export function blockAccount(
  tx: Tx,
  accountKey: string,
  by: { cause: BlockCause; paymentKey?: string | null; behindPayer?: string; now: Date },
): void {
  const { cause, paymentKey = null, behindPayer = null, now } = by;
  tx.write(sql`
    with blocked as (
      insert into purchase_blocks (block_key, account_key, cause, payment_key, behind_payer, created_at)
      select ${newKey('block')}, ${accountKey}, ${cause}, ${paymentKey}, ${behindPayer}, ${now}::timestamptz
      where not exists (select from purchase_blocks where payment_key = ${paymentKey} and cause = 'disowned_card')
      on conflict (account_key, cause, payment_key) where lifted_at is null and account_key is not null do nothing
      returning block_key, account_key, cause, payment_key, created_at)
    insert into account_events (account_key, at, actor, action, detail)
    select account_key, created_at, 'system', 'purchases_blocked',
      jsonb_build_object('block_key', block_key, 'cause', cause, 'payment_key', payment_key)
    from blocked`);
}

/** Blocks new purchases paid from this address or card. */
export function blockPayer(
  tx: Tx,
  payer: string,
  { cause, paymentKey = null, now }: { cause: BlockCause; paymentKey?: string | null; now: Date },
): void {
  tx.write(sql`
    insert into purchase_blocks (block_key, payer, cause, payment_key, created_at)
    values (${newKey('block')}, ${payer}, ${cause}, ${paymentKey}, ${now})
    on conflict (payer, cause, payment_key) where lifted_at is null and payer is not null do nothing`);
}

/** A block of an account for one of its payments. */
export interface PaymentBlock {
  block_key: string;
  payment_key: string;
  cause: Exclude<BlockCause, 'remedies' | 'disowned_card'>;
  created_at: Date;
}

/** The open blocks of an account for payments, oldest first. */
export function paymentBlocks(db: Queries, accountKey: string): Promise<PaymentBlock[]> {
  return db.many(sql`
    select block_key, payment_key, cause, created_at from purchase_blocks
    where account_key = ${accountKey} and payment_key is not null and lifted_at is null order by created_at, block_key`);
}

/** The payments that members of an account have disowned. */
export async function disownedPayments(db: Queries, accountKey: string): Promise<string[]> {
  const rows = await db.many<{ payment_key: string }>(sql`
    select distinct jsonb_array_elements_text(detail -> 'payments') as payment_key from account_events
    where account_key = ${accountKey} and action = 'payments_disowned'`);
  return rows.map(({ payment_key }) => payment_key);
}

/** When a block for this cause was last lifted, by account and by whoever pays; null if never. */
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

/** Whether nothing may be bought from the address or card `payer`, as SQL. */
export const payerIsBlocked = (payer: string): string =>
  `exists (select from purchase_blocks where purchase_blocks.payer = ${payer} and lifted_at is null)`;

/** The refusal of a blocked payer, whoever presents the payment; else null. */
export async function payerRefusal(db: Queries, payer: string): Promise<Problem | null> {
  const rows = await db.many<{ cause: BlockCause }>(sql`
    select distinct cause from purchase_blocks where payer = ${payer} and lifted_at is null order by cause`);
  if (rows.length === 0) return null;
  const why = saidOf(rows.map(({ cause }) => cause));
  return new Problem(
    'purchases_blocked',
    `${why} Until this is settled, nothing is taken from the card or address that this payment would come from. Another can pay.`,
  );
}

/** Whether an account or a card was blocked for this cause of the payment, lifted since or not. */
export async function wasBlockedFor(db: Queries, cause: BlockCause, paymentKey: string): Promise<boolean> {
  const found = await db.maybe(sql`
    select from purchase_blocks where payment_key = ${paymentKey} and cause = ${cause} limit 1`);
  return found !== undefined;
}

/**
 * Lifts the open blocks that `which` selects: by key, by payment, by account, or by paying address; `cause`: those of one
 * cause alone. What stands behind one cause of one payment is lifted together, of account and card; and with the last
 * block of a card those of accounts that used it, unless another block follows (`isFollowed`). Returns how many.
 */
export async function liftBlocks(
  db: Queries,
  which: string,
  by: { actor: string; because: string; now: Date; cause?: BlockCause; isFollowed?: boolean },
): Promise<number> {
  const lifted = await db.many(sql`
    with named as (
      select block_key, payment_key, cause from purchase_blocks
      where lifted_at is null and ${which} in (block_key, account_key, payer, payment_key)
        and cause = coalesce(${by.cause}::text, cause)),
    together as (
      select block_key, payer from purchase_blocks b where lifted_at is null and exists (
        select from named where named.block_key = b.block_key or (named.payment_key, named.cause) = (b.payment_key, b.cause))),
    chosen as (
      select block_key from together
      union select block_key from purchase_blocks b
      where lifted_at is null and not ${by.isFollowed ?? false} and behind_payer in (select payer from together) and not exists (
        select from purchase_blocks other where other.payer = b.behind_payer and other.lifted_at is null
          and other.block_key not in (select block_key from together))),
    lifted as (
      update purchase_blocks set lifted_at = ${by.now}, lifted_by = ${by.actor}, lifted_because = ${by.because}
      where lifted_at is null and block_key in (select block_key from chosen)
      returning block_key, account_key, cause, payment_key, lifted_at, lifted_by, lifted_because),
    noted as (
      insert into account_events (account_key, at, actor, action, detail)
      select account_key, lifted_at, lifted_by, 'purchases_unblocked',
        jsonb_build_object('block_key', block_key, 'cause', cause, 'payment_key', payment_key, 'because', lifted_because)
      from lifted where account_key is not null)
    select block_key from lifted`);
  return lifted.length;
}
