/** The ways to pay, as requests, grants and receipts spell them (specification 7), with their descriptions. Pure. */
export const railNames = ['card', 'x402'] as const;
export type RailName = (typeof railNames)[number];

/** The rails that this build can be configured for. Each can take a price; so can wallet credit. */
export const payableBy = ['x402', 'wallet_credit', 'card'] as const;

/** The ways to pay by card: on the provider's page, or with a kept card. */
export const cardMethods = ['card_checkout', 'card_saved'] as const;
export type CardMethod = (typeof cardMethods)[number];

/** What a request may name besides the rail. By default x402 asks for USDC, and card for its page. */
export const requestedMethods = ['wallet_credit', ...cardMethods] as const;

/** The methods that each rail takes in a request. */
export const methodsOf: Readonly<Record<RailName, readonly string[]>> = {
  card: cardMethods,
  x402: ['wallet_credit'],
};

/** Descriptions of the operations that rails take part in. */
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

/** The failure of a job whose collection the rail took back for good, also on its receipt. */
export const reversalReasons: Readonly<Record<RailName, string>> = {
  card: 'The card payment was reversed.',
  x402: 'The chain no longer holds the payment.',
};

/** Why a wrong reversal's block is lifted. */
export const restoredReasons: Readonly<Record<RailName, string>> = {
  card: 'The card payment stands after all.',
  x402: 'The chain holds the payment after all.',
};
