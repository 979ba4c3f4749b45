import type Stripe from 'stripe';
import { z } from 'zod';
import { invalidParameter, missing, refused } from '../errors.ts';
import { listOf } from '../listing.ts';
import { accepts, expand, metadata, optional, pagingByTime, positive, text } from '../parameters.ts';
import type { Provider } from '../provider.ts';
import { refund } from '../refunds.ts';
import { endpoint } from './endpoint.ts';

const createParameters = accepts<Stripe.RefundCreateParams>()({
  payment_intent: optional(text),
  charge: optional(text),
  amount: optional(positive),
  reason: optional(z.enum(['duplicate', 'fraudulent', 'requested_by_customer'])),
  metadata: optional(metadata),
  expand,
});

/** The charge that a refund names directly or by its payment intent. */
function chargeOf({ store }: Provider, given: z.output<typeof createParameters>): Stripe.Charge {
  if (given.charge !== undefined) {
    const charge = store.get('charge', given.charge);
    if (!charge) throw missing('charge', given.charge, 'charge');
    return charge;
  }
  const id = given.payment_intent;
  if (id === undefined)
    throw invalidParameter(
      'One of the following params should be provided for this request: payment_intent or charge.',
      'payment_intent',
    );
  const intent = store.get('payment_intent', id);
  if (!intent) throw missing('payment_intent', id, 'payment_intent');
  const charge = store.get('charge', String(intent.latest_charge));
  if (intent.status !== 'succeeded' || !charge) {
    throw refused(`This PaymentIntent (${id}) does not have a successful charge to refund.`, {
      param: 'payment_intent',
    });
  }
  return charge;
}

export const refunds = [
  endpoint('refunds.create', 'POST /v1/refunds', createParameters, (provider, given) =>
    refund(provider, chargeOf(provider, given), given),
  ),
  endpoint(
    'refunds.retrieve',
    'GET /v1/refunds/:id',
    accepts<Stripe.RefundRetrieveParams>()({ expand }),
    ({ store }, _given, { id = '' }) => {
      const found = store.get('refund', id);
      if (!found) throw missing('refund', id);
      return found;
    },
  ),
  endpoint(
    'refunds.list',
    'GET /v1/refunds',
    accepts<Stripe.RefundListParams>()({ ...pagingByTime, charge: optional(text), payment_intent: optional(text) }),
    (provider, { charge, payment_intent: intent, ...page }) => {
      const items = provider.store
        .list('refund')
        .filter((one) => charge === undefined || one.charge === charge)
        .filter((one) => intent === undefined || one.payment_intent === intent);
      return listOf(provider, { url: '/v1/refunds', kind: 'refund', items }, page);
    },
  ),
];
