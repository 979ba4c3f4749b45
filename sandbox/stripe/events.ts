import Stripe from 'stripe';
import { newId } from './ids.ts';
import type { Provider } from './provider.ts';

/** Records an event about `object` in its current state, and sends it. */
export function emit(
  provider: Provider,
  type: Stripe.Event['type'],
  object: { readonly id: string },
  previous?: object,
): void {
  const event = {
    id: newId('evt'),
    object: 'event',
    api_version: Stripe.API_VERSION,
    created: provider.clock.now(),
    data: { object, ...(previous ? { previous_attributes: previous } : {}) },
    livemode: false,
    pending_webhooks: 1,
    request: provider.cause,
    type,
  };
  // The types of stripe-node pair each event's name with its object; this function takes any pair.
  provider.store.put('event', event as unknown as Stripe.Event);
  provider.deliver(event.id);
}
