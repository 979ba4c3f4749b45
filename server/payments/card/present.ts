import { Problem } from '../../door/problem.ts';
import type { Accepted, PaymentRequest, Presented } from '../rail.ts';
import { attemptOfRequest, type CardAttempt, recordIntent } from './attempt.ts';
import { chargeSaved } from './charge.ts';
import { lookUpPage, type OwnPages, waiting } from './checkout.ts';
import type { CardProof } from './outcome.ts';
import type { CardProvider } from './provider.ts';
import { cardToCharge } from './saved.ts';

/**
 * Reads how a request wants to pay by card. A client names a method, never a card or an amount: the account's newest
 * card is charged the job's price. Without a kept card the payer enters one on the page. Throws `action_not_allowed`
 * when the grant covers neither.
 */
export async function present(
  provider: CardProvider,
  pages: OwnPages,
  request: PaymentRequest,
): Promise<Presented<CardAttempt, CardProof>> {
  const onPage = byPage(pages, request);
  const wanted = request.method ?? (request.covers('card_checkout') ? 'card_checkout' : 'card_saved');
  const card = wanted === 'card_saved' ? await cardToCharge(request.db, request.accountKey) : undefined;
  if (wanted === 'card_saved' && !card && !request.covers('card_checkout')) {
    throw new Problem('action_not_allowed', 'The account has no saved card. A payer can save one on the payment page.');
  }
  return {
    payer: null,
    async known(db) {
      const method = card ? 'card_saved' : 'card_checkout';
      const known = await attemptOfRequest(db, request.jobKey, request.idempotencyKey, method);
      // A withdrawn or unpaid attempt does not prevent another.
      return known?.state === 'failed' && !known.decline ? undefined : known;
    },
    resume: (attempt) =>
      attempt.method === 'card_saved'
        ? chargeSaved(request, provider, attempt)
        : lookUpPage(request, provider, pages, attempt),
    accepted: async () => (card ? bySavedCard(provider, request, card) : onPage),
    withHolder: async () => (request.covers('card_checkout') ? onPage : undefined),
  };
}

function byPage(pages: OwnPages, request: PaymentRequest): Accepted<CardAttempt, CardProof> {
  return {
    open: (paymentKey) => recordIntent(request.db, paymentKey, request, { method: 'card_checkout' }),
    // Don't ask the provider before somebody wants to pay.
    settle: async (attempt) => waiting(pages, attempt),
  };
}

function bySavedCard(
  provider: CardProvider,
  request: PaymentRequest,
  { card_key: cardKey, customer_id: customerId }: { card_key: string; customer_id: string },
): Accepted<CardAttempt, CardProof> {
  return {
    open: (paymentKey) => recordIntent(request.db, paymentKey, request, { method: 'card_saved', cardKey, customerId }),
    settle: (attempt) => chargeSaved(request, provider, attempt),
  };
}
