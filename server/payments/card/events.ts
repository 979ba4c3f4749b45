import type Stripe from 'stripe';
import type { CardConfiguration } from '../../configuration/card.ts';
import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { leaseUntil } from '../../kernel/lease.ts';
import { sql } from '../../kernel/sql.ts';
import { daySeconds } from '../../service/terms.ts';
import type { Process } from '../rail.ts';
import { type CardProvider, isRefusedAs } from './provider.ts';

/**
 * Announcements of the card provider. An event is stored by its id and acknowledged at once. Only its object's name is
 * kept; the worker then fetches the object. So events may be late, repeated, out of order, or lost.
 */

/** The events that matter (docs.stripe.com/api/events/types), 20 at most. Others are acknowledged and dropped. */
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
  'radar.early_fraud_warning.created',
] as const;

/** How long a signature is valid (Stripe's default). */
const toleranceSeconds = 300;

/** An event that waits for the worker. */
export interface KeptEvent {
  event_id: string;
  type: string;
  object_id: string;
  tries: number;
}

/**
 * Stores an event with a valid signature, of our mode. False for a forged, stale, altered or other-mode event. Rejects
 * when it cannot be stored, so that it is delivered again.
 */
export async function receive(
  { db, clock }: Process,
  { stripe, isLive }: CardProvider,
  { webhookSecrets }: Pick<CardConfiguration, 'webhookSecrets'>,
  { body, signature }: { body: Uint8Array; signature: string },
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

/** Stores the events that matter, each once. */
export async function keep(db: Queries, events: readonly Stripe.Event[], now: Date): Promise<void> {
  const rows = events.flatMap(({ id, type, created, data }) => {
    const objectId = (data.object as { id?: string }).id;
    return objectId && (heeded as readonly string[]).includes(type)
      ? [{ event_id: id, type, object_id: objectId, created_at: new Date(created * 1_000) }]
      : [];
  });
  if (rows.length === 0) return;
  await db.many(sql`
    insert into card_events (event_id, type, object_id, created_at, received_at, next_try_at)
    select event_id, type, object_id, created_at, ${now}::timestamptz, ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (event_id text, type text, object_id text, created_at timestamptz)
    on conflict (event_id) do nothing`);
}

/** The provider lists events for 30 days; later, a handled one cannot come back. */
const keptDays = 31;
/** Events deleted per round. */
const forgottenMax = 1_000;

/** Deletes handled events that cannot come back. */
export async function forgetHandled(db: Queries, now: Date): Promise<void> {
  await db.many(sql`
    delete from card_events where event_id in (
      select event_id from card_events where handled_at < ${after(now, -keptDays * daySeconds)}
      order by handled_at limit ${forgottenMax} for update skip locked)`);
}

/** Takes events to handle; others leave them alone for a while. */
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

/** Retries a failed event later, twice as late each time; `failure` says why. */
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

/** Handles an event again in the next round. False when it is unknown. */
export async function hearAgain(tx: Queries, eventId: string, now: Date): Promise<boolean> {
  const found = await tx.maybe(sql`
    update card_events set handled_at = null, next_try_at = ${now} where event_id = ${eventId} returning event_id`);
  return found !== undefined;
}

/** An event as the provider keeps it, for 30 days; null once forgotten. */
export async function announcementOf({ stripe }: CardProvider, eventId: string): Promise<string | null> {
  try {
    return JSON.stringify(await stripe.events.retrieve(eventId));
  } catch (error) {
    if (isRefusedAs(error, 'resource_missing')) return null;
    throw error;
  }
}
