import type { PrismaClient } from '../generated/prisma/client.ts';
import { blockWords } from '../identity/blocked.ts';
import type { Queries } from '../kernel/database.ts';
import { toWire } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import type { BlockCause } from '../operation/caller.ts';
import type * as contract from './contract/customers.ts';
import { happeningOf } from './letters.ts';
import { rowsOf } from './list.ts';
import { sumsOf } from './movements.ts';

type Customer = contract.CustomerRecord;

/** Of each kind, to show. */
const shownMax = 20;
const purchasesMax = 10;
const blocksMax = 200;
/** Of a purchase for which nothing was taken. */
const unmoved = { taken: 0, back_microcents: 0 };

/** What a customer bought: its sums, and the newest. */
export async function purchasesOf(
  prisma: PrismaClient,
  db: Queries,
  accountKey: string,
  now: Date,
): Promise<Customer['purchases']> {
  const sums = await db.one<{ total: bigint; collected: bigint; back: bigint; final: bigint }>(sql`
    select count(*) as total,
      coalesce(sum(price_microcents) filter (where collected_at is not null), 0)::bigint as collected,
      coalesce(sum(price_microcents) filter (where payment_state in ('refunded', 'credited', 'reversed')), 0)::bigint
        as back,
      coalesce(sum(price_microcents) filter (where charge_state = 'final'), 0)::bigint as final
    from jobs where account_key = ${accountKey}`);
  const newest = await db.many<{ job_key: string }>(sql`
    select job_key from jobs where account_key = ${accountKey} order by created_at desc limit ${purchasesMax}`);
  const keys = newest.map(({ job_key }) => job_key);
  const moved = await sumsOf(db, keys);
  return {
    total: Number(sums.total),
    collected_microcents: toWire(sums.collected),
    given_back_microcents: toWire(sums.back),
    final_microcents: toWire(sums.final),
    newest: (await rowsOf(prisma, keys, now)).map((row) => ({ ...row, ...(moved.get(row.job_key) ?? unmoved) })),
  };
}

/** What keeps an account from buying, or did, newest first, with the purchase and the open dispute that it is for. */
export async function blocksOf(db: Queries, accountKey: string): Promise<Customer['blocks']> {
  const rows = await db.many<{
    block_key: string;
    cause: BlockCause;
    job_key: string | null;
    dispute_key: string | null;
    created_at: Date;
    lifted_at: Date | null;
    lifted_by: string | null;
    lifted_because: string | null;
  }>(sql`
    select block_key, cause, job_key, b.created_at, lifted_at, lifted_by, lifted_because,
      (select dispute_id from card_disputes d where d.payment_key = b.payment_key and closed_at is null limit 1)
        as dispute_key
    from purchase_blocks b left join payments using (payment_key)
    where account_key = ${accountKey} order by b.created_at desc limit ${blocksMax}`);
  return rows.map((row) => ({
    ...row,
    why: blockWords[row.cause].why,
    created_at: row.created_at.toISOString(),
    lifted_at: row.lifted_at?.toISOString() ?? null,
  }));
}

/** The cards that an account keeps or has kept, without anything that pays. */
export async function cardsOf(db: Queries, accountKey: string): Promise<Customer['cards']> {
  const rows = await db.many<{
    card_key: string;
    title: string;
    saved_at: Date;
    removed_at: Date | null;
    declined: string | null;
  }>(sql`
    select card_key, brand || ' ending in ' || last4 || ', until ' || exp_month || '/' || exp_year as title, saved_at,
      removed_at, (select decline_code from card_payments p where p.card_key = c.card_key and decline_code is not null
        order by expires_at desc limit 1) as declined
    from saved_cards c where account_key = ${accountKey} order by saved_at desc limit ${shownMax}`);
  return rows.map((row) => ({
    ...row,
    saved_at: row.saved_at.toISOString(),
    removed_at: row.removed_at?.toISOString() ?? null,
  }));
}

/** Where an account is told of its events, or was, and how that goes. */
export async function endpointsOf(db: Queries, accountKey: string): Promise<Customer['endpoints']> {
  const rows = await db.many<{
    endpoint_key: string;
    url: string;
    added_at: Date;
    removed_at: Date | null;
    told_at: Date | null;
    failing_since: Date | null;
    failure: string | null;
  }>(sql`
    select endpoint_key, url, added_at, removed_at, told_at, failing_since, failure from webhook_endpoints
    where account_key = ${accountKey} order by removed_at desc nulls first, added_at desc limit ${shownMax}`);
  return rows.map(({ url, ...row }) => ({
    ...row,
    host: new URL(url).host,
    added_at: row.added_at.toISOString(),
    removed_at: row.removed_at?.toISOString() ?? null,
    told_at: row.told_at?.toISOString() ?? null,
    failing_since: row.failing_since?.toISOString() ?? null,
  }));
}

/** The newest letters to the members' addresses, also those about their other accounts. */
export async function lettersTo(db: Queries, addresses: readonly string[]): Promise<Customer['letters']> {
  const rows = await db.many<{
    letter_key: string;
    what: string;
    kind: string;
    about: string;
    address: string;
    created_at: Date;
    sent_at: Date | null;
  }>(sql`
    select letter_key, address, created_at, sent_at, case when kind in ('purchase', 'important')
      then replace(split_part(about, ':', 1), '_', ' ') || ' of ' || split_part(about, ':', 2)
      else replace(kind, '_', ' ') end as what,
      kind, about
    from letters where address = any(${[...addresses]}::text[]) order by created_at desc limit ${shownMax}`);
  return rows.map(({ kind, about, ...row }) => ({
    ...row,
    repeatable: happeningOf(kind, about) !== null,
    created_at: row.created_at.toISOString(),
    sent_at: row.sent_at?.toISOString() ?? null,
  }));
}
