import Stripe from 'stripe';
import { after } from '../../kernel/clock.ts';
import { errorFields, log } from '../../kernel/log.ts';
import { toText } from '../../kernel/money.ts';
import { sql } from '../../kernel/sql.ts';
import { accountSums } from '../../ledger/closing.ts';
import { daySeconds } from '../../service/terms.ts';
import type { Process } from '../rail.ts';
import type { Difference } from '../told.ts';
import type { Look } from './compared.ts';
import { bookMovements } from './movements.ts';
import { type CardProvider, fromCents, isRefusedAs } from './provider.ts';

/**
 * Compares all that the provider holds for us with `asset:card`. The provider's account must serve this service alone. A
 * payment in flight makes the two differ for a moment, so only a difference found twice counts.
 */

const pageSize = 100;

interface Balances {
  balance_microcents: bigint | null;
  ledger_microcents: bigint | null;
}

/** Books payouts and fees since `since`, records both balances, and returns a difference that was there before. */
export async function compareBalance({ process, provider }: Look, since: Date): Promise<Difference[]> {
  const { db } = process;
  const before = await db.maybe<Balances>(sql`
    select balance_microcents, ledger_microcents from card_searches where list = 'books'`);
  const balance = await held(process, provider, since).catch((error) => {
    // A restricted key may not read the balance. The other comparisons still count.
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

/**
 * Compares what banks hold of disputed charges with `suspense:card_disputes`. They differ when a lost dispute took another
 * amount than the charge: a person must say where the rest belongs.
 */
export async function compareSuspense({ process: { db } }: Look): Promise<Difference[]> {
  const heldNow = async () => {
    const { held } = await db.one<{ held: bigint }>(sql`
      select coalesce(sum(withdrawn_microcents), 0)::bigint as held from card_disputes
      where outcome is null or outcome = 'won'`);
    return held;
  };
  const before = await heldNow();
  const { sums } = await accountSums(db);
  const suspense = sums.find(({ account }) => account === 'suspense:card_disputes');
  const booked = suspense ? suspense.debited - suspense.credited : 0n;
  // A dispute that moved meanwhile is compared next time.
  if (booked === before || before !== (await heldNow())) return [];
  return [{ kind: 'balance', object_id: 'disputes', ours: toText(booked), theirs: toText(before) }];
}

/** In microcents: available and pending. A refund in flight has not left yet. */
async function held(process: Process, provider: CardProvider, since: Date): Promise<bigint> {
  const { stripe } = provider;
  await bookMovements(process, provider, since);
  const { available, pending } = await stripe.balance.retrieve();
  const cents = [...available, ...pending].reduce((sum, part) => sum + (part.currency === 'usd' ? part.amount : 0), 0);
  return fromCents(cents) + (await onTheirWay(process, stripe));
}

/** Within these days a refund that was under way when its charge was lost succeeds or fails. */
const settledDays = 30;

/** Refunds that left the balance; our books count them once they arrive. */
async function onTheirWay({ db, clock }: Process, stripe: Stripe): Promise<bigint> {
  const tried = await db.many<{ intent_id: string }>(sql`
    select intent_id from refunds where intent_id is not null and tries > 0 and (state = 'refund_pending'
      or (provider_refund_id is null and dropped_at > ${after(clock(), -settledDays * daySeconds)}))`);
  let sum = 0;
  for (const { intent_id: intent } of tried) {
    for (const { status, amount, balance_transaction: booked } of await refundsOf(stripe, intent)) {
      if (booked && status !== 'failed' && status !== 'canceled') sum += amount;
    }
  }
  return fromCents(sum);
}

/** The refunds of an intent; none of one that was charged at another account of ours. */
async function refundsOf(stripe: Stripe, intent: string): Promise<Stripe.Refund[]> {
  try {
    return (await stripe.refunds.list({ payment_intent: intent, limit: pageSize })).data;
  } catch (error) {
    if (isRefusedAs(error, 'resource_missing')) return [];
    throw error;
  }
}
