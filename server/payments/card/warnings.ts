import type Stripe from 'stripe';
import { sql } from '../../kernel/sql.ts';
import type { Process, Tell } from '../rail.ts';
import { attemptOfCharge, type CardAttempt } from './attempt.ts';
import { lookAtIntent } from './intents.ts';
import type { CardProof } from './outcome.ts';
import { type CardProvider, idOf } from './provider.ts';

/**
 * A bank's warning that a charge may be fraud, before any dispute (docs.stripe.com/disputes/measuring). Most turn into one,
 * which costs its fee besides.
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
  const { use } = await process.db.one<{ use: string }>(
    sql`select use from card_charges where intent_id = ${intentId}`,
  );
  await tell(attempt, { is: 'reported', isPayment: use === 'payment' });
}
