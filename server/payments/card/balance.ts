import Stripe from 'stripe';
import type { Queries } from '../../kernel/database.ts';
import { errorFields, log } from '../../kernel/log.ts';
import { toText } from '../../kernel/money.ts';
import { sql } from '../../kernel/sql.ts';
import { accountSums } from '../../ledger/closing.ts';
import type { Process } from '../rail.ts';
import type { Difference } from '../told.ts';
import type { Look } from './compared.ts';
import { bookMovements } from './movements.ts';
import { type CardProvider, fromCents } from './provider.ts';

/**
 * All that the provider holds for us beside `asset:card`. The account at the provider must be of this service alone. A
 * payment on its way makes both differ for a moment, so what counts is a difference that stands at two looks.
 */

const pageSize = 100;

interface Balances {
  balance_microcents: bigint | null;
  ledger_microcents: bigint | null;
}

/** Notes both, once what moved the balance by itself since `since` is in the books; gives the difference that stood before, too. */
export async function compareBalance({ process, provider }: Look, since: Date): Promise<Difference[]> {
  const { db } = process;
  const before = await db.maybe<Balances>(sql`
    select balance_microcents, ledger_microcents from card_searches where list = 'books'`);
  const balance = await held(process, provider, since).catch((error) => {
    // A restricted key may not let us read it. What else was compared still counts.
    if (!(error instanceof Stripe.errors.StripePermissionError)) throw error;
    log('balance_not_readable', errorFields(error));
    return null;
  });
  if (balance === null) return [];
  const { sums } = await accountSums(db);
  const own = sums.find(({ account }) => account === 'asset:card');
  const ledger = own ? own.debited - own.credited : 0n;
  await db.many(sql`
    update card_searches set balance_microcents = ${balance}, ledger_microcents = ${ledger} where list = 'books'`);
  const stood = (before?.balance_microcents ?? 0n) - (before?.ledger_microcents ?? 0n);
  if (balance === ledger || balance - ledger !== stood) return [];
  return [{ kind: 'balance', object_id: 'usd', ours: toText(ledger), theirs: toText(balance) }];
}

/** In microcents: what there is and what is pending; a refund on its way has not left yet. */
async function held(process: Process, provider: CardProvider, since: Date): Promise<bigint> {
  const { stripe } = provider;
  await bookMovements(process, provider, since);
  const { available, pending } = await stripe.balance.retrieve();
  const cents = [...available, ...pending].reduce((sum, part) => sum + (part.currency === 'usd' ? part.amount : 0), 0);
  return fromCents(cents) + (await onTheirWay(process.db, stripe));
}

/** Refunds that left the balance; our books count them once they arrive. */
async function onTheirWay(db: Queries, stripe: Stripe): Promise<bigint> {
  const tried = await db.many<{ intent_id: string }>(sql`
    select intent_id from refunds where state = 'refund_pending' and intent_id is not null and tries > 0`);
  let sum = 0;
  for (const { intent_id: intent } of tried) {
    const { data } = await stripe.refunds.list({ payment_intent: intent, limit: pageSize });
    for (const { status, amount, balance_transaction: booked } of data) {
      if (booked && status !== 'failed' && status !== 'canceled') sum += amount;
    }
  }
  return fromCents(sum);
}
