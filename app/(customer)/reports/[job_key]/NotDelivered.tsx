import type { ReactNode } from 'react';
import { PayOrCancel } from '@/components/forms/PayOrCancel.tsx';
import { Price } from '@/components/purchases/Price.tsx';
import { State } from '@/components/purchases/State.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { LiveReload } from '@/components/ui/LiveReload.tsx';
import { Notice } from '@/components/ui/Notice.tsx';
import type { Job } from '@/server/purchases/contract.ts';
import { isEnded, paymentIsOpen } from '@/server/purchases/states.ts';

/** Where the money of a job without a report is. */
function whereMoneyIs({ payment_state, receipt }: { payment_state: Job['payment_state']; receipt: boolean }): string {
  switch (payment_state) {
    case 'credited':
      return 'The x402 payment became wallet credit and is not returned to the wallet.';
    case 'refund_pending':
      return 'The payment is on its way back.';
    case 'refunded':
      return 'The payment went back to where it came from.';
    case 'refund_failed':
      return 'The refund did not arrive. We are working on it; you need not do anything.';
    case 'reversed':
      return 'The payment was taken back.';
    case 'disputed':
      return 'Its card payment is disputed.';
    default:
      return receipt ? 'The receipt says where the payment is.' : 'Nothing was collected.';
  }
}

function unpaid(state: Job['payment_state']): string {
  if (state === 'requires_payer') return 'Not paid yet. Whoever has the payment link can pay; so can you.';
  return paymentIsOpen(state)
    ? 'Please do not pay again. We do not know yet whether this payment went through.'
    : 'Waiting for payment. Nothing has been collected.';
}

/** Why it was not canceled. */
function refusedText(told: string): string {
  if (told === 'payment_unknown') return 'Not canceled: a payment is under way. Its outcome is known within minutes.';
  return 'Nothing was changed. Below is how it stands now.';
}

function sentence(job: Job): string {
  const receipt = job.next_actions.some((next) => next.action === 'receipt');
  const money = whereMoneyIs({ payment_state: job.payment_state, receipt });
  switch (job.state) {
    case 'awaiting_payment':
      return unpaid(job.payment_state);
    case 'failed':
      return `The check failed, so there is no report and no charge. ${money}`;
    case 'canceled':
      return `The job was canceled before delivery, so there is no report and no charge. ${money}`;
    default:
      return 'The check is under way.';
  }
}

interface Props {
  job: Job;
  contentAction: ReactNode;
  /** Why something was refused just now; null for nothing. */
  told: string | null;
}

/** A job without a report: its state, and where the money is. */
export function NotDelivered({ job, contentAction, told }: Props) {
  const ended = isEnded(job.state);
  return (
    <div className="mx-auto max-w-decision px-4 py-12 md:py-20">
      <h1 className="text-h1">{ended ? 'No report' : 'No report yet'}</h1>
      <p className="mt-2 text-body text-ink-2">{sentence(job)}</p>
      {told === null ? null : (
        <div className="mt-4">
          <Notice tone="attention">{refusedText(told)}</Notice>
        </div>
      )}
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
        <PayOrCancel job={job} />
        {ended ? null : <LiveReload />}
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
