import type { Outcome, Process } from '../rail.ts';
import { attemptByKey, type CardAttempt, countFailedCall, noteDecline, noteIntent } from './attempt.ts';
import { type CardProof, isFor, outcomeOf } from './outcome.ts';
import {
  type CardProvider,
  declineIn,
  declineOf,
  type Intent,
  isAboutCard,
  isProviderFailure,
  isRefusedAs,
  isRefusedForGood,
  retrieveIntent,
  toCents,
} from './provider.ts';
import { dropCard, dropIfEnded } from './saved.ts';

/**
 * Charges a kept card off session, in two steps: create and record the intent, then confirm it. An intent moves the
 * money at most once, so after a crash in between, look it up. Begins and confirms nothing unless it still `mayCharge`.
 */
export async function chargeSaved(
  process: Process,
  provider: CardProvider,
  attempt: CardAttempt,
  mayCharge = true,
): Promise<Outcome<CardProof>> {
  if (!attempt.intent_id && !mayCharge) return { is: 'never', because: 'The buyer may not pay by card any more.' };
  const intent = attempt.intent_id
    ? await retrieveIntent(provider, attempt.intent_id)
    : await created(process, provider, attempt);
  if (intent === null) return { is: 'never', because: 'The provider no longer charges this card.' };
  if (intent.status !== 'requires_confirmation') return settled(process, provider, attempt, intent);
  // The card was removed, perhaps while the intent was created: don't charge it.
  const isKept = mayCharge && (await attemptByKey(process.db, attempt.payment_key))?.method_id != null;
  return settled(
    process,
    provider,
    attempt,
    isKept ? await confirmed(process, provider, attempt, intent) : await canceledNow(provider, intent),
  );
}

/** Creates the intent under a key that a repeat finds it by. Moves no money yet. Null without a card. */
async function created(
  { db, clock }: Process,
  { stripe, ...rest }: CardProvider,
  attempt: CardAttempt,
): Promise<Intent | null> {
  const { payment_key: paymentKey, customer_id: customer, method_id: method, failed_calls: failed } = attempt;
  if (!customer || !method) return null;
  try {
    const intent = await stripe.paymentIntents.create(
      {
        amount: toCents(attempt.amount_microcents),
        currency: 'usd',
        customer,
        payment_method: method,
        allowed_payment_method_types: ['card'],
        capture_method: 'automatic',
        metadata: { payment_key: paymentKey },
      },
      { idempotencyKey: `pi:${paymentKey}:${failed}` },
    );
    const noted = await noteIntent(db, paymentKey, intent.id);
    return noted === intent.id ? intent : await retrieveIntent({ stripe, ...rest }, noted);
  } catch (error) {
    if (isProviderFailure(error)) await countFailedCall(db, paymentKey);
    if (!isRefusedForGood(error)) throw error;
    if (isAboutCard(error)) await dropCard(db, attempt, clock());
    return null;
  }
}

/** Confirms the intent, then reads it: the answer may be lost, or a refusal. */
async function confirmed(
  { db, clock }: Process,
  provider: CardProvider,
  attempt: CardAttempt,
  intent: Intent,
): Promise<Intent> {
  const { payment_key: paymentKey, failed_calls: failed } = attempt;
  try {
    await provider.stripe.paymentIntents.confirm(
      intent.id,
      { off_session: true },
      { idempotencyKey: `cf:${paymentKey}:${failed}` },
    );
  } catch (error) {
    if (isProviderFailure(error)) await countFailedCall(db, paymentKey);
    if (declineOf(error) || isRefusedAs(error, 'payment_intent_unexpected_state')) {
      return retrieveIntent(provider, intent.id);
    }
    if (!isRefusedForGood(error)) throw error;
    if (isAboutCard(error)) await dropCard(db, attempt, clock());
    return canceledNow(provider, intent);
  }
  return retrieveIntent(provider, intent.id);
}

/** The attempt's state by its intent. Cancels a declined one, so that it can never be confirmed again. */
async function settled(
  { db, clock }: Process,
  provider: CardProvider,
  attempt: CardAttempt,
  intent: Intent,
): Promise<Outcome<CardProof>> {
  if (!isFor(attempt, intent)) return { is: 'never', because: 'The provider charged something else.' };
  const decline = declineIn(intent);
  if (intent.status === 'requires_action' || (intent.status === 'requires_payment_method' && decline)) {
    const canceled = await canceledNow(provider, intent);
    const outcome = outcomeOf(provider, attempt, canceled);
    if (outcome.is !== 'never') return outcome;
    const because = decline ?? { code: 'authentication_required', needsHolder: true };
    await noteDecline(db, attempt.payment_key, because);
    await dropIfEnded(db, attempt, because.code, clock());
    return { is: 'never', because: `The card was declined: ${because.code}.`, decline: because };
  }
  const outcome = outcomeOf(provider, attempt, intent);
  if (outcome.is === 'never' && outcome.decline) {
    await noteDecline(db, attempt.payment_key, outcome.decline);
    await dropIfEnded(db, attempt, outcome.decline.code, clock());
  }
  return outcome;
}

/** Cancels it without an idempotency key: repeats are harmless, and a failure at the provider is not replayed. */
async function canceledNow(provider: CardProvider, intent: Intent): Promise<Intent> {
  try {
    await provider.stripe.paymentIntents.cancel(intent.id);
  } catch (error) {
    if (!isRefusedAs(error, 'payment_intent_unexpected_state')) throw error;
  }
  return retrieveIntent(provider, intent.id);
}

/** Looks the attempt up; moves nothing. */
export async function lookUpCharge(provider: CardProvider, attempt: CardAttempt): Promise<Outcome<CardProof>> {
  if (!attempt.intent_id) return { is: 'open' };
  return outcomeOf(provider, attempt, await retrieveIntent(provider, attempt.intent_id));
}

/** Cancels a charge that was not carried out. */
export async function withdrawCharge(provider: CardProvider, attempt: CardAttempt): Promise<Outcome<CardProof>> {
  if (!attempt.intent_id) return { is: 'open' };
  const intent = await retrieveIntent(provider, attempt.intent_id);
  const isUnpaid = ['requires_confirmation', 'requires_payment_method', 'requires_action'].includes(intent.status);
  return outcomeOf(provider, attempt, isUnpaid ? await canceledNow(provider, intent) : intent);
}
