/**
 * The life of a purchase as one table: it guards every write, fills `next_actions` and names the audit rows.
 * Specification 7. Pure: the browser and the client may import it.
 */
export const jobStates = [
  'awaiting_payment',
  'queued',
  'running',
  'delivered',
  'accepted',
  'rechecking',
  'redelivered',
  'waived',
  'failed',
  'canceled',
] as const;
export type JobState = (typeof jobStates)[number];

export const paymentStates = [
  'none',
  'requires_payer',
  'processing',
  'unknown',
  'collected',
  'refund_pending',
  'refunded',
  'refund_failed',
  'credited',
  'disputed',
  'reversed',
] as const;
export type PaymentState = (typeof paymentStates)[number];

export const chargeStates = ['none', 'held', 'final', 'waived'] as const;
export type ChargeState = (typeof chargeStates)[number];

/** `overdue` is `open` after the window: computed from the clock, never written. */
export const reviewStates = ['not_open', 'open', 'overdue', 'accepted', 'disputed'] as const;
export type ReviewState = (typeof reviewStates)[number];

export const quoteStates = ['open', 'authorized', 'expired', 'rejected'] as const;
export type QuoteState = (typeof quoteStates)[number];

/** `lapsed` is one that was not answered or not used in time: computed from the clock, and written when seen. */
export const approvalStates = ['open', 'approved', 'declined', 'used', 'lapsed'] as const;
export type ApprovalState = (typeof approvalStates)[number];

interface Transition {
  readonly from: readonly JobState[];
  readonly to: JobState;
}

/** What can happen to a job. A new line needs its actor in `nextActions`, unless a timer does it. */
export const transitions = {
  /** Money was collected: the work may start. */
  collect: { from: ['awaiting_payment'], to: 'queued' },
  /** A worker takes the job. From `running`: the previous worker lost its lease. */
  start: { from: ['queued', 'running'], to: 'running' },
  deliver: { from: ['running'], to: 'delivered' },
  fail: { from: ['queued', 'running'], to: 'failed' },
  accept: { from: ['delivered', 'redelivered'], to: 'accepted' },
  /** The buyer disputes the first report: the included re-check is due. */
  dispute: { from: ['delivered'], to: 'rechecking' },
  /** A worker takes the re-check, or takes it over. */
  recheck: { from: ['rechecking'], to: 'rechecking' },
  redeliver: { from: ['rechecking'], to: 'redelivered' },
  fail_recheck: { from: ['rechecking'], to: 'waived' },
  /** The buyer disputes the corrected report. */
  dispute_again: { from: ['redelivered'], to: 'waived' },
  /** An operator gives up the charge of an overdue review. */
  waive: { from: ['delivered', 'redelivered'], to: 'waived' },
  /** An operator gives an accepted charge back. */
  refund: { from: ['accepted'], to: 'waived' },
  cancel: { from: ['awaiting_payment', 'queued', 'running'], to: 'canceled' },
  /** Nobody paid in time. */
  lapse: { from: ['awaiting_payment'], to: 'canceled' },
} as const satisfies Record<string, Transition>;
export type TransitionName = keyof typeof transitions;

/** What can happen to the money of a job while its state stays. */
export const moneyNotes = [
  'disputed',
  'dispute_won',
  'refunded',
  'refund_failed',
  'refund_sent_by_hand',
  'refund_credited',
  'reversed',
  'reversal_healed',
  'moved_on_chain',
  'refund_moved_on_chain',
  'arrived_late',
  'late_payment_refunded',
  'late_payment_kept',
] as const;
export type MoneyNote = (typeof moneyNotes)[number];

/** Charge and review in each state of the job; `advance` writes them together. */
export const standing = {
  awaiting_payment: { charge_state: 'none', review_state: 'not_open' },
  queued: { charge_state: 'held', review_state: 'not_open' },
  running: { charge_state: 'held', review_state: 'not_open' },
  delivered: { charge_state: 'held', review_state: 'open' },
  accepted: { charge_state: 'final', review_state: 'accepted' },
  rechecking: { charge_state: 'held', review_state: 'disputed' },
  redelivered: { charge_state: 'held', review_state: 'open' },
  /** By a dispute. An operator's waiver leaves the review `not_open`. */
  waived: { charge_state: 'waived', review_state: 'disputed' },
  failed: { charge_state: 'none', review_state: 'not_open' },
  canceled: { charge_state: 'none', review_state: 'not_open' },
} as const satisfies Record<JobState, { charge_state: ChargeState; review_state: ReviewState }>;

/** The parts of a job that the rules look at. */
export interface JobFacts {
  state: JobState;
  payment_state: PaymentState;
  review_state: ReviewState;
  /** Receipts exist from the first collection on. */
  has_receipt: boolean;
  has_report: boolean;
  /** What it takes of the grant is still within the limits. */
  within_limits: boolean;
  /** New payments are switched off. */
  is_off: boolean;
  /** A rail that can pay for it seems to work, or credit covers it. */
  rail_is_up: boolean;
  /** Its open payment can be canceled for certain. */
  payment_is_withdrawable: boolean;
  /** The request declares the buyer as the producer of the work. */
  buyer_is_producer: boolean;
}

/** The caller, and what its grant says. Members of the account have no grant: they may review. */
export interface Authority {
  actor: 'agent' | 'customer';
  /** Whether a quote may be authorized and a job paid, limits aside. */
  mayBuy: boolean;
  mayReview: boolean;
  /** A paused agent may still dispute. */
  mayAccept: boolean;
  mayCancel: boolean;
}

export type ActionName = 'authorize' | 'pay' | 'cancel_payment' | 'cancel' | 'report' | 'review' | 'receipt';

/** Whether the table allows `transition` in this state of the job. */
export function can(transition: TransitionName, state: JobState): boolean {
  return (transitions[transition].from as readonly JobState[]).includes(state);
}

/** True when its review is closed or none will come: only an operator's refund can follow. */
export function isEnded(state: JobState): boolean {
  const names = Object.keys(transitions) as TransitionName[];
  return names.every((name) => name === 'refund' || !can(name, state));
}

/** True while a payment is open or its outcome unknown: then don't pay, cancel or lapse. */
export function paymentIsOpen(state: PaymentState): boolean {
  return state === 'requires_payer' || state === 'processing' || state === 'unknown';
}

/** True while a payment waits for its payer: it can be ended, and another begun. */
export function waitsForPayer(state: PaymentState): boolean {
  return state === 'requires_payer';
}

/**
 * True once the time to pay has passed (specification 7.5). Computed from the clock: the sweep records it later, and
 * nothing may be paid in between. A payment open at that time was in time, and is waited for.
 */
export function hasLapsed(job: Pick<JobFacts, 'state' | 'payment_state'> & { pay_by: Date }, now: Date): boolean {
  return can('lapse', job.state) && job.payment_state === 'none' && now >= job.pay_by;
}

/** True while the job moves by itself, so a reader should look again. */
export function isMoving(job: Pick<JobFacts, 'state' | 'payment_state'>): boolean {
  return (
    job.state === 'queued' || job.state === 'running' || job.state === 'rechecking' || paymentIsOpen(job.payment_state)
  );
}

/** The report that a review decides on: the first, or the re-check's. */
export function reportNumberIn(state: JobState): 1 | 2 {
  return state === 'redelivered' ? 2 : 1;
}

/** Who made the work may not accept its report (specification 1.3); the customer's members may. */
export function mayAccept(job: Pick<JobFacts, 'buyer_is_producer'>, actor: Authority['actor']): boolean {
  return actor === 'customer' || !job.buyer_is_producer;
}

/** Whether the caller may accept the job's report, its state aside. */
export function canAccept(job: Pick<JobFacts, 'buyer_is_producer'>, authority: Authority): boolean {
  return authority.mayAccept && mayAccept(job, authority.actor);
}

/** Reports can be disputed within the review window only; accepting stays possible. */
export function mayDispute(job: Pick<JobFacts, 'review_state'>): boolean {
  return job.review_state === 'open';
}

/** The parts of a quote that decide whether it may be authorized. */
interface QuoteFacts {
  state: QuoteState;
  /** The grant has room for it. */
  within_limits: boolean;
  /** The grant asks nobody about it. */
  buys_alone: boolean;
  /** A person said yes to it; `above_limits` to a limit that was in the way, too. */
  approved: { above_limits: boolean } | null;
}

/** Whether a quote may be authorized now. */
export function mayAuthorize(quote: QuoteFacts, authority: Authority): boolean {
  if (quote.state !== 'open' || !authority.mayBuy) return false;
  if (quote.approved) return quote.within_limits || quote.approved.above_limits;
  return quote.within_limits && quote.buys_alone;
}

const isPayable = (job: JobFacts): boolean =>
  can('collect', job.state) && job.within_limits && job.rail_is_up && !job.is_off;

const isReviewable = (job: JobFacts, authority: Authority): boolean =>
  can('accept', job.state) && authority.mayReview && (canAccept(job, authority) || mayDispute(job));

/** Exactly the operations allowed on a job now: each of these works, all others are refused. */
export function nextActions(job: JobFacts, authority: Authority): ActionName[] {
  const actions: ActionName[] = [];
  const settled = !paymentIsOpen(job.payment_state);
  const isFree = settled || waitsForPayer(job.payment_state);
  if (isFree && isPayable(job) && authority.mayBuy) actions.push('pay');
  if (!settled && job.payment_is_withdrawable && authority.mayCancel) actions.push('cancel_payment');
  if (job.has_report) actions.push('report');
  if (isReviewable(job, authority)) actions.push('review');
  if (job.has_receipt) actions.push('receipt');
  // Last: canceling is never the likely next step.
  if (can('cancel', job.state) && settled && authority.mayCancel) actions.push('cancel');
  return actions;
}
