// Refunds: money on its way back to a card.
import type Stripe from 'stripe';
import { cardOf } from './cards.ts';
import { refused } from './errors.ts';
import { emit } from './events.ts';
import { post } from './objects/balance-transaction.ts';
import { newRefund } from './objects/refund.ts';
import type { Provider } from './provider.ts';
import { schedule } from './schedule.ts';

const SETTLE_AFTER_SECONDS = 3_600;
const CENTS = 100;

type Reason = 'duplicate' | 'fraudulent' | 'requested_by_customer';

/** Refunds a charge, in full unless `amount` (cents) says less. Throws 400 when the charge cannot be refunded. */
export function refund(
  provider: Provider,
  charge: Stripe.Charge,
  given: { amount?: number; reason?: Reason; metadata?: Record<string, string> },
): Stripe.Refund {
  const { store, clock } = provider;
  const amount = refundable(provider, charge, given.amount);
  const card = cardOf(store.get('card', charge.payment_method ?? '')?.number ?? '');
  const pending = provider.outcomes.take(({ of }) => of === 'refund') !== undefined || card.refund === 'pending';
  const made = newRefund(provider, charge, { ...given, amount, status: pending ? 'pending' : 'succeeded' });
  const movement = {
    type: 'refund',
    category: 'refund',
    amount: -amount,
    fee: 0,
    description: 'REFUND FOR CHARGE',
  } as const;
  const { id } = post(provider, { ...movement, source: made.id });
  const kept = store.put('refund', { ...made, balance_transaction: id });
  const amountRefunded = charge.amount_refunded + amount;
  const refunded = store.put('charge', {
    ...charge,
    amount_refunded: amountRefunded,
    refunded: amountRefunded === charge.amount,
  });
  emit(provider, 'refund.created', kept);
  emit(provider, 'charge.refunded', refunded, { amount_refunded: charge.amount_refunded, refunded: charge.refunded });
  if (card.refund === 'pending') schedule(provider, clock.now() + SETTLE_AFTER_SECONDS, 'settle_refund', kept.id);
  if (card.refund === 'fails_later') schedule(provider, clock.now() + SETTLE_AFTER_SECONDS, 'fail_refund', kept.id);
  return kept;
}

/** The cents to give back. */
function refundable({ store }: Provider, charge: Stripe.Charge, wanted: number | undefined): number {
  const left = charge.amount - charge.amount_refunded;
  if (charge.status !== 'succeeded') throw refused(`Charge ${charge.id} has not been paid; cannot issue a refund.`);
  const chargeback = store.list('dispute').find((one) => one.charge === charge.id && !one.is_charge_refundable);
  if (chargeback && chargeback.status !== 'won') {
    throw refused(`Charge ${charge.id} has been charged back; cannot issue a refund.`, { code: 'charge_disputed' });
  }
  if (left === 0) {
    throw refused(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' });
  }
  if (wanted !== undefined && wanted > left) {
    const dollars = (cents: number) => `$${(cents / CENTS).toFixed(2)}`;
    const message = `Refund amount (${dollars(wanted)}) is greater than unrefunded amount on charge (${dollars(left)})`;
    throw refused(message, { param: 'amount', code: 'amount_too_large' });
  }
  return wanted ?? left;
}

/** Settles a pending refund. */
export function settleRefund(provider: Provider, pending: Stripe.Refund): Stripe.Refund {
  if (pending.status !== 'pending') throw refused(`The refund is ${pending.status}, not pending.`);
  const { pending_reason: _over, ...rest } = pending;
  const settled = provider.store.put('refund', { ...rest, status: 'succeeded' });
  announce(provider, settled, { status: 'pending' });
  return settled;
}

/** The bank returned a refund: the money is the seller's again, and the charge can be refunded again. */
export function failRefund(provider: Provider, refund: Stripe.Refund, reason = 'unknown'): Stripe.Refund {
  const { store } = provider;
  if (refund.status !== 'pending' && refund.status !== 'succeeded') throw refused(`The refund is ${refund.status}.`);
  const movement = { type: 'refund_failure', category: 'refund_failure', amount: refund.amount, fee: 0 } as const;
  const { id } = post(provider, { ...movement, source: refund.id, description: 'REFUND FAILURE' });
  const { pending_reason: _over, ...rest } = refund;
  const failed = store.put('refund', {
    ...rest,
    status: 'failed',
    failure_reason: reason,
    failure_balance_transaction: id,
  });
  const charge = store.get('charge', String(refund.charge));
  if (charge) {
    store.put('charge', { ...charge, amount_refunded: charge.amount_refunded - refund.amount, refunded: false });
  }
  announce(provider, failed, { status: refund.status });
  emit(provider, 'refund.failed', failed);
  return failed;
}

function announce(provider: Provider, refund: Stripe.Refund, previous: object): void {
  emit(provider, 'refund.updated', refund, previous);
  emit(provider, 'charge.refund.updated', refund, previous);
}
