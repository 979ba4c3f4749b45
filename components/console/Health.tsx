import type { Overview } from '@/server/console/contract/overview.ts';
import { seconds } from '@/server/service/terms.ts';
import { reasonsText } from '../purchases/Availability.tsx';
import { State } from '../purchases/State.tsx';
import { relativeText } from './Moment.tsx';

export interface Part {
  name: string;
  state: string;
  detail: string;
  /** The page with more about it. */
  page?: string | undefined;
}

const queueWords: Readonly<Record<string, string>> = {
  check: 'Checks',
  letter: 'Letters',
  dead_letter: 'Failed letters',
};

/** Chains are searched every ten seconds. After this many without a search, one counts as stuck. */
const searchedWithin = 120;

/** Each part of the service: its state, and why, in words. */
export function Health({ overview, now }: { overview: Overview; now: Date }) {
  return (
    <section className="panel overflow-hidden" aria-labelledby="health">
      <h2 id="health" className="px-5 pt-5 pb-2 text-h3">
        Health
      </h2>
      <dl className="text-dense">
        {partsOf(overview, now).map(({ name, state, detail }) => (
          <div
            key={name}
            className="grid grid-cols-[8rem_7rem_minmax(0,1fr)] gap-3 border-t border-line px-5 py-2.5 max-md:grid-cols-2"
          >
            <dt className="font-medium">{name}</dt>
            <dd>
              <State kind="availability" value={state} />
            </dd>
            <dd className="text-ink-2 max-md:col-span-2">{detail}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Every part of the service with its state in words. */
export function partsOf({ availability, queues, database, chains, webhooks, assessor }: Overview, now: Date): Part[] {
  const olderThan = (at: string | null, limit: number) => at !== null && now.getTime() - Date.parse(at) > limit * 1_000;
  const stateOf = (isBroken: boolean) => (isBroken ? 'unavailable' : 'available');
  return [
    { name: 'Sales', state: availability.state, detail: reasonsText(availability.reasons) },
    ...availability.rails.map(({ rail, state, reasons }) => ({ name: rail, state, detail: reasonsText(reasons) })),
    {
      name: 'Registrations',
      state: availability.registrations.state,
      detail: reasonsText(availability.registrations.reasons),
    },
    ...queues.map(({ name, waiting, failed, oldest_at }) => ({
      name: queueWords[name] ?? name,
      // Dead letters need a person; everything else waits for a worker.
      state: stateOf(
        failed > 0 || (name === 'dead_letter' ? waiting > 0 : olderThan(oldest_at, seconds.deliveryTarget)),
      ),
      detail: `${waiting} waiting${oldest_at ? `, the oldest since ${relativeText(oldest_at, now)}` : ''}, ${failed} failed`,
      page: name === 'dead_letter' ? '/console/failures#letters' : undefined,
    })),
    {
      name: 'Webhooks',
      state: stateOf(webhooks.failing > 0),
      detail: webhooksText(webhooks, now),
      page: '/console/webhooks?waiting=1',
    },
    {
      name: 'Assessor',
      state: assessor.state,
      detail: assessor.name === 'embedded' ? 'The embedded assessor' : assessor.name,
    },
    {
      name: 'Database',
      state: 'available',
      detail: `PostgreSQL ${database.version}, ${Math.round(database.bytes / 1_048_576)} MiB, ${database.connections} connections`,
    },
    ...chains.map(({ network, head, searched_to, searched_at }) => ({
      name: network,
      state: stateOf(olderThan(searched_at, searchedWithin)),
      detail: `Block ${head}, searched to ${searched_to}, ${relativeText(searched_at, now)}`,
    })),
  ];
}

function webhooksText({ waiting, failing, oldest_at, median_lag_seconds }: Overview['webhooks'], now: Date): string {
  const waits = `${waiting} waiting${oldest_at ? `, the oldest since ${relativeText(oldest_at, now)}` : ''}, ${failing} failing`;
  return median_lag_seconds === null
    ? waits
    : `${waits}, handled after ${median_lag_seconds.toFixed(1)} s at the median`;
}
