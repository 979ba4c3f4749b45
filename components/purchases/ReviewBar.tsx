import type { ReactNode } from 'react';
import { Instant } from '@/components/ui/Instant.tsx';
import type { Job } from '@/server/purchases/contract.ts';
import { Price } from './Price.tsx';

/** Where a waived charge's money is. */
function waivedMoney({ payment_state }: Job): string {
  switch (payment_state) {
    case 'refunded':
      return 'The collection went back to where it came from.';
    case 'refund_failed':
      return 'The refund did not arrive. We are working on it; you need not do anything.';
    case 'credited':
      return 'The collection is wallet credit again.';
    default:
      return 'The collection goes back to where it came from.';
  }
}

function waivedTitle({ failure, review_state }: Job): string {
  if (failure !== null) return 'The re-check could not be delivered';
  return review_state === 'disputed' ? 'You disputed the re-check, too' : 'The service waived the charge';
}

function openWords(job: Job, price: ReactNode): { title: ReactNode; detail: ReactNode } {
  const isRechecked = job.state === 'redelivered';
  const what = isRechecked ? 'The review of the re-checked report' : 'The review';
  if (job.review_state === 'overdue') {
    return {
      title: `${what} is overdue`,
      detail: <>The charge of {price} stays held; silence is never acceptance. The report can still be accepted.</>,
    };
  }
  return {
    title: (
      <>
        {what} is open
        {job.deadlines.review_by ? (
          <>
            {' '}
            until <Instant at={job.deadlines.review_by} />
          </>
        ) : null}
      </>
    ),
    detail: (
      <>
        Accepting makes the charge of {price} final.{' '}
        {isRechecked ? (
          <>If you dispute again, you pay nothing: {price} goes back.</>
        ) : (
          'If you dispute it, the work is checked once more at no charge.'
        )}{' '}
        Do nothing, and it stays held.
      </>
    ),
  };
}

function words(job: Job): { title: ReactNode; detail: ReactNode } {
  const price = <Price microcents={job.price.amount_microcents} />;
  switch (job.state) {
    case 'accepted':
      return { title: 'The report was accepted', detail: <>The charge of {price} is final.</> };
    case 'rechecking':
      return {
        title: 'The report was disputed',
        detail: <>One correction re-check is under way at no further cost. {price} stays held.</>,
      };
    case 'waived':
      return {
        title: waivedTitle(job),
        detail: (
          <>
            The charge of {price} is waived. {waivedMoney(job)}
          </>
        ),
      };
    default:
      return openWords(job, price);
  }
}

/** What the review means for the money now. */
export function ReviewDetail({ job }: { job: Job }) {
  return words(job).detail;
}

/** The state of the review and its effect on the money; always in view on large screens. */
export function ReviewBar({ job, children }: { job: Job; children?: ReactNode }) {
  const { title, detail } = words(job);
  return (
    <section
      id="review"
      aria-label="Review"
      className="bottom-0 z-10 bg-raised shadow-bar md:sticky print:static print:shadow-none"
    >
      <div className="mx-auto flex max-w-page flex-wrap items-center gap-x-6 gap-y-3 px-4 py-3 md:px-6">
        <div className="min-w-0 flex-1 basis-72">
          <p className="font-medium">{title}</p>
          <p className="text-dense text-ink-3">{detail}</p>
        </div>
        {children ? <div className="grid w-full gap-3 md:flex md:w-auto print:hidden">{children}</div> : null}
      </div>
    </section>
  );
}
