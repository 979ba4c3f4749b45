import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { sql } from '../../kernel/sql.ts';
import { type OpenPayment, type OpenRefund, operatorAfterSeconds, told, toldMax, type Waiting } from '../told.ts';

/** Lists card payments and refunds that wait for a person, the provider or the worker. */
export async function readCardsWaiting(db: Queries, now: Date): Promise<Waiting> {
  const hourAgo = after(now, -operatorAfterSeconds);
  const nothing = { rows: [], total: 0 };
  return {
    chains: [],
    arrivals: nothing,
    departures: nothing,
    unknown: await openPayments(db, new Date(0), hourAgo),
    payments: await openPayments(db, hourAgo, now),
    refunds: await told<OpenRefund>(
      db,
      sql`
        select refund_key, r.job_key, r.state, r.created_at, tries, r.amount_microcents, 'card' as network,
          null as payer, r.failure, count(*) over () as total,
          case when r.state = 'refund_failed' then 'person' when exists (
            select from card_disputes d where d.intent_id = r.intent_id and closed_at is null) then 'dispute'
            else 'try' end as waits_for
        from refunds r join payments using (payment_key)
        where r.state <> 'refunded' and r.intent_id is not null and reversed_at is null
        order by r.created_at limit ${toldMax}`,
    ),
  };
}

/** Open payments made between the two instants. One that waits for its payer is in no doubt. */
function openPayments(db: Queries, from: Date, to: Date) {
  return told<OpenPayment>(
    db,
    sql`
      select payment_key, job_key, p.created_at, amount_microcents, 'card' as network, null as payer,
        count(*) over () as total
      from payments p join jobs using (job_key)
      where p.state in ('settling', 'unknown') and rail = 'card' and payment_state <> 'requires_payer'
        and p.created_at > ${from} and p.created_at <= ${to}
      order by p.created_at limit ${toldMax}`,
  );
}
