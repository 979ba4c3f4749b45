import type { ReactNode } from 'react';
import { Price } from '@/components/purchases/Price.tsx';
import { State } from '@/components/purchases/State.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import type { Job } from '@/server/purchases/contract.ts';
import { isEnded } from '@/server/purchases/states.ts';

const CREDIT = 'x402 payments become wallet credit and are not returned to the wallet.';

function sentence(job: Job): string {
  switch (job.state) {
    case 'awaiting_payment':
      return 'The check waits for payment. Nothing has been collected.';
    case 'failed':
      return `The check failed, so there is no report and no charge. ${CREDIT}`;
    case 'canceled':
      return job.payment_state === 'credited'
        ? `The job was canceled before delivery, so there is no report and no charge. ${CREDIT}`
        : 'The job was canceled before it was paid for. Nothing was collected.';
    default:
      return 'The check is under way. Load this page again in a moment.';
  }
}

/** A job without a report: where it stands, and where the money is. */
export function NotDelivered({ job, contentAction }: { job: Job; contentAction: ReactNode }) {
  const ended = isEnded(job.state);
  return (
    <div className="mx-auto max-w-decision px-4 py-12 md:py-20">
      <h1 className="text-h1">{ended ? 'No report' : 'No report yet'}</h1>
      <p className="mt-2 text-body text-ink-2">{sentence(job)}</p>
      {job.failure ? <p className="mt-2 text-ink-2">{job.failure}</p> : null}
      <dl className="facts mt-6 border-t border-ink">
        <dt>Job</dt>
        <dd>
          <Key>{job.job_key}</Key>
        </dd>
        <dt>State</dt>
        <dd>
          <State kind="job" value={job.state} />
        </dd>
        <dt>Payment</dt>
        <dd>
          <State kind="payment" value={job.payment_state} />
        </dd>
        <dt>Price</dt>
        <dd>
          <Price microcents={job.price.amount_microcents} />
        </dd>
        {job.deadlines.deliver_by && !ended ? (
          <>
            <dt>Report by</dt>
            <dd>
              <Instant at={job.deadlines.deliver_by} />
            </dd>
          </>
        ) : null}
      </dl>
      <div className="mt-6 flex flex-wrap gap-3">
        {ended ? null : (
          <a href={`/reports/${job.job_key}`} className="btn">
            Load again
          </a>
        )}
        {job.next_actions.some((next) => next.action === 'receipt') ? (
          <a href={`/receipts/${job.job_key}`} className="btn">
            View receipt
          </a>
        ) : null}
      </div>
      {contentAction}
    </div>
  );
}
