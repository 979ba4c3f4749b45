import { type Microcents, microcents, toText } from '../kernel/money.ts';

/**
 * The terms and periods, spelled only here. Contract, reports, pages, letters and refusals read them, and
 * `terms.test.ts` finds copies. Pure.
 *
 * Not from the environment: a buyer accepts the terms by version, so a change is a commit. `docs/specification.md`,
 * section 1, has them in words.
 */
export interface Terms {
  readonly service: {
    readonly interface: string;
    readonly serviceKey: string;
    readonly name: string;
    readonly summary: string;
    readonly contractSchema: string;
    readonly contractVersion: string;
    readonly receiptVersion: string;
    readonly termsVersion: string;
  };
  readonly price: Microcents;
  /** The default grant of a new customer's agent. */
  readonly defaultGrant: {
    readonly service_keys: readonly string[];
    readonly payment_methods: readonly ['card_checkout', 'card_saved', 'x402'];
    readonly per_job_limit_microcents: Microcents;
    readonly daily_limit_microcents: Microcents;
    readonly total_limit_microcents: null;
    readonly governed_refs: false;
    readonly review_authority: true;
  };
  readonly includedCorrections: number;
  /** Tries per registration code. */
  readonly codeTries: number;
  readonly seconds: Readonly<Record<Period, number>>;
}

export const daySeconds = 86_400;

/** Every period, in seconds. */
const periods = {
  quoteLifetime: 1_800,
  payWindow: 86_400,
  deliveryTarget: 600,
  executionDeadline: 1_800,
  reviewWindow: 259_200,
  challengeLifetime: 300,
  walletSession: 3_600,
  /** Unauthorized content is kept this much longer than its quote: clocks differ. */
  deadQuoteContent: 30,
  registration: 1_800,
  registrationCode: 600,
  claimWindow: 1_800,
  credentialFirstUse: 900,
  signInLink: 900,
  freshSignIn: 600,
  /** How long an operator may read content after saying why. */
  contentOpen: 900,
  rotationGrace: 900,
  rotationGraceMax: 86_400,
  /** How long submitted content is kept. */
  retention: 30 * daySeconds,
  /** How long events can be read. */
  events: 30 * daySeconds,
  /** How long remedies count that buyers bring about: see `blockAfterRemedies`. */
  remedies: 30 * daySeconds,
  /** How long "Block this network" silences an origin. */
  silence: daySeconds,
} as const;

type Period = keyof typeof periods;

const serviceKey = 'svc_work_check';

export const terms = {
  service: {
    interface: 'svc.agent_buyer.v1',
    serviceKey,
    name: "Check an agent's work",
    summary:
      'Checks text or structured work that an agent produced against the request, the criteria and the evidence ' +
      'supplied with it. Returns findings, citations, the checks performed, limitations and a verdict for the buyer to ' +
      'review.',
    contractSchema: 'svc.service_contract.v1',
    contractVersion: 'svc.work_check.v1',
    receiptVersion: 'svc.receipt.v1',
    termsVersion: '2026-07-21',
  },
  price: microcents(500_000_000),
  defaultGrant: {
    service_keys: [serviceKey],
    payment_methods: ['card_checkout', 'card_saved', 'x402'],
    per_job_limit_microcents: microcents(1_000_000_000),
    daily_limit_microcents: microcents(5_000_000_000),
    total_limit_microcents: null,
    governed_refs: false,
    review_authority: true,
  },
  includedCorrections: 1,
  codeTries: 5,
  seconds: periods,
} as const satisfies Terms;

/** The parts by their own names. */
export const { service, price, defaultGrant, includedCorrections, codeTries, seconds } = terms;

/** A period in words: `30 minutes`, `one hour`, `72 hours`, `30 days`. Hours up to a week. */
export function lasting(period: Period): string {
  const length = terms.seconds[period];
  const [size, unit] =
    length % daySeconds === 0 && length >= 7 * daySeconds
      ? [daySeconds, 'day']
      : length % 3_600 === 0
        ? [3_600, 'hour']
        : length % 60 === 0
          ? [60, 'minute']
          : [1, 'second'];
  const count = length / size;
  return count === 1 ? `one ${unit}` : `${count} ${unit}s`;
}

/** The price in x402's format: `$5`. */
export const priceInDollars = `$${toText(terms.price).replace(/(?:\.00)? USD$/, '')}`;

/** The local sandbox's control port, above the service's port. */
const sandboxOffset = 1_010;

/** Where to get test money and read letters, for a service on this port. */
export function testFunds(port: number): string {
  const sandbox = `http://127.0.0.1:${port + sandboxOffset}`;
  return (
    'USDC of Base Sepolia and Arbitrum Sepolia is free at https://faucet.circle.com. Where everything runs on one machine, ' +
    `POST ${sandbox}/wallets answers a private key with funds, and GET ${sandbox}/mail?to=ADDRESS the letters.`
  );
}
