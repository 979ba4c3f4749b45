// Confirming a payment intent: a charge, a decline, or a question to the cardholder.
import type Stripe from 'stripe';
import { cardOf, type TestCard } from './cards.ts';
import { refused, StripeFault } from './errors.ts';
import { emit } from './events.ts';
import { chargeFee, post } from './objects/balance-transaction.ts';
import { newCharge } from './objects/charge.ts';
import { attach, findMethod, requireUsable } from './payment-methods.ts';
import type { Provider } from './provider.ts';
import { schedule } from './schedule.ts';

export interface Confirmation {
  /** Off session: the holder is absent. */
  readonly offSession: boolean;
  /** The holder has just authenticated. */
  readonly authenticated: boolean;
  readonly errorOnAction?: boolean;
  readonly returnUrl?: string | undefined;
}

type Decline = { code: string; decline_code: string; message: string };

const DISPUTE_AFTER_SECONDS = 10;
const WARNING_AFTER_SECONDS = 10;
const AUTHENTICATION: Decline = {
  code: 'authentication_required',
  decline_code: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
};

/**
 * Confirms an intent with a payment method. Returns it as `succeeded`, `processing` or `requires_action`. Throws 402
 * when the card is declined, leaving a failed charge and the intent in `requires_payment_method`.
 */
export function confirmIntent(
  provider: Provider,
  intent: Stripe.PaymentIntent,
  how: Confirmation,
): Stripe.PaymentIntent {
  const { store } = provider;
  const method = findMethod(provider, String(intent.payment_method));
  const customer = typeof intent.customer === 'string' ? intent.customer : null;
  requireUsable(provider, method, customer);
  const facts = store.get('card', method.id);
  const card = cardOf(facts?.number ?? '');
  if (!how.authenticated && asksHolder(card, { isSetUp: facts?.setUp ?? false, isAsked: isAsked(intent) })) {
    if (how.offSession || how.errorOnAction) return decline(provider, intent, method, AUTHENTICATION);
    return askHolder(provider, intent, how.returnUrl);
  }
  const refusal = declineOf(card, method);
  if (refusal) return decline(provider, intent, method, refusal);
  if (facts)
    store.put('card', { ...facts, used: true, setUp: facts.setUp || intent.setup_future_usage === 'off_session' });
  if (customer && intent.setup_future_usage && method.customer === null) {
    attach(provider, method, customer, method.allow_redisplay === 'always' ? 'always' : 'limited');
  }
  if (provider.outcomes.take(({ of }) => of === 'payment')) return process(provider, intent);
  return charge(provider, intent, how.authenticated);
}

/** Whether the seller asks for the holder. A card that takes no part in 3-D Secure pays all the same, as at Stripe. */
const isAsked = ({ payment_method_options: options }: Stripe.PaymentIntent): boolean =>
  ['any', 'challenge'].includes(options?.card?.request_three_d_secure ?? '');

function asksHolder({ authentication }: TestCard, by: { isSetUp: boolean; isAsked: boolean }): boolean {
  if (authentication === 'if_asked') return by.isAsked;
  return authentication === 'always' || (authentication === 'unless_set_up' && !by.isSetUp);
}

function declineOf({ decline }: TestCard, method: Stripe.PaymentMethod): Decline | undefined {
  if (!decline || (decline.onlyHeld && method.customer === null)) return undefined;
  return { code: decline.code, decline_code: decline.decline_code ?? decline.code, message: decline.message };
}

function askHolder(provider: Provider, intent: Stripe.PaymentIntent, returnUrl?: string): Stripe.PaymentIntent {
  const url = `${provider.origin}/authenticate/${intent.id}`;
  const asking = provider.store.put('payment_intent', {
    ...intent,
    status: 'requires_action',
    next_action: returnUrl
      ? { type: 'redirect_to_url', redirect_to_url: { return_url: returnUrl, url } }
      : { type: 'use_stripe_sdk', use_stripe_sdk: {} },
  });
  emit(provider, 'payment_intent.requires_action', asking);
  return asking;
}

function process(provider: Provider, intent: Stripe.PaymentIntent): Stripe.PaymentIntent {
  const processing = provider.store.put('payment_intent', {
    ...intent,
    status: 'processing',
    next_action: null,
    processing: { type: 'card', card: {} },
  });
  emit(provider, 'payment_intent.processing', processing);
  return processing;
}

function charge(provider: Provider, intent: Stripe.PaymentIntent, authenticated: boolean): Stripe.PaymentIntent {
  const { store, clock } = provider;
  const method = findMethod(provider, String(intent.payment_method));
  const made = newCharge(provider, intent, method, { authenticated });
  const { amount } = intent;
  const movement = { type: 'charge', category: 'charge', amount, fee: chargeFee(amount) } as const;
  const { id } = post(provider, { ...movement, source: made.id, description: intent.description });
  const paid = store.put('charge', { ...made, balance_transaction: id });
  const done = store.put('payment_intent', {
    ...intent,
    status: 'succeeded',
    amount_received: amount,
    latest_charge: paid.id,
    last_payment_error: null,
    next_action: null,
    processing: null,
  });
  emit(provider, 'charge.succeeded', paid);
  emit(provider, 'payment_intent.succeeded', done);
  const { dispute, warning } = cardOf(store.get('card', method.id)?.number ?? '');
  if (dispute) schedule(provider, clock.now() + DISPUTE_AFTER_SECONDS, 'open_dispute', paid.id);
  if (warning) schedule(provider, clock.now() + WARNING_AFTER_SECONDS, 'warn_of_fraud', paid.id);
  return done;
}

/** Always throws; its type lets callers return it. */
function decline(
  provider: Provider,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  declined: Decline,
): never {
  const { store } = provider;
  const failed = store.put('charge', newCharge(provider, intent, method, { declined, authenticated: false }));
  const error = { ...declined, type: 'card_error' as const, charge: failed.id };
  const left = store.put('payment_intent', {
    ...intent,
    status: 'requires_payment_method',
    payment_method: null,
    latest_charge: failed.id,
    // stripe-node's types list only the codes it knows.
    last_payment_error: { ...error, payment_method: method } as Stripe.PaymentIntent.LastPaymentError,
    next_action: null,
    processing: null,
  });
  emit(provider, 'charge.failed', failed);
  emit(provider, 'payment_intent.payment_failed', left);
  throw new StripeFault(402, { ...error, payment_intent: left, payment_method: method });
}

/** Decides a `processing` payment. Throws 402 for a decline. */
export function settlePayment(
  provider: Provider,
  intent: Stripe.PaymentIntent,
  outcome: 'succeeded' | 'failed',
): Stripe.PaymentIntent {
  if (intent.status !== 'processing') throw refused(`The payment is ${intent.status}, not processing.`);
  if (outcome === 'succeeded') return charge(provider, intent, false);
  const method = findMethod(provider, String(intent.payment_method));
  const declined = { code: 'card_declined', decline_code: 'generic_decline', message: 'Your card was declined.' };
  return decline(provider, intent, method, declined);
}

/** The holder refused to authenticate. Throws 402. */
export function failAuthentication(provider: Provider, intent: Stripe.PaymentIntent): never {
  const method = findMethod(provider, String(intent.payment_method));
  const message =
    'We are unable to authenticate your payment method. Please choose a different payment method and try again.';
  const code = 'payment_intent_authentication_failure';
  const error = { type: 'card_error' as const, code, message };
  const left = provider.store.put('payment_intent', {
    ...intent,
    status: 'requires_payment_method',
    payment_method: null,
    last_payment_error: { ...error, payment_method: method },
    next_action: null,
  });
  emit(provider, 'payment_intent.payment_failed', left);
  throw new StripeFault(402, { ...error, payment_intent: left, payment_method: method });
}

/** Cancels an intent. Throws 400 if it has succeeded or was canceled. */
export function cancelIntent(
  provider: Provider,
  intent: Stripe.PaymentIntent,
  reason: Stripe.PaymentIntent.CancellationReason | null,
): Stripe.PaymentIntent {
  if (['succeeded', 'canceled', 'processing'].includes(intent.status)) {
    throw refused(
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be canceled: requires_payment_method, requires_capture, requires_reauthorization, requires_confirmation, requires_action, processing.`,
      { code: 'payment_intent_unexpected_state', payment_intent: intent },
    );
  }
  const canceled = provider.store.put('payment_intent', {
    ...intent,
    status: 'canceled',
    canceled_at: provider.clock.now(),
    cancellation_reason: reason,
    next_action: null,
  });
  emit(provider, 'payment_intent.canceled', canceled);
  return canceled;
}
