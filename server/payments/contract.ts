/** The ways to pay, as requests, grants and receipts spell them (specification 7), and what is said of each. Pure. */
export const railNames = ['card', 'x402'] as const;
export type RailName = (typeof railNames)[number];

/** The rails that this build can be configured for. A price can be paid over each, or from wallet credit. */
export const payableBy = ['x402', 'wallet_credit', 'card'] as const;

/** How a card is paid with: on the provider's page, or a card that the account keeps. */
export const cardMethods = ['card_checkout', 'card_saved'] as const;
export type CardMethod = (typeof cardMethods)[number];

/** What a request may name besides the rail. Without a method x402 asks for USDC, and card for its page. */
export const requestedMethods = ['wallet_credit', ...cardMethods] as const;

/** The methods that each rail takes in a request. */
export const methodsOf: Readonly<Record<RailName, readonly string[]>> = {
  card: cardMethods,
  x402: ['wallet_credit'],
};

/** What the operations say about the rails that they touch. */
export const railSummaries = {
  pay:
    'Pay for an authorized job. Over x402 the first call answers 402 with what to sign; repeat it unchanged with the ' +
    'PAYMENT-SIGNATURE header. By card it answers 200 when a saved card was charged, or 202 with a continuation_url to ' +
    'give to the payer. One payment per job: keep one idempotency key for it and repeat that key until it answers.',
  cancelPayment:
    'End an open payment where that is certain to work: one that waits for its payer. A signed x402 payment cannot be called back: it ends when the ' +
    'chain can no longer carry it out, and until then the answer is payment_unknown.',
  cancel:
    'Cancel a job before it is delivered. What was collected by card is refunded; over x402 it becomes wallet credit.',
  remedies:
    'No report: charge 0, card payments are refunded in full and x402 payments become wallet credit. Disputed after the ' +
    'included re-check: charge waived and the collection refunded. Accepted: charged in full, whatever the verdict.',
} as const;

/** What a job and its receipt say when a rail took a collection back for good. */
export const reversalReasons: Readonly<Record<RailName, string>> = {
  card: 'The card payment was reversed.',
  x402: 'The chain no longer holds the payment.',
};

/** Why the block of a reversal is lifted when that proves wrong. */
export const restoredReasons: Readonly<Record<RailName, string>> = {
  card: 'The card payment stands after all.',
  x402: 'The chain holds the payment after all.',
};
