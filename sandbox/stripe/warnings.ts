// Early fraud warnings: a bank tells that a holder calls a charge fraud, before it disputes anything.
import type Stripe from 'stripe';
import { refused } from './errors.ts';
import { emit } from './events.ts';
import { newId } from './ids.ts';
import type { Provider } from './provider.ts';

type Warning = Stripe.Radar.EarlyFraudWarning;

/** Warns of a charge. Throws 400 for one that moved no money. */
export function warn(provider: Provider, charge: Stripe.Charge, fraudType = 'unauthorized_use_of_card'): Warning {
  if (charge.status !== 'succeeded') throw refused('There is nothing of this charge to warn of.');
  const { store, clock } = provider;
  const issued = store.put('radar.early_fraud_warning', {
    id: newId('issfr'),
    object: 'radar.early_fraud_warning',
    actionable: true,
    charge: charge.id,
    created: clock.now(),
    fraud_type: fraudType,
    livemode: false,
    payment_intent: String(charge.payment_intent),
  });
  const warning = asItStands(provider, issued);
  emit(provider, 'radar.early_fraud_warning.created', warning);
  return warning;
}

/** A warning as it is read: nothing is left to do once its charge is disputed, or has gone back. */
export function asItStands({ store }: Provider, warning: Warning): Warning {
  const charge = store.get('charge', String(warning.charge));
  return { ...warning, actionable: charge !== undefined && !charge.disputed && !charge.refunded };
}
