import { expect } from 'vitest';
import {
  can,
  type JobState,
  type PaymentState,
  paymentIsOpen,
  type ReviewState,
  standing,
  type TransitionName,
  transitions,
} from '../../server/purchases/states.ts';
import { defaultGrant, price, seconds } from '../../server/service/terms.ts';
import type { Answer } from '../support/agent.ts';

/** What the facilitator does with a payment, by the sandbox's names; `well` is no fault. */
export const providerModes = ['well', 'drop_before_settle', 'drop_after_settle', 'error_500', 'refuse', 'lie'] as const;
export type ProviderMode = (typeof providerModes)[number];

/** The part of the grant that commands change. Amounts are microcents. */
export interface Grant {
  paused: boolean;
  paysWithX402: boolean;
  perJob: number;
  daily: number;
  total: number | null;
  governedRefs: boolean;
  mayReview: boolean;
}

export const generous: Grant = {
  paused: false,
  paysWithX402: true,
  perJob: Number(defaultGrant.per_job_limit_microcents),
  daily: Number(defaultGrant.daily_limit_microcents),
  total: null,
  governedRefs: true,
  mayReview: true,
};

/** A purchase as it must be. Instants are milliseconds of the service's clock. */
export interface Purchase {
  readonly quoteKey: string;
  readonly quotedUntil: number;
  /** The governed document of the check, if any. */
  readonly sourceKey: string | null;
  /** Null until the quote is authorized. */
  jobKey: string | null;
  state: JobState;
  payment: PaymentState;
  review: ReviewState;
  /** The UTC day it counts under, and whether it still counts: until it needs no cash, or its cash is back. */
  authorizedOn: string;
  counts: boolean;
  /** No room under the limits when authorized: only credit may pay for it. */
  creditOnly: boolean;
  payBy: number;
  deliverBy: number;
  reviewBy: number;
  /** Until when a worker holds the job, dead or alive. */
  leaseUntil: number;
  tries: number;
  contentDeleted: boolean;
  paidWith: 'x402' | 'wallet_credit' | null;
  /** The last signed transfer: its header, its expiry, and whether it has moved the money. */
  transfer: { header: string; validBefore: number; moved: boolean } | null;
  reportDigest: string | null;
  /** The last seen progress of the work on the next report. */
  percent: number;
  nextActions: string[];
}

/** Everything commands read, and how it must be afterwards. */
export interface Model {
  now: () => number;
  provider: ProviderMode;
  creditJobs: number;
  grant: Grant;
  /** The existing governed documents. */
  sourceKeys: string[];
  purchases: Purchase[];
  /** The last request with a key, to repeat. */
  last: { send: () => Promise<Answer>; answer: Answer } | null;
}

/** A purchase right after the quote. */
export function newPurchase(quoteKey: string, quotedUntil: number, sourceKey: string | null): Purchase {
  return {
    quoteKey,
    quotedUntil,
    sourceKey,
    jobKey: null,
    state: 'awaiting_payment',
    payment: 'none',
    review: 'not_open',
    authorizedOn: '',
    counts: false,
    creditOnly: false,
    payBy: 0,
    deliverBy: 0,
    reviewBy: 0,
    leaseUntil: 0,
    tries: 0,
    contentDeleted: false,
    paidWith: null,
    transfer: null,
    reportDigest: null,
    percent: 0,
    nextActions: [],
  };
}

/** The model of a purchase about to begin, by an agent with its initial grant. */
export function newModel(now: () => number): Model {
  const grant = { ...generous, governedRefs: false };
  return { now, provider: 'well', creditJobs: 0, grant, sourceKeys: [], purchases: [], last: null };
}

/** An independent copy. */
export function copyOf(model: Model): Model {
  return {
    ...model,
    grant: { ...model.grant },
    sourceKeys: [...model.sourceKeys],
    purchases: model.purchases.map((purchase) => ({
      ...purchase,
      transfer: purchase.transfer && { ...purchase.transfer },
    })),
  };
}

/** Whether the limits cover what counts (per UTC day and in total) plus `more`. */
function covers({ grant, purchases }: Model, day: string, more: number): boolean {
  const counting = purchases.filter(({ counts }) => counts);
  const onThatDay = counting.filter(({ authorizedOn }) => authorizedOn === day);
  return (
    Number(price) <= grant.perJob &&
    (onThatDay.length + more) * Number(price) <= grant.daily &&
    (counting.length + more) * Number(price) <= (grant.total ?? Number.POSITIVE_INFINITY)
  );
}

/** Whether the limits leave room for one more cash purchase now. */
export function hasRoom(model: Model): boolean {
  return covers(model, new Date(model.now()).toISOString().slice(0, 10), 1);
}

/** Whether credit could pay for a purchase without room. */
export function creditCovers({ grant, creditJobs }: Model): boolean {
  return Number(price) <= grant.perJob && creditJobs > 0;
}

/** Whether the limits still cover a purchase authorized earlier. */
export function isCovered(model: Model, { authorizedOn, creditOnly }: Purchase): boolean {
  return creditOnly ? Number(price) <= model.grant.perJob : covers(model, authorizedOn, 0);
}

/** Whether everything the request names is available. */
export function hasSources({ grant, sourceKeys }: Model, { sourceKey }: Purchase): boolean {
  return sourceKey === null || (grant.governedRefs && sourceKeys.includes(sourceKey));
}

/** Moves a purchase along the transition table, with the effects that follow from it. */
export function go(purchase: Purchase, transition: TransitionName, review?: ReviewState): void {
  expect(can(transition, purchase.state), `${transition} from ${purchase.state}`).toBe(true);
  purchase.state = transitions[transition].to;
  // An unpaid purchase past its deadline counts until a sweep cancels it.
  if (transition === 'cancel' && purchase.paidWith === null) purchase.counts = false;
  purchase.review = review ?? standing[purchase.state].review_state;
}

/** An unpaid purchase past its deadline is canceled from then on, sweep or no sweep. */
export function cancelUnpaid(model: Model): void {
  for (const purchase of model.purchases) {
    const isUnpaid = purchase.jobKey !== null && can('lapse', purchase.state) && purchase.payment === 'none';
    if (isUnpaid && model.now() >= purchase.payBy) go(purchase, 'lapse');
  }
}

/** How a purchase must look on the wire now. */
export function seen(purchase: Purchase, now: number) {
  return {
    state: purchase.state,
    payment_state: purchase.payment,
    charge_state: standing[purchase.state].charge_state,
    review_state: purchase.review === 'open' && now > purchase.reviewBy ? 'overdue' : purchase.review,
  };
}

export const isOpen = (purchase: Purchase): boolean => paymentIsOpen(purchase.payment);

/** Money came in or credit was spent: work may start. */
export function collected(model: Model, purchase: Purchase, method: 'x402' | 'wallet_credit'): void {
  go(purchase, 'collect');
  purchase.payment = 'collected';
  purchase.paidWith = method;
  if (method === 'wallet_credit') {
    model.creditJobs -= 1;
    purchase.counts = false;
  }
  due(model, purchase);
}

/** The chain says that the transfer can no longer be executed: the job can be paid again, if there is time. */
export function lapsed(model: Model, purchase: Purchase, transfer: { validBefore: number }): void {
  expect(model.now()).toBeGreaterThan(transfer.validBefore);
  purchase.payment = 'none';
  cancelUnpaid(model);
}

/** A report is due from now on. */
export function due(model: Model, purchase: Purchase): void {
  purchase.deliverBy = model.now() + seconds.executionDeadline * 1000;
  purchase.leaseUntil = 0;
  purchase.tries = 0;
  purchase.percent = 0;
}

/** The payment becomes credit. */
export function credited(model: Model, purchase: Purchase): void {
  purchase.payment = 'credited';
  model.creditJobs += 1;
}

/** The payment goes back to where it came from. */
export function waived(
  model: Model,
  purchase: Purchase,
  transition: 'dispute_again' | 'fail_recheck' | 'waive' | 'refund',
  review?: ReviewState,
): void {
  go(purchase, transition, review);
  if (purchase.paidWith === 'wallet_credit') credited(model, purchase);
  else purchase.payment = 'refund_pending';
}

/** No report came: the held money is returned or, for a re-check, the charge is waived. */
export function failed(model: Model, purchase: Purchase): void {
  if (can('fail_recheck', purchase.state)) waived(model, purchase, 'fail_recheck');
  else {
    go(purchase, 'fail');
    credited(model, purchase);
  }
}

/** A report was delivered. */
export function delivered(model: Model, purchase: Purchase): void {
  go(purchase, can('redeliver', purchase.state) ? 'redeliver' : 'deliver');
  purchase.reviewBy = model.now() + seconds.reviewWindow * 1000;
  purchase.reportDigest = 'that of a report that nobody has seen yet';
}

/** Whether the facilitator executes a transfer in this mode, whether or not it tells us. */
export function wouldMove(provider: ProviderMode): boolean {
  return provider === 'well' || provider === 'drop_after_settle';
}
