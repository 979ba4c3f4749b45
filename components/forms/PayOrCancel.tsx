import { Price } from '@/components/purchases/Price.tsx';
import type { Job } from '@/server/purchases/contract.ts';

/** Where a person pays for the job; null where nobody can in a browser now. */
function payHref({ job_key, payment, payable_by, next_actions }: Job): string | null {
  if (payment?.continuation_url) return payment.continuation_url;
  const mayPay = payable_by.includes('x402') && next_actions.some(({ action }) => action === 'pay');
  return mayPay ? `/reports/${job_key}/pay` : null;
}

/** The two answers to a purchase that is not paid; nothing where it has neither. Works without scripts. */
export function PayOrCancel({ job, size = '' }: { job: Job; size?: '' | 'btn-sm' }) {
  if (job.state !== 'awaiting_payment') return null;
  const href = payHref(job);
  const mayCancel = job.next_actions.some(({ action }) => action === 'cancel' || action === 'cancel_payment');
  if (href === null && !mayCancel) return null;
  return (
    <div className="flex flex-wrap gap-3">
      {href === null ? null : (
        <a href={href} className={`btn ${size} ${size === '' ? 'btn-primary' : ''}`}>
          <span>
            Pay <Price microcents={job.price.amount_microcents} />
          </span>
        </a>
      )}
      {mayCancel ? (
        <form action={`/reports/${job.job_key}/cancel`} method="post">
          <button type="submit" className={`btn ${size}`}>
            Cancel<span className="sr-only"> this purchase</span>
          </button>
        </form>
      ) : null}
    </div>
  );
}
