import { instantText } from '../../kernel/instant-text.ts';
import { toText } from '../../kernel/money.ts';
import { quoted, type Words } from '../../mail/letter.ts';
import type { RailName } from '../../payments/contract.ts';
import type { JobState, PaymentState } from '../states.ts';

/** The letters of a purchase's life. Pure. A subject holds no word that an agent chose. */

/** The rows of the audit that members hear about, and the end of a review that comes near. */
export const toldActions = [
  'collect',
  'deliver',
  'review_ends',
  'redeliver',
  'accept',
  'fail',
  'cancel',
  'fail_recheck',
  'dispute_again',
  'waive',
  'refund',
  'refunded',
  'refund_failed',
  'refund_sent_by_hand',
  'refund_credited',
] as const;
export type ToldAction = (typeof toldActions)[number];

/** What the letters state, as it is when they are written. */
export interface PurchaseFacts {
  agent: string;
  title: string | null;
  price: bigint;
  state: JobState;
  paymentState: PaymentState;
  verdict: string | null;
  reviewBy: Date | null;
  failure: string | null;
  /** Its charge was waived because the bank of its card reported the payment. */
  isReported: boolean;
  card: { brand: string; last4: string } | null;
  rail: RailName | null;
  /** Who accepted or disputed, where a person did. */
  by: string | null;
  at: Date;
}

const verdicts: Record<string, string> = {
  supported: 'supported',
  revise: 'revise before use',
  escalate: 'a person should look at it',
  insufficient_evidence: 'insufficient evidence',
};

/** Where the letter's button leads. */
type Addresses = Record<'report' | 'receipt', string>;

/** The letter about one of these; null when it has become untrue by now, and a later one says so. */
export function purchaseLetter(action: ToldAction, facts: PurchaseFacts, at: Addresses): Words | null {
  const [first, ...rest] = paragraphsOf[action](facts, at);
  if (first === undefined) return null;
  const { subject, label, to } = heads[action](facts);
  return {
    subject,
    action: { label, url: at[to] },
    paragraphs: [first, aboutText(facts), ...rest],
  };
}

type Head = { subject: string; label: string; to: keyof Addresses };
const atReport = (subject: string, label = 'Read the report'): Head => ({ subject, label, to: 'report' });
const atReceipt = (subject: string): Head => ({ subject, label: 'See the receipt', to: 'receipt' });
const waived = ({ price }: PurchaseFacts) => atReceipt(`You pay nothing: the charge of ${toText(price)} is waived`);

const heads: Record<ToldAction, (facts: PurchaseFacts) => Head> = {
  collect: ({ price }) => atReport(`Paid: ${toText(price)} for a check`, 'See the check'),
  deliver: (facts) => atReport(`Report ready: ${verdictText(facts)}`),
  review_ends: () => atReport('A review ends in less than a day'),
  redeliver: (facts) => atReport(`Re-check ready: ${verdictText(facts)}`),
  accept: ({ price }) => atReceipt(`Charge final: ${toText(price)}`),
  fail: ({ price }) => atReceipt(`Check failed: ${toText(price)} is not charged`),
  cancel: ({ price }) => atReceipt(`Canceled: ${toText(price)} is not charged`),
  fail_recheck: waived,
  dispute_again: waived,
  waive: waived,
  refund: waived,
  refunded: ({ price }) => atReceipt(`Refunded: ${toText(price)}`),
  refund_failed: ({ price }) => atReceipt(`A refund of ${toText(price)} did not arrive`),
  refund_sent_by_hand: ({ price }) => atReceipt(`Refunded: ${toText(price)}`),
  refund_credited: ({ price }) => atReceipt(`Credited: ${toText(price)}`),
};

/** What each says, beside which purchase it is; nothing when it is no longer so. */
const paragraphsOf: Record<ToldAction, (facts: PurchaseFacts, at: Addresses) => string[]> = {
  collect: (facts, { receipt }) => [
    `${toText(facts.price)} was collected${payerText(facts)} on ${instantText(facts.at)}.`,
    'The report is usually ready within a minute, and we write again. The charge becomes final only when the report is accepted.',
    `Receipt: ${receipt}`,
  ],
  deliver: (facts) =>
    facts.state === 'delivered'
      ? [
          `A report is ready. The verdict: ${verdictText(facts)}. It is an assessment for your review and does not certify the work.`,
          `${untilText(facts)}Accepting makes the charge of ${toText(facts.price)} final. If you dispute it, it is checked once ` +
            'more at no cost; if you dispute that report, too, your money goes back. Doing nothing is not acceptance.',
        ]
      : [],
  review_ends: (facts) =>
    facts.state === 'delivered' || facts.state === 'redelivered'
      ? [
          `You can dispute a report until ${facts.reviewBy ? instantText(facts.reviewBy) : 'its review ends'}. The verdict: ${verdictText(facts)}.`,
          `After that it can only be accepted. Silence is never acceptance: the charge of ${toText(facts.price)} stays held until somebody decides.`,
        ]
      : [],
  redeliver: (facts) =>
    facts.state === 'redelivered'
      ? [
          `The report that was disputed has been checked once more. The verdict now: ${verdictText(facts)}.`,
          `${untilText(facts)}If you dispute this report, too, you pay nothing: ${toText(facts.price)} goes back.`,
        ]
      : [],
  accept: ({ by, at, price }) => [
    `The report was accepted${by ? ` by ${by}` : ''} on ${instantText(at)}, so the charge of ${toText(price)} is final.`,
    'The receipt is signed, and anyone can verify it.',
  ],
  fail: (facts) => [`A check failed, and you pay nothing for it. ${moneyText(facts)}`, whyText(facts)],
  // Unpaid, nothing happened that anybody must know.
  cancel: (facts) =>
    facts.paymentState === 'none' ? [] : [`A check was canceled after it was paid. ${moneyText(facts)}`],
  fail_recheck: (facts) => [
    `The re-check was not delivered, so the charge of ${toText(facts.price)} is waived. ${moneyText(facts)}`,
  ],
  dispute_again: (facts) => [
    `Two reports in a row were disputed, so the charge of ${toText(facts.price)} is waived. ${moneyText(facts)}`,
  ],
  waive: (facts) => [givenUpText(facts)],
  refund: (facts) => [givenUpText(facts)],
  // A bank may send back what it had taken.
  refunded: ({ price, paymentState, card, rail, at }) =>
    paymentState === 'refund_failed' || paymentState === 'credited'
      ? []
      : [
          `${toText(price)} went back ${card ? `to your ${cardText(card)}` : 'to where it came from'} on ${instantText(at)}.`,
          ...(rail ? refundNotes[rail] : []),
        ],
  refund_failed: ({ price, paymentState }) =>
    paymentState === 'refund_failed'
      ? [`The refund of ${toText(price)} did not arrive. We still owe it and are on it; you need do nothing.`]
      : [],
  refund_sent_by_hand: ({ price, at }) => [
    `The refund of ${toText(price)} had not arrived, so we sent the amount by hand on ${instantText(at)}. The receipt names the transfer.`,
  ],
  refund_credited: ({ price }) => [
    `The refund of ${toText(price)} had not arrived. The amount is now credit: the agent can pay for another check with it.`,
  ],
};

function moneyText({ paymentState, price, card }: PurchaseFacts): string {
  const amount = toText(price);
  const to = card ? `to your ${cardText(card)}` : 'to where it came from';
  switch (paymentState) {
    case 'credited':
      return `${amount} became credit: the agent can pay for another check with it.`;
    case 'refunded':
      return `${amount} went back ${to}.`;
    case 'refund_pending':
      return `${amount} goes back ${to}; we write when it has.`;
    case 'refund_failed':
      return `${amount} is owed back. We are on it; you need do nothing.`;
    case 'disputed':
      return `The bank that paid is asking for the money back. What we owe goes back once that is settled.`;
    default:
      return `The receipt says where ${amount} is.`;
  }
}

const cardText = ({ brand, last4 }: { brand: string; last4: string }): string =>
  `${brand.charAt(0).toUpperCase()}${brand.slice(1)} card ending in ${last4}`;

const payerTexts: Readonly<Record<RailName, string>> = { card: '', x402: ' in USDC' };

/** What is said of money that went back. */
const refundNotes: Readonly<Record<RailName, readonly string[]>> = {
  card: ['Banks may take some days to show it.'],
  x402: [],
};

function payerText({ card, rail }: PurchaseFacts): string {
  if (card) return ` from your ${cardText(card)}`;
  return rail ? payerTexts[rail] : '';
}

const verdictText = ({ verdict }: PurchaseFacts): string => verdicts[verdict ?? ''] ?? 'see the report';

const untilText = ({ reviewBy }: PurchaseFacts): string =>
  reviewBy ? `You can dispute it until ${instantText(reviewBy)}. ` : '';

const givenUpText = (facts: PurchaseFacts): string =>
  `${facts.isReported ? 'The bank of the card reported the payment as fraud, so we' : 'We'} gave up the charge of ` +
  `${toText(facts.price)}. ${moneyText(facts)}`;

const whyText = ({ failure }: PurchaseFacts): string =>
  failure ? `Why: ${failure}` : 'Your agent can buy the check again.';

function aboutText({ agent, title }: PurchaseFacts): string {
  const asked = title === null ? 'asked for it' : `asked for it: ${quoted(title)}`;
  return `An agent that calls itself ${quoted(agent)} ${asked}${title === null ? '.' : ''}`;
}

/** What was held back on one day, in one letter. */
export function digestLetter(
  day: string,
  counts: readonly { action: ToldAction; count: number }[],
  price: bigint,
  url: string,
): Words {
  const lines = counts.map(({ action, count }) => `${digestWords[action]}: ${count}`);
  return {
    subject: `Your checks of ${instantText(day, 'day')}`,
    action: { label: 'See your purchases', url },
    paragraphs: [
      `Much happened on ${instantText(day, 'day')}, so here is all of it in one letter.`,
      lines.join('\n') || 'Nothing new.',
      `A check costs ${toText(price)}. Each purchase on that page leads to its report and its receipt.`,
    ],
  };
}

const digestWords: Record<ToldAction, string> = {
  collect: 'Paid',
  deliver: 'Reports ready',
  review_ends: 'Reviews about to end',
  redeliver: 'Re-checks ready',
  accept: 'Accepted, so the charge is final',
  fail: 'Failed, nothing is charged',
  cancel: 'Canceled',
  fail_recheck: 'Re-checks not delivered, the charge is waived',
  dispute_again: 'Disputed twice, the charge is waived',
  waive: 'Charges that we gave up',
  refund: 'Charges that we refunded',
  refunded: 'Refunds that went back',
  refund_failed: 'Refunds that did not arrive',
  refund_sent_by_hand: 'Refunds that we sent by hand',
  refund_credited: 'Refunds that became credit',
};
