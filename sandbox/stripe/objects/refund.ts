import type Stripe from 'stripe';
import { newId } from '../ids.ts';
import type { Provider } from '../provider.ts';

/** A refund of a charge; `status` is `succeeded` or `pending`. */
export function newRefund(
  { clock }: Provider,
  charge: Stripe.Charge,
  given: {
    amount: number;
    reason?: 'duplicate' | 'fraudulent' | 'requested_by_customer';
    metadata?: Record<string, string>;
    status: 'succeeded' | 'pending';
  },
): Stripe.Refund {
  const pending = given.status === 'pending';
  return {
    id: newId('re'),
    object: 'refund',
    amount: given.amount,
    balance_transaction: null,
    charge: charge.id,
    created: clock.now(),
    currency: charge.currency,
    customer: typeof charge.customer === 'string' ? charge.customer : null,
    customer_account: null,
    destination_details: {
      type: 'card',
      card: {
        reference_status: pending ? 'pending' : 'available',
        reference_type: 'acquirer_reference_number',
        type: 'refund',
      },
    },
    metadata: given.metadata ?? {},
    payment_intent: typeof charge.payment_intent === 'string' ? charge.payment_intent : null,
    payment_method: charge.payment_method,
    ...(pending ? { pending_reason: 'processing' as const } : {}),
    reason: given.reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: given.status,
    transfer_reversal: null,
  };
}
