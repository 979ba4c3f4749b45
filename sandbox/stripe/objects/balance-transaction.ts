import type Stripe from 'stripe';
import { newId } from '../ids.ts';
import type { Provider } from '../provider.ts';

export interface Movement {
  readonly type:
    | 'charge'
    | 'refund'
    | 'refund_failure'
    | 'adjustment'
    | 'payout'
    | 'payout_failure'
    | 'stripe_fee'
    | 'topup';
  readonly category:
    | 'charge'
    | 'refund'
    | 'refund_failure'
    | 'dispute'
    | 'dispute_reversal'
    | 'payout'
    | 'payout_reversal'
    | 'fee'
    | 'topup';
  /** Cents; negative when money leaves the seller's balance. */
  readonly amount: number;
  /** Cents. */
  readonly fee: number;
  /** Null for a fee that belongs to nothing. */
  readonly source: string | null;
  readonly description: string | null;
}

const DAYS_2 = 2 * 86_400;
const FEE_PERCENT = 2.9;
const FEE_FIXED_CENTS = 30;
/** Per dispute; not given back. */
export const DISPUTE_FEE_CENTS = 1_500;

/** Stripe's fee for a card payment in the USA: 2.9 % and 30 cents. */
export function chargeFee(amountCents: number): number {
  return Math.round((amountCents * FEE_PERCENT) / 100) + FEE_FIXED_CENTS;
}

/** Posts a movement to the seller's balance. */
export function post({ store, clock }: Provider, movement: Movement): Stripe.BalanceTransaction {
  const { amount, fee } = movement;
  const now = clock.now();
  const feeDetail = {
    amount: fee,
    application: null,
    currency: 'usd',
    description: 'Stripe processing fees',
    type: 'stripe_fee',
  };
  return store.put('balance_transaction', {
    id: newId('txn'),
    object: 'balance_transaction',
    amount,
    available_on: movement.category === 'charge' ? now + DAYS_2 : now,
    balance_type: 'payments',
    created: now,
    currency: 'usd',
    description: movement.description,
    exchange_rate: null,
    fee,
    fee_details: fee === 0 ? [] : [feeDetail],
    net: amount - fee,
    reporting_category: movement.category,
    source: movement.source,
    status: movement.category === 'charge' ? 'pending' : 'available',
    type: movement.type,
  });
}

/** Its current state: pending money becomes available with time. */
export function current({ clock }: Provider, movement: Stripe.BalanceTransaction): Stripe.BalanceTransaction {
  return { ...movement, status: movement.available_on <= clock.now() ? 'available' : 'pending' };
}
