import type { ReactNode } from 'react';
import type { CustomerRecord } from '@/server/console/contract/customers.ts';
import { declineWords } from '../purchases/decline-words.ts';
import { Price } from '../purchases/Price.tsx';
import { State } from '../purchases/State.tsx';
import { counted } from '../ui/counted.ts';
import { Key } from '../ui/Key.tsx';
import { Moment, relativeText } from './Moment.tsx';

interface RecordsProps {
  id: string;
  title: ReactNode;
  /** Between the title and the rows. */
  note?: ReactNode;
  /** The rows. */
  children: ReactNode;
  /** Below the rows. */
  more?: ReactNode;
}

/** A list of one kind of records. */
function Records({ id, title, note, children, more }: RecordsProps) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="text-h2">
        {title}
      </h2>
      {note}
      <ul className="mt-3 border-t border-ink">{children}</ul>
      {more}
    </section>
  );
}

function Row({ children }: { children: ReactNode }) {
  return <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-2.5">{children}</li>;
}

/** What a customer bought, in sums, and the newest of it. */
export function Purchases({ customer, now }: { customer: CustomerRecord; now: Date }) {
  const { total, collected_microcents, given_back_microcents, final_microcents, newest } = customer.purchases;
  return (
    <Records
      id="purchases"
      title={`Purchases: ${total}`}
      note={
        <p className="mt-1 text-ink-2 tabular-nums">
          <Price microcents={collected_microcents} /> collected, of which <Price microcents={final_microcents} /> final
          and <Price microcents={given_back_microcents} /> given back.
        </p>
      }
      more={
        total > newest.length ? (
          <a className="btn mt-3" href={`/console/purchases?is=customer:${customer.account_key}`}>
            All {counted(total, 'purchase')}
          </a>
        ) : null
      }
    >
      {newest.map((row) => (
        <Row key={row.job_key}>
          <span className="text-ink-3">
            <Moment at={row.created_at} now={now} />
          </span>
          <a
            className="link inline-flex min-h-6 min-w-0 items-center wrap-anywhere"
            href={`/console/purchases/${row.job_key}`}
          >
            <Key>{row.job_key}</Key>
          </a>
          <State kind="job" value={row.state} />
          <State kind="payment" value={row.payment_state} />
          {row.taken > 1 ? <span>Paid for {row.taken} times</span> : null}
          {row.back_microcents > 0 ? (
            <span className="text-ink-3">
              <Price microcents={row.back_microcents} /> went back
            </span>
          ) : null}
          <span className="ml-auto">
            <Price microcents={row.amount_microcents} />
          </span>
        </Row>
      ))}
    </Records>
  );
}

/** The cards that are kept, or were. */
export function Cards({ cards, now }: { cards: CustomerRecord['cards']; now: Date }) {
  if (cards.length === 0) return null;
  return (
    <Records id="cards" title="Saved cards">
      {cards.map((card) => (
        <Row key={card.card_key}>
          <span>{card.title}</span>
          <span className="text-ink-3">
            Saved <Moment at={card.saved_at} now={now} />
            {card.removed_at ? (
              <>
                , removed <Moment at={card.removed_at} now={now} />
              </>
            ) : null}
            {card.declined ? `; last declined: ${declineWords(card.declined)}` : ''}
          </span>
        </Row>
      ))}
    </Records>
  );
}

/** Where the customer is told of its events, and how that goes. */
export function Endpoints({ customer, maySend, now }: { customer: CustomerRecord; maySend: boolean; now: Date }) {
  const { endpoints, account_key } = customer;
  if (endpoints.length === 0) return null;
  return (
    <Records id="endpoints" title="Webhook endpoints">
      {endpoints.map((endpoint) => (
        <Row key={endpoint.endpoint_key}>
          <span className="min-w-0 wrap-anywhere">
            {endpoint.host}, <Key>{endpoint.endpoint_key}</Key>
          </span>
          <span className="ml-auto text-ink-3">{standing(endpoint, now)}</span>
          {maySend && !endpoint.removed_at ? (
            <a
              className="link inline-flex min-h-6 items-center"
              href={`/console/customers/${account_key}/endpoints/${endpoint.endpoint_key}`}
            >
              Send again…
            </a>
          ) : null}
        </Row>
      ))}
    </Records>
  );
}

function standing({ removed_at, failing_since, failure, told_at }: CustomerRecord['endpoints'][number], now: Date) {
  if (removed_at) return `Removed ${relativeText(removed_at, now)}`;
  if (failing_since) return `Failing since ${relativeText(failing_since, now)}. ${failure ?? ''}`;
  return told_at ? `Took its last event ${relativeText(told_at, now)}` : 'Has taken no event yet';
}

/** The newest letters to the members. */
export function Letters({ customer, maySend, now }: { customer: CustomerRecord; maySend: boolean; now: Date }) {
  const { letters, account_key } = customer;
  return (
    <Records
      id="letters"
      title="Letters"
      note={letters.length === 0 ? <p className="text-ink-3">No letter is kept.</p> : null}
    >
      {letters.map((letter) => (
        <Row key={letter.letter_key}>
          <span className="min-w-0 wrap-anywhere">
            {letter.what}, to {letter.address}
          </span>
          <span className="ml-auto text-ink-3">
            {letter.sent_at ? (
              <>
                Sent <Moment at={letter.sent_at} now={now} />
              </>
            ) : (
              'Not sent yet'
            )}
          </span>
          {maySend && letter.repeatable && letter.sent_at ? (
            <a
              className="link inline-flex min-h-6 items-center"
              href={`/console/customers/${account_key}/letters/${letter.letter_key}`}
              aria-label={`Send again: ${letter.what}, to ${letter.address}`}
            >
              Send again
            </a>
          ) : null}
        </Row>
      ))}
    </Records>
  );
}
