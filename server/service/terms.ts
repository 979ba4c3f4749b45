import { microcents } from '../kernel/money.ts';

/** The fixed facts of the service (service.md 1, 3, 8, 9). Pure. */
export const service = {
  interface: 'svc.agent_buyer.v1',
  serviceKey: 'svc_work_check',
  name: "Check an agent's work",
  summary:
    'Checks text or structured work that an agent produced against the request, the criteria and the evidence supplied ' +
    'with it. Returns findings, citations, the checks performed, limitations and a verdict for the buyer to review.',
  contractSchema: 'svc.service_contract.v1',
  contractVersion: 'svc.work_check.v1',
  receiptVersion: 'svc.receipt.v1',
  termsVersion: '2026-07-21',
} as const;

/** 5.00 USD, fixed. */
export const price = microcents(500_000_000);

/** What a new customer's agent may spend (service.md 5.3). */
export const defaultGrant = {
  service_keys: [service.serviceKey],
  payment_methods: ['card_checkout', 'card_saved', 'x402'],
  per_job_limit_microcents: microcents(1_000_000_000),
  daily_limit_microcents: microcents(5_000_000_000),
  total_limit_microcents: null,
  governed_refs: false,
  review_authority: true,
} as const;

export const seconds = {
  quoteLifetime: 1_800,
  payWindow: 86_400,
  deliveryTarget: 600,
  executionDeadline: 1_800,
  reviewWindow: 259_200,
  challengeLifetime: 300,
  walletSession: 3_600,
  /** Content of a quote that was never authorized outlives it by this: clocks differ. */
  deadQuoteContent: 30,
  registration: 1_800,
  registrationCode: 600,
  claimWindow: 1_800,
  credentialFirstUse: 900,
  freshSignIn: 600,
  rotationGrace: 900,
  rotationGraceMax: 86_400,
} as const;

/** Where a buyer gets money that is worth nothing. */
export const testFunds =
  'USDC of Base Sepolia and Arbitrum Sepolia is free at https://faucet.circle.com. Where the chains are the local ' +
  'sandbox, POST http://127.0.0.1:4010/wallets (the port of this service plus 1010) answers a private key with funds.';

export const includedCorrections = 1;
export const retentionDays = 30;
export const daySeconds = 86_400;
export const maxFindings = 40;
