import Stripe from 'stripe';
import { newId } from '../ids.ts';
import type { Provider } from '../provider.ts';
import type { SessionFacts } from '../store.ts';

export interface SessionTerms {
  readonly customer?: string | undefined;
  readonly customerEmail?: string | undefined;
  readonly customerCreation?: 'always' | 'if_required' | undefined;
  readonly clientReferenceId?: string | undefined;
  readonly successUrl: string;
  readonly cancelUrl?: string | undefined;
  readonly expiresAt: number;
  readonly metadata?: Record<string, string> | undefined;
  readonly total: number;
  readonly offersToSave: boolean;
  readonly submitType?: 'pay' | 'auto' | undefined;
  readonly locale?: 'auto' | 'en' | undefined;
}

/** An open checkout session in payment mode, for a card. */
export function newSession({ clock, origin }: Provider, terms: SessionTerms): Stripe.Checkout.Session {
  const id = newId('cs_test');
  return {
    id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: ['card'],
    amount_subtotal: terms.total,
    amount_total: terms.total,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: terms.cancelUrl ?? null,
    client_reference_id: terms.clientReferenceId ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: clock.now(),
    currency: 'usd',
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer: terms.customer ?? null,
    customer_account: null,
    customer_creation: terms.customer ? null : (terms.customerCreation ?? 'if_required'),
    customer_details: null,
    customer_email: terms.customerEmail ?? null,
    discounts: [],
    expires_at: terms.expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: false,
    locale: terms.locale ?? null,
    managed_payments: null,
    metadata: terms.metadata ?? {},
    mode: 'payment',
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: {
      allow_redisplay_filters: ['always'],
      payment_method_remove: null,
      payment_method_save: terms.offersToSave ? 'enabled' : null,
    },
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: terms.submitType ?? null,
    subscription: null,
    success_url: terms.successUrl,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: `${origin}/c/pay/${id}`,
    wallet_options: null,
  };
}

/** What a session sells, as Stripe lists it. */
export function lineItems({ items }: SessionFacts, created: number): Stripe.LineItem[] {
  return items.map(({ name, unitAmount, quantity }) => ({
    id: newId('li'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: unitAmount * quantity,
    amount_tax: 0,
    amount_total: unitAmount * quantity,
    currency: 'usd',
    description: name,
    metadata: {},
    price: {
      id: newId('price'),
      object: 'price',
      active: false,
      billing_scheme: 'per_unit',
      created,
      currency: 'usd',
      custom_unit_amount: null,
      livemode: false,
      lookup_key: null,
      metadata: {},
      nickname: null,
      product: newId('prod'),
      recurring: null,
      tax_behavior: 'unspecified',
      tiers_mode: null,
      transform_quantity: null,
      type: 'one_time',
      unit_amount: unitAmount,
      unit_amount_decimal: Stripe.Decimal.from(String(unitAmount)),
    },
    quantity,
  }));
}
