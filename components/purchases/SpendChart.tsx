import { type Bookkeeping, monthText } from '@/server/purchases/bookkeeping-contract.ts';
import { Price } from './Price.tsx';

export interface MonthSpent {
  /** A month of UTC, such as `2026-11`. */
  month: string;
  sums: Bookkeeping['sums'];
}

const height = 40;
const width = 100;

/** What was collected in each month as bars, and what of it is kept in ink; the table below says the same. */
function Bars({ months }: { months: readonly MonthSpent[] }) {
  const highest = Math.max(1, ...months.map(({ sums }) => sums.collected_microcents));
  const step = width / Math.max(1, months.length);
  const tall = (microcents: number) => (height * Math.max(0, microcents)) / highest;
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="h-40 w-full border-b border-line"
      aria-hidden
    >
      {months.map(({ month, sums }, index) => {
        const kept = tall(sums.collected_microcents - sums.given_back_microcents);
        const bar = { x: index * step + step * 0.2, width: step * 0.6 };
        const back = tall(sums.given_back_microcents);
        return (
          <g key={month}>
            <rect {...bar} y={height - kept} height={kept} className="fill-ink-2" />
            <rect {...bar} y={height - kept - back} height={back} className="fill-accent" />
          </g>
        );
      })}
    </svg>
  );
}

const short = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' });

/** What an account's agents spent by month, oldest first. */
export function SpendChart({ months }: { months: readonly MonthSpent[] }) {
  return (
    <>
      <figure aria-label="What was paid, by month" className="mt-6">
        <Bars months={months} />
        <div aria-hidden className="flex text-center text-meta text-ink-3">
          {months.map(({ month }) => (
            <span key={month} className="flex-1">
              {short.format(new Date(`${month}-01T00:00:00.000Z`))}
            </span>
          ))}
        </div>
        <figcaption className="mt-2 flex flex-wrap gap-x-5 text-dense text-ink-2">
          <span className="inline-flex items-center gap-1.5">
            <svg viewBox="0 0 10 10" className="size-2.5 fill-ink-2" aria-hidden>
              <rect width="10" height="10" />
            </svg>
            Collected, not given back
          </span>
          <span className="inline-flex items-center gap-1.5">
            <svg viewBox="0 0 10 10" className="size-2.5 fill-accent" aria-hidden>
              <rect width="10" height="10" />
            </svg>
            Refunded or credited
          </span>
        </figcaption>
      </figure>
      <ul className="mt-6 border-t border-ink">
        {months.toReversed().map(({ month, sums }) => (
          <li
            key={month}
            className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 border-b border-line py-2.5 tabular-nums"
          >
            <a href={`/purchases/statement?month=${month}`} className="link inline-flex min-h-6 items-center">
              {monthText(month)}
            </a>
            <span className="text-right">
              <Price microcents={sums.collected_microcents} />
            </span>
            <span className="text-dense text-ink-3">{sums.count === 1 ? '1 check' : `${sums.count} checks`}</span>
            <span className="text-right text-dense text-ink-3">
              {sums.given_back_microcents === 0 ? null : (
                <>
                  of it <Price microcents={sums.given_back_microcents} /> refunded or credited
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
