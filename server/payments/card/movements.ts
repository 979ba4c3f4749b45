import type Stripe from 'stripe';
import type { Queries } from '../../kernel/database.ts';
import { microcents } from '../../kernel/money.ts';
import { sql } from '../../kernel/sql.ts';
import { transact } from '../../kernel/transaction.ts';
import {
  charged,
  type Movement,
  paidOut,
  payoutReturned,
  providerFee,
  providerFeeReturned,
  refunded,
  returnOwed,
  sentToCard,
} from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import type { Process } from '../rail.ts';
import { type CardProvider, fromCents } from './provider.ts';

/**
 * Books what moves the provider's balance besides charges, refunds and disputes: payouts to our bank, and separate fees.
 * We trust the provider's word on these.
 */

const pageSize = 100;

/** Movements by the type of the balance transaction (docs.stripe.com/reports/balance-transaction-types). */
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

/** Books all new movements. Each type in one transaction, so that a booked movement has no unbooked one before it. */
export async function bookMovements({ db, clock }: Process, { stripe }: CardProvider, since: Date): Promise<void> {
  for (const [type, kind] of Object.entries(kinds)) {
    const found = await unbooked(db, stripe, { type, ...kind }, since);
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

/**
 * Books, once, a charge that came and went in a time that a restored database does not know: what stays is the fee that
 * the provider kept.
 */
export async function bookPassed({ db, clock }: Process, charge: Stripe.Charge): Promise<void> {
  const { id, amount, balance_transaction: booked } = charge;
  if (!booked || typeof booked === 'string') return;
  await transact(db, async (tx) => {
    tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${id}, 0))`);
    if (
      await tx.maybe(
        sql`select from ledger_transfers where event_key = ${`${charged.event}:${id}`} and month = '-infinity'`,
      )
    )
      return;
    const of = { key: id, jobKey: null, principalKey: null, at: clock() };
    for (const movement of [charged, returnOwed, refunded, sentToCard]) {
      post(tx, { ...movement, ...of, amount: fromCents(amount) });
    }
    if (booked.fee > 0) post(tx, { ...providerFee, ...of, amount: fromCents(booked.fee) });
  });
}

/** New movements, newest first. Stops at a booked one from before `since`. */
async function unbooked(
  db: Queries,
  stripe: Stripe,
  { type, taken, returned }: { type: string; taken: Movement; returned: Movement },
  since: Date,
): Promise<Stripe.BalanceTransaction[]> {
  const found: Stripe.BalanceTransaction[] = [];
  for await (const moved of stripe.balanceTransactions.list({ type, currency: 'usd', limit: pageSize })) {
    const { id, net, created } = moved;
    const isBooked = await db.maybe(sql`
      select from ledger_transfers
      where event_key = ${`${(net < 0 ? taken : returned).event}:${id}`} and month = '-infinity'`);
    if (!isBooked && net !== 0) found.push(moved);
    if (isBooked && created * 1_000 < since.getTime()) break;
  }
  return found;
}
