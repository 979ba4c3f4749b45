import { microcents } from '../kernel/money.ts';
import type { FindingStatus, StatementStatus, Verdict } from '../work-check/contract.ts';

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

/** The control port of a local sandbox lies so far above the port of the service (interface.md 10). */
const sandboxOffset = 1_010;

/** Where a buyer gets money that is worth nothing, and reads the letters, of a service that listens on this port. */
export function testFunds(port: number): string {
  const sandbox = `http://127.0.0.1:${port + sandboxOffset}`;
  return (
    'USDC of Base Sepolia and Arbitrum Sepolia is free at https://faucet.circle.com. Where everything runs on one machine, ' +
    `POST ${sandbox}/wallets answers a private key with funds, and GET ${sandbox}/mail?to=ADDRESS the letters.`
  );
}

export const includedCorrections = 1;
export const retentionDays = 30;
export const daySeconds = 86_400;
export const maxFindings = 40;

/** What each verdict says, in the order in which a reader hopes for them. */
export const verdictMeanings: Readonly<Record<Verdict, string>> = {
  supported:
    'Every criterion is met, and the evidence bears out every statement that can be checked. The report says which could not be checked.',
  insufficient_evidence:
    'Not everything could be settled, or the evidence is incomplete or too old. It accuses the work of nothing.',
  revise:
    'Something is wrong, and the report names it: a contradiction with the words on both sides, a rule of form that is broken, a required item that is proven absent, or a failed check of the structure.',
  escalate:
    'A person has to decide: text in the material tries to instruct the assessor, sources contradict each other, assessors disagree, or a check of the report itself failed.',
};

export const findingMeanings: Readonly<Record<FindingStatus, string>> = {
  met: 'The work does what the criterion asks.',
  partly_met: 'The work does a part of it; the reason names the rest.',
  missing: 'A rule of form is broken, or something required is shown not to be in the work.',
  contradicted: 'The evidence, or the work itself, says otherwise. The reason quotes both.',
  not_assessable: 'It could not be settled, or is for a person to judge.',
};

export const statementMeanings: Readonly<Record<StatementStatus, string>> = {
  supported: 'The evidence bears it out, or its figures work out.',
  contradicted: 'A passage, or another place in the work, says otherwise.',
  not_found: 'No passage settles it. It may still be true.',
  not_checked: 'It claims nothing that evidence could settle.',
};

export const confidenceMeaning =
  'The share of the statements that can be checked which were decided, from 0 to 1. It is no probability of being right.';
