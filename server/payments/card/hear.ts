import { errorFields, log } from '../../kernel/log.ts';
import { each } from '../../queue/rounds.ts';
import type { Process, Tell } from '../rail.ts';
import type { CardAttempt } from './attempt.ts';
import { lookAtDispute } from './disputes.ts';
import { type KeptEvent, markHandled, takeEvents, waitWithEvent } from './events.ts';
import { lookAtIntent, lookAtRefund, lookSoon } from './intents.ts';
import type { CardProof } from './outcome.ts';
import { type CardProvider, idOf, isRefusedAs } from './provider.ts';
import { lookAtWarning } from './warnings.ts';

/** Handles the provider's announcements. Fetches the object, so state moves forward whatever their order. */

type TellCard = Tell<CardAttempt, CardProof>;

const batch = 50;

export async function hear(process: Process, provider: CardProvider, tell: TellCard): Promise<void> {
  const { db, clock } = process;
  await each(await takeEvents(db, clock(), batch), async (event) => {
    try {
      await look(process, provider, event, tell);
      await markHandled(db, event.event_id, clock());
    } catch (error) {
      // The provider does not know it, in this mode.
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
  } else if (type.startsWith('radar.early_fraud_warning.')) {
    const warning = await stripe.radar.earlyFraudWarnings.retrieve(id, { expand: ['charge'] });
    await lookAtWarning(process, provider, warning, tell);
  } else if (type === 'charge.refunded') {
    const { data } = await stripe.refunds.list({ charge: id, limit: 100 });
    for (const refund of data) await lookAtRefund(process, provider, refund, tell);
  } else if (type.startsWith('refund.')) {
    await lookAtRefund(process, provider, await stripe.refunds.retrieve(id), tell);
  } else {
    // Kept by a newer version than this: it waits for that.
    throw new Error(`events of type ${type} are not known`);
  }
}
