import type Stripe from 'stripe';
import { BRAND } from '../../http.ts';
import { missing } from '../errors.ts';
import { accepts, expand } from '../parameters.ts';
import { endpoint } from './endpoint.ts';

const ACCOUNT: Stripe.Account = {
  id: 'acct_1LocalSandboxOnly',
  object: 'account',
  business_profile: null,
  business_type: 'company',
  capabilities: { card_payments: 'active', transfers: 'active' },
  charges_enabled: true,
  country: 'US',
  created: 1_735_689_600,
  default_currency: 'usd',
  details_submitted: true,
  email: 'seller@example.com',
  metadata: { sandbox: BRAND },
  payouts_enabled: true,
  type: 'standard',
};

export const account = [
  endpoint(
    'account.retrieve_current',
    'GET /v1/account',
    accepts<Stripe.AccountRetrieveCurrentParams>()({ expand }),
    () => ACCOUNT,
  ),
  endpoint(
    'account.retrieve',
    'GET /v1/accounts/:id',
    accepts<Stripe.AccountRetrieveParams>()({ expand }),
    (_provider, _given, { id = '' }) => {
      if (id !== ACCOUNT.id) throw missing('account', id);
      return ACCOUNT;
    },
  ),
];
