import { Moment } from '@/components/console/Moment.tsx';
import { CodeBlock } from '@/components/ui/CodeBlock.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { perform } from '@/server/door/perform.ts';
import { may, neededFor } from '@/server/operation/operator-roles.ts';
import { Problem } from '@/server/problems/problem.ts';
import { Missing, show } from '../../../show.tsx';
import { operatorContext, roleNow, titled } from '../../operator.ts';
import { Told } from '../../Told.tsx';

export const generateMetadata = titled('Webhook');

/** An event: a button to handle it again, and its payload for operators who have just given a reason. */
export default show(async ({ params }: { params: Promise<{ event_key: string }> }) => {
  const { event_key } = await params;
  const [{ ctx }, role] = [await operatorContext(), await roleNow()];
  const page = `/console/webhooks/${event_key}`;
  const mayRead = may(role, 'read_webhook');
  const opened = mayRead
    ? await perform('read_webhook', ctx, { event_key }).then(
        ({ body }) => body,
        (error) => {
          if (!(error instanceof Problem)) throw error;
          if (error.code === 'not_found' || error.code === 'validation_failed') throw new Missing();
          return { obstacle: error.code === 'service_unavailable' ? error.message : null };
        },
      )
    : { obstacle: neededFor('read_webhook') };
  return (
    <div className="space-y-6">
      <div>
        <Told page={page} done="Done, and recorded in the audit log." />
        <h1 className="text-h1 wrap-anywhere">
          Webhook <Key>{event_key}</Key>
        </h1>
        <p className="mt-4 flex flex-wrap items-center gap-3">
          {may(role, 'hear_again') ? (
            <a className="btn" href={`${page}/again`}>
              Handle again
            </a>
          ) : (
            <span className="text-dense text-ink-3">{neededFor('hear_again')}</span>
          )}
          {mayRead ? (
            <a className="btn" href={`${page}/open`}>
              Read the payload
            </a>
          ) : null}
          <a className="link inline-flex min-h-6 items-center" href="/console/webhooks">
            All webhooks
          </a>
        </p>
      </div>
      {'payload' in opened ? (
        <>
          <p className="text-dense text-ink-2">
            Opened because: {opened.opened_because}. It can be read until <Moment at={opened.until} now={ctx.now} />
          </p>
          {opened.payload === null ? (
            <p>The provider no longer has it.</p>
          ) : (
            <CodeBlock name="Payload" code={JSON.stringify(JSON.parse(opened.payload), null, 1)} wrap />
          )}
        </>
      ) : (
        <p className="text-dense text-ink-3">{opened.obstacle ?? 'Give a reason to read its payload.'}</p>
      )}
    </div>
  );
});
