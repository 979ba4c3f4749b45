import type { Queries } from '../kernel/database.ts';
import { toWire } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import type * as contract from './contract/purchases.ts';

interface MoneyRow {
  job_key: string;
  fee: bigint | null;
  refunded: bigint;
  reference: string | null;
}

/** Fee, refund and reference of the payments that collected for these jobs, by job. */
export async function moneyOf(db: Queries, jobKeys: readonly string[]): Promise<Map<string, contract.Money>> {
  const rows = await db.many<MoneyRow>(sql`
    select j.job_key, c.fee_microcents as fee, coalesce(c.charge_id, t.network || ':' || t.transaction) as reference,
      coalesce((select sum(amount_microcents) from refunds r where r.payment_key = p.payment_key
        and r.state = 'refunded' and r.reason <> 'late_payment'), 0)::bigint as refunded
    from jobs j left join payments p on p.job_key = j.job_key and p.state = 'collected'
      left join card_charges c on c.payment_key = p.payment_key and c.use = 'payment'
      left join chain_transfers t on t.payment_key = p.payment_key and t.removed_at is null and not t.is_superseded
    where j.job_key = any(${[...jobKeys]}::text[])`);
  return new Map(
    rows.map(({ job_key, fee, refunded, reference }) => [
      job_key,
      { fee_microcents: fee === null ? null : toWire(fee), refunded_microcents: toWire(refunded), reference },
    ]),
  );
}
