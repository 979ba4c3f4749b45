import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { cardOf } from '../cards.ts';
import { newId } from '../ids.ts';
import type { Provider } from '../provider.ts';

export interface CardEntry {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly email?: string;
  readonly name?: string;
}

const LAST_DIGITS = 4;
const FINGERPRINT_LENGTH = 16;

/** A card as a payment method without a customer. Keeps its number apart. */
export function newPaymentMethod({ clock, store }: Provider, entry: CardEntry): Stripe.PaymentMethod {
  const { brand } = cardOf(entry.number);
  const method: Stripe.PaymentMethod = {
    id: newId('pm'),
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: {
      address: { city: null, country: null, line1: null, line2: null, postal_code: null, state: null },
      email: entry.email ?? null,
      name: entry.name ?? null,
      phone: null,
      tax_id: null,
    },
    card: {
      brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: brand,
      exp_month: entry.expMonth,
      exp_year: entry.expYear,
      fingerprint: createHash('sha256').update(entry.number).digest('base64url').slice(0, FINGERPRINT_LENGTH),
      funding: 'credit',
      generated_from: null,
      last4: entry.number.slice(-LAST_DIGITS),
      networks: { available: [brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: clock.now(),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  };
  store.put('card', { id: method.id, number: entry.number, setUp: false, used: false });
  return store.put('payment_method', method);
}

/** Ready-made test cards never expire. */
export const TOKEN_EXPIRY = { expMonth: 12, expYear: 2040 };
