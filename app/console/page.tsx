import { ArrowRight, CircleQuestionMark } from 'lucide-react';
import { Bars } from '@/components/console/Bars.tsx';
import { ChainTable } from '@/components/console/ChainTable.tsx';
import { Health } from '@/components/console/Health.tsx';
import { Switches } from '@/components/console/Switches.tsx';
import { Price } from '@/components/purchases/Price.tsx';
import { State } from '@/components/purchases/State.tsx';
import type { Overview } from '@/server/console/contract.ts';
import { show } from '../show.tsx';
import { operatorContext, readForOperator, roleNow, titled } from './operator.ts';
import { Told } from './Told.tsx';

export const generateMetadata = titled('Overview');

const periods = [
  [1, 'Day'],
  [7, 'Week'],
  [30, 'Month'],
] as const;

/** How the service does, and what waits for a person. */
export default show(async ({ searchParams }: { searchParams: Promise<{ days?: string | string[] }> }) => {
  const { days: asked } = await searchParams;
  const days = periods.find(([each]) => String(each) === asked)?.[0] ?? 1;
  const overview = await readForOperator('console_overview', { days });
  const [{ ctx, me }, role] = [await operatorContext(), await roleNow()];
  const inDoubt = me?.waiting.in_doubt ?? 0;
  return (
    <>
      <Told page="/console" done="Turned. Availability shows it already." />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <h1 className="text-h1">Overview</h1>
        <nav aria-label="Period" className="ml-auto flex gap-5 text-dense">
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
      {inDoubt > 0 ? (
        <a href="/console/money" className="notice tone-person mt-5 hover:underline">
          <CircleQuestionMark className="icon" />
          <span className="flex-1">
            <strong className="font-semibold">
              {inDoubt} {inDoubt === 1 ? 'payment is' : 'payments are'} in doubt.
            </strong>
          </span>
          <ArrowRight className="icon" />
        </a>
      ) : null}
      <Figures overview={overview} />
      <div className="panel mt-6">
        <h2 className="px-5 pt-5 text-h3">Ledger against chain</h2>
        <ChainTable chains={overview.chains} now={ctx.now} />
      </div>
      <div className="mt-6 grid gap-6 xl:grid-cols-[minmax(0,1fr)_20rem]">
        <section className="panel p-5" aria-labelledby="series">
          <h2 id="series" className="mb-4 text-h3">
            Purchases {days === 1 ? 'an hour' : 'a day'}
          </h2>
          <Bars series={overview.series} />
          <a className="link mt-2 inline-flex min-h-6 items-center text-dense" href={listSince(overview)}>
            The list behind this
          </a>
        </section>
        <Verdicts overview={overview} />
      </div>
      <div className="mt-6 grid gap-6 xl:grid-cols-[minmax(0,1fr)_25rem]">
        <Health overview={overview} now={ctx.now} />
        <Switches switches={overview.switches} role={role} />
      </div>
    </>
  );
});

const listSince = ({ since }: Overview, query = ''): string => `/console/purchases?from=${since.slice(0, 10)}${query}`;

function Figures({ overview }: { overview: Overview }) {
  const { delivered, failed, rails } = overview;
  const figures = [
    ['Purchases', overview.purchases, rails.map(({ rail, collected }) => `${collected} paid by ${rail}`).join(', ')],
    ['Volume', <Price key="volume" microcents={overview.volume_microcents} />, 'collected'],
    [
      'Delivered',
      delivered + failed === 0 ? 'None yet' : `${((100 * delivered) / (delivered + failed)).toFixed(1)}%`,
      `${failed} failed, ${overview.over_target} over the target of 600 s`,
    ],
    [
      'Median delivery',
      rails.map(({ median_seconds }) => seconds(median_seconds)).join(', ') || 'None yet',
      rails.map(({ rail, p95_seconds }) => `${rail}: p95 ${seconds(p95_seconds)}`).join(', '),
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

const seconds = (value: number | null): string => (value === null ? 'none' : `${value.toFixed(1)} s`);

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
              className="flex min-h-8 items-center justify-between hover:underline"
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
          ? 'No report was reviewed yet.'
          : `Reviews: ${overview.reviews.map(({ value, count }) => `${count} ${value}`).join(', ')}.`}
      </p>
    </section>
  );
}
