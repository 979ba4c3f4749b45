import { relativeText } from '@/components/console/Moment.tsx';
import { Pager, Row } from '@/components/console/Rows.tsx';
import { counted } from '@/components/ui/counted.ts';
import { Key } from '@/components/ui/Key.tsx';
import type { Announced } from '@/server/console/contract/records.ts';
import { show } from '../../show.tsx';
import { operatorContext, readForOperator, titled } from '../operator.ts';

export const generateMetadata = titled('Webhooks');

type Search = Promise<Record<string, string | string[] | undefined>>;

/** The card provider's events and their handling. */
export default show(async ({ searchParams }: { searchParams: Search }) => {
  const asked = await searchParams;
  const after = typeof asked.after === 'string' && asked.after !== '' ? asked.after : null;
  const waiting = asked.waiting === '1';
  const inbox = await readForOperator('console_webhooks', { waiting, after });
  const { ctx } = await operatorContext();
  const address = (changes: Record<string, string>) =>
    `/console/webhooks?${new URLSearchParams({ ...(waiting ? { waiting: '1' } : {}), ...changes })}`;
  return (
    <>
      <h1 className="text-h1">Webhooks</h1>
      <p className="mt-2 text-dense text-ink-2">
        {inbox.oldest_at
          ? `${inbox.waiting} waiting, the oldest since ${relativeText(inbox.oldest_at, ctx.now)}.`
          : 'All events have been handled.'}{' '}
        We don’t trust an event’s content: we ask the provider about the object it names.
      </p>
      <nav aria-label="Views" className="mt-4 flex gap-x-5 border-b border-line text-dense">
        <a className="tab -mb-px min-w-6" href="/console/webhooks" aria-current={!waiting || undefined}>
          All
        </a>
        <a className="tab -mb-px min-w-6" href="/console/webhooks?waiting=1" aria-current={waiting || undefined}>
          Waiting
        </a>
      </nav>
      <ul className="text-dense">
        {inbox.events.map((event) => (
          <Row key={event.event_key} at={event.received_at} now={ctx.now}>
            <span className="min-w-0 flex-1 basis-60 wrap-anywhere">
              <a
                className="link inline-flex min-h-6 items-center font-medium"
                href={`/console/webhooks/${event.event_key}`}
              >
                {event.type}
              </a>
              <span className="block text-ink-3">
                <Key>{event.object_key}</Key>
              </span>
            </span>
            <span className="wrap-anywhere">{fateWords(event)}</span>
          </Row>
        ))}
      </ul>
      {inbox.events.length === 0 ? <p className="mt-4 text-ink-3">No events.</p> : null}
      <Pager first={after ? address({}) : null} next={inbox.next_after ? address({ after: inbox.next_after }) : null} />
    </>
  );
});

function fateWords({ handled_at, tries, failure }: Announced): string {
  const tried = counted(tries, 'try', 'tries');
  if (handled_at) return `Handled, ${tried}`;
  return failure ? `Waiting after ${tried}: ${failure}` : 'Waiting';
}
