import { nameOf } from '@/components/identity/AgentList.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { type Bookkeeping, type BookkeepingReceipt, monthText } from '@/server/purchases/bookkeeping-contract.ts';
import { Price } from './Price.tsx';
import { Party } from './ReceiptParties.tsx';
import { State } from './State.tsx';
import { titleText } from './title-text.ts';

interface Props {
  month: string;
  books: Bookkeeping;
  buyer: BookkeepingReceipt['buyer'];
}

/** A month's receipts with their numbers, and their sums. */
export function StatementView({ month, books: { receipts, sums }, buyer }: Props) {
  const seller = receipts[0]?.seller ?? null;
  return (
    <article className="panel" aria-labelledby="statement">
      <header className="px-5 pt-7 pb-6 md:px-8">
        <h1 id="statement" className="text-h1">
          Statement for {monthText(month)}
        </h1>
        <p className="mt-1 text-ink-2">
          {sums.count === 1 ? 'One check was' : `${sums.count} checks were`} paid in this month of UTC. Charges and
          remedies are as they stand now.
        </p>
      </header>
      <dl className="grid gap-x-8 gap-y-4 border-t border-line px-5 py-5 wrap-anywhere md:grid-cols-2 md:px-8 [&_dt]:text-dense [&_dt]:text-ink-3">
        <div>
          <dt>Seller</dt>
          <dd>{seller === null ? 'Work Check, test mode: no seller is set' : <Party party={seller} />}</dd>
        </div>
        <div>
          <dt>Buyer</dt>
          <dd>{buyer === null ? 'Not said yet' : <Party party={buyer} />}</dd>
        </div>
      </dl>
      <ul className="border-t border-ink">
        {receipts.map((line) => (
          <Line key={line.job_key} line={line} />
        ))}
      </ul>
      <dl className="grid grid-cols-[1fr_auto] items-baseline gap-y-1 border-t border-ink px-5 py-5 tabular-nums md:px-8">
        <dt className="font-medium">Collected</dt>
        <dd className="text-right text-h2">
          <Price microcents={sums.collected_microcents} />
        </dd>
        <dt className="text-ink-3">Charged, or held for a review</dt>
        <dd className="text-right">
          <Price microcents={sums.charged_microcents} />
        </dd>
        <dt className="text-ink-3">Refunded or credited so far</dt>
        <dd className="text-right">
          <Price microcents={sums.given_back_microcents} />
        </dd>
      </dl>
    </article>
  );
}

function Line({ line }: { line: BookkeepingReceipt }) {
  const { number, job_key, title, bought_by, collected_at, charge_state } = line;
  return (
    <li className="grid gap-x-6 gap-y-1 border-b border-line px-5 py-3 last:border-0 print:break-inside-avoid md:grid-cols-[minmax(0,1fr)_auto] md:px-8">
      <div className="min-w-0">
        <a href={`/receipts/${job_key}`} className="link inline-flex min-h-6 items-center">
          {number ?? 'Number follows'}
        </a>
        <p className="text-dense text-ink-3 wrap-anywhere">
          <bdi>{titleText({ title, content_deleted: title === null })}</bdi>
        </p>
        <p className="text-dense text-ink-3 wrap-anywhere">
          Bought by <bdi>{nameOf(bought_by)}</bdi>, paid <Instant at={collected_at} precision="day" />
        </p>
      </div>
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1 md:justify-end">
        <State kind="charge" value={charge_state} />
        <span className="tabular-nums max-md:ml-auto">
          <Price microcents={line.amount_microcents} />
        </span>
      </div>
    </li>
  );
}
