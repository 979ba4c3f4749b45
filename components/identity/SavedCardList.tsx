import { CreditCard } from 'lucide-react';
import { Instant } from '@/components/ui/Instant.tsx';
import { RuledSection } from '@/components/ui/RuledSection.tsx';
import type { SavedCards } from '@/server/purchases/payment-contract.ts';

const YEAR_DIGITS = 2;

/** "Visa ending 4242": how people recognise a card. */
function nameOfCard({ brand, last4 }: SavedCards['cards'][number]): string {
  return `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ending ${last4}`;
}

/** The account's kept cards, each with a button to remove it. Works without scripts. */
export function SavedCardList({ cards, mayRemove }: SavedCards & { mayRemove: boolean }) {
  return (
    <RuledSection id="cards" title="Saved cards">
      {cards.length === 0 ? (
        <p className="py-3 text-ink-2">
          No saved cards. If you pay by card while signed in, you can choose to save it. Agents with that permission can
          then pay with it.
        </p>
      ) : (
        <ul>
          {cards.map((card, index) => (
            <li key={card.card_key} className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line py-3">
              <div className="min-w-0 flex-1 basis-56">
                <p className="flex gap-2">
                  <CreditCard className="icon mt-0.5" />
                  {nameOfCard(card)}
                </p>
                <p className="text-dense text-ink-3">
                  Valid until {String(card.exp_month).padStart(YEAR_DIGITS, '0')}/{card.exp_year}, saved{' '}
                  <Instant at={card.saved_at} precision="day" />
                  {index === 0 && cards.length > 1 ? '. This one is charged' : ''}
                </p>
              </div>
              {mayRemove ? <Remove card={card} /> : null}
            </li>
          ))}
        </ul>
      )}
    </RuledSection>
  );
}

function Remove({ card }: { card: SavedCards['cards'][number] }) {
  return (
    <form action="/account/cards/remove" method="post">
      <input type="hidden" name="card" value={card.card_key} />
      <button type="submit" className="btn" aria-label={`Remove ${nameOfCard(card)}`}>
        Remove
      </button>
    </form>
  );
}
