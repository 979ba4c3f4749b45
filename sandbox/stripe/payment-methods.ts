// Payment methods: who holds a card, and whether it may pay.
import type Stripe from 'stripe';
import { numberOfToken } from './cards.ts';
import { missing, refused } from './errors.ts';
import { emit } from './events.ts';
import { newPaymentMethod, TOKEN_EXPIRY } from './objects/payment-method.ts';
import type { Provider } from './provider.ts';

/** The payment method with an id; a ready-made one such as `pm_card_visa` becomes a new one. Throws 400 for others. */
export function findMethod(provider: Provider, id: string, param = 'payment_method'): Stripe.PaymentMethod {
  const number = numberOfToken(id);
  if (number) return newPaymentMethod(provider, { number, ...TOKEN_EXPIRY });
  const method = provider.store.get('payment_method', id);
  if (!method) throw missing('PaymentMethod', id, param);
  return method;
}

/** Throws 400 unless this customer or nobody holds the card; a card without a customer pays once. */
export function requireUsable({ store }: Provider, method: Stripe.PaymentMethod, customer: string | null): void {
  const param = 'payment_method';
  if (method.customer === null) {
    if (!store.get('card', method.id)?.used) return;
    throw refused(
      'The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a connected account without Customer attachment, or was detached from a Customer. It may not be used again. To use a PaymentMethod multiple times, you must attach it to a Customer first.',
      { param },
    );
  }
  if (customer === null) {
    throw refused(
      `The provided PaymentMethod cannot be used because it belongs to the Customer ${String(method.customer)}. Please include the Customer in the \`customer\` parameter on the PaymentIntent.`,
      { param },
    );
  }
  if (method.customer !== customer) {
    throw refused(
      `The customer does not have a payment method with the ID ${method.id}. The payment method must be attached to the customer.`,
      { param, code: 'resource_missing' },
    );
  }
}

/** Attaches the card to a customer. */
export function attach(
  provider: Provider,
  method: Stripe.PaymentMethod,
  customer: string,
  allowRedisplay: Stripe.PaymentMethod.AllowRedisplay = method.allow_redisplay ?? 'unspecified',
): Stripe.PaymentMethod {
  const held = provider.store.put('payment_method', { ...method, customer, allow_redisplay: allowRedisplay });
  emit(provider, 'payment_method.attached', held);
  return held;
}

/** Detaches the card from its customer; it can never pay again. */
export function detach(provider: Provider, method: Stripe.PaymentMethod): Stripe.PaymentMethod {
  const { store } = provider;
  const { customer } = method;
  if (customer === null) {
    throw refused('The payment method you provided is not attached to a customer so detachment is impossible.');
  }
  const card = store.get('card', method.id);
  if (card) store.put('card', { ...card, used: true });
  const free = store.put('payment_method', { ...method, customer: null });
  emit(provider, 'payment_method.detached', free, { customer });
  return free;
}
