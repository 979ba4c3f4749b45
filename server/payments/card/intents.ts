import type Stripe from 'stripe';
import { sql } from '../../kernel/sql.ts';
import type { Process, Tell } from '../rail.ts';
import { attemptByKey, attemptKeeping, attemptOfCharge, type CardAttempt, notePageDecline } from './attempt.ts';
import { type CardProof, goneBack, hasGoneBack, isFor, proofOf } from './outcome.ts';
import { type CardProvider, declineIn, idOf, retrieveIntent } from './provider.ts';
import { carriedOutBy } from './refunds.ts';
import { endTriedPage } from './tried-cards.ts';

/** Makes the reconciler look at an open attempt in its next round. */
export async function lookSoon({ db }: Process, paymentKey: string): Promise<void> {
  await db.many(sql`update card_payments set look_at = null where payment_key = ${paymentKey} and look_at is not null`);
}

/**
 * Settles a payment intent: it pays for its attempt once, or goes back. Resolves to the attempt with a charge in our
 * books; undefined when the intent is not ours, or moved no money. Rejects when its money cannot be recorded yet, so
 * that the caller retries.
 */
export async function lookAtIntent(
  process: Process,
  provider: CardProvider,
  intentId: string,
  tell: Tell<CardAttempt, CardProof>,
): Promise<CardAttempt | undefined> {
  const intent = await retrieveIntent(provider, intentId);
  const key = intent.metadata.payment_key;
  const attempt = key ? await attemptByKey(process.db, key) : undefined;
  // Not ours: the account may sell other things.
  if (!attempt) return undefined;
  await lookSoon(process, attempt.payment_key);
  if (intent.status !== 'succeeded') {
    const decline = declineIn(intent);
    if (decline) {
      await notePageDecline(process.db, attempt.payment_key, { intentId, code: decline.code }, process.clock());
      await endTriedPage(process, provider, { attempt, intentId }, tell);
    }
    return undefined;
  }
  if (await isKnown(process, intentId)) return attempt;
  if (hasGoneBack(intent)) {
    // In a time that a restored database does not know.
    await tell(attempt, { is: 'never', because: goneBack });
    return undefined;
  }
  const proof = proofOf(provider, intent);
  if (!proof) {
    if (intent.livemode !== provider.isLive || intent.currency !== 'usd') return undefined;
    throw new Error(`the fee of ${intentId} is not told yet`);
  }
  const isOpen = attempt.state === 'settling' || attempt.state === 'unknown';
  await tell(attempt, isOpen && isFor(attempt, intent) ? { is: 'collected', proof } : { is: 'late', proof });
  // The attempt was decided meanwhile: next time the charge is late.
  if (!(await isKnown(process, intentId))) throw new Error(`the charge of ${intentId} is not written down yet`);
  return attemptByKey(process.db, attempt.payment_key);
}

async function isKnown({ db }: Process, intentId: string): Promise<boolean> {
  return (await db.maybe(sql`select from card_charges where intent_id = ${intentId}`)) !== undefined;
}

/**
 * A refund of ours that was carried out, or that the card's bank returned afterwards. One that was under way when its
 * charge was disputed may be carried out at any time, even after the dispute was lost; one that failed or came back, by
 * hand. One that nobody here owed gives the charge up: it was made in a time that a restored database does not know, or by
 * hand.
 */
export async function lookAtRefund(
  process: Process,
  provider: CardProvider,
  refund: Pick<Stripe.Refund, 'id' | 'status' | 'failure_reason' | 'payment_intent'>,
  tell: Tell<CardAttempt, CardProof>,
): Promise<void> {
  const { db } = process;
  const intentId = idOf(refund.payment_intent);
  if (!intentId) return;
  if (refund.status === 'succeeded') {
    const carriedOut = await carriedOutBy(db, provider, { id: refund.id, intentId });
    const attempt = carriedOut && (await attemptOfCharge(db, intentId));
    if (attempt) return tell(attempt, { is: 'refunded', ...carriedOut });
    const kept = await attemptKeeping(db, intentId);
    const charge = kept && (await provider.stripe.paymentIntents.retrieve(intentId, { expand: ['latest_charge'] }));
    if (kept && charge && hasGoneBack(charge)) await tell(kept, { is: 'gone_back' });
    return;
  }
  if (refund.status !== 'failed') return;
  const ours = await db.maybe(sql`
    select from refunds where provider_refund_id = ${refund.id} and state = 'refunded'`);
  const attempt = ours ? await attemptOfCharge(db, intentId) : undefined;
  if (!attempt) return;
  await tell(attempt, {
    is: 'refund_undone',
    departure: refund.id,
    because: `The card's bank gave it back: ${refund.failure_reason ?? 'unknown'}.`,
  });
}
