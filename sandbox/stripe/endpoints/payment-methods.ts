import type Stripe from 'stripe';
import { z } from 'zod';
import { missing } from '../errors.ts';
import { listOf, type Page } from '../listing.ts';
import { accepts, expand, optional, paging, text } from '../parameters.ts';
import { attach, detach, findMethod, requireUsable } from '../payment-methods.ts';
import type { Provider } from '../provider.ts';
import { findCustomer } from './customers.ts';
import { endpoint } from './endpoint.ts';

const filters = {
  ...paging,
  type: optional(z.literal('card')),
  allow_redisplay: optional(z.enum(['always', 'limited', 'unspecified'])),
};

function retrieve({ store }: Provider, id: string): Stripe.PaymentMethod {
  const method = store.get('payment_method', id);
  if (!method) throw missing('PaymentMethod', id);
  return method;
}

function listHeld(
  provider: Provider,
  { customer, redisplay }: { customer: string; redisplay: string | undefined },
  url: string,
  page: Page,
) {
  findCustomer(provider, customer, 'customer');
  const items = provider.store
    .list('payment_method')
    .filter((one) => one.customer === customer && (redisplay === undefined || one.allow_redisplay === redisplay));
  return listOf(provider, { url, kind: 'payment_method', items }, page);
}

export const paymentMethods = [
  endpoint(
    'payment_methods.retrieve',
    'GET /v1/payment_methods/:id',
    accepts<Stripe.PaymentMethodRetrieveParams>()({ expand }),
    (provider, _given, { id = '' }) => retrieve(provider, id),
  ),
  endpoint(
    'payment_methods.list',
    'GET /v1/payment_methods',
    accepts<Stripe.PaymentMethodListParams>()({ ...filters, customer: text }),
    (provider, { customer, allow_redisplay: redisplay, ...page }) =>
      listHeld(provider, { customer, redisplay }, '/v1/payment_methods', page),
  ),
  endpoint(
    'payment_methods.list_of_customer',
    'GET /v1/customers/:customer/payment_methods',
    accepts<Stripe.CustomerListPaymentMethodsParams>()(filters),
    (provider, { allow_redisplay: redisplay, ...page }, { customer = '' }) =>
      listHeld(provider, { customer, redisplay }, `/v1/customers/${customer}/payment_methods`, page),
  ),
  endpoint(
    'payment_methods.retrieve_of_customer',
    'GET /v1/customers/:customer/payment_methods/:id',
    accepts<Stripe.CustomerRetrievePaymentMethodParams>()({ expand }),
    (provider, _given, { customer = '', id = '' }) => {
      const method = retrieve(provider, id);
      if (method.customer !== customer) throw missing('PaymentMethod', id);
      return method;
    },
  ),
  endpoint(
    'payment_methods.attach',
    'POST /v1/payment_methods/:id/attach',
    accepts<Stripe.PaymentMethodAttachParams>()({ customer: text, expand }),
    (provider, { customer }, { id = '' }) => {
      findCustomer(provider, customer, 'customer');
      const method = findMethod(provider, id, 'id');
      requireUsable(provider, method, customer);
      return attach(provider, method, customer);
    },
  ),
  endpoint(
    'payment_methods.detach',
    'POST /v1/payment_methods/:id/detach',
    accepts<Stripe.PaymentMethodDetachParams>()({ expand }),
    (provider, _given, { id = '' }) => detach(provider, retrieve(provider, id)),
  ),
];
