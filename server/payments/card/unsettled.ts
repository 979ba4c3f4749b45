import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { sql, statement } from '../../kernel/sql.ts';
import { isForOperator } from '../attempt-sql.ts';
import {
  type CardBooks,
  type OpenPayment,
  type OpenRefund,
  operatorAfterSeconds,
  told,
  toldMax,
  type Waiting,
} from '../told.ts';

const openRefunds = `
  select refund_key, r.job_key, r.state, r.created_at, r.tries, r.amount_microcents, 'card' as network,
    account_key as payer, r.failure, count(*) over () as total,
    case when exists (
      select from card_disputes d where d.intent_id = r.intent_id and closed_at is null) then 'dispute'
      when r.state = 'refund_failed' or ${isForOperator('r', '$1::timestamptz')} then 'person' else 'try' end as waits_for
  from refunds r join jobs using (job_key)
  where r.intent_id is not null and r.state <> 'refunded' and r.dropped_at is null
  order by r.created_at limit ${toldMax}`;

/** Lists card charges and refunds with an unknown result. A payment that waits for its payer is not one. */
export async function readCardsWaiting(
  db: Queries,
  now: Date,
): Promise<Pick<Waiting, 'unknown' | 'payments' | 'refunds'>> {
  const hourAgo = after(now, -operatorAfterSeconds);
  const openPayments = (isOld: boolean) =>
    told<OpenPayment>(
      db,
      sql`
        select payment_key, job_key, p.created_at, amount_microcents, 'card' as network, account_key as payer,
          count(*) over () as total
        from payments p join jobs using (job_key)
        where rail = 'card' and p.state in ('settling', 'unknown') and jobs.payment_state in ('processing', 'unknown')
          and (p.created_at <= ${hourAgo}) = ${isOld}
        order by p.created_at limit ${toldMax}`,
    );
  return {
    unknown: await openPayments(true),
    payments: await openPayments(false),
    refunds: await told<OpenRefund>(db, statement(openRefunds, [now])),
  };
}

/** The provider's balance at the last comparison, and the books. Undefined before the first. */
export function readCardBooks(db: Queries): Promise<CardBooks | undefined> {
  return db.maybe<CardBooks>(sql`
    select searched_at, balance_microcents, ledger_microcents from card_searches
    where list = 'books' and balance_microcents is not null and ledger_microcents is not null`);
}
