import { errorFields, log } from '../../kernel/log.ts';
import { each } from '../../kernel/rounds.ts';
import { sql } from '../../kernel/sql.ts';
import type { Process, Tell } from '../rail.ts';
import { attemptByIntent, attemptByKey, type CardAttempt } from './attempt.ts';
import { lookAtDispute } from './disputes.ts';
import { type KeptEvent, markHandled, takeEvents, waitWithEvent } from './events.ts';
import { type CardProof, isFor, proofOf } from './outcome.ts';
import { type CardProvider, idOf, isRefusedAs, retrieveIntent } from './provider.ts';

/** Looks into what the provider announced. The object is fetched anew: state moves forward whatever the order. */

type TellCard = Tell<CardAttempt, CardProof>;

const batch = 50;

export async function hear(process: Process, provider: CardProvider, tell: TellCard): Promise<void> {
  const { db, clock } = process;
  await each(await takeEvents(db, clock(), batch), async (event) => {
    try {
      await look(process, provider, event, tell);
      await markHandled(db, event.event_id, clock());
    } catch (error) {
      // The provider knows of no such thing, in this mode.
      if (isRefusedAs(error, 'resource_missing')) return markHandled(db, event.event_id, clock());
      log('card_event_not_handled', { event_id: event.event_id, type: event.type, ...errorFields(error) });
      const { error: name, code } = errorFields(error);
      await waitWithEvent(db, event, code ? `${name}: ${code}` : name, clock());
    }
  });
}

async function look(
  process: Process,
  provider: CardProvider,
  { type, object_id: id }: KeptEvent,
  tell: TellCard,
): Promise<void> {
  const { stripe } = provider;
  if (type.startsWith('checkout.session.')) {
    const session = await stripe.checkout.sessions.retrieve(id);
    const intentId = idOf(session.payment_intent);
    if (session.metadata?.payment_key) await lookSoon(process, session.metadata.payment_key);
    if (intentId) await lookAtIntent(process, provider, intentId, tell);
  } else if (type.startsWith('payment_intent.')) {
    await lookAtIntent(process, provider, id, tell);
  } else if (type.startsWith('charge.dispute.')) {
    await lookAtDispute(process, provider, await stripe.disputes.retrieve(id), tell);
  } else if (type === 'charge.refunded') {
    const { data } = await stripe.refunds.list({ charge: id, limit: 100 });
    for (const refund of data) await lookAtRefund(process, refund, tell);
  } else {
    await lookAtRefund(process, await stripe.refunds.retrieve(id), tell);
  }
}

/** Has the reconciler ask about an open attempt in its next round. */
async function lookSoon({ db }: Process, paymentKey: string): Promise<void> {
  await db.many(sql`update card_payments set look_at = null where payment_key = ${paymentKey} and look_at is not null`);
}

/** What a payment intent comes to: it pays for its attempt, once, or goes back. */
export async function lookAtIntent(
  process: Process,
  provider: CardProvider,
  intentId: string,
  tell: TellCard,
): Promise<void> {
  const intent = await retrieveIntent(provider, intentId);
  const key = intent.metadata.payment_key;
  const attempt = key ? await attemptByKey(process.db, key) : undefined;
  // Not of this service: the account may sell other things.
  if (!attempt) return;
  await lookSoon(process, attempt.payment_key);
  if (intent.status !== 'succeeded') return;
  const proof = proofOf(provider, intent);
  if (!proof) {
    if (intent.livemode !== provider.isLive || intent.currency !== 'usd') return;
    throw new Error(`the fee of ${intentId} is not told yet`);
  }
  const known = await process.db.maybe(sql`select use from card_charges where intent_id = ${intentId}`);
  if (known) return;
  const isOpen = attempt.state === 'settling' || attempt.state === 'unknown';
  await tell(attempt, isOpen && isFor(attempt, intent) ? { is: 'collected', proof } : { is: 'late', proof });
}

/** A refund of ours that the card's bank has given back, after it was carried out. */
export async function lookAtRefund(
  { db }: Process,
  refund: {
    id: string;
    status: string | null;
    failure_reason?: string | null;
    payment_intent: string | { id: string } | null;
  },
  tell: TellCard,
): Promise<void> {
  const intentId = idOf(refund.payment_intent);
  if (refund.status !== 'failed' || !intentId) return;
  const ours = await db.maybe(sql`
    select refund_key from refunds where provider_refund_id = ${refund.id} and state = 'refunded'`);
  const attempt = ours ? await attemptByIntent(db, intentId) : undefined;
  if (!attempt) return;
  await tell(attempt, {
    is: 'refund_undone',
    because: `The card's bank gave it back: ${refund.failure_reason ?? 'unknown'}.`,
  });
}
