import type Stripe from 'stripe';
import type { CardConfiguration } from '../../configuration/card.ts';
import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { leaseUntil } from '../../kernel/lease.ts';
import { sql } from '../../kernel/sql.ts';
import type { Process } from '../rail.ts';
import { type CardProvider, isRefusedAs } from './provider.ts';

/**
 * What the card provider announces. An event is stored by its id and acknowledged at once; of what it says nothing but the
 * name of its object is kept, which the worker then asks about. So it may come late, twice, in any order, or not at all.
 */

/** The events that are heeded (docs.stripe.com/api/events/types). Any other is acknowledged and forgotten. */
export const heeded = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'payment_intent.processing',
  'payment_intent.requires_action',
  'charge.refunded',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
] as const;

/** A signature counts for so long (Stripe's own default). */
const toleranceSeconds = 300;

/** An event that waits to be looked into. */
export interface KeptEvent {
  event_id: string;
  type: string;
  object_id: string;
  tries: number;
}

/**
 * Stores an event whose signature holds, of our mode. False for one that is refused: forged, stale, altered, or of the
 * other mode. Rejects when it cannot be stored, so that it comes again.
 */
export async function receive(
  { db, clock }: Process,
  { stripe, isLive }: CardProvider,
  { webhookSecrets }: Pick<CardConfiguration, 'webhookSecrets'>,
  body: Uint8Array,
  signature: string,
): Promise<boolean> {
  const event = webhookSecrets.map((secret) => verified(stripe, body, signature, secret)).find((one) => one !== null);
  if (!event || event.livemode !== isLive) return false;
  await keep(db, [event], clock());
  return true;
}

function verified(stripe: Stripe, body: Uint8Array, signature: string, secret: string): Stripe.Event | null {
  try {
    return stripe.webhooks.constructEvent(Buffer.from(body), signature, secret, toleranceSeconds);
  } catch {
    return null;
  }
}

/** Stores events that are heeded, each once. */
export async function keep(db: Queries, events: readonly Stripe.Event[], now: Date): Promise<void> {
  for (const { id, type, created, data } of events) {
    const objectId = (data.object as { id?: string }).id;
    if (!objectId || !(heeded as readonly string[]).includes(type)) continue;
    await db.many(sql`
      insert into card_events (event_id, type, object_id, created_at, received_at, next_try_at)
      values (${id}, ${type}, ${objectId}, ${new Date(created * 1_000)}, ${now}, ${now})
      on conflict (event_id) do nothing`);
  }
}

/** Events to look into, held for a while by who takes them. */
export function takeEvents(db: Queries, now: Date, limit: number): Promise<KeptEvent[]> {
  return db.many<KeptEvent>(sql`
    update card_events set next_try_at = ${leaseUntil(now)}, tries = tries + 1
    where event_id in (
      select event_id from card_events where handled_at is null and next_try_at <= ${now}
      order by next_try_at limit ${limit} for update skip locked)
    returning event_id, type, object_id, tries`);
}

export async function markHandled(db: Queries, eventId: string, now: Date): Promise<void> {
  await db.many(
    sql`update card_events set handled_at = ${now}, failure = null where event_id = ${eventId} and handled_at is null`,
  );
}

const waitMaxSeconds = 30;

/** Lets an event that could not be looked into wait, twice as long each time; `failure` names why. */
export async function waitWithEvent(
  db: Queries,
  { event_id, tries }: KeptEvent,
  failure: string,
  now: Date,
): Promise<void> {
  const wait = after(now, Math.min(2 ** tries, waitMaxSeconds));
  await db.many(sql`
    update card_events set next_try_at = ${wait}, failure = ${failure} where event_id = ${event_id} and handled_at is null`);
}

/** Has an event looked into anew, in the next round. False when nobody announced it. */
export async function hearAgain(tx: Queries, eventId: string, now: Date): Promise<boolean> {
  const found = await tx.maybe(sql`
    update card_events set handled_at = null, next_try_at = ${now} where event_id = ${eventId} returning event_id`);
  return found !== undefined;
}

/** An event as the provider keeps it, for 30 days; null when it does not know it any more. */
export async function announcementOf({ stripe }: CardProvider, eventId: string): Promise<string | null> {
  try {
    return JSON.stringify(await stripe.events.retrieve(eventId));
  } catch (error) {
    if (isRefusedAs(error, 'resource_missing')) return null;
    throw error;
  }
}
