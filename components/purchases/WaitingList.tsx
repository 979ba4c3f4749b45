import { nameOf } from '@/components/identity/AgentList.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import type { Approval } from '@/server/purchases/approval-contract.ts';
import type { BoughtPurchase } from '@/server/purchases/list-contract.ts';
import { Price } from './Price.tsx';
import { State } from './State.tsx';
import { titleText } from './title-text.ts';

interface Props {
  approvals: readonly Approval[];
  /** Some of the reports that nobody has accepted or disputed, newest first. */
  reports: readonly BoughtPurchase[];
  /** The list of all of those; null where `reports` has them all. */
  allReports: string | null;
}

/** What the account's people are asked: purchases to approve, then reports to review. */
export function WaitingList({ approvals, reports, allReports }: Props) {
  if (approvals.length + reports.length === 0) return null;
  return (
    <section aria-labelledby="waiting" className="panel mt-6 overflow-hidden">
      <h2 id="waiting" className="px-5 pt-4 pb-3 text-h3">
        Waits for you
      </h2>
      <ul>
        {approvals.map((approval) => (
          <Approve key={approval.approval_key} approval={approval} />
        ))}
        {reports.map((purchase) => (
          <Review key={purchase.job.job_key} purchase={purchase} />
        ))}
      </ul>
      {allReports === null ? null : (
        <p className="border-t border-line px-5 py-3 text-dense">
          <a href={allReports} className="link inline-flex min-h-6 items-center">
            All that wait for your review
          </a>
        </p>
      )}
    </section>
  );
}

const row = 'flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-5 py-3';

function Approve({
  approval: { approval_key, agent, title, price_microcents: price, expires_at },
}: {
  approval: Approval;
}) {
  return (
    <li className={row}>
      <div className="min-w-0 flex-1 basis-64">
        <p className="wrap-anywhere">
          <bdi>{nameOf(agent)}</bdi> asks to spend <Price microcents={price} />
        </p>
        <p className="text-dense text-ink-3 wrap-anywhere">
          {title === null ? null : (
            <>
              <q>
                <bdi>{title}</bdi>
              </q>
              <br />
            </>
          )}
          Decide until <Instant at={expires_at} />
        </p>
      </div>
      <a href={`/approvals/${approval_key}`} className="btn">
        Decide
      </a>
    </li>
  );
}

function Review({ purchase }: { purchase: BoughtPurchase }) {
  const { job, verdict } = purchase;
  const { review_by } = job.deadlines;
  return (
    <li className={row}>
      <div className="min-w-0 flex-1 basis-64">
        <a href={`/reports/${job.job_key}`} className="link inline-flex min-h-6 items-center wrap-anywhere">
          <bdi>{titleText(purchase)}</bdi>
        </a>
        <p className="text-dense text-ink-3">
          {job.review_state === 'overdue' ? (
            'Its review is overdue'
          ) : review_by === null ? (
            'Its review is open'
          ) : (
            <>
              Review until <Instant at={review_by} />
            </>
          )}
        </p>
      </div>
      {verdict === null ? null : <State kind="verdict" value={verdict} />}
    </li>
  );
}
