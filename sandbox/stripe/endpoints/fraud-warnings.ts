import type Stripe from 'stripe';
import { missing } from '../errors.ts';
import { listOf } from '../listing.ts';
import { accepts, expand, optional, pagingByTime, text } from '../parameters.ts';
import { asItStands } from '../warnings.ts';
import { endpoint } from './endpoint.ts';

export const fraudWarnings = [
  endpoint(
    'radar.early_fraud_warnings.retrieve',
    'GET /v1/radar/early_fraud_warnings/:id',
    accepts<Stripe.Radar.EarlyFraudWarningRetrieveParams>()({ expand }),
    (provider, _given, { id = '' }) => {
      const warning = provider.store.get('radar.early_fraud_warning', id);
      if (!warning) throw missing('early fraud warning', id);
      return asItStands(provider, warning);
    },
  ),
  endpoint(
    'radar.early_fraud_warnings.list',
    'GET /v1/radar/early_fraud_warnings',
    accepts<Stripe.Radar.EarlyFraudWarningListParams>()({
      ...pagingByTime,
      charge: optional(text),
      payment_intent: optional(text),
    }),
    (provider, { charge, payment_intent: intent, ...page }) => {
      const items = provider.store
        .list('radar.early_fraud_warning')
        .filter((one) => charge === undefined || one.charge === charge)
        .filter((one) => intent === undefined || one.payment_intent === intent)
        .map((one) => asItStands(provider, one));
      const list = { url: '/v1/radar/early_fraud_warnings', kind: 'radar.early_fraud_warning', items } as const;
      return listOf(provider, list, page);
    },
  ),
];
