import { Download, ReceiptText } from 'lucide-react';
import type { Metadata } from 'next';
import type { z } from 'zod';
import { nameOf } from '@/components/identity/AgentList.tsx';
import { Price } from '@/components/purchases/Price.tsx';
import { State } from '@/components/purchases/State.tsx';
import { DeadEnd } from '@/components/ui/DeadEnd.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import type { bought } from '@/server/purchases/list-contract.ts';
import { show } from '../../show.tsx';
import { memberContext } from '../member.ts';
import { readForMember } from '../read.ts';
import { SignInNeeded } from '../SignInNeeded.tsx';

export const metadata: Metadata = { title: 'Purchases' };

type Search = Promise<{ after?: string | string[] }>;

/** The account's purchases, newest first, each leading to its report. */
export default show(async ({ searchParams }: { searchParams: Search }) => {
  const { after } = await searchParams;
  const { ctx } = await memberContext();
  const listed = await readForMember('bought', ctx, typeof after === 'string' ? { after } : {});
  if (listed === null) return <SignInNeeded to="see what was bought" next="/purchases" />;
  if (listed.purchases.length === 0 && after === undefined) {
    return (
      <DeadEnd
        icon={ReceiptText}
        title="Nothing bought yet"
        next={
          <a href="/agents" className="btn">
            See your agents
          </a>
        }
      >
        <p>Checks that your agents authorize appear here, with reports and receipts.</p>
      </DeadEnd>
    );
  }
  return (
    <div className="mx-auto max-w-page px-4 py-8 md:px-6 md:py-12">
      <div className="flex flex-wrap items-start justify-between gap-4">
        <h1 className="text-h1">Purchases</h1>
        <form action="/purchases/statement.csv" className="flex flex-wrap items-end gap-2">
          <label className="grid gap-1 text-dense text-ink-2">
            Month, in UTC
            <input
              type="month"
              name="month"
              required
              className="field py-1.5 text-ui"
              defaultValue={ctx.now.toISOString().slice(0, 7)}
            />
          </label>
          <button type="submit" className="btn">
            <Download className="icon" />
            Statement (CSV)
          </button>
        </form>
      </div>
      <ul className="mt-6 border-t border-ink">
        {listed.purchases.map((purchase) => (
          <Row key={purchase.job.job_key} {...purchase} />
        ))}
      </ul>
      {listed.next_after === null ? null : (
        <a className="btn mt-6" href={`/purchases?${new URLSearchParams({ after: listed.next_after })}`}>
          Older purchases
        </a>
      )}
    </div>
  );
});

type Purchase = z.output<typeof bought.output>['purchases'][number];

function Row({ job, title, content_deleted, bought_by, verdict }: Purchase) {
  return (
    <li className="grid gap-x-6 gap-y-1 border-b border-line py-3 md:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <a href={`/reports/${job.job_key}`} className="link inline-flex min-h-6 items-center wrap-anywhere">
          <bdi>{title ?? (content_deleted ? 'A check whose content was deleted' : 'A check without a request')}</bdi>
        </a>
        <p className="text-dense text-ink-3 wrap-anywhere">
          Bought by <bdi>{nameOf(bought_by)}</bdi>, authorized <Instant at={job.created_at} />, <Key>{job.job_key}</Key>
        </p>
      </div>
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1 md:justify-end">
        {verdict === null ? null : <State kind="verdict" value={verdict} />}
        <State kind="job" value={job.state} />
        <span className="tabular-nums max-md:ml-auto">
          <Price microcents={job.price.amount_microcents} />
        </span>
      </div>
    </li>
  );
}
