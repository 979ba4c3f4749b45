import type { BlockCause } from '../identity/blocked.ts';
import type { Queries } from '../kernel/database.ts';
import { type Sql, sql } from '../kernel/sql.ts';

/** What of a list is told: more than a person reads at once says only how much more there is. */
const toldMax = 100;

/** Rows of one kind, the oldest first, and how many there are in all. */
export interface Told<Row> {
  rows: Row[];
  total: number;
}

/** A transfer to us that belongs to no payment. Nothing returns it by itself. */
export interface UnmatchedTransfer {
  seen_at: Date;
  amount_microcents: bigint;
  network: string;
  payer: string;
  transaction: string;
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
  job_key: string;
  state: 'refund_pending' | 'refund_failed';
  created_at: Date;
  tries: number;
  amount_microcents: bigint;
  network: string;
  payer: string;
}

/** What about money is not settled: the keys, amounts and addresses that an operator needs, and no content. */
export interface Unsettled {
  transfers: Told<UnmatchedTransfer>;
  blocks: Told<OpenBlock>;
  payments: Told<OpenPayment>;
  refunds: Told<OpenRefund>;
}

/** Lists everything about money that waits: for a person, for the chain, or for the worker. */
export async function readUnsettled(db: Queries): Promise<Unsettled> {
  return {
    // One whose signature was presented later has paid after all.
    transfers: await told<UnmatchedTransfer>(
      db,
      sql`
        select seen_at, amount_microcents, network, payer, transaction, count(*) over () as total
        from unmatched_transfers u
        where not exists (
          select from payments p
          where p.network = u.network and p.transaction = u.transaction and p.payer = u.payer)
        order by seen_at limit ${toldMax}`,
    ),
    blocks: await told<OpenBlock>(
      db,
      sql`
        select block_key, account_key, b.payer, cause, b.created_at, amount_microcents, job_key,
          count(*) over () as total
        from purchase_blocks b left join payments using (payment_key)
        where lifted_at is null order by b.created_at, block_key limit ${toldMax}`,
    ),
    payments: await told<OpenPayment>(
      db,
      sql`
        select payment_key, job_key, created_at, amount_microcents, network, payer, count(*) over () as total
        from payments where state in ('settling', 'unknown') order by created_at limit ${toldMax}`,
    ),
    // A refund of a payment that was reversed itself is not owed any more.
    refunds: await told<OpenRefund>(
      db,
      sql`
        select refund_key, refunds.job_key, refunds.state, refunds.created_at, tries, refunds.amount_microcents, network,
          payer, count(*) over () as total
        from refunds join payments using (payment_key)
        where refunds.state <> 'refunded' and reversed_at is null order by refunds.created_at limit ${toldMax}`,
    ),
  };
}

async function told<Row>(db: Queries, statement: Sql): Promise<Told<Row>> {
  const rows = await db.many<Row & { total: bigint }>(statement);
  return { rows: rows.map(({ total: _, ...row }) => row as Row), total: Number(rows[0]?.total ?? 0n) };
}
