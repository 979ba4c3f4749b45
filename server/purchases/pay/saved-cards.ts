import { recordEvent } from '../../identity/account-event.ts';
import type { Queries } from '../../kernel/database.ts';
import type { Verb } from '../../operation/verb.ts';
import type { Rails } from '../../payments/rail.ts';
import { Problem } from '../../problems/problem.ts';
import type * as contract from '../payment-contract.ts';

/** The cards kept for a member's account. */
export const savedCards: Verb<typeof contract.savedCards> = async ({ ctx, caller, db }) => ({
  body: await cardsOf(db, ctx.runtime.rails, caller.accountKey),
});

/** Removes a card for good, for every agent of the account. Repeats change nothing. */
export const removeCard: Verb<typeof contract.removeCard> = async ({ ctx, caller, input, tx }) => {
  const { rails } = ctx.runtime;
  const { accountKey, memberKey } = caller;
  const fate = (await rails.get('card')?.kept?.remove(tx, accountKey, input.card_key, ctx.now)) ?? 'unknown';
  if (fate === 'unknown') throw new Problem('not_found', 'The account has no such card.');
  if (fate === 'removed') {
    const detail = { card_key: input.card_key };
    recordEvent(tx, { accountKey, principalKey: null, actor: memberKey, action: 'card_removed', detail, at: ctx.now });
  }
  return { body: await cardsOf(tx, rails, accountKey) };
};

async function cardsOf(db: Queries, rails: Rails, accountKey: string): Promise<contract.SavedCards> {
  const cards = (await rails.get('card')?.kept?.list(db, accountKey)) ?? [];
  return { cards: cards.map((card) => ({ ...card, saved_at: card.saved_at.toISOString() })) };
}
