import type { BlockCause } from '../identity/blocked.ts';
import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { type Sql, sql } from '../kernel/sql.ts';

/** What of a list is told: more than a person reads at once says only how much more there is. */
const toldMax = 100;

/** Rows of one kind, the oldest first, and how many there are in all. */
export interface Told<Row> {
  rows: Row[];
  total: number;
}

/** A chain: what we hold there by its own word, at the block that was searched last, and what the books say of that block. */
export interface ChainBooks {
  network: string;
  searched_to: bigint;
  /** The newest block that a search has seen. */
  head: bigint;
  searched_at: Date;
  /** Null when the node could not say. */
  balance_microcents: bigint | null;
  ledger_microcents: bigint;
}

/** A transfer to us that belongs to no payment, or one from us that no refund explains. Nothing settles it by itself. */
export interface OpenTransfer {
  seen_at: Date;
  amount_microcents: bigint;
  network: string;
  /** Who sent it to us, or got it from us. */
  other: string;
  transaction: string;
  position: number;
  /** The arrival that it gives back by its nonce, though the database knows of no such refund: `transaction position`. */
  gives_back: string | null;
}

/** What keeps an account, or an address that pays, from buying anything new: one cause. */
export interface OpenBlock {
  block_key: string;
  account_key: string | null;
  payer: string | null;
  cause: BlockCause;
  created_at: Date;
  /** Of a reversal: the amount that is gone, and the job it had paid for. */
  amount_microcents: bigint | null;
  job_key: string | null;
}

/** A payment whose outcome nobody knows yet. */
export interface OpenPayment {
  payment_key: string;
  job_key: string;
  created_at: Date;
  amount_microcents: bigint;
  network: string;
  payer: string;
}

/** Money that is owed to who paid it. `refund_failed` is tried no more. */
export interface OpenRefund {
  refund_key: string;
  /** Null for what was no payment. */
  job_key: string | null;
  state: 'refund_pending' | 'refund_failed';
  created_at: Date;
  tries: number;
  amount_microcents: bigint;
  network: string;
  payer: string;
}

/** What about money is not settled: the keys, amounts and addresses that an operator needs, and no content. */
export interface Unsettled {
  chains: ChainBooks[];
  arrivals: Told<OpenTransfer>;
  departures: Told<OpenTransfer>;
  blocks: Told<OpenBlock>;
  /** Open for more than an hour: the chain does not say how they ended, so somebody has to look. */
  unknown: Told<OpenPayment>;
  payments: Told<OpenPayment>;
  refunds: Told<OpenRefund>;
}

/** A payment that is open for longer than this is a matter for an operator. */
const operatorAfterSeconds = 3_600;

/** Lists everything about money that waits: for a person, for the chain, or for the worker. */
export async function readUnsettled(db: Queries, now: Date): Promise<Unsettled> {
  const hourAgo = after(now, -operatorAfterSeconds);
  return {
    chains: await readChainBooks(db),
    arrivals: await told<OpenTransfer>(
      db,
      sql`
        select seen_at, amount_microcents, network, sender as other, transaction, position, null as gives_back,
          count(*) over () as total
        from chain_transfers c where use = 'unmatched' and removed_at is null
          -- One that an open payment names is about to be collected.
          and not exists (select from x402_payments x where (x.network, x.asset, x.payer, x.nonce, x.pay_to,
            x.amount_microcents) = (c.network, c.asset, c.sender, c.nonce, c.recipient, c.amount_microcents)
            and x.state in ('settling', 'unknown'))
        order by seen_at limit ${toldMax}`,
    ),
    departures: await told<OpenTransfer>(
      db,
      sql`
        select c.seen_at, c.amount_microcents, c.network, c.recipient as other, c.transaction, c.position,
          a.transaction || ' ' || a.position as gives_back, count(*) over () as total
        from chain_transfers c left join chain_transfers a on a.network = c.network and a.refund_nonce = c.nonce
          and a.removed_at is null
        where c.use = 'outgoing' and c.removed_at is null order by c.seen_at limit ${toldMax}`,
    ),
    blocks: await told<OpenBlock>(
      db,
      sql`
        select block_key, account_key, b.payer, cause, b.created_at, amount_microcents, job_key,
          count(*) over () as total
        from purchase_blocks b left join payments using (payment_key)
        where lifted_at is null order by b.created_at, block_key limit ${toldMax}`,
    ),
    unknown: await told<OpenPayment>(
      db,
      sql`
        select payment_key, job_key, created_at, amount_microcents, network, payer, count(*) over () as total
        from x402_payments where state in ('settling', 'unknown') and created_at <= ${hourAgo}
        order by created_at limit ${toldMax}`,
    ),
    payments: await told<OpenPayment>(
      db,
      sql`
        select payment_key, job_key, created_at, amount_microcents, network, payer, count(*) over () as total
        from x402_payments where state in ('settling', 'unknown') and created_at > ${hourAgo}
        order by created_at limit ${toldMax}`,
    ),
    // A refund of a payment that was reversed itself is not owed any more.
    refunds: await told<OpenRefund>(
      db,
      sql`
        select refunds.refund_key, refunds.job_key, refunds.state, refunds.created_at, tries, refunds.amount_microcents,
          refunds.network, sender as payer, count(*) over () as total
        from refunds join chain_transfers c on c.network = refunds.network and c.transaction = arrival_transaction
          and c.position = arrival_position
        left join payments on payments.payment_key = refunds.payment_key
        where refunds.state <> 'refunded' and reversed_at is null order by refunds.created_at limit ${toldMax}`,
    ),
  };
}

/**
 * What each chain says that we hold at the block that was searched last, beside what the books say of that block: their
 * balance without the logs that they know already of later blocks.
 */
/** What each chain that is searched holds by its own word, beside what the books say of the same block. */
export function readChainBooks(db: Queries): Promise<ChainBooks[]> {
  return db.many<ChainBooks>(sql`
    select network, searched_to, head, searched_at, balance_microcents, (
      (select coalesce(sum(case when debit_account = books.account then amount_microcents
          else -amount_microcents end), 0) from ledger_transfers
        where books.account in (debit_account, credit_account))
      - (select coalesce(sum(case when refund_nonce is null then -amount_microcents else amount_microcents end), 0)
        from chain_transfers c
        where c.network = s.network and removed_at is null and block_number > searched_to))::bigint as ledger_microcents
    from searched_chains s, lateral (select 'asset:x402:' || network as account) books order by network`);
}

async function told<Row>(db: Queries, statement: Sql): Promise<Told<Row>> {
  const rows = await db.many<Row & { total: bigint }>(statement);
  return { rows: rows.map(({ total: _, ...row }) => row as Row), total: Number(rows[0]?.total ?? 0n) };
}
