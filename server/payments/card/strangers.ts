import type { Queries } from '../../kernel/database.ts';
import { statement } from '../../kernel/sql.ts';
import type { StrangersPayment } from '../rail.ts';

/** Whether the account of `$2` knows the card of charge `k`: it kept it once, or a member paid with it. */
const isKnown = `(k.payer is null
  or exists (select from saved_cards s where s.account_key = $2 and s.payer = k.payer)
  or exists (
    select from card_charges other join card_payments c using (payment_key) join payments p using (payment_key)
      join jobs j using (job_key)
    where j.account_key = $2 and other.payer = k.payer and (p.method = 'card_saved' or c.customer_id is not null)))`;

const byStrangersOf = `
  select payment_key, array_agg(distinct k.payer) as payers
  from card_payments c join payments p using (payment_key) join card_charges k using (payment_key)
  where payment_key = any($1::text[]) and p.method = 'card_checkout' and c.customer_id is null
  group by payment_key having not bool_or(${isKnown})`;

/** The payments of an account that no member made: a page that a member opens has the account's customer. */
export function byStrangers(
  db: Queries,
  accountKey: string,
  paymentKeys: readonly string[],
): Promise<StrangersPayment[]> {
  return db.many(statement(byStrangersOf, [paymentKeys, accountKey]));
}
