import { Moment } from '@/components/console/Moment.tsx';
import { CodeBlock } from '@/components/ui/CodeBlock.tsx';
import { perform } from '@/server/door/perform.ts';
import { Problem } from '@/server/problems/problem.ts';
import { lasting } from '@/server/service/terms.ts';
import { Missing, show } from '../../../../show.tsx';
import { operatorContext, titled } from '../../../operator.ts';

export const generateMetadata = titled('Content');

/** A customer's submitted content and its reports, for an operator who has just given a reason. */
export default show(async ({ params }: { params: Promise<{ key: string }> }) => {
  const { key } = await params;
  const { ctx } = await operatorContext();
  const page = `/console/purchases/${key}`;
  const content = await perform('read_content', ctx, { key }).then(
    ({ body }) => body,
    (error) => {
      if (error instanceof Problem && error.code === 'action_not_allowed') return null;
      throw error instanceof Problem && error.status < 500 ? new Missing() : error;
    },
  );
  if (!content) {
    return (
      <div className="max-w-decision">
        <h1 className="text-h1">Customer content</h1>
        <p className="mt-3 text-ink-2">Give a reason first. You can then read it for {lasting('contentOpen')}.</p>
        <p className="mt-6 flex flex-wrap gap-3">
          <a className="btn" href={page}>
            Back
          </a>
          <a className="btn btn-primary" href={`${page}/act/open_content`}>
            Give a reason
          </a>
        </p>
      </div>
    );
  }
  return (
    <div className="space-y-6">
      <div>
        <h1 className="text-h1">Customer content</h1>
        <p className="mt-2 text-ink-2">
          Opened because: {content.opened_because}. It can be read until <Moment at={content.until} now={ctx.now} />
        </p>
        <a className="link inline-flex min-h-6 items-center" href={page}>
          Back to the purchase
        </a>
      </div>
      {content.input === null ? (
        <p>The content is deleted.</p>
      ) : (
        <CodeBlock name="Request as submitted" code={content.input} wrap />
      )}
      {content.reports.map(({ number, body }) => (
        <CodeBlock key={number} name={`Report ${number}`} code={JSON.stringify(JSON.parse(body), null, 1)} wrap />
      ))}
    </div>
  );
});
