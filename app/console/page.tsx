import { Bars } from '@/components/console/Bars.tsx';
import { ChainTable } from '@/components/console/ChainTable.tsx';
import { Health } from '@/components/console/Health.tsx';
import { Moment } from '@/components/console/Moment.tsx';
import { Switches } from '@/components/console/Switches.tsx';
import { Trouble } from '@/components/console/Trouble.tsx';
import { Price } from '@/components/purchases/Price.tsx';
import { State } from '@/components/purchases/State.tsx';
import { counted } from '@/components/ui/counted.ts';
import type { Overview } from '@/server/console/contract/overview.ts';
import { seconds } from '@/server/service/terms.ts';
import { show } from '../show.tsx';
import { operatorContext, readForOperator, roleNow, titled } from './operator.ts';
import { Told } from './Told.tsx';

export const generateMetadata = titled('Overview');

const periods = [
  [1, 'Last day'],
  [7, 'Last week'],
  [30, 'Last month'],
] as const;

/** The state of the service, and what needs an operator. */
export default show(async ({ searchParams }: { searchParams: Promise<{ days?: string | string[] }> }) => {
  const { days: asked } = await searchParams;
  const days = periods.find(([each]) => String(each) === asked)?.[0] ?? 1;
  const overview = await readForOperator('console_overview', { days });
  const [{ ctx, me }, role] = [await operatorContext(), await roleNow()];
  return (
    <>
      <Told page="/console" done="Switched. Availability already shows it." />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <h1 className="text-h1">Overview</h1>
        <nav aria-label="Period" className="ml-auto flex flex-wrap gap-x-5 text-dense">
          {periods.map(([each, name]) => (
            <a
              key={each}
              href={`/console?days=${each}`}
              className="tab min-h-8"
              aria-current={each === days || undefined}
            >
              {name}
            </a>
          ))}
        </nav>
      </div>
      <Trouble overview={overview} inDoubt={me?.waiting.in_doubt ?? 0} now={ctx.now} />
      <Figures overview={overview} />
      <RailTable overview={overview} />
      <div className="panel mt-6">
        <h2 className="px-5 pt-5 text-h3">Ledger against chains and the card provider</h2>
        <ChainTable chains={overview.chains} now={ctx.now} />
        <CardBooks card={overview.card} now={ctx.now} />
      </div>
      <div className="mt-6 grid grid-cols-[minmax(0,1fr)] gap-6 xl:grid-cols-[minmax(0,1fr)_20rem]">
        <section className="panel p-5" aria-labelledby="series">
          <h2 id="series" className="mb-4 text-h3">
            Purchases {days === 1 ? 'an hour' : 'a day'}
          </h2>
          <Bars series={overview.series} hrefOf={(day) => `/console/purchases?from=${day}&to=${day}`} />
          <a className="link mt-2 inline-flex min-h-6 items-center text-dense" href={listSince(overview)}>
            Show these purchases
          </a>
        </section>
        <Verdicts overview={overview} />
      </div>
      <div className="mt-6 grid grid-cols-[minmax(0,1fr)] gap-6 xl:grid-cols-[minmax(0,1fr)_25rem]">
        <Health overview={overview} now={ctx.now} />
        <Switches switches={overview.switches} role={role} />
      </div>
    </>
  );
});

const listSince = ({ since }: Overview, query = ''): string => `/console/purchases?from=${since.slice(0, 10)}${query}`;

/** The card provider's balance and our books at the same moment. */
function CardBooks({ card, now }: { card: Overview['card']; now: Date }) {
  if (!card) return null;
  const { balance_microcents, ledger_microcents, differences, compared_at } = card;
  const isAgreed = balance_microcents === ledger_microcents && differences === 0;
  return (
    <p className="flex flex-wrap items-baseline gap-x-5 gap-y-1 border-t border-line px-5 py-3 text-dense">
      <span className="font-medium">Card provider</span>
      {isAgreed ? (
        <span>
          Provider and books agree: <Price microcents={ledger_microcents} />
        </span>
      ) : (
        <strong className="font-semibold text-fault">
          Provider and books differ by <Price microcents={balance_microcents - ledger_microcents} />:{' '}
          <Price microcents={balance_microcents} /> at the provider, <Price microcents={ledger_microcents} /> in the
          books, {counted(differences, 'object differs', 'objects differ')}
        </strong>
      )}
      <span className="ml-auto text-ink-3">
        <Moment at={compared_at} now={now} />
      </span>
    </p>
  );
}

/** Each rail against the target, linking to its purchases. */
function RailTable({ overview }: { overview: Overview }) {
  const { rails } = overview;
  if (rails.length === 0) return null;
  return (
    <div className="panel mt-6 overflow-x-auto">
      <table className="table text-dense">
        <caption className="px-5 pt-5 pb-2 text-left text-h3">
          Rails against the target of {seconds.deliveryTarget} s
        </caption>
        <thead>
          <tr>
            <th scope="col">Rail</th>
            {['Paid', 'Not paid', 'Delivered', 'Failed', 'Success', 'Median', 'p95', 'Over target'].map((name) => (
              <th key={name} scope="col" className="num">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rails.map((row) => (
            <tr key={row.rail}>
              <th scope="row">
                <a className="link inline-flex min-h-6 items-center" href={listSince(overview, `&is=rail:${row.rail}`)}>
                  {row.rail}
                </a>
              </th>
              <td className="num">{row.collected}</td>
              <td className="num">{row.ended_otherwise}</td>
              <td className="num">{row.delivered}</td>
              <td className="num">
                <a
                  className="link inline-flex min-h-6 min-w-6 items-center justify-end"
                  href={listSince(overview, `&is=rail:${row.rail}&is=job:failed`)}
                >
                  {row.failed}
                </a>
              </td>
              <td className="num">{share(row.delivered, row.delivered + row.failed)}</td>
              <td className="num">{secondsText(row.median_seconds)}</td>
              <td className="num">{secondsText(row.p95_seconds)}</td>
              <td className="num">{row.over_target}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const share = (part: number, whole: number): string =>
  whole === 0 ? 'None yet' : `${((100 * part) / whole).toFixed(1)}%`;

function Figures({ overview }: { overview: Overview }) {
  const { delivered, failed, rails } = overview;
  const figures = [
    ['Purchases', overview.purchases, rails.map(({ rail, collected }) => `${collected} paid by ${rail}`).join(', ')],
    ['Volume', <Price key="volume" microcents={overview.volume_microcents} />, 'collected'],
    [
      'Delivered',
      share(delivered, delivered + failed),
      `${failed} failed, ${rails.reduce((sum, { over_target }) => sum + over_target, 0)} over the target of ${seconds.deliveryTarget} s`,
    ],
    [
      'Median delivery',
      rails.map(({ median_seconds }) => secondsText(median_seconds)).join(', ') || 'None yet',
      rails.map(({ rail, p95_seconds }) => `${rail}: p95 ${secondsText(p95_seconds)}`).join(', '),
    ],
    ['Held', <Price key="held" microcents={overview.held_microcents} />, 'not earned yet'],
    [
      'Refunded',
      <Price key="refunded" microcents={overview.refunded_microcents} />,
      <>
        <Price microcents={overview.credited_microcents} /> credited
      </>,
    ],
  ] as const;
  return (
    <dl className="mt-5 grid grid-cols-2 gap-px overflow-hidden rounded-panel border border-line bg-line md:grid-cols-3 xl:grid-cols-6">
      {figures.map(([name, figure, detail]) => (
        <div key={name} className="min-w-0 bg-surface px-3 py-4 md:px-4">
          <dt className="text-dense text-ink-3">{name}</dt>
          <dd className="mt-1 text-lead font-semibold tabular-nums md:text-h2">{figure}</dd>
          <dd className="mt-0.5 text-dense text-ink-3">{detail}</dd>
        </div>
      ))}
    </dl>
  );
}

const secondsText = (value: number | null): string => (value === null ? 'none' : `${value.toFixed(1)} s`);

function Verdicts({ overview }: { overview: Overview }) {
  const total = overview.verdicts.reduce((sum, { count }) => sum + count, 0);
  return (
    <section className="panel p-5" aria-labelledby="verdicts">
      <h2 id="verdicts" className="text-h3">
        Verdicts
      </h2>
      <ul className="mt-3 text-dense">
        {overview.verdicts.map(({ value, count }) => (
          <li key={value}>
            <a
              className="flex min-h-8 flex-wrap items-center justify-between hover:underline"
              href={listSince(overview, `&is=verdict:${value}`)}
            >
              <State kind="verdict" value={value} />
              <span className="tabular-nums">
                {count} <span className="text-ink-3">{Math.round((100 * count) / total)}%</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
      <p className="mt-3 border-t border-line pt-3 text-dense text-ink-3">
        {overview.reviews.length === 0
          ? 'No reviews yet.'
          : `Reviews: ${overview.reviews.map(({ value, count }) => `${count} ${value}`).join(', ')}. Of delivered purchases ${share(overview.disputed, overview.delivered)} were disputed and ${share(overview.waived, overview.delivered)} waived.`}{' '}
        <a className="link inline-flex min-h-6 items-center" href={listSince(overview, '&is=charge:waived')}>
          Waived ones
        </a>
      </p>
    </section>
  );
}
