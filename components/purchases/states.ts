import type { ConnectedAgent } from '@/server/identity/member-contract.ts';
import type {
  ApprovalState,
  ChargeState,
  JobState,
  PaymentState,
  QuoteState,
  ReviewState,
} from '@/server/purchases/states.ts';
import type { CheckOutcome, FindingStatus, StatementStatus, Verdict } from '@/server/work-check/contract.ts';

/** What a state means to the reader. */
export type Tone = 'settled' | 'attention' | 'person' | 'fault' | 'quiet';

export interface StateWord {
  word: string;
  tone: Tone;
  icon: string;
}

/** Word, tone and icon of every state on a page, by kind of record. */
export const states = {
  verdict: {
    supported: { word: 'Supported', tone: 'settled', icon: 'circle-check' },
    revise: { word: 'Revise before use', tone: 'attention', icon: 'pencil-line' },
    escalate: { word: 'Escalate to a person', tone: 'person', icon: 'user-round-search' },
    insufficient_evidence: { word: 'Insufficient evidence', tone: 'quiet', icon: 'file-search' },
  },
  finding: {
    met: { word: 'Met', tone: 'settled', icon: 'check' },
    partly_met: { word: 'Partly met', tone: 'attention', icon: 'contrast' },
    missing: { word: 'Missing', tone: 'attention', icon: 'circle-dashed' },
    contradicted: { word: 'Contradicted', tone: 'fault', icon: 'equal-not' },
    not_assessable: { word: 'Not assessable', tone: 'quiet', icon: 'file-search' },
  },
  statement: {
    contradicted: { word: 'Contradicted', tone: 'fault', icon: 'equal-not' },
    undecided: { word: 'Undecided', tone: 'person', icon: 'user-round-search' },
    not_found: { word: 'Not found', tone: 'attention', icon: 'circle-dashed' },
    supported: { word: 'Supported', tone: 'settled', icon: 'check' },
    not_checked: { word: 'Not checked', tone: 'quiet', icon: 'minus' },
  },
  check: {
    passed: { word: 'Passed', tone: 'settled', icon: 'check' },
    skipped: { word: 'Skipped', tone: 'quiet', icon: 'minus' },
    failed: { word: 'Failed', tone: 'fault', icon: 'x' },
  },
  quote: {
    open: { word: 'Open', tone: 'quiet', icon: 'file-text' },
    authorized: { word: 'Authorized', tone: 'settled', icon: 'check' },
    expired: { word: 'Expired', tone: 'quiet', icon: 'clock' },
    rejected: { word: 'Rejected', tone: 'quiet', icon: 'ban' },
  },
  approval: {
    open: { word: 'Waits for you', tone: 'attention', icon: 'user-round-search' },
    approved: { word: 'Approved', tone: 'settled', icon: 'check' },
    declined: { word: 'Declined', tone: 'quiet', icon: 'ban' },
    used: { word: 'Bought', tone: 'settled', icon: 'check-check' },
    lapsed: { word: 'Ended', tone: 'quiet', icon: 'clock' },
  },
  job: {
    awaiting_payment: { word: 'Awaiting payment', tone: 'attention', icon: 'wallet' },
    queued: { word: 'Queued', tone: 'quiet', icon: 'hourglass' },
    running: { word: 'Running', tone: 'quiet', icon: 'loader-circle' },
    delivered: { word: 'Delivered', tone: 'settled', icon: 'file-check-2' },
    accepted: { word: 'Accepted', tone: 'settled', icon: 'check-check' },
    rechecking: { word: 'Re-checking', tone: 'quiet', icon: 'refresh-cw' },
    redelivered: { word: 'Redelivered', tone: 'settled', icon: 'file-check-2' },
    waived: { word: 'Waived', tone: 'quiet', icon: 'undo-2' },
    failed: { word: 'Failed', tone: 'fault', icon: 'octagon-x' },
    canceled: { word: 'Canceled', tone: 'quiet', icon: 'ban' },
  },
  payment: {
    none: { word: 'None yet', tone: 'quiet', icon: 'circle-dashed' },
    requires_payer: { word: 'Payer needed', tone: 'attention', icon: 'credit-card' },
    processing: { word: 'Processing', tone: 'quiet', icon: 'loader-circle' },
    unknown: { word: 'Unknown', tone: 'person', icon: 'circle-question-mark' },
    collected: { word: 'Collected', tone: 'settled', icon: 'circle-check' },
    refund_pending: { word: 'Refund pending', tone: 'quiet', icon: 'hourglass' },
    refunded: { word: 'Refunded', tone: 'settled', icon: 'undo-2' },
    refund_failed: { word: 'Refund failed', tone: 'fault', icon: 'octagon-alert' },
    credited: { word: 'Credited', tone: 'settled', icon: 'wallet' },
    disputed: { word: 'Disputed', tone: 'person', icon: 'message-square-warning' },
    reversed: { word: 'Reversed', tone: 'fault', icon: 'rotate-ccw' },
  },
  charge: {
    none: { word: 'None', tone: 'quiet', icon: 'circle-dashed' },
    held: { word: 'Held', tone: 'quiet', icon: 'lock' },
    final: { word: 'Final', tone: 'settled', icon: 'check' },
    waived: { word: 'Waived', tone: 'quiet', icon: 'undo-2' },
  },
  review: {
    not_open: { word: 'Not open', tone: 'quiet', icon: 'circle-dashed' },
    open: { word: 'Open', tone: 'attention', icon: 'eye' },
    overdue: { word: 'Overdue', tone: 'person', icon: 'clock-alert' },
    accepted: { word: 'Accepted', tone: 'settled', icon: 'check-check' },
    disputed: { word: 'Disputed', tone: 'person', icon: 'message-square-warning' },
  },
  agent: {
    active: { word: 'Active', tone: 'settled', icon: 'circle-check' },
    paused: { word: 'Paused', tone: 'quiet', icon: 'circle-minus' },
    revoked: { word: 'Revoked', tone: 'quiet', icon: 'ban' },
  },
  availability: {
    available: { word: 'Available', tone: 'settled', icon: 'circle-check' },
    unavailable: { word: 'Unavailable', tone: 'fault', icon: 'circle-x' },
    open: { word: 'Open', tone: 'settled', icon: 'circle-check' },
    closed: { word: 'Closed', tone: 'quiet', icon: 'circle-minus' },
  },
} as const satisfies {
  verdict: Record<Verdict, StateWord>;
  finding: Record<FindingStatus, StateWord>;
  statement: Record<StatementStatus, StateWord>;
  check: Record<CheckOutcome['status'], StateWord>;
  quote: Record<QuoteState, StateWord>;
  approval: Record<ApprovalState, StateWord>;
  job: Record<JobState, StateWord>;
  payment: Record<PaymentState, StateWord>;
  charge: Record<ChargeState, StateWord>;
  review: Record<ReviewState, StateWord>;
  agent: Record<ConnectedAgent['state'], StateWord>;
  availability: Record<string, StateWord>;
};

export type StateKind = keyof typeof states;

/** Every icon of a state, by its lucide name. */
export type StateIcon = {
  [Kind in StateKind]: (typeof states)[Kind][keyof (typeof states)[Kind]] extends { icon: infer Icon } ? Icon : never;
}[StateKind];

/** Shows an unknown value as sent, in the quiet tone. */
const UNKNOWN_ICON = 'circle-dashed' satisfies StateIcon;

/** The words of a state. Never throws: the contract lets some sets of values grow. */
export function stateWord(kind: StateKind, value: string): StateWord & { icon: StateIcon } {
  const known: Record<string, StateWord & { icon: StateIcon }> = states[kind];
  return Object.hasOwn(known, value) && known[value] !== undefined
    ? known[value]
    : { word: value.replaceAll('_', ' '), tone: 'quiet', icon: UNKNOWN_ICON };
}

/** `3 met, 2 missing`: the count of each occurring value, in the order of the state table. */
export function tally(kind: StateKind, values: readonly string[]): string {
  const order = [...new Set([...Object.keys(states[kind]), ...values])];
  return order
    .map((value) => ({ value, count: values.filter((each) => each === value).length }))
    .filter(({ count }) => count > 0)
    .map(({ value, count }) => `${count} ${stateWord(kind, value).word.toLowerCase()}`)
    .join(', ');
}
