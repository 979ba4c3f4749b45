import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { sql, statement } from '../../kernel/sql.ts';
import { sumsNow } from '../../ledger/closing.ts';
import {
  type ChainBooks,
  type OpenPayment,
  type OpenRefund,
  type OpenTransfer,
  operatorAfterSeconds,
  type Told,
  told,
  toldMax,
  type Waiting,
} from '../told.ts';

/** Lists transfers that wait for a person, the chain or the worker. */
export async function readTransfersWaiting(db: Queries, now: Date): Promise<Omit<Waiting, 'card' | 'differences'>> {
  return {
    chains: await readChainBooks(db),
    ...(await openTransfers(db)),
    ...(await openAttempts(db, now)),
  };
}

/** Unexplained transfers. */
async function openTransfers(db: Queries): Promise<Pick<Waiting, 'arrivals' | 'departures'>> {
  return {
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
  };
}

/** Open payments and refunds. */
async function openAttempts(db: Queries, now: Date): Promise<Pick<Waiting, 'unknown' | 'payments' | 'refunds'>> {
  const hourAgo = after(now, -operatorAfterSeconds);
  return {
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
    refunds: await openRefunds(db, now),
  };
}

/** Refunds that are owed and were not carried out. */
async function openRefunds(db: Queries, now: Date): Promise<Told<OpenRefund>> {
  // Apart from the rows: only these are looked up on their chains.
  const { total } = await db.one<{ total: number }>(sql`
    select count(*)::int as total from refunds
    where state <> 'refunded' and dropped_at is null and network is not null`);
  const rows = await db.many<OpenRefund>(sql`
    select refunds.refund_key, refunds.job_key, refunds.state, refunds.created_at, tries, refunds.amount_microcents,
      refunds.network, sender as payer, refunds.failure,
      case when refunds.state = 'refund_failed' then 'person' when c.removed_at is not null then 'arrival'
        when x.watch_at is not null then 'finality' when refunds.valid_before > ${now} then 'transfer' else 'try' end
        as waits_for
    from refunds join chain_transfers c on c.network = refunds.network and c.transaction = arrival_transaction
      and c.position = arrival_position
    left join x402_transfers x on x.payment_key = refunds.payment_key
    where refunds.state <> 'refunded' and refunds.dropped_at is null order by refunds.created_at limit ${toldMax}`);
  return { rows, total };
}

/** The last number that a block can have here. */
const biggest = 2n ** 63n - 1n;

/** Each chain's own word on our balance at the last searched block, beside the books without later logs. */
export async function readChainBooks(db: Queries): Promise<ChainBooks[]> {
  const { text } = await sumsNow(db);
  return db.many<ChainBooks>(statement(chainBooks(text), []));
}

const chainBooks = (sums: string): string => `
  with sums as materialized (${sums})
  select network, searched_to, head, searched_at, balance_microcents, (
    coalesce((select debited - credited from sums where account = 'asset:x402:' || network), 0)
    - (select coalesce(sum(case when refund_nonce is null then -amount_microcents else amount_microcents end), 0)
      from chain_transfers c
      -- The upper end has the planner expect few rows, and take the index.
      where c.network = s.network and removed_at is null
        and block_number between searched_to + 1 and ${biggest}))::bigint as ledger_microcents
  from searched_chains s order by network`;
