import type Stripe from 'stripe';
import type { Queries } from '../../kernel/database.ts';
import { microcents } from '../../kernel/money.ts';
import { sql } from '../../kernel/sql.ts';
import { transact } from '../../kernel/transaction.ts';
import { type Movement, paidOut, payoutReturned, providerFee, providerFeeReturned } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import type { Process } from '../rail.ts';
import { type CardProvider, fromCents } from './provider.ts';

/**
 * What moves the provider's balance and is no charge, refund or dispute: payouts to our bank, and fees that belong to
 * nothing else. The provider says so and nobody here has a part in it, so it is written into the books as it is.
 */

const pageSize = 100;

/** What takes from the balance, and what gives back to it (docs.stripe.com/reports/balance-transaction-types). */
const payouts = { taken: paidOut, returned: payoutReturned };
const fees = { taken: providerFee, returned: providerFeeReturned };
const kinds: Readonly<Record<string, { taken: Movement; returned: Movement }>> = {
  payout: payouts,
  payout_cancel: payouts,
  payout_failure: payouts,
  stripe_fee: fees,
  stripe_fx_fee: fees,
  tax_fee: fees,
};

/** Writes down what is not in the books yet. All of a kind at once, so that nothing older than what is there is missing. */
export async function bookMovements({ db, clock }: Process, { stripe }: CardProvider, since: Date): Promise<void> {
  for (const [type, kind] of Object.entries(kinds)) {
    const found = await unbooked(db, stripe, type, kind, since);
    if (found.length === 0) continue;
    await transact(db, async (tx) => {
      for (const { id, net } of found) {
        const amount = microcents(fromCents(Math.abs(net)));
        const movement = net < 0 ? kind.taken : kind.returned;
        post(tx, { ...movement, key: id, jobKey: null, principalKey: null, amount, at: clock() });
      }
    });
  }
}

/** Newest first, up to one that is in the books and was there before `since`. */
async function unbooked(
  db: Queries,
  stripe: Stripe,
  type: string,
  { taken, returned }: { taken: Movement; returned: Movement },
  since: Date,
): Promise<Stripe.BalanceTransaction[]> {
  const found: Stripe.BalanceTransaction[] = [];
  for await (const moved of stripe.balanceTransactions.list({ type, currency: 'usd', limit: pageSize })) {
    const { id, net, created } = moved;
    const isBooked = await db.maybe(sql`
      select from ledger_transfers where event_key = ${`${(net < 0 ? taken : returned).event}:${id}`}`);
    if (!isBooked && net !== 0) found.push(moved);
    if (isBooked && created * 1_000 < since.getTime()) break;
  }
  return found;
}
