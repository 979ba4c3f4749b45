import { instantText } from '@/server/kernel/instant-text.ts';
import { type AvailabilityFacts, reasonsText } from './Availability.tsx';
import { State } from './State.tsx';

/** What works, in words, as far as known: does not wait for providers. */
export function ServiceStatus({ availability }: { availability: AvailabilityFacts }) {
  const { rails, registrations, reasons } = availability;
  const isDatabaseUp = !reasons.some((reason) => reason.startsWith('database_'));
  const parts = [
    { name: 'Checks', state: availability.state, detail: reasonsText(reasons) },
    { name: 'Payment in USDC (x402)', state: rails.x402.state, detail: reasonsText(rails.x402.reasons) },
    { name: 'Payment by card', state: rails.card.state, detail: reasonsText(rails.card.reasons) },
    { name: 'Registration', state: registrations.state, detail: reasonsText(registrations.reasons) },
    { name: 'Database', state: isDatabaseUp ? 'available' : 'unavailable', detail: '' },
  ];
  return (
    <>
      <p role="status" className="mt-1 mb-6 text-ink-2">
        {availability.state === 'available' ? 'Checks can be bought.' : 'Checks cannot be bought right now.'} Read at{' '}
        <time dateTime={availability.checked_at}>{instantText(availability.checked_at)}</time>.
      </p>
      <dl className="border-y border-line bg-surface">
        {parts.map(({ name, state, detail }) => (
          <div
            key={name}
            className="grid gap-x-6 border-b border-line px-4 py-3 last:border-b-0 sm:grid-cols-2 md:px-6"
          >
            <dt>{name}</dt>
            <dd>
              <State kind="availability" value={state} />
              {detail ? <span className="block text-dense text-ink-3">{detail}</span> : null}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
