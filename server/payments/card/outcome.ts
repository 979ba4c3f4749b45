import { after } from '../../kernel/clock.ts';
import type { Microcents } from '../../kernel/money.ts';
import type { Outcome } from '../rail.ts';
import type { CardAttempt } from './attempt.ts';
import { type CardProvider, declineIn, fromCents, type Intent, idOf, type Session } from './provider.ts';

/** What shows that an attempt is paid, or that it was given back: as the provider itself told. */
export type CardProof = ChargeProof | { providerRefundId: string };

/** A payment intent that succeeded. */
export interface ChargeProof {
  intentId: string;
  chargeId: string;
  amount: Microcents;
  fee: Microcents;
  /** The card that the payer ticked to be kept, if any. */
  kept: KeptMethod | null;
}

export interface KeptMethod {
  methodId: string;
  customerId: string;
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
}

/** A page that waits for its payer is looked at so often: its events tell sooner. */
const lookEverySeconds = 30;

/**
 * What a succeeded intent proves. Null for one that is not in our mode or currency, or whose fee the provider does not tell
 * yet.
 */
export function proofOf({ isLive }: CardProvider, intent: Intent): ChargeProof | null {
  const { latest_charge: charge, livemode, currency } = intent;
  if (intent.status !== 'succeeded' || livemode !== isLive || currency !== 'usd') return null;
  if (!charge || typeof charge === 'string') return null;
  const booked = charge.balance_transaction;
  if (!booked || typeof booked === 'string') return null;
  return {
    intentId: intent.id,
    chargeId: charge.id,
    amount: fromCents(intent.amount_received),
    fee: fromCents(booked.fee),
    kept: keptIn(intent),
  };
}

/** The card of an intent, where its payer let it be shown again to pay with: the tick of the page, and nothing else. */
function keptIn({ payment_method: method, customer }: Intent): KeptMethod | null {
  const customerId = idOf(customer);
  if (!method || typeof method === 'string' || !method.card || method.allow_redisplay !== 'always') return null;
  if (!customerId || idOf(method.customer) !== customerId) return null;
  const { brand, last4, exp_month: expMonth, exp_year: expYear } = method.card;
  return { methodId: method.id, customerId, brand, last4, expMonth, expYear };
}

/** Whether an intent was made for this attempt, and for its price. Who made the intent wrote that into it: we alone. */
export function isFor(attempt: CardAttempt, intent: Intent): boolean {
  return intent.metadata.payment_key === attempt.payment_key && fromCents(intent.amount) === attempt.amount_microcents;
}

/** How an attempt stands by its intent. Whoever asks decides what to do about one that waits for a confirmation. */
export function outcomeOf(provider: CardProvider, attempt: CardAttempt, intent: Intent): Outcome<CardProof> {
  if (!isFor(attempt, intent)) return { is: 'never', because: 'The provider charged something else.' };
  switch (intent.status) {
    case 'succeeded': {
      const proof = proofOf(provider, intent);
      if (proof) return { is: 'collected', proof };
      // Its fee is told within seconds. What is not in our mode is no money.
      return intent.livemode === provider.isLive ? { is: 'open' } : { is: 'never', because: 'It is of another mode.' };
    }
    case 'canceled': {
      const decline = declineIn(intent);
      return { is: 'never', because: 'The charge was canceled.', ...(decline ? { decline } : {}) };
    }
    case 'processing':
      return { is: 'open', isProcessing: true };
    default:
      return { is: 'open' };
  }
}

/** How an attempt stands that is paid on a page. */
export function outcomeOfSession(
  provider: CardProvider,
  attempt: CardAttempt,
  session: Session,
  intent: Intent | null,
  waiting: Extract<Outcome, { is: 'requires_payer' }>,
): Outcome<CardProof> {
  if (session.status === 'open') return waiting;
  if (session.status === 'expired') return { is: 'never', because: 'Nobody paid on the page in time.' };
  if (!intent) return { is: 'open' };
  if (intent.status === 'requires_payment_method') return { is: 'never', because: 'The payment did not go through.' };
  return outcomeOf(provider, attempt, intent);
}

/** When a waiting attempt is looked at next. */
export function nextLook(now: Date): Date {
  return after(now, lookEverySeconds);
}
