/** The ways to pay, as requests, grants and receipts spell them (specification 7), with their descriptions. Pure. */
export const railNames = ['card', 'x402'] as const;
export type RailName = (typeof railNames)[number];

/** The rails that this build can be configured for. Each can take a price; so can wallet credit. */
export const payableBy = ['x402', 'wallet_credit', 'card'] as const;

/** The ways to pay by card: on the provider's page, or with a kept card. */
export const cardMethods = ['card_checkout', 'card_saved'] as const;
export type CardMethod = (typeof cardMethods)[number];

/** What a request may name besides the rail. By default x402 asks for USDC, and card for its page. */
export const requestedMethods = ['x402', 'wallet_credit', ...cardMethods] as const;

/** The methods that each rail takes in a request. */
export const methodsOf: Readonly<Record<RailName, readonly string[]>> = {
  card: cardMethods,
  x402: ['x402', 'wallet_credit'],
};

/** What a rail is to people: its name, what an agent may do over it, and what is said where it is not set up. */
export const railWords: Readonly<Record<RailName, { name: string; may: string; absent: string | null }>> = {
  card: { name: 'Card', may: 'pay by card', absent: 'Cards are not set up here.' },
  x402: { name: 'Wallet (USDC)', may: 'pay from its own crypto wallet (USDC)', absent: null },
};

/** The methods that a grant can cover, as its form says them. */
export const grantMethods: readonly { method: string; rail: RailName; label: string; effect: string }[] = [
  {
    method: 'card_saved',
    rail: 'card',
    label: 'Pay with the saved card',
    effect: 'Your bank may still ask you to approve a payment.',
  },
  { method: 'card_checkout', rail: 'card', label: 'Send you a payment link', effect: 'You pay each check yourself.' },
  { method: 'x402', rail: 'x402', label: 'Pay from its own crypto wallet', effect: 'In USDC, over x402.' },
];

/** The rails that a grant covers with some method. */
export const railsCovered = (methods: readonly string[]): RailName[] =>
  railNames.filter((name) => grantMethods.some(({ method, rail }) => rail === name && methods.includes(method)));

/** The rail of a payment that a wallet makes for a payment link. */
export const linkRail = 'x402' as const satisfies RailName;

/** Descriptions of the operations that rails take part in. */
export const railSummaries = {
  pay:
    'Pay for an authorized job. Over x402 the first call answers 402 with what to sign; repeat it unchanged with the ' +
    'PAYMENT-SIGNATURE header. By card it answers 200 when a saved card was charged, or 202 with a continuation_url to ' +
    'give to the payer. One payment per job: use one idempotency key and repeat it until you get an answer.',
  payMethod:
    "wallet_credit (x402): credit that covers the whole price. card_saved: the account's saved card. " +
    'Default: x402, which is USDC, or card_checkout, a link for the payer.',
  payByLink:
    'Pay for a payment link over x402. The first call answers 402 with what to sign; repeat it with the ' +
    'PAYMENT-SIGNATURE header. Any wallet may pay, within the grant of the agent that asked.',
  cancelPayment:
    'End an open payment where that is certain to work. A signed x402 payment ends when the chain can no longer ' +
    'execute it; until then the answer is payment_unknown.',
  cancel:
    'Cancel a job before it is delivered. What was collected by card is refunded; over x402 it becomes wallet credit.',
  remedies:
    'No report: charge 0, card payments are refunded in full and x402 payments become wallet credit. Disputed after the ' +
    'included re-check: charge waived and the collection refunded. Accepted: charged in full, whatever the verdict.',
} as const;

const payActions: Readonly<Record<RailName, string>> = {
  card:
    'Pay for the job by card. A saved card is charged at once; otherwise the answer carries a continuation_url for the payer. ' +
    'Repeat the call with the same idempotency key.',
  x402:
    'Pay for the job. Wallet credit pays at once; otherwise the first answer says what to sign (x402 version 2). ' +
    'Repeat the call unchanged with the signed payment and the same idempotency key.',
};

/** How to pay for a job over a rail. REST and MCP add how the payment is sent there. */
export const payAction = (rail: RailName): string => payActions[rail];

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
