import type Stripe from 'stripe';
import { z } from 'zod';
import { invalidParameter, missing } from '../errors.ts';
import { listOf } from '../listing.ts';
import { accepts, expand, flag, optional, pagingByTime, text } from '../parameters.ts';
import type { Provider } from '../provider.ts';
import { endpoint } from './endpoint.ts';

/** How long events can be read. */
const KEPT_SECONDS = 30 * 86_400;
const TYPES_MAX = 20;

function readable({ store, clock }: Provider): Stripe.Event[] {
  return store.list('event').filter(({ created }) => created > clock.now() - KEPT_SECONDS);
}

/** `charge.refunded`, or a group such as `charge.*`. */
function isOfType(type: string, wanted: string): boolean {
  return wanted.endsWith('.*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}

export const events = [
  endpoint(
    'events.retrieve',
    'GET /v1/events/:id',
    accepts<Stripe.EventRetrieveParams>()({ expand }),
    (provider, _given, { id = '' }) => {
      const event = readable(provider).find((one) => one.id === id);
      if (!event) throw missing('event', id);
      return event;
    },
  ),
  endpoint(
    'events.list',
    'GET /v1/events',
    accepts<Stripe.EventListParams>()({
      ...pagingByTime,
      type: optional(text),
      types: optional(z.array(text).max(TYPES_MAX)),
      delivery_success: optional(flag),
    }),
    (provider, { type, types, delivery_success: delivered, ...page }) => {
      if (type && types) throw invalidParameter('You may only specify one of these parameters: type, types.', 'type');
      const wanted = types ?? (type === undefined ? undefined : [type]);
      const items = readable(provider)
        .filter((event) => !wanted || wanted.some((one) => isOfType(event.type, one)))
        .filter((event) => delivered === undefined || (event.pending_webhooks === 0) === delivered);
      return listOf(provider, { url: '/v1/events', kind: 'event', items }, page);
    },
  ),
];
