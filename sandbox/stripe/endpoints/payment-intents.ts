import type Stripe from 'stripe';
import { z } from 'zod';
import { invalidParameter, missing, refused } from '../errors.ts';
import { emit } from '../events.ts';
import { listOf } from '../listing.ts';
import { newPaymentIntent } from '../objects/payment-intent.ts';
import {
  accepts,
  currency,
  expand,
  flag,
  metadata,
  optional,
  pagingByTime,
  positive,
  text,
  webAddress,
} from '../parameters.ts';
import { findMethod, requireUsable } from '../payment-methods.ts';
import { cancelIntent, confirmIntent } from '../payments.ts';
import type { Provider } from '../provider.ts';
import { sessionOf } from '../sessions.ts';
import { findCustomer } from './customers.ts';
import { endpoint } from './endpoint.ts';

const MINIMUM_CENTS = 50;
const usage = optional(z.enum(['off_session', 'on_session']));

const createParameters = accepts<Stripe.PaymentIntentCreateParams>()({
  amount: positive,
  currency,
  customer: optional(text),
  payment_method: optional(text),
  confirm: optional(flag),
  off_session: optional(flag),
  error_on_requires_action: optional(flag),
  allowed_payment_method_types: optional(z.array(z.literal('card')).min(1)),
  automatic_payment_methods: optional(
    z.strictObject({ enabled: flag, allow_redirects: optional(z.enum(['always', 'never'])) }),
  ),
  capture_method: optional(z.enum(['automatic', 'automatic_async'])),
  description: optional(text),
  metadata: optional(metadata),
  receipt_email: optional(z.email()),
  return_url: optional(webAddress),
  setup_future_usage: usage,
  statement_descriptor_suffix: optional(text),
  expand,
});

const confirmParameters = accepts<Stripe.PaymentIntentConfirmParams>()({
  payment_method: optional(text),
  off_session: optional(flag),
  error_on_requires_action: optional(flag),
  return_url: optional(webAddress),
  setup_future_usage: usage,
  receipt_email: optional(z.email()),
  expand,
});

function find({ store }: Provider, id: string): Stripe.PaymentIntent {
  const intent = store.get('payment_intent', id);
  if (!intent) throw missing('payment_intent', id, 'intent');
  return intent;
}

function create(provider: Provider, given: z.output<typeof createParameters>): Stripe.PaymentIntent {
  if (given.off_session && !given.confirm) {
    throw invalidParameter('You cannot set `off_session` unless `confirm` is true.', 'off_session');
  }
  if (given.amount < MINIMUM_CENTS) {
    throw invalidParameter('Amount must be at least $0.50 usd', 'amount', 'amount_too_small');
  }
  if (given.customer) findCustomer(provider, given.customer, 'customer');
  const method = given.payment_method ? findMethod(provider, given.payment_method) : undefined;
  if (method) requireUsable(provider, method, given.customer ?? null);
  const automatic = given.automatic_payment_methods;
  const intent = provider.store.put(
    'payment_intent',
    newPaymentIntent(provider, {
      amount: given.amount,
      currency: given.currency,
      customer: given.customer,
      paymentMethod: method?.id,
      description: given.description,
      metadata: given.metadata,
      receiptEmail: given.receipt_email,
      setupFutureUsage: given.setup_future_usage,
      statementDescriptorSuffix: given.statement_descriptor_suffix,
      automaticPaymentMethods: automatic && { allow_redirects: 'always', ...automatic },
    }),
  );
  emit(provider, 'payment_intent.created', intent);
  return given.confirm ? confirm(provider, intent, given) : intent;
}

function confirm(
  provider: Provider,
  intent: Stripe.PaymentIntent,
  given: Omit<z.output<typeof confirmParameters>, 'expand'>,
): Stripe.PaymentIntent {
  const { status } = intent;
  if (!['requires_payment_method', 'requires_confirmation', 'requires_action'].includes(status)) {
    const done =
      status === 'succeeded'
        ? 'it has already succeeded after being previously confirmed'
        : `it has a status of ${status}`;
    throw refused(`You cannot confirm this PaymentIntent because ${done}.`, {
      code: 'payment_intent_unexpected_state',
      payment_intent: intent,
    });
  }
  const named = given.payment_method ?? intent.payment_method;
  if (named === null) {
    throw refused(
      "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.",
      { code: 'payment_intent_unexpected_state', payment_intent: intent },
    );
  }
  const method = findMethod(provider, String(named));
  requireUsable(provider, method, typeof intent.customer === 'string' ? intent.customer : null);
  const ready = provider.store.put('payment_intent', {
    ...intent,
    payment_method: method.id,
    setup_future_usage: given.setup_future_usage ?? intent.setup_future_usage,
    receipt_email: given.receipt_email ?? intent.receipt_email,
  });
  return confirmIntent(provider, ready, {
    offSession: given.off_session ?? false,
    authenticated: false,
    errorOnAction: given.error_on_requires_action ?? false,
    returnUrl: given.return_url,
  });
}

export const paymentIntents = [
  endpoint('payment_intents.create', 'POST /v1/payment_intents', createParameters, create),
  endpoint(
    'payment_intents.confirm',
    'POST /v1/payment_intents/:id/confirm',
    confirmParameters,
    (provider, given, { id = '' }) => confirm(provider, find(provider, id), given),
  ),
  endpoint(
    'payment_intents.cancel',
    'POST /v1/payment_intents/:id/cancel',
    accepts<Stripe.PaymentIntentCancelParams>()({
      cancellation_reason: optional(z.enum(['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'])),
      expand,
    }),
    (provider, { cancellation_reason: reason }, { id = '' }) => {
      const intent = find(provider, id);
      if (sessionOf(provider, id)?.status === 'open') {
        throw refused(
          'You cannot cancel the PaymentIntent of an open Checkout Session. Expire the Checkout Session instead.',
        );
      }
      return cancelIntent(provider, intent, reason ?? null);
    },
  ),
  endpoint(
    'payment_intents.retrieve',
    'GET /v1/payment_intents/:id',
    accepts<Stripe.PaymentIntentRetrieveParams>()({ expand }),
    (provider, _given, { id = '' }) => find(provider, id),
  ),
  endpoint(
    'payment_intents.list',
    'GET /v1/payment_intents',
    accepts<Stripe.PaymentIntentListParams>()({ ...pagingByTime, customer: optional(text) }),
    (provider, { customer, ...page }) => {
      const all = provider.store.list('payment_intent');
      const items = all.filter((one) => customer === undefined || one.customer === customer);
      return listOf(provider, { url: '/v1/payment_intents', kind: 'payment_intent', items }, page);
    },
  ),
];
