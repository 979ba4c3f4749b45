import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { sql } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { Problem, refuse } from '../../problems/problem.ts';
import { lasting, seconds } from '../../service/terms.ts';
import type { PaymentRequest } from '../rail.ts';

/**
 * Checks that an account may have open by card before it accepted any; each that it accepted within the period of
 * `remedies` adds one. The provider keeps its fee of what is canceled or waived, and remedies block an account only once
 * it has done that: whoever had many open by then could give them all up (specification 4.9).
 */
const atOnce = 5;
const againSeconds = 60;

type Beginning = Pick<PaymentRequest, 'accountKey' | 'jobKey' | 'now'>;

/**
 * The refusal of a further payment by card: as many others of the account are open at the provider, or paid for checks
 * that are not delivered yet or wait for their review in time. A page that nobody opened is not open there, and one that
 * ended is not any more. Null when there is room.
 */
export async function underWayRefusal(db: Queries, { accountKey, jobKey, now }: Beginning): Promise<Problem | null> {
  const { count: others } = await db.one<{ count: number }>(sql`
    select count(*)::int as count from jobs
    where account_key = ${accountKey} and job_key <> ${jobKey} and last_rail = 'card'
      and state in ('awaiting_payment', 'queued', 'running', 'delivered', 'rechecking', 'redelivered')
      and (state not in ('delivered', 'redelivered') or review_by > ${now})
      and (state <> 'awaiting_payment' or exists (
        select from payments p join card_payments c using (payment_key)
        where p.job_key = jobs.job_key and p.state in ('settling', 'unknown')
          and (p.method = 'card_saved' or c.session_expires_at > ${now})))`);
  if (others < atOnce) return null;
  const wanted = others - atOnce + 1;
  const since = after(now, -seconds.remedies);
  const { count: accepted } = await db.one<{ count: number }>(sql`
    select count(*)::int as count from (
      select from jobs
      where account_key = ${accountKey} and state = 'accepted' and created_at > ${since} and finalized_at > ${since}
      order by created_at desc limit ${wanted}) newest`);
  if (accepted >= wanted) return null;
  return new Problem(
    'rate_limited',
    `This account has as many checks under way by card as it may: ${atOnce}, and one more for each that it bought and ` +
      `accepted in the last ${lasting('remedies')}. Accept a report that was delivered, or finish or cancel open payments; then ` +
      'repeat this request. Nothing was charged for it.',
    { headers: { 'Retry-After': String(againSeconds) } },
  );
}

/** The same for a payment that begins in this transaction, which those of its account that begin at once wait for. */
export async function requireRoomUnderWay(tx: Tx, beginning: Beginning): Promise<void> {
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${`cards of ${beginning.accountKey}`}, 0))`);
  refuse(await underWayRefusal(tx, beginning));
}
