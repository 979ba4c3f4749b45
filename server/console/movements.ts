import type { Queries } from '../kernel/database.ts';
import { toWire } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import type * as contract from './contract/purchases.ts';

interface TakingRow {
  job_key: string;
  at: Date;
  amount: bigint;
  pays: boolean;
  reference: string;
}

/** Each time a card or a wallet paid for these jobs, oldest first. What does not pay came too often or too late. */
function takingsOf(db: Queries, jobKeys: readonly string[]): Promise<TakingRow[]> {
  return db.many<TakingRow>(sql`
    with asked as (select job_key, payment_key from payments where job_key = any(${[...jobKeys]}::text[]))
    select job_key, seen_at as at, amount_microcents as amount, use = 'payment' as pays, charge_id as reference
    from card_charges join asked using (payment_key)
    union all
    select job_key, seen_at, amount_microcents, use = 'payment', network || ':' || transaction
    from chain_transfers join asked using (payment_key) where removed_at is null and not is_superseded
    order by at, reference`);
}

interface BackRow {
  job_key: string;
  refund_key: string;
  state: string;
  amount: bigint;
  at: Date;
  reference: string | null;
}

/** Each refund of these jobs, oldest first, with what the provider, the chain or an operator calls it. */
function refundsOf(db: Queries, jobKeys: readonly string[]): Promise<BackRow[]> {
  return db.many<BackRow>(sql`
    select job_key, refund_key, state, amount_microcents as amount, coalesce(settled_at, decided_at, created_at) as at,
      coalesce(settled_reference, provider_refund_id, (select network || ':' || transaction from chain_transfers c
        where c.refund_key = r.refund_key and removed_at is null and not is_superseded limit 1)) as reference
    from refunds r where job_key = any(${[...jobKeys]}::text[]) order by at, refund_key`);
}

/** What was taken for a purchase, and what goes back of it. */
export async function movementsOf(db: Queries, jobKey: string | null): Promise<contract.Movements> {
  if (jobKey === null) return { takings: [], refunds: [] };
  const [takings, refunds] = await Promise.all([takingsOf(db, [jobKey]), refundsOf(db, [jobKey])]);
  return {
    takings: takings.map(({ at, amount, pays, reference }) => ({
      at: at.toISOString(),
      amount_microcents: toWire(amount),
      pays,
      reference,
    })),
    refunds: refunds.map(({ refund_key, state, amount, at, reference }) => ({
      refund_key,
      state,
      amount_microcents: toWire(amount),
      at: at.toISOString(),
      reference,
    })),
  };
}

/** How often each of these jobs was paid for, and what went back, by job. */
export async function sumsOf(
  db: Queries,
  jobKeys: readonly string[],
): Promise<Map<string, { taken: number; back_microcents: number }>> {
  const [takings, refunds] = await Promise.all([takingsOf(db, jobKeys), refundsOf(db, jobKeys)]);
  return new Map(
    jobKeys.map((key) => [
      key,
      {
        taken: takings.filter(({ job_key }) => job_key === key).length,
        back_microcents: toWire(
          refunds
            .filter(({ job_key, state }) => job_key === key && state === 'refunded')
            .reduce((sum, { amount }) => sum + amount, 0n),
        ),
      },
    ]),
  );
}
