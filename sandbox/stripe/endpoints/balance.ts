import type Stripe from 'stripe';
import { missing } from '../errors.ts';
import { listOf } from '../listing.ts';
import { current } from '../objects/balance-transaction.ts';
import { accepts, currency, expand, optional, pagingByTime, text } from '../parameters.ts';
import type { Provider } from '../provider.ts';
import { endpoint } from './endpoint.ts';

/** The seller's balance: the net of all movements so far. */
export function balanceOf(provider: Provider): Stripe.Balance {
  const movements = provider.store.list('balance_transaction').map((one) => current(provider, one));
  const sum = (status: string) =>
    movements.filter((one) => one.status === status).reduce((total, { net }) => total + net, 0);
  const part = (amount: number) => [{ amount, currency: 'usd', source_types: { card: amount } }];
  return { object: 'balance', available: part(sum('available')), livemode: false, pending: part(sum('pending')) };
}

export const balance = [
  endpoint('balance.retrieve', 'GET /v1/balance', accepts<Stripe.BalanceRetrieveParams>()({ expand }), balanceOf),
  endpoint(
    'balance_transactions.retrieve',
    'GET /v1/balance_transactions/:id',
    accepts<Stripe.BalanceTransactionRetrieveParams>()({ expand }),
    (provider, _given, { id = '' }) => {
      const found = provider.store.get('balance_transaction', id);
      if (!found) throw missing('balance transaction', id);
      return current(provider, found);
    },
  ),
  endpoint(
    'balance_transactions.list',
    'GET /v1/balance_transactions',
    accepts<Stripe.BalanceTransactionListParams>()({
      ...pagingByTime,
      currency: optional(currency),
      source: optional(text),
      type: optional(text),
    }),
    (provider, { source, type, ...page }) => {
      const items = provider.store
        .list('balance_transaction')
        .filter((one) => source === undefined || one.source === source)
        .filter((one) => type === undefined || one.type === type)
        .map((one) => current(provider, one));
      return listOf(provider, { url: '/v1/balance_transactions', kind: 'balance_transaction', items }, page);
    },
  ),
];
