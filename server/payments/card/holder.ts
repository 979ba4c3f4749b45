import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { sql } from '../../kernel/sql.ts';
import { daySeconds } from '../../service/terms.ts';

/** How a person is wanted at a payment until payments by card have stood for a while. */

/** A holder has mostly told the bank of a stolen card by then. */
export const provenDays = 30;

/**
 * Whether a payer's bank is asked to make sure that its holder pays (3-D Secure), so that a stolen card fails, and the loss
 * of a payment that is called fraud is the bank's. Members of an account whose card payments have stood for a month are not
 * asked, as they would pay elsewhere, unless a card paid on its pages since of which no payment has stood, or another page
 * is open on which nobody is asked. `isMember`: a signed-in member opens the page.
 */
export async function asksHolder(
  db: Queries,
  { accountKey, paymentKey, isMember, now }: { accountKey: string; paymentKey: string; isMember: boolean; now: Date },
): Promise<boolean> {
  if (!isMember) return true;
  const since = after(now, -provenDays * daySeconds);
  const proven = await db.maybe(sql`
    select from jobs where account_key = ${accountKey} and created_at <= ${since}
      and last_rail = 'card' and state = 'accepted' and payment_state = 'collected'
      and not exists (
        select from jobs lately join payments p using (job_key) join card_charges k using (payment_key)
        where lately.account_key = ${accountKey} and lately.created_at > ${since} and p.method = 'card_checkout'
          and not exists (
            select from card_charges stood join payments using (payment_key) join jobs j using (job_key)
            where stood.payer = k.payer and stood.seen_at <= ${since}
              and j.state = 'accepted' and j.payment_state = 'collected'))
      and not exists (
        select from jobs other join payments p using (job_key) join card_payments c using (payment_key)
        where other.account_key = ${accountKey} and other.state = 'awaiting_payment' and p.state in ('settling', 'unknown')
          and c.asks_holder = false and payment_key <> ${paymentKey} and c.session_expires_at > ${now})
    limit 1`);
  return proven === undefined;
}
