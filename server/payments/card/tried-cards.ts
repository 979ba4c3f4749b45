import { sql } from '../../kernel/sql.ts';
import type { Process, Tell } from '../rail.ts';
import type { CardAttempt } from './attempt.ts';
import type { CardProof } from './outcome.ts';
import type { CardProvider } from './provider.ts';

/** A person has a few cards; who tries more of them has somebody else's. */
const refusalsMax = 5;

/**
 * Ends an attempt on whose page banks have refused so many cards, so that no page tells anybody which stolen cards work.
 * Its job can be paid anew. Rejects while the provider has not ended the page, so that the caller retries.
 */
export async function endTriedPage(
  { db }: Process,
  { stripe }: CardProvider,
  { attempt, intentId }: { attempt: CardAttempt; intentId: string },
  tell: Tell<CardAttempt, CardProof>,
): Promise<void> {
  const { session_id: sessionId } = attempt;
  if (sessionId === null || (attempt.state !== 'settling' && attempt.state !== 'unknown')) return;
  const { refusals } = await db.one<{ refusals: number }>(sql`
    select count(*)::int as refusals from card_events
    where object_id = ${intentId} and type = 'payment_intent.payment_failed'`);
  if (refusals < refusalsMax) return;
  const { sessions } = stripe.checkout;
  const session = await sessions
    .expire(sessionId)
    // Refused for a page that is no longer open, or the answer is lost.
    .catch(() => sessions.retrieve(sessionId));
  if (session.status === 'open') throw new Error(`the page of ${attempt.payment_key} has not ended yet`);
  // Paid at the same time: then the charge counts.
  if (session.status === 'expired')
    await tell(attempt, { is: 'never', because: 'Too many tries to pay were refused.' });
}
