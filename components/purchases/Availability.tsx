import type { ReactNode } from 'react';
import type { z } from 'zod';
import type * as contract from '@/server/availability/contract.ts';
import { instantText } from '@/server/kernel/instant-text.ts';
import { chainName } from './receipt-words.ts';
import { State } from './State.tsx';

/** What can be bought now (specification 2.2). */
export type AvailabilityFacts = z.infer<typeof contract.Availability>;

export const NOT_SET_UP = 'Not set up';
const SWITCHED_OFF = 'Switched off';

const reasonWords: Record<string, string> = {
  no_payment_rail_available: 'No way to pay is available',
  card_disabled: SWITCHED_OFF,
  card_secret_missing: NOT_SET_UP,
  card_webhook_secret_missing: NOT_SET_UP,
  card_key_mode_unknown: NOT_SET_UP,
  card_return_url_missing: NOT_SET_UP,
  x402_not_configured: NOT_SET_UP,
  facilitator_unreachable: 'Payments cannot be checked right now',
  chain_unreachable: 'Payments cannot be checked right now',
  assessor_unreachable: 'The assessor is not answering right now',
  mail_unreachable: 'Letters cannot be sent right now',
  rail_disabled: SWITCHED_OFF,
  service_disabled: SWITCHED_OFF,
  assessor_not_configured: 'No assessor is set up',
  registrations_closed: SWITCHED_OFF,
  database_unreachable: 'The database is not answering right now',
  database_full: 'The database has no room to write right now',
  clock_differs: 'The clock of the server is wrong',
};

/** Reasons as words, each once. "Not set up" makes "switched off" redundant. */
export function reasonsText(reasons: readonly string[]): string {
  const words = new Set(reasons.map((reason) => reasonWords[reason] ?? reason.replaceAll('_', ' ')));
  if (words.has(NOT_SET_UP)) words.delete(SWITCHED_OFF);
  return [...words].join(', ');
}

function Column({ name, state, detail }: { name: string; state: string; detail: string }): ReactNode {
  return (
    <div>
      <dt className="text-dense text-ink-3">{name}</dt>
      <dd>
        <State kind="availability" value={state} />
        {detail ? <span className="block text-dense text-ink-3">{detail}</span> : null}
      </dd>
    </div>
  );
}

interface Props {
  availability: AvailabilityFacts;
  /** Whether the money is test money. */
  isTest: boolean;
}

/** The state at the time of the request: checks, each way to pay, and registration. */
export function Availability({ availability, isTest }: Props) {
  const { rails, registrations } = availability;
  const isAvailable = availability.state === 'available';
  return (
    <section aria-labelledby="live" className="border-y border-line bg-surface">
      <div className="mx-auto grid max-w-page gap-y-6 px-4 py-6 md:grid-cols-[1.2fr_4.4fr] md:px-6">
        <div>
          <h2 id="live" className="text-ui font-semibold">
            {isAvailable ? 'Available now' : 'Not available now'}
          </h2>
          <p className="text-dense text-ink-3">
            Read <time dateTime={availability.checked_at}>{instantText(availability.checked_at).slice(-9)}</time>
            {isTest ? ', test money only' : ''}
          </p>
        </div>
        <dl className="grid grid-cols-2 gap-y-6 md:grid-cols-[1fr_1fr_1.4fr_1fr]">
          <Column name="Checks" state={availability.state} detail={reasonsText(availability.reasons)} />
          <Column name="Card" state={rails.card.state} detail={reasonsText(rails.card.reasons)} />
          <Column
            name="x402, USDC"
            state={rails.x402.state}
            detail={
              rails.x402.state === 'available'
                ? rails.x402.networks.map(chainName).join(', ')
                : reasonsText(rails.x402.reasons)
            }
          />
          <Column name="Registration" state={registrations.state} detail="" />
        </dl>
      </div>
    </section>
  );
}
