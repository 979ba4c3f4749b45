import { Download, ReceiptText } from 'lucide-react';
import type { Metadata } from 'next';
import { PayOrCancel } from '@/components/forms/PayOrCancel.tsx';
import { nameOf } from '@/components/identity/AgentList.tsx';
import { Price } from '@/components/purchases/Price.tsx';
import { PurchaseFilters } from '@/components/purchases/PurchaseFilters.tsx';
import { State } from '@/components/purchases/State.tsx';
import { titleText } from '@/components/purchases/title-text.ts';
import { WaitingList } from '@/components/purchases/WaitingList.tsx';
import { DeadEnd } from '@/components/ui/DeadEnd.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import type { BoughtPurchase } from '@/server/purchases/list-contract.ts';
import type { PaymentState } from '@/server/purchases/states.ts';
import type { Context } from '@/server/runtime.ts';
import { show } from '../../show.tsx';
import { BlockedNotice } from '../BlockedNotice.tsx';
import { memberContext } from '../member.ts';
import { readForMember } from '../read.ts';
import { SignInNeeded } from '../SignInNeeded.tsx';
import { visitorMay } from '../visitor-may.ts';
import { filtersIn, purchasesAt } from './filters.ts';

export const metadata: Metadata = { title: 'Purchases' };

type Search = Promise<Record<string, string | string[] | undefined>>;

/** Reports shown above the list. */
const waitingMax = 5;

/** The account's purchases: what waits for its people, then all, newest first, each leading to its report. */
export default show(async ({ searchParams }: { searchParams: Search }) => {
  const search = await searchParams;
  const filters = filtersIn(search);
  const after = typeof search.after === 'string' ? search.after : undefined;
  const { ctx } = await memberContext();
  const listed = await readForMember('bought', ctx, { ...filters, ...(after === undefined ? {} : { after }) });
  if (listed === null) return <SignInNeeded to="see what was bought" next={purchasesAt(filters)} />;
  const isStart = after === undefined && Object.keys(filters).length === 0;
  const waiting = isStart ? await waitingFor(ctx) : null;
  if (isStart && listed.purchases.length === 0 && waiting?.approvals.length === 0) return <NothingBought />;
  const account = await readForMember('agents', ctx, {});
  return (
    <div className="mx-auto max-w-page px-4 py-8 md:px-6 md:py-12">
      <div className="flex flex-wrap items-start justify-between gap-4">
        <h1 className="text-h1">Purchases</h1>
        <Statement now={ctx.now} />
      </div>
      <BlockedNotice />
      {waiting === null ? null : <WaitingList {...waiting} />}
      <PurchaseFilters agents={account?.agents ?? []} shown={filters} />
      {listed.purchases.length === 0 ? <p className="mt-6 text-ink-2">No purchase matches.</p> : null}
      <ul className="mt-6 border-t border-ink">
        {listed.purchases.map((purchase) => (
          <Row key={purchase.job.job_key} {...purchase} />
        ))}
      </ul>
      {listed.next_after === null ? null : (
        <a className="btn mt-6" href={purchasesAt(filters, listed.next_after)}>
          Older purchases
        </a>
      )}
    </div>
  );
});

/** What the visitor's role lets them answer. */
async function waitingFor(ctx: Context) {
  const may = await visitorMay();
  const asked = may('decide_approval') ? await readForMember('approvals', ctx, {}) : null;
  const due = may('review') ? await readForMember('bought', ctx, { waits_for: 'review', limit: waitingMax }) : null;
  return {
    approvals: asked?.approvals ?? [],
    reports: due?.purchases ?? [],
    allReports: due?.next_after ? purchasesAt({ waits_for: 'review' }) : null,
  };
}

function NothingBought() {
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

function Statement({ now }: { now: Date }) {
  return (
    <form action="/purchases/statement" className="flex flex-wrap items-end gap-2">
      <label className="grid gap-1 text-dense text-ink-2">
        Month, in UTC
        <input
          type="month"
          name="month"
          required
          className="field py-1.5 text-ui"
          defaultValue={now.toISOString().slice(0, 7)}
        />
      </label>
      <button type="submit" className="btn">
        Statement
      </button>
      <button type="submit" formAction="/purchases/statement.csv" className="btn">
        <Download className="icon" />
        CSV
      </button>
      <a href="/purchases/spend" className="btn">
        Spend
      </a>
      <a href="/purchases/credit" className="btn">
        Credit
      </a>
    </form>
  );
}

/** Where money is that did not stay: what the job's own state does not say. */
const moved: ReadonlySet<PaymentState> = new Set([
  'refund_pending',
  'refunded',
  'refund_failed',
  'credited',
  'disputed',
  'reversed',
]);

function Row(purchase: BoughtPurchase) {
  const { job, bought_by, verdict } = purchase;
  return (
    <li className="grid gap-x-6 gap-y-1 border-b border-line py-3 md:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <a href={`/reports/${job.job_key}`} className="link inline-flex min-h-6 items-center wrap-anywhere">
          <bdi>{titleText(purchase)}</bdi>
        </a>
        <p className="text-dense text-ink-3 wrap-anywhere">
          Bought by <bdi>{nameOf(bought_by)}</bdi>, authorized <Instant at={job.created_at} />, <Key>{job.job_key}</Key>
        </p>
      </div>
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1 md:justify-end">
        {verdict === null ? null : <State kind="verdict" value={verdict} />}
        <State kind="job" value={job.state} />
        {moved.has(job.payment_state) ? <State kind="payment" value={job.payment_state} /> : null}
        <span className="tabular-nums max-md:ml-auto">
          <Price microcents={job.price.amount_microcents} />
        </span>
        <PayOrCancel job={job} size="btn-sm" />
      </div>
    </li>
  );
}
