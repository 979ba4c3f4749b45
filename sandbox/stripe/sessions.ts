// The life of a checkout session: open, then complete or expired.
import type Stripe from 'stripe';
import { refused } from './errors.ts';
import { emit } from './events.ts';
import { cancelIntent } from './payments.ts';
import type { Provider } from './provider.ts';

/** The session that made a payment intent. */
export function sessionOf({ store }: Provider, intentId: string): Stripe.Checkout.Session | undefined {
  return store.list('checkout.session').find((one) => one.payment_intent === intentId);
}

/** Expires an open session; nobody can pay it any more. Throws 400 for a session that is not open. */
export function expireSession(provider: Provider, session: Stripe.Checkout.Session): Stripe.Checkout.Session {
  if (session.status !== 'open') {
    throw refused(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
    );
  }
  const expired = provider.store.put('checkout.session', { ...session, status: 'expired', url: null });
  const intent = provider.store.get('payment_intent', String(session.payment_intent));
  if (intent) cancelIntent(provider, intent, 'expired');
  emit(provider, 'checkout.session.expired', expired);
  return expired;
}

/** Completes a session; `payment_status` says whether the money is there. */
export function completeSession(
  provider: Provider,
  session: Stripe.Checkout.Session,
  details: Stripe.Checkout.Session.CustomerDetails,
  paid: boolean,
): Stripe.Checkout.Session {
  const complete = provider.store.put('checkout.session', {
    ...session,
    status: 'complete',
    payment_status: paid ? 'paid' : 'unpaid',
    customer_details: details,
    url: null,
  });
  emit(provider, 'checkout.session.completed', complete);
  return complete;
}

/** Decides a payment that was processing when its session completed. */
export function settleSession(provider: Provider, session: Stripe.Checkout.Session, paid: boolean): void {
  const settled = provider.store.put('checkout.session', { ...session, payment_status: paid ? 'paid' : 'unpaid' });
  emit(provider, paid ? 'checkout.session.async_payment_succeeded' : 'checkout.session.async_payment_failed', settled);
}
