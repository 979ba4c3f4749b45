import { Instant } from '@/components/ui/Instant.tsx';
import type { BookkeepingReceipt } from '@/server/purchases/bookkeeping-contract.ts';

type PartyFacts = NonNullable<BookkeepingReceipt['buyer']>;

export interface Parties {
  seller: BookkeepingReceipt['seller'];
  buyer: BookkeepingReceipt['buyer'];
  /** Who reads it for the account, and which of its agents bought. */
  reader: { contact: string; agent: string };
  /** Where an owner says who buys; null for anybody else. */
  askBuyer: string | null;
  /** When it was ordered, and when the receipt was issued. */
  period: { from: string; to: string };
}

/** A name with postal address and tax number, in lines. */
export function Party({ party: { name, address, tax_id } }: { party: PartyFacts }) {
  return (
    <span className="whitespace-pre-line">
      <bdi>{[name, address].filter(Boolean).join('\n')}</bdi>
      {tax_id === null ? null : `\nTax number ${tax_id}`}
    </span>
  );
}

/** Who sold, who bought, and when. */
export function ReceiptParties({ seller, buyer, reader, askBuyer, period }: Parties) {
  const isOneDay = period.from.slice(0, 10) === period.to.slice(0, 10);
  return (
    <dl className="grid gap-x-8 gap-y-4 border-t border-line px-5 py-5 wrap-anywhere md:grid-cols-3 md:px-8 [&_dt]:text-dense [&_dt]:text-ink-3">
      <div>
        <dt>Seller</dt>
        <dd>
          {seller === null ? (
            'Work Check, test mode: no seller is set'
          ) : (
            <>
              <Party party={seller} />
              <br />
              {seller.email}
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Buyer</dt>
        <dd>
          {buyer === null ? <bdi>{reader.contact}</bdi> : <Party party={buyer} />}
          <br />
          <span className="text-dense text-ink-3">
            Bought by <bdi>{reader.agent}</bdi>
          </span>
          {buyer !== null || askBuyer === null ? null : (
            <a href={askBuyer} className="link flex min-h-6 items-center text-dense print:hidden">
              Make it out to a company or person
            </a>
          )}
        </dd>
      </div>
      <div>
        <dt>{isOneDay ? 'Ordered' : 'Ordered, and last changed'}</dt>
        <dd>
          <Instant at={period.from} precision="day" />
          {isOneDay ? null : (
            <>
              , <Instant at={period.to} precision="day" />
            </>
          )}
        </dd>
      </div>
    </dl>
  );
}
