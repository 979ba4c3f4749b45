import type Stripe from 'stripe';
import { missing } from '../errors.ts';
import { listOf } from '../listing.ts';
import { accepts, expand, optional, pagingByTime, text } from '../parameters.ts';
import { endpoint } from './endpoint.ts';

export const charges = [
  endpoint(
    'charges.retrieve',
    'GET /v1/charges/:id',
    accepts<Stripe.ChargeRetrieveParams>()({ expand }),
    ({ store }, _given, { id = '' }) => {
      const charge = store.get('charge', id);
      if (!charge) throw missing('charge', id);
      return charge;
    },
  ),
  endpoint(
    'charges.list',
    'GET /v1/charges',
    accepts<Stripe.ChargeListParams>()({ ...pagingByTime, customer: optional(text), payment_intent: optional(text) }),
    (provider, { customer, payment_intent: intent, ...page }) => {
      const items = provider.store
        .list('charge')
        .filter((one) => customer === undefined || one.customer === customer)
        .filter((one) => intent === undefined || one.payment_intent === intent);
      return listOf(provider, { url: '/v1/charges', kind: 'charge', items }, page);
    },
  ),
];
