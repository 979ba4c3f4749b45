import { after } from '../../kernel/clock.ts';
import type { Microcents } from '../../kernel/money.ts';
import type { Outcome } from '../rail.ts';
import type { CardAttempt } from './attempt.ts';
import { type CardProvider, declineIn, fromCents, type Intent, idOf, type Session } from './provider.ts';

/** Proof that an attempt is paid or was refunded, from the provider itself. */
export type CardProof = ChargeProof | { providerRefundId: string };

/** A payment intent that succeeded. */
export interface ChargeProof {
  intentId: string;
  chargeId: string;
  amount: Microcents;
  fee: Microcents;
  /** The card by its fingerprint, as blocks name it. */
  payer: string | null;
  /** The card that the payer ticked to keep, if any. */
  kept: KeptMethod | null;
}

export interface KeptMethod {
  methodId: string;
  customerId: string;
  payer: string | null;
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
}

/** How often to look at a page that waits for its payer; events are faster. */
const lookEverySeconds = 30;

/** The proof in a succeeded intent. Null in the wrong mode or currency, or until the provider states its fee. */
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
    payer: payerOf(charge.payment_method_details?.card?.fingerprint),
    kept: keptIn(intent),
  };
}

/** A card as blocks and counts name it: by its fingerprint, which is the same in every account. */
function payerOf(fingerprint: string | null | undefined): string | null {
  return fingerprint ? `card:${fingerprint.toLowerCase()}` : null;
}

/** The card of an intent, if its payer ticked the page's box to keep it. */
function keptIn({ payment_method: method, customer }: Intent): KeptMethod | null {
  const customerId = idOf(customer);
  if (!method || typeof method === 'string' || !method.card || method.allow_redisplay !== 'always') return null;
  if (!customerId || idOf(method.customer) !== customerId) return null;
  const { brand, last4, exp_month: expMonth, exp_year: expYear, fingerprint } = method.card;
  return { methodId: method.id, customerId, payer: payerOf(fingerprint), brand, last4, expMonth, expYear };
}

/** Whether an intent was created for this attempt, at its price. Only we write that into its metadata. */
export function isFor(attempt: CardAttempt, intent: Intent): boolean {
  return intent.metadata.payment_key === attempt.payment_key && fromCents(intent.amount) === attempt.amount_microcents;
}

/** Whether all of what an intent charged has been refunded. */
export function hasGoneBack({ latest_charge: charge }: Pick<Intent, 'latest_charge'>): boolean {
  return charge !== null && typeof charge !== 'string' && charge.refunded;
}
export const goneBack = 'What it paid has gone back.';

/** The attempt's state by its intent. The caller decides about one that waits for confirmation. */
export function outcomeOf(provider: CardProvider, attempt: CardAttempt, intent: Intent): Outcome<CardProof> {
  if (!isFor(attempt, intent)) return { is: 'never', because: 'The provider charged something else.' };
  switch (intent.status) {
    case 'succeeded': {
      if (hasGoneBack(intent)) return { is: 'never', because: goneBack };
      const proof = proofOf(provider, intent);
      if (proof) return { is: 'collected', proof };
      // The fee is there within seconds. In the wrong mode it is not money.
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

/** The state of an attempt that is paid on a page. */
export function outcomeOfSession(
  provider: CardProvider,
  attempt: CardAttempt,
  { session, intent }: { session: Session; intent: Intent | null },
  waiting: Extract<Outcome, { is: 'requires_payer' }>,
): Outcome<CardProof> {
  if (session.status === 'open') return waiting;
  if (session.status === 'expired') return { is: 'never', because: 'Nobody paid on the page in time.' };
  if (!intent) return { is: 'open' };
  if (intent.status === 'requires_payment_method') return { is: 'never', because: 'The payment did not go through.' };
  return outcomeOf(provider, attempt, intent);
}

/** When to look next at a waiting attempt. */
export function nextLook(now: Date): Date {
  return after(now, lookEverySeconds);
}
