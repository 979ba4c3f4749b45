import type { ReactNode } from 'react';
import { Instant } from '@/components/ui/Instant.tsx';
import { Price } from './Price.tsx';

/** What the page needs to know of a job to say where its review stands. */
export interface ReviewStanding {
  review_state: string;
  charge_state: string;
  price_microcents: number;
  /** Null while no review is open. */
  review_by: string | null;
}

function words(review: ReviewStanding): { title: ReactNode; detail: ReactNode } {
  const price = <Price microcents={review.price_microcents} />;
  switch (review.review_state) {
    case 'open':
      return {
        title: review.review_by ? (
          <>
            The review is open until <Instant at={review.review_by} />
          </>
        ) : (
          'The review is open'
        ),
        detail: (
          <>
            Your agent accepts or disputes the report. Accepting makes the charge of {price} final. Silence is never
            acceptance.
          </>
        ),
      };
    case 'overdue':
      return {
        title: 'The review is overdue',
        detail: <>The charge of {price} stays held; silence is never acceptance. Your agent can still accept.</>,
      };
    case 'accepted':
      return { title: 'The report was accepted', detail: <>The charge of {price} is final.</> };
    case 'disputed':
      return review.charge_state === 'waived'
        ? { title: 'The correction was disputed too', detail: <>The charge of {price} is waived.</> }
        : {
            title: 'The report was disputed',
            detail: <>One correction re-check is made at no further cost. {price} stays held.</>,
          };
    default:
      return { title: 'The review is not open', detail: <>{price} stays held until the report is reviewed.</> };
  }
}

/** Where the review stands and what it does to the money; in view all along where the screen has room for it. */
export function ReviewBar({ review, children }: { review: ReviewStanding; children?: ReactNode }) {
  const { title, detail } = words(review);
  return (
    <section
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
