import type Stripe from 'stripe';
import { newId } from '../ids.ts';
import type { Provider } from '../provider.ts';

export interface IntentTerms {
  readonly amount: number;
  readonly currency: string;
  readonly customer?: string | undefined;
  readonly paymentMethod?: string | undefined;
  readonly description?: string | undefined;
  readonly metadata?: Record<string, string> | undefined;
  readonly receiptEmail?: string | undefined;
  readonly setupFutureUsage?: 'off_session' | 'on_session' | undefined;
  readonly statementDescriptorSuffix?: string | undefined;
  readonly asksHolder?: boolean | undefined;
  readonly automaticPaymentMethods?: Stripe.PaymentIntent.AutomaticPaymentMethods | undefined;
}

/** An unconfirmed payment intent. */
export function newPaymentIntent({ clock }: Provider, terms: IntentTerms): Stripe.PaymentIntent {
  const id = newId('pi');
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: ['card'],
    amount: terms.amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: terms.automaticPaymentMethods ?? null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: `${id}_secret_${newId('pi').slice('pi_'.length)}`,
    confirmation_method: 'automatic',
    created: clock.now(),
    currency: terms.currency,
    customer: terms.customer ?? null,
    customer_account: null,
    description: terms.description ?? null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: terms.metadata ?? {},
    next_action: null,
    on_behalf_of: null,
    payment_method: terms.paymentMethod ?? null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: {
        installments: null,
        mandate_options: null,
        network: null,
        request_three_d_secure: terms.asksHolder ? 'any' : 'automatic',
      },
    },
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: terms.receiptEmail ?? null,
    review: null,
    setup_future_usage: terms.setupFutureUsage ?? null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: terms.statementDescriptorSuffix ?? null,
    status: terms.paymentMethod ? 'requires_confirmation' : 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
  };
}
