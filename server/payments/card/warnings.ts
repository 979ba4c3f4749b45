import Stripe from 'stripe';
import { sql } from '../../kernel/sql.ts';
import type { Process, Tell } from '../rail.ts';
import { attemptOfCharge, type CardAttempt } from './attempt.ts';
import { lookAtIntent } from './intents.ts';
import type { CardProof } from './outcome.ts';
import { type CardProvider, idOf } from './provider.ts';

/** A start waits for no provider. */
const timeoutMs = 5_000;

/** Whether the key may read warnings: a restricted one needs the right. */
export async function readsWarnings({ stripe }: CardProvider): Promise<boolean> {
  try {
    await stripe.radar.earlyFraudWarnings.list({ limit: 1 }, { timeout: timeoutMs });
    return true;
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return false;
    throw error;
  }
}

/**
 * A bank's warning that a charge may be fraud, before any dispute (docs.stripe.com/disputes/measuring). Most turn into one,
 * which costs its fee besides; a charge whose holder the bank made sure of is not given back. `warning` has its charge.
 */
export async function lookAtWarning(
  process: Process,
  provider: CardProvider,
  warning: Stripe.Radar.EarlyFraudWarning,
  tell: Tell<CardAttempt, CardProof>,
): Promise<void> {
  const intentId = idOf(warning.payment_intent);
  if (!intentId || warning.livemode !== provider.isLive) return;
  // Record its payment first: the provider may announce a warning before the charge.
  const attempt =
    (await attemptOfCharge(process.db, intentId)) ?? (await lookAtIntent(process, provider, intentId, tell));
  if (!attempt) return;
  const { use, payer } = await process.db.one<{ use: string; payer: string | null }>(sql`
    select use, payer from card_charges where intent_id = ${intentId}`);
  await tell(attempt, { is: 'reported', payer, givesBack: use === 'payment' && !isBanksLoss(warning) });
}

/** What 3-D Secure answers where a charge that is called fraud is the bank's loss (docs.stripe.com/payments/3d-secure). */
const shifted = ['authenticated', 'attempt_acknowledged'];

function isBanksLoss({ charge }: Stripe.Radar.EarlyFraudWarning): boolean {
  const result = typeof charge === 'string' ? null : charge.payment_method_details?.card?.three_d_secure?.result;
  return shifted.includes(result ?? '');
}
