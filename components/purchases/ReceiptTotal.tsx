import { type BookkeepingReceipt, taxWithin } from '@/server/purchases/bookkeeping-contract.ts';
import type { Receipt } from '@/server/purchases/contract.ts';
import { Price } from './Price.tsx';

/** What the reader finally paid, or what is still held, with the tax within. */
export function ReceiptTotal({ receipt, books }: { receipt: Receipt; books: BookkeepingReceipt }) {
  const { collection, charge, remedy } = receipt;
  const [label, amount] =
    charge.state === 'final'
      ? ['Paid', charge.amount_microcents]
      : charge.state === 'held'
        ? ['Held until the review', collection.amount_microcents]
        : ['Paid after the remedy', Math.max(0, collection.amount_microcents - remedy.amount_microcents)];
  const tax = taxWithin(amount, Math.round(books.tax_percent * 100));
  return (
    <footer className="border-t border-ink px-5 py-5 md:px-8">
      <dl className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-y-1">
        <dt className="text-ink-3">Net</dt>
        <dd className="text-right tabular-nums">
          <Price microcents={amount - tax} />
        </dd>
        <dt className="text-ink-3">
          {books.tax_percent === 0 ? `Tax: none. ${books.untaxed_because ?? ''}` : `Tax, ${books.tax_percent}%`}
        </dt>
        <dd className="text-right tabular-nums">
          <Price microcents={tax} />
        </dd>
        <dt className="font-medium">{label}</dt>
        <dd className="text-right text-h2 tabular-nums">
          <Price microcents={amount} />
        </dd>
      </dl>
      <p className="mt-3 text-dense text-ink-3">
        This receipt records money. It does not certify the work that was checked.
      </p>
    </footer>
  );
}
