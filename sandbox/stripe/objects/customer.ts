import type Stripe from 'stripe';
import { newId } from '../ids.ts';
import type { Provider } from '../provider.ts';

/** A new customer of the seller. */
export function newCustomer(
  { clock }: Provider,
  given: { email?: string; name?: string; description?: string; phone?: string; metadata?: Record<string, string> },
): Stripe.Customer {
  return {
    id: newId('cus'),
    object: 'customer',
    address: null,
    balance: 0,
    created: clock.now(),
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: given.description ?? null,
    discount: null,
    email: given.email ?? null,
    invoice_prefix: null,
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: false,
    metadata: given.metadata ?? {},
    name: given.name ?? null,
    next_invoice_sequence: 1,
    phone: given.phone ?? null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
}
