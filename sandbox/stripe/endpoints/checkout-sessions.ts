import type Stripe from 'stripe';
import { z } from 'zod';
import { invalidParameter, missing } from '../errors.ts';
import { listOf } from '../listing.ts';
import { lineItems, newSession } from '../objects/session.ts';
import {
  accepts,
  currency,
  expand,
  metadata,
  optional,
  paging,
  pagingByTime,
  positive,
  text,
  webAddress,
  wholeNumber,
} from '../parameters.ts';
import type { Provider } from '../provider.ts';
import { schedule } from '../schedule.ts';
import { expireSession } from '../sessions.ts';
import { findCustomer } from './customers.ts';
import { endpoint } from './endpoint.ts';

const REFERENCE_MAX = 200;
const LIFE_SECONDS_MIN = 30 * 60;
const LIFE_SECONDS_MAX = 86_400;
/** Allowed difference between a client's clock and the provider's. */
const GRACE_SECONDS = 10;
const MINIMUM_CENTS = 50;

const createParameters = accepts<Stripe.Checkout.SessionCreateParams>()({
  mode: z.literal('payment'),
  line_items: z
    .array(
      z.strictObject({
        quantity: positive,
        price_data: z.strictObject({
          currency,
          unit_amount: positive,
          product_data: z.strictObject({ name: text, description: optional(text), metadata: optional(metadata) }),
        }),
      }),
    )
    .min(1),
  success_url: webAddress,
  cancel_url: optional(webAddress),
  customer: optional(text),
  customer_email: optional(z.email()),
  customer_creation: optional(z.enum(['always', 'if_required'])),
  client_reference_id: optional(text.max(REFERENCE_MAX)),
  expires_at: optional(wholeNumber),
  metadata: optional(metadata),
  allowed_payment_method_types: optional(z.array(z.literal('card')).min(1)),
  payment_intent_data: optional(
    z.strictObject({
      metadata: optional(metadata),
      description: optional(text),
      setup_future_usage: optional(z.enum(['off_session', 'on_session'])),
      statement_descriptor_suffix: optional(text),
      receipt_email: optional(z.email()),
      capture_method: optional(z.enum(['automatic', 'automatic_async'])),
    }),
  ),
  payment_method_options: optional(
    z.strictObject({
      card: z.strictObject({ request_three_d_secure: optional(z.enum(['any', 'automatic', 'challenge'])) }),
    }),
  ),
  saved_payment_method_options: optional(
    z.strictObject({
      payment_method_save: optional(z.enum(['enabled', 'disabled'])),
      allow_redisplay_filters: optional(z.array(z.literal('always'))),
    }),
  ),
  submit_type: optional(z.enum(['auto', 'pay'])),
  locale: optional(z.enum(['auto', 'en'])),
  ui_mode: optional(z.literal('hosted_page')),
  expand,
});

function find({ store }: Provider, id: string): Stripe.Checkout.Session {
  const session = store.get('checkout.session', id);
  if (!session) throw missing('checkout.session', id);
  return session;
}

function create(provider: Provider, given: z.output<typeof createParameters>): Stripe.Checkout.Session {
  if (given.customer && given.customer_email) {
    throw invalidParameter('You may only specify one of these parameters: customer, customer_email.', 'customer');
  }
  if (given.customer) findCustomer(provider, given.customer, 'customer');
  const offersToSave = given.saved_payment_method_options?.payment_method_save === 'enabled';
  if (offersToSave && !given.customer) {
    const message =
      '`saved_payment_method_options[payment_method_save]` can only be enabled for a Session with a customer.';
    throw invalidParameter(message, 'saved_payment_method_options[payment_method_save]');
  }
  const total = given.line_items.reduce(
    (sum, { quantity, price_data: price }) => sum + quantity * price.unit_amount,
    0,
  );
  if (total < MINIMUM_CENTS) {
    throw invalidParameter(
      "The Checkout Session's total amount due must add up to at least $0.50 usd",
      'line_items',
      'amount_too_small',
    );
  }
  const expiresAt = expiry(provider, given.expires_at);
  const session = provider.store.put(
    'checkout.session',
    newSession(provider, {
      customer: given.customer,
      customerEmail: given.customer_email,
      customerCreation: given.customer_creation,
      clientReferenceId: given.client_reference_id,
      successUrl: given.success_url,
      cancelUrl: given.cancel_url,
      metadata: given.metadata,
      submitType: given.submit_type,
      locale: given.locale,
      expiresAt,
      total,
      offersToSave,
    }),
  );
  const { capture_method: _always, ...intent } = given.payment_intent_data ?? {};
  const items = given.line_items.map(
    ({ quantity, price_data: { unit_amount: unitAmount, product_data: product } }) => ({
      name: product.name,
      description: product.description ?? null,
      unitAmount,
      quantity,
    }),
  );
  const { request_three_d_secure: secured = 'automatic' } = given.payment_method_options?.card ?? {};
  const asksHolder = secured !== 'automatic';
  provider.store.put('session_facts', { id: session.id, items, intent, asksHolder });
  schedule(provider, expiresAt, 'expire_session', session.id);
  return session;
}

function expiry({ clock }: Provider, wanted: number | undefined): number {
  const now = clock.now();
  if (wanted === undefined) return now + LIFE_SECONDS_MAX;
  if (wanted < now + LIFE_SECONDS_MIN - GRACE_SECONDS || wanted > now + LIFE_SECONDS_MAX + GRACE_SECONDS) {
    throw invalidParameter(
      'The `expires_at` timestamp must be at least 30 minutes and less than 24 hours from Checkout Session creation.',
      'expires_at',
    );
  }
  return wanted;
}

export const checkoutSessions = [
  endpoint('checkout.sessions.create', 'POST /v1/checkout/sessions', createParameters, create),
  endpoint(
    'checkout.sessions.expire',
    'POST /v1/checkout/sessions/:id/expire',
    accepts<Stripe.Checkout.SessionExpireParams>()({ expand }),
    (provider, _given, { id = '' }) => expireSession(provider, find(provider, id)),
  ),
  endpoint(
    'checkout.sessions.retrieve',
    'GET /v1/checkout/sessions/:id',
    accepts<Stripe.Checkout.SessionRetrieveParams>()({ expand }),
    (provider, given, { id = '' }) => {
      const session = find(provider, id);
      if (!given.expand?.some((path) => path.split('.')[0] === 'line_items')) return session;
      return { ...session, line_items: items(provider, session, {}) };
    },
  ),
  endpoint(
    'checkout.sessions.list_line_items',
    'GET /v1/checkout/sessions/:id/line_items',
    accepts<Stripe.Checkout.SessionListLineItemsParams>()(paging),
    (provider, page, { id = '' }) => items(provider, find(provider, id), page),
  ),
  endpoint(
    'checkout.sessions.list',
    'GET /v1/checkout/sessions',
    accepts<Stripe.Checkout.SessionListParams>()({
      ...pagingByTime,
      customer: optional(text),
      payment_intent: optional(text),
      status: optional(z.enum(['open', 'complete', 'expired'])),
    }),
    (provider, { customer, payment_intent: intent, status, ...page }) => {
      const found = provider.store
        .list('checkout.session')
        .filter((one) => customer === undefined || one.customer === customer)
        .filter((one) => intent === undefined || one.payment_intent === intent)
        .filter((one) => status === undefined || one.status === status);
      return listOf(provider, { url: '/v1/checkout/sessions', kind: 'checkout.session', items: found }, page);
    },
  ),
];

function items(provider: Provider, { id, created }: Stripe.Checkout.Session, page: { limit?: number }) {
  const facts = provider.store.get('session_facts', id);
  const data = facts ? lineItems(facts, created).slice(0, page.limit) : [];
  return { object: 'list', url: `/v1/checkout/sessions/${id}/line_items`, has_more: false, data };
}
