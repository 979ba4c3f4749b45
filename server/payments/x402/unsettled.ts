import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { sql, statement } from '../../kernel/sql.ts';
import { sumsNow } from '../../ledger/closing.ts';
import { isForOperator } from '../attempt-sql.ts';
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
import { ownAddressOf } from './transfers.ts';

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

const refundsNotCarriedOut = `
  select refunds.refund_key, refunds.job_key, refunds.state, refunds.created_at, tries, refunds.amount_microcents,
    refunds.network, sender as payer, refunds.failure,
    case when refunds.state = 'refund_failed' or ${isForOperator('refunds', '$1::timestamptz')} then 'person'
      when c.removed_at is not null then 'arrival' when x.watch_at is not null then 'finality'
      when refunds.valid_before > $1::timestamptz then 'transfer' else 'try' end as waits_for
  from refunds join chain_transfers c on c.network = refunds.network and c.transaction = arrival_transaction
    and c.position = arrival_position
  left join x402_transfers x on x.payment_key = refunds.payment_key
  where refunds.state <> 'refunded' and refunds.dropped_at is null order by refunds.created_at limit ${toldMax}`;

/** Refunds that are owed and were not carried out. */
async function openRefunds(db: Queries, now: Date): Promise<Told<OpenRefund>> {
  // Apart from the rows: only these are looked up on their chains.
  const { total } = await db.one<{ total: number }>(sql`
    select count(*)::int as total from refunds
    where state <> 'refunded' and dropped_at is null and network is not null`);
  const rows = await db.many<OpenRefund>(statement(refundsNotCarriedOut, [now]));
  return { rows, total };
}

/** The last number that a block can have here. */
const biggest = 2n ** 63n - 1n;

/** After this long without a search, what it found says nothing of today. */
const staleAfter = 'make_interval(mins => 5)';

/**
 * The searched addresses that count. One that held nothing when it was searched last, while others of its chain are
 * searched on, was taken off the list.
 */
const addressesInUse = `
  select network, address, opened_at, searched_to, head, balance_microcents, searched_at
  from searched_chains s where not (balance_microcents = 0 and exists (
    select from searched_chains other where other.network = s.network
      and other.searched_at > s.searched_at + ${staleAfter}))`;

/** One of our addresses on a chain, as it was searched last. */
export interface SearchedAddress {
  network: string;
  address: string;
  searched_to: bigint;
  searched_at: Date;
  /** Null when the node could not say. */
  balance_microcents: bigint | null;
  /** Whether nothing is there, and nothing can come that counts or go back: it may be taken off the list. */
  is_empty: boolean;
}

/** Our addresses, newest first. */
export function readAddresses(db: Queries): Promise<SearchedAddress[]> {
  return db.many<SearchedAddress>(
    statement(
      `select network, address, searched_to, searched_at, balance_microcents,
        coalesce(balance_microcents = 0, false)
          and not exists (select from x402_payments x where (x.network, x.pay_to) = (s.network, s.address)
            and (x.state in ('settling', 'unknown') or exists (select from jobs where jobs.job_key = x.job_key
              and jobs.state in ('queued', 'running', 'delivered', 'rechecking', 'redelivered'))))
          and not exists (select from refunds r join chain_transfers c on (c.network, c.transaction, c.position)
            = (r.network, r.arrival_transaction, r.arrival_position)
            where (c.network, c.recipient) = (s.network, s.address) and r.state <> 'refunded' and r.dropped_at is null)
          as is_empty
      from (${addressesInUse}) s order by network, opened_at desc`,
      [],
    ),
  );
}

/**
 * Each chain's own word on what our addresses hold, beside the books without logs that no search has reached. What was
 * not searched for a while counts as unknown: an old block must not pass for agreement.
 */
export async function readChainBooks(db: Queries): Promise<ChainBooks[]> {
  const { text } = await sumsNow(db);
  return db.many<ChainBooks>(statement(chainBooks(text), []));
}

const chainBooks = (sums: string): string => `
  with sums as materialized (${sums}), addresses as materialized (${addressesInUse}),
  chains as (
    select network, min(searched_to) as searched_to, max(head) as head, min(searched_at) as searched_at,
      case when count(balance_microcents) = count(*) and min(searched_at) > now() - ${staleAfter}
        then sum(balance_microcents)::bigint end as balance_microcents
    from addresses group by network)
  select network, searched_to, head, searched_at, balance_microcents, (
    coalesce((select debited - credited from sums where account = 'asset:x402:' || network), 0)
    - (select coalesce(sum(case when refund_nonce is null then -amount_microcents else amount_microcents end), 0)
      from chain_transfers c
      -- The upper end has the planner expect few rows, and take the index.
      where c.network = s.network and removed_at is null
        and block_number between searched_to + 1 and ${biggest}
        and block_number > coalesce((select a.searched_to from addresses a
          where a.network = c.network and a.address = ${ownAddressOf}), -1)))::bigint as ledger_microcents
  from chains s order by network`;
