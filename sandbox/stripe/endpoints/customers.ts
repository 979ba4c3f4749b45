import type Stripe from 'stripe';
import { z } from 'zod';
import { missing } from '../errors.ts';
import { emit } from '../events.ts';
import { listOf } from '../listing.ts';
import { newCustomer } from '../objects/customer.ts';
import { accepts, expand, metadata, optional, pagingByTime, text } from '../parameters.ts';
import type { Provider } from '../provider.ts';
import { endpoint } from './endpoint.ts';

const details = {
  email: optional(z.email().max(512)),
  name: optional(text),
  description: optional(text),
  phone: optional(text),
  metadata: optional(metadata),
  expand,
};

/** The customer with an id. Throws 404, or 400 where a parameter names it. */
export function findCustomer({ store }: Provider, id: string, param = 'id'): Stripe.Customer {
  const customer = store.get('customer', id);
  if (!customer) throw missing('customer', id, param);
  return customer;
}

export const customers = [
  endpoint(
    'customers.create',
    'POST /v1/customers',
    accepts<Stripe.CustomerCreateParams>()(details),
    (provider, given) => {
      const customer = provider.store.put('customer', newCustomer(provider, given));
      emit(provider, 'customer.created', customer);
      return customer;
    },
  ),
  endpoint(
    'customers.update',
    'POST /v1/customers/:id',
    accepts<Stripe.CustomerUpdateParams>()(details),
    (provider, { expand: _paths, metadata: fields, ...changes }, { id = '' }) => {
      const before = findCustomer(provider, id);
      const after = { ...before, ...changes, metadata: { ...before.metadata, ...fields } };
      emit(provider, 'customer.updated', provider.store.put('customer', after));
      return after;
    },
  ),
  endpoint(
    'customers.retrieve',
    'GET /v1/customers/:id',
    accepts<Stripe.CustomerRetrieveParams>()({ expand }),
    (provider, _given, { id = '' }) => findCustomer(provider, id),
  ),
  endpoint(
    'customers.list',
    'GET /v1/customers',
    accepts<Stripe.CustomerListParams>()({ ...pagingByTime, email: optional(text) }),
    (provider, { email, ...page }) => {
      const all = provider.store.list('customer');
      const items = all.filter((one) => email === undefined || one.email === email);
      return listOf(provider, { url: '/v1/customers', kind: 'customer', items }, page);
    },
  ),
];
