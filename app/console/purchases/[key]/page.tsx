import { Actions } from '@/components/console/Actions.tsx';
import { Moment } from '@/components/console/Moment.tsx';
import { storyOf } from '@/components/console/purchase-words.ts';
import { Timeline } from '@/components/console/Timeline.tsx';
import { declineWords } from '@/components/purchases/decline-words.ts';
import { Price } from '@/components/purchases/Price.tsx';
import { State, StateBadge } from '@/components/purchases/State.tsx';
import { CodeBlock } from '@/components/ui/CodeBlock.tsx';
import { CopyVerbatim } from '@/components/ui/CopyVerbatim.tsx';
import { Key } from '@/components/ui/Key.tsx';
import type { Purchase } from '@/server/console/contract/purchases.ts';
import { show } from '../../../show.tsx';
import { operatorContext, readForOperator, titled } from '../../operator.ts';
import { Told } from '../../Told.tsx';

export const generateMetadata = titled('Purchase');

interface Props {
  params: Promise<{ key: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

/** The history of a purchase, and the actions on it. */
export default show(async ({ params, searchParams }: Props) => {
  const { key } = await params;
  const query = await searchParams;
  const purchase = await readForOperator('console_purchase', { key });
  const { ctx } = await operatorContext();
  const page = `/console/purchases/${key}`;
  const name = purchase.job_key ?? purchase.quote_key;
  return (
    <>
      <Told page={page} done="Done, and recorded in the audit log." />
      <p className="text-dense">
        <a href="/console/purchases" className="link inline-flex min-h-6 items-center">
          Purchases
        </a>
      </p>
      <div className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="text-h1 wrap-anywhere">
          <Key>{name}</Key>
        </h1>
        <div className="flex flex-wrap gap-2">
          <StateBadge kind={purchase.job_key ? 'job' : 'quote'} value={purchase.state} />
          {purchase.job_key ? <StateBadge kind="payment" value={purchase.payment_state} /> : null}
        </div>
      </div>
      <p className="mt-3 max-w-read text-ui text-ink">{storyOf(purchase)}</p>
      <div className="mt-6 grid grid-cols-[minmax(0,1fr)] items-start gap-8 xl:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="order-2 min-w-0 space-y-8 xl:order-1">
          <Timeline
            entries={purchase.timeline}
            page={page}
            failedOnly={query.failed === '1'}
            raw={query.raw === '1'}
            now={ctx.now}
            baseUrl={ctx.baseUrl}
          />
          <Receipts purchase={purchase} />
        </div>
        <div className="order-1 min-w-0 space-y-6 xl:order-2">
          <Actions actions={purchase.actions} page={page} />
          <Facts purchase={purchase} now={ctx.now} page={page} />
        </div>
      </div>
    </>
  );
});

function Facts({ purchase, now, page }: { purchase: Purchase; now: Date; page: string }) {
  return (
    <section aria-labelledby="facts">
      <h2 id="facts" className="text-h3">
        Facts
      </h2>
      <dl className="facts mt-2 text-dense">
        <dt>Amount</dt>
        <dd>
          <Price microcents={purchase.amount_microcents} />
        </dd>
        <dt>Charge</dt>
        <dd>
          <State kind="charge" value={purchase.charge_state} />
        </dd>
        <dt>Review</dt>
        <dd>
          <State kind="review" value={purchase.review_state} />
        </dd>
        <dt>Rail</dt>
        <dd>{[...new Set([purchase.rail, purchase.method])].filter(Boolean).join(', ') || 'None yet'}</dd>
        {purchase.deadline ? (
          <>
            <dt>{purchase.deadline.what}</dt>
            <dd>
              <Moment at={purchase.deadline.at} now={now} />
            </dd>
          </>
        ) : null}
        {purchase.failure ? (
          <>
            <dt>Failure</dt>
            <dd>{purchase.failure.replaceAll('_', ' ')}</dd>
          </>
        ) : null}
        {purchase.decline ? (
          <>
            <dt>Declined</dt>
            <dd className="wrap-anywhere">
              {declineWords(purchase.decline.code)}{' '}
              {purchase.decline.intent_id ? <Key>{purchase.decline.intent_id}</Key> : null}
              <span className="block text-ink-3">
                <Moment at={purchase.decline.at} now={now} />
              </span>
            </dd>
          </>
        ) : null}
        <Parties purchase={purchase} />
        {purchase.reports.map((report) => (
          <Report key={report.number} report={report} />
        ))}
        <Content deletedAt={purchase.content_deleted_at} now={now} page={page} />
      </dl>
    </section>
  );
}

function Content({ deletedAt, now, page }: { deletedAt: Purchase['content_deleted_at']; now: Date; page: string }) {
  return (
    <>
      <dt>Content</dt>
      <dd>
        {deletedAt ? (
          <>
            Deleted <Moment at={deletedAt} now={now} />
          </>
        ) : (
          <>
            <a href={`${page}/content`} className="link">
              Read it
            </a>
            , after giving a reason
          </>
        )}
      </dd>
    </>
  );
}

/** The quote and its buyer. */
function Parties({ purchase }: { purchase: Purchase }) {
  return (
    <>
      <dt>Quote</dt>
      <dd className="wrap-anywhere">
        <CopyVerbatim text={purchase.quote_key} shown={purchase.quote_key} label="Copy the key of the quote" />
      </dd>
      <dt>Customer</dt>
      <dd className="wrap-anywhere">
        <a href={`/console/customers/${purchase.account_key}`} className="link">
          {purchase.owner ?? purchase.account_key}
        </a>
      </dd>
      <dt>Agent</dt>
      <dd className="wrap-anywhere">
        <a href={`/console/purchases?is=agent:${purchase.agent_key}`} className="link">
          {purchase.agent_name ?? purchase.agent_key}
        </a>
      </dd>
    </>
  );
}

function Report({ report }: { report: Purchase['reports'][number] }) {
  return (
    <>
      <dt>Report {report.number}</dt>
      <dd className="wrap-anywhere">
        {report.verdict ? <State kind="verdict" value={report.verdict} /> : null}
        <span className="key block text-ink-3">{report.digest}</span>
      </dd>
    </>
  );
}

/** Each receipt as signed. Receipts state money and contain no content. */
function Receipts({ purchase: { receipts } }: { purchase: Purchase }) {
  if (receipts.length === 0) return null;
  return (
    <section aria-labelledby="receipts">
      <h2 id="receipts" className="text-h2">
        Receipts
      </h2>
      {receipts.map(({ receipt_key, sequence, body }) => (
        <details key={receipt_key} className="border-b border-line py-2">
          <summary className="min-h-6 cursor-pointer text-dense">
            Receipt {sequence}, <Key>{receipt_key}</Key>
          </summary>
          <div className="mt-2">
            {body === null ? (
              <p>It lies in the archive, which does not answer right now.</p>
            ) : (
              <CodeBlock name={`Receipt ${sequence}`} code={JSON.stringify(JSON.parse(body), null, 1)} wrap />
            )}
          </div>
        </details>
      ))}
    </section>
  );
}
