import type { NextAction } from '../contract.ts';
import type { ChargeState, JobState, PaymentState, ReviewState } from '../states.ts';

/** The recommended next step on a purchase, in a sentence: `next_actions` only says what is allowed. Pure. */

interface JobAsSeen {
  state: JobState;
  payment_state: PaymentState;
  charge_state: ChargeState;
  review_state: ReviewState;
  payable_by: readonly string[];
  deadlines: { pay_by: string; deliver_by: string | null };
  next_actions: readonly Pick<NextAction, 'action' | 'body'>[];
}

/** The next step on a job, for whoever may take the actions it lists. */
export function nextStepOf(job: JobAsSeen): string {
  const lists = (action: string) => job.next_actions.some((next) => next.action === action);
  switch (job.state) {
    case 'awaiting_payment':
      if (job.payment_state === 'requires_payer')
        return 'It waits for its payer: give them continuation_url, and read the job again once they have paid.';
      if (lists('pay')) return `Pay by ${job.deadlines.pay_by}. Work starts once it is paid.`;
      if (job.payable_by.length === 0)
        return 'Nothing that the grant covers can pay for it now. Ask the customer to widen the grant or to save a card.';
      return job.payment_state === 'none'
        ? 'It cannot be paid by this caller now. Read it again: pay is listed as soon as it can.'
        : 'A payment is under way. Do not pay again; read the job again until its outcome is known.';
    case 'queued':
    case 'running':
      return `Wait: the check is under way. Read the job again until it is delivered${until(job)}. Nothing else is needed.`;
    case 'rechecking':
      return `Wait: the work is being checked once more. Read the job again until it is redelivered${until(job)}.`;
    case 'delivered':
    case 'redelivered':
      return job.review_state === 'overdue'
        ? 'The review window has passed. The report can still be accepted; nothing is charged by silence.'
        : 'Read the report, then accept it or dispute it.';
    case 'accepted':
      return 'Nothing is left to do: the report is accepted and the charge is final.';
    case 'waived':
      return `Nothing is left to do: the charge is waived.${moneyOf(job)}`;
    case 'failed':
    case 'canceled':
      return `Nothing is left to do: it is ${job.state} and costs nothing.${moneyOf(job)}`;
    default:
      return job.state satisfies never;
  }
}

function until({ deadlines }: JobAsSeen): string {
  return deadlines.deliver_by ? `, at the latest by ${deadlines.deliver_by}` : '';
}

/** Where the money of a job is that ended without a charge. */
function moneyOf({ payment_state }: JobAsSeen): string {
  switch (payment_state) {
    case 'credited':
      return ' What was paid is wallet credit for later checks.';
    case 'refund_pending':
    case 'refund_failed':
      return ' What was paid goes back to the payer; the receipt says how far that is.';
    case 'refunded':
      return ' What was paid has gone back to the payer; the receipt names the transaction.';
    default:
      return '';
  }
}
