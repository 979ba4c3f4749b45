import { Rss } from 'lucide-react';
import { historyDays, type Incident } from '@/server/availability/incident-contract.ts';
import { impactText } from '@/server/availability/incident-words.ts';
import { Instant } from '../ui/Instant.tsx';

interface Props {
  /** Open ones first. Null when the record cannot be read. */
  incidents: readonly Incident[] | null;
}

/** The incidents on record, for everybody. */
export function Incidents({ incidents }: Props) {
  const open = incidents?.filter(({ resolved_at }) => resolved_at === null) ?? [];
  const resolved = incidents?.filter(({ resolved_at }) => resolved_at !== null) ?? [];
  return (
    <section aria-labelledby="incidents" className="mt-10">
      <h2 id="incidents" className="text-h2">
        Incidents
      </h2>
      <p className="mt-1 text-dense text-ink-3">
        As our operators record them.{' '}
        <a className="link inline-flex min-h-6 items-center gap-1" href="/status.atom">
          <Rss className="icon" />
          Atom feed
        </a>
        ,{' '}
        <a className="link inline-flex min-h-6 items-center" href="/status.json">
          JSON
        </a>
      </p>
      {incidents === null ? (
        <p className="mt-4">The record of incidents cannot be read right now.</p>
      ) : (
        <>
          {open.length === 0 ? <p className="mt-4">No open incident is on record.</p> : <List incidents={open} />}
          <h3 className="mt-8 text-h3">Resolved in the last {historyDays} days</h3>
          {resolved.length === 0 ? <p className="mt-2">None on record.</p> : <List incidents={resolved} />}
        </>
      )}
    </section>
  );
}

function List({ incidents }: { incidents: readonly Incident[] }) {
  return (
    <ul className="mt-4 space-y-4">
      {incidents.map(({ incident_key, title, impact, started_at, resolved_at, updates }) => (
        <li
          key={incident_key}
          id={incident_key}
          className="scroll-mt-16 border-y border-line bg-surface px-4 py-4 md:px-6"
        >
          <p className="font-semibold wrap-anywhere">{title}</p>
          <p className="text-dense text-ink-2">{impactText(impact)}</p>
          <p className="text-dense text-ink-3">
            Began <Instant at={started_at} />.{' '}
            {resolved_at === null ? (
              <strong className="font-semibold text-fault">Open.</strong>
            ) : (
              <>
                Resolved <Instant at={resolved_at} />.
              </>
            )}
          </p>
          <ol className="mt-3 space-y-2">
            {updates.map(({ at, text }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: updates are only ever added
              <li key={index}>
                <span className="block text-dense text-ink-3">
                  <Instant at={at} />
                </span>
                <span className="whitespace-pre-line wrap-anywhere">{text}</span>
              </li>
            ))}
          </ol>
        </li>
      ))}
    </ul>
  );
}
