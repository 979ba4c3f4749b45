import type { Purchase } from '@/server/console/contract/purchases.ts';
import { instantText } from '@/server/kernel/instant-text.ts';
import { toText } from '@/server/kernel/money.ts';
import { declineWords } from '../purchases/decline-words.ts';

/** What the story of a purchase is told from. */
export type Told = Pick<
  Purchase,
  | 'job_key'
  | 'state'
  | 'payment_state'
  | 'charge_state'
  | 'review_state'
  | 'rail'
  | 'verdict'
  | 'failure'
  | 'decline'
  | 'movements'
>;

/** What happened to a purchase, and what it waits for, in a sentence or two. */
export function storyOf(told: Told): string {
  if (told.job_key === null) return ofQuotes[told.state] ?? 'Quoted.';
  const work = told.state === 'awaiting_payment' ? unpaid(told) : ofJobs[told.state];
  const sentences = [typeof work === 'function' ? work(told) : work, ...money(told), bankWords(told)];
  return sentences.filter(Boolean).join(' ');
}

const ofQuotes: Record<string, string> = {
  open: 'Quoted, and not accepted yet: it waits for the agent.',
  expired: 'Quoted, and never accepted: the quote has expired, and no money can come.',
  rejected: 'Quoted, and rejected.',
};

const paid = ({ rail }: Told): string =>
  rail === 'x402' ? 'Paid in stablecoin' : rail === 'card' ? 'Paid by card' : 'Paid';
const verdictOf = ({ verdict }: Told): string => (verdict ? ` with the verdict “${verdict.replaceAll('_', ' ')}”` : '');
const reviewed = ({ review_state: review }: Told): string =>
  review === 'overdue' ? 'the buyer’s review, whose time is over' : 'the buyer’s review';

const ofJobs: Record<string, string | ((told: Told) => string)> = {
  queued: (told) => `${paid(told)}; the check waits for a worker.`,
  running: (told) => `${paid(told)}; the check is running.`,
  delivered: (told) => `Delivered${verdictOf(told)}; it waits for ${reviewed(told)}.`,
  accepted: 'The buyer accepted the report; the charge is final.',
  rechecking: 'The buyer disputed the report; the re-check is under way.',
  redelivered: (told) => `Checked again after a dispute${verdictOf(told)}; it waits for ${reviewed(told)}.`,
  waived: 'The charge was given up.',
  failed: ({ failure }) => `The check failed${failure ? `: ${failure.replaceAll('_', ' ')}` : ''}; nothing is charged.`,
  canceled: 'Canceled.',
};

/** Waiting for a payer is nothing to look into; not knowing is. */
function unpaid({ payment_state: payment, rail }: Told): string {
  const provider = rail === 'x402' ? 'the chain' : 'the card provider';
  switch (payment) {
    case 'none':
      return 'Accepted, and not paid: nobody has begun to pay.';
    case 'requires_payer':
      return 'Not paid yet: it waits for the payer, on the page of the payment.';
    case 'processing':
      return `A payment is under way; it waits for ${provider}.`;
    case 'unknown':
      return `Nobody knows yet whether a payment went through; ${provider} is asked again and again.`;
    default:
      return 'Not paid.';
  }
}

/** Where the money is, if it is not simply held or earned. */
function money({ payment_state: payment, movements: { takings, refunds } }: Told): string[] {
  const words: Record<string, string> = {
    refund_pending: 'The money is on its way back.',
    refunded: 'The money went back.',
    refund_failed: 'The money could not be given back: it waits for a person.',
    credited: 'The money became credit of the agent.',
    disputed: 'The bank contests the payment: it waits for the bank’s decision.',
    reversed: 'The bank or the chain took the money back.',
  };
  const twice =
    takings.length > 1 ? `It was paid for ${takings.length} times; what does not pay for it goes back by itself.` : '';
  return [twice, ...(refunds.length > 0 ? refunds.map(refundWords) : [words[payment] ?? ''])];
}

/** How long a bank may take to show a refund (docs.stripe.com/refunds). */
const shown = 'the bank may take 5 to 10 days to show it';

/** Where the money of a refund is: how much, since when, and what to look for. */
function refundWords({ state, amount_microcents, at, reference }: Purchase['movements']['refunds'][number]): string {
  const amount = toText(BigInt(amount_microcents));
  const when = instantText(new Date(at));
  const named = reference === null ? '' : ` as ${reference}`;
  if (state === 'refunded') {
    return `${amount} went back on ${when}${named}${reference?.startsWith('re_') ? `; ${shown}` : ''}.`;
  }
  return state === 'refund_failed'
    ? `${amount} could not be given back on ${when}: it waits for a person.`
    : `${amount} is owed back since ${when}, and on its way.`;
}

/** Why the bank refused the newest charge, as long as nothing was paid since. */
function bankWords({ decline, state }: Told): string {
  if (!decline || (state !== 'awaiting_payment' && state !== 'canceled')) return '';
  return `The bank refused the newest charge: ${declineWords(decline.code)}.`;
}
