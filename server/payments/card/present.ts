import { setTimeout } from 'node:timers/promises';
import { transact } from '../../kernel/transaction.ts';
import { Problem, refuse } from '../../problems/problem.ts';
import type { Accepted, PaymentRequest, Presented } from '../rail.ts';
import { attemptOfRequest, type CardAttempt, type Opening, recordIntent } from './attempt.ts';
import { chargeSaved } from './charge.ts';
import { lookUpPage, type OwnPages, waiting } from './checkout.ts';
import type { CardProof } from './outcome.ts';
import type { CardProvider } from './provider.ts';
import { type CardToCharge, cardToCharge, lockCard } from './saved.ts';
import { requireRoomUnderWay, underWayRefusal } from './under-way.ts';

/** A request to pay by card; `isBounded` where an account has a few checks under way by card at most. */
type CardRequest = PaymentRequest & { readonly isBounded: boolean };

/**
 * Reads how a request wants to pay by card. A client names a method, never a card or an amount: the account's newest
 * card is charged the job's price. Without a kept card the payer enters one on the page. Throws `action_not_allowed`
 * when the grant covers neither.
 */
export async function present(
  provider: CardProvider,
  pages: OwnPages,
  request: CardRequest,
): Promise<Presented<CardAttempt, CardProof>> {
  const onPage = byPage(pages, request);
  const wanted = request.method ?? (request.covers('card_checkout') ? 'card_checkout' : 'card_saved');
  const card = wanted === 'card_saved' ? await cardToCharge(request.db, request) : undefined;
  if (wanted === 'card_saved' && !card) requirePage(request);
  return {
    // Who pays on the page is known once it is paid.
    payer: card?.payer ?? null,
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
    async accepted() {
      // Say it before anybody is sent a link; what begins at once is counted again, under a lock.
      if (request.isBounded) refuse(await underWayRefusal(request.db, request));
      return card ? bySavedCard({ provider, pages }, request, card) : onPage;
    },
    withHolder: async () => (request.covers('card_checkout') ? onPage : undefined),
  };
}

/** Throws `action_not_allowed` where no card can be charged, and the grant does not cover the page. */
function requirePage(request: PaymentRequest): void {
  if (request.covers('card_checkout')) return;
  throw new Problem(
    'action_not_allowed',
    'The account has no saved card that can be charged now: a declined one rests, and a new one is charged a few times ' +
      'in a row before its holder is wanted again. A payer can save one, or pay with it once more, on the payment page.',
  );
}

function byPage(pages: OwnPages, request: PaymentRequest): Accepted<CardAttempt, CardProof> {
  return {
    open: (paymentKey, taking) =>
      recordIntent(request.db, { paymentKey, taking }, request, { method: 'card_checkout' }),
    // Don't ask the provider before somebody wants to pay.
    settle: async (attempt) => waiting(pages, attempt),
  };
}

function bySavedCard(
  { provider, pages }: { provider: CardProvider; pages: OwnPages },
  request: CardRequest,
  card: CardToCharge,
): Accepted<CardAttempt, CardProof> {
  return {
    open: (paymentKey, taking) => openCharge({ paymentKey, taking }, request, card),
    settle: async (attempt) =>
      attempt.method === 'card_saved' ? chargeSaved(request, provider, attempt) : waiting(pages, attempt),
  };
}

/** How often, and after how many milliseconds, a charge looks again whether others to the same card have ended. */
const looks = 40;
const lookAfterMs = 100;

/**
 * Records the intent to charge a card, or the page where the card rests since. Waits while as many charges to it are under
 * way as may be declined. Throws `rate_limited` while as many checks of the account are, `action_not_allowed` as above.
 */
async function openCharge(
  opening: Opening,
  request: CardRequest,
  card: CardToCharge,
): Promise<CardAttempt | undefined> {
  const by = { method: 'card_saved', cardKey: card.card_key, customerId: card.customer_id } as const;
  for (let look = 0; look < looks; look += 1) {
    const opened = await transact(request.db, async (tx) => {
      if (request.isBounded) await requireRoomUnderWay(tx, request);
      const standing = await lockCard(tx, card, request.now);
      return standing === 'ready' ? recordIntent(tx, opening, request, by) : standing;
    });
    if (opened === 'rests') {
      requirePage(request);
      return recordIntent(request.db, opening, request, { method: 'card_checkout' });
    }
    if (opened !== 'busy') return opened;
    await setTimeout(lookAfterMs);
  }
  return undefined;
}
