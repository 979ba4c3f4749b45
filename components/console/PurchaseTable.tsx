import type { Row } from '@/server/console/contract/purchases.ts';
import { Price } from '../purchases/Price.tsx';
import { State } from '../purchases/State.tsx';
import { Key } from '../ui/Key.tsx';
import { Moment } from './Moment.tsx';

interface Props {
  rows: readonly Row[];
  sort: string;
  /** The link in the sort column, if sorting is offered. */
  sortHref: string | undefined;
  now: Date;
  /** With a checkbox per row, for the surrounding form. */
  choosing?: boolean;
}

/** Lists show only the ends of wallet addresses. */
const walletForm = /^(0x\w{6})\w{28}(\w{6})$/;

/** Purchases, one per row; on a phone only name, time, states and amount. */
export function PurchaseTable({ rows, sort, sortHref, now, choosing = false }: Props) {
  return (
    <table className="table text-dense">
      <caption className="sr-only">Purchases, {sort} first</caption>
      <Head sort={sort} sortHref={sortHref} choosing={choosing} />
      <tbody>
        {rows.map((row) => (
          <tr
            key={row.job_key}
            className="hover:bg-hover max-md:grid max-md:grid-cols-[1fr_auto] max-md:gap-x-3 max-md:border-b max-md:border-line max-md:px-3 max-md:py-3 max-md:*:border-0! max-md:*:p-0!"
          >
            {choosing ? (
              <td className="max-md:order-6 max-md:text-right">
                <label className="inline-flex min-h-6 min-w-6 items-center gap-2">
                  <span className="md:sr-only">
                    Choose <span className="sr-only">{row.job_key}</span>
                  </span>
                  <input type="checkbox" name="key" value={row.job_key} />
                </label>
              </td>
            ) : null}
            <td className="text-ink-3 max-md:order-2 max-md:text-right">
              <Moment at={row.created_at} now={now} />
            </td>
            <td className="max-md:order-1 max-md:min-w-0">
              <a
                href={`/console/purchases/${row.job_key}`}
                className="inline-flex min-h-6 items-center font-medium hover:underline"
              >
                <Key>{row.job_key}</Key>
              </a>
              <div className="wrap-anywhere text-ink-3" title={row.buyer}>
                {row.buyer.replace(walletForm, '$1…$2')}
              </div>
            </td>
            <td className="text-ink-2 max-md:hidden">{row.rail ?? 'None yet'}</td>
            <td className={`max-md:order-5 ${row.payment_state === 'none' ? 'max-md:invisible' : ''}`}>
              <State kind="payment" value={row.payment_state} />
            </td>
            <td className="max-md:order-3 max-md:pt-1!">
              <State kind="job" value={row.state} />
            </td>
            <td className="max-md:hidden">
              {row.verdict ? (
                <State kind="verdict" value={row.verdict} />
              ) : (
                <span className="text-ink-3">None yet</span>
              )}
            </td>
            <td className="num max-md:order-4 max-md:pt-1!">
              <Price microcents={row.amount_microcents} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Head({ sort, sortHref, choosing }: Pick<Props, 'sort' | 'sortHref'> & { choosing: boolean }) {
  return (
    <thead className="max-md:sr-only">
      <tr>
        {choosing ? (
          <th scope="col">
            <span className="sr-only">Choose</span>
          </th>
        ) : null}
        <th scope="col" aria-sort={sort === 'newest' ? 'descending' : 'ascending'}>
          {sortHref ? (
            <a href={sortHref} className="inline-flex min-h-6 items-center gap-1 hover:underline">
              Created {sort === 'newest' ? '↓' : '↑'}
            </a>
          ) : (
            'Created'
          )}
        </th>
        {['Purchase', 'Rail', 'Payment', 'Job', 'Verdict'].map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
        <th scope="col" className="num">
          Amount
        </th>
      </tr>
    </thead>
  );
}
