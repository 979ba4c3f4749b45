import { Instant } from '@/components/ui/Instant.tsx';

export interface Parties {
  seller: { name: string; email: string } | null;
  /** Who reads it for the account, and which of its agents bought. */
  buyer: { contact: string; agent: string };
  /** When it was ordered, and when the receipt was issued. */
  period: { from: string; to: string };
}

/** Who sold, who bought, and when. */
export function ReceiptParties({ seller, buyer, period }: Parties) {
  return (
    <dl className="grid gap-x-8 gap-y-4 border-t border-line px-5 py-5 wrap-anywhere md:grid-cols-3 md:px-8 [&_dt]:text-dense [&_dt]:text-ink-3">
      <div>
        <dt>Seller</dt>
        <dd>
          {seller === null ? (
            'Work Check, test mode: no seller is set'
          ) : (
            <>
              {seller.name}
              <br />
              {seller.email}
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Buyer</dt>
        <dd>
          <bdi>{buyer.contact}</bdi>
          <br />
          <span className="text-dense text-ink-3">
            Bought by <bdi>{buyer.agent}</bdi>
          </span>
        </dd>
      </div>
      <div>
        <dt>Ordered and last changed</dt>
        <dd>
          <Instant at={period.from} precision="day" />, <Instant at={period.to} precision="day" />
        </dd>
      </div>
    </dl>
  );
}
