import { isAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import { type Archiving, archiveFaults, archiveOf, archiveVariables } from './configuration/archive.ts';
import {
  type AssessorModel,
  assessorFaults,
  assessorOf,
  assessorVariables,
  faultOf,
  presentIn,
} from './configuration/assessor.ts';
import { type CardConfiguration, cardFaults, cardOf, cardVariables } from './configuration/card.ts';
import { type Databases, databasesOf, databaseVariables } from './configuration/database.ts';
import { liveFaults } from './configuration/live-faults.ts';
import {
  confirmations,
  type Network,
  networks,
  rpcUrls,
  safeConfirmations,
  testNetworks,
} from './configuration/networks.ts';
import { type Observing, observingFaults, observingOf, observingVariables } from './configuration/observing.ts';
import { operatorFaults, operatorVariables, type Selling, sellingOf } from './configuration/operator.ts';
import { type Processes, processesOf, processVariables } from './configuration/processes.ts';
import { type RateLimits, rateLimitsOf, rateLimitVariables } from './configuration/rate-limits.ts';
import { ConfigurationError } from './kernel/configuration-error.ts';
import { type Keyring, openKeyring } from './kernel/keyring.ts';

const secret = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43,}$/, 'must be at least 32 random bytes in base64url (43 characters or more)');

/** Values parted by commas; none when unset. */
const listOf = (one: z.ZodString) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    )
    .pipe(z.array(one))
    .default([]);

const mebibytes = z.coerce.number().int().min(1).max(1_000_000);

const Variables = z.object({
  ...databaseVariables,
  ...archiveVariables,
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: z.coerce.number().int().min(1).max(65_535).default(3000),
  BASE_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  ENVIRONMENT: z.enum(['test', 'live']),
  SECRET_KEY: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(secret).min(1)),
  NEXTAUTH_SECRET: secret,
  RECEIPT_KEYS_FILE: z.string().min(1).optional(),
  RECEIPT_KEYS: z.string().min(1).optional(),
  X402_FACILITATOR_URL: z.url().optional(),
  X402_PAY_TO: listOf(
    z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/, { error: 'must be an EVM address, or several parted by commas', abort: true })
      .refine((address) => isAddress(address), 'has a slip of the pen: the checksum of its capitals (EIP-55) is wrong'),
  ),
  X402_REFUND_KEY: listOf(
    z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/, 'must be a private key, 0x and 64 hexadecimal digits, or several parted by commas'),
  ),
  X402_NETWORKS: z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
    )
    .pipe(z.array(z.enum(networks)))
    .default([]),
  X402_RPC_URLS: rpcUrls.default({}),
  X402_CONFIRMATIONS: confirmations.default(safeConfirmations),
  ...cardVariables,
  CHECK_SECONDS_MAX: z.coerce.number().min(0.01).max(1_800).optional(),
  REMEDIES_MAX: z.coerce.number().int().min(0).max(1_000).default(5),
  ...processVariables,
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).optional(),
  ...rateLimitVariables,
  ...assessorVariables,
  CHECKS_PER_ACCOUNT: z.coerce.number().int().min(1).max(1_000).default(4),
  UNPAID_CONTENT_MIB_PRINCIPAL: mebibytes.default(8),
  UNPAID_CONTENT_MIB_ORIGIN: mebibytes.default(64),
  ...observingVariables,
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// address' }).optional(),
  ...operatorVariables,
  MAIL_FROM: z
    .string()
    .regex(
      /^(?:[^<>\r\n]{0,100}<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/,
      'must be an address, or a name and <address>',
    )
    .optional(),
});

export interface Configuration extends Archiving, Databases, Observing, Processes, Selling {
  /** The local address to listen on. */
  host: string;
  port: number;
  baseUrl: string;
  environment: 'test' | 'live';
  /** The first key seals, signs and hashes; every key opens and verifies. */
  keyring: Keyring;
  sessionSecret: string;
  /** Where the receipt signing keys are: a file that the first start creates, or text. */
  receiptKeys: { file: string } | { text: string };
  /** Number of trusted proxies; each appends to X-Forwarded-For. */
  trustedProxies: number;
  rateLimits: RateLimits;
  /** Remedies that a buyer brings about in 30 days before an account, address or card is blocked; 0 means no limit. */
  remediesMax: number;
  /** A check that takes longer is ended: a failed delivery. Null means as long as this kind of assessor may take. */
  checkSecondsMax: number | null;
  /** Concurrent checks per account, across all workers. */
  checksPerAccount: number;
  /** How much unpaid content is kept. */
  unpaidContent: { principalBytes: number; originBytes: number };
  /** Null when stablecoin payments are not configured. */
  x402: X402Configuration | null;
  card: CardConfiguration;
  /** Null when mail is not configured; then nobody new can register. */
  mail: MailConfiguration | null;
  /** The language models that assess work; with none, the embedded assessor does. Several form a panel. */
  assessor: readonly AssessorModel[];
  /** Whether the operator said who assesses: rules alone sell nothing in live mode by default. */
  assessorIsChosen: boolean;
}

export interface MailConfiguration {
  smtpUrl: string;
  from: string;
}

export interface X402Configuration {
  facilitatorUrl: string;
  /** The receiving addresses: the first is paid, the others were before and are searched until they are empty. */
  payTo: readonly `0x${string}`[];
  /** Each signs the refunds of its address. Those of an address without a key wait for an operator. */
  refundKeys: readonly `0x${string}`[];
  networks: readonly Network[];
  rpcUrls: Partial<Record<Network, string>>;
  /** Confirmations that a payment needs, by network. */
  confirmations: Record<Network, number>;
  /** Wait for finality before refunding: in live mode. */
  refundsWaitForFinality: boolean;
}

/** Reads the environment once, at start. Throws `ConfigurationError`; never starts on half a configuration. */
export function readConfiguration(env: Record<string, string | undefined>): Configuration {
  const present = presentIn(env);
  const parsed = Variables.safeParse(present);
  const faults = parsed.success ? crossFaults(parsed.data) : parsed.error.issues.map(faultOf(present));
  if (!parsed.success || faults.length > 0) throw new ConfigurationError(faults.join('\n'));
  const variables = parsed.data;
  return {
    ...databasesOf(variables),
    ...archiveOf(variables),
    host: variables.HOST,
    port: variables.PORT,
    ...processesOf(variables),
    baseUrl: variables.BASE_URL,
    environment: variables.ENVIRONMENT,
    keyring: openKeyring(variables.SECRET_KEY),
    sessionSecret: variables.NEXTAUTH_SECRET,
    receiptKeys:
      variables.RECEIPT_KEYS === undefined
        ? { file: variables.RECEIPT_KEYS_FILE ?? '' }
        : { text: variables.RECEIPT_KEYS },
    trustedProxies: variables.TRUSTED_PROXIES ?? 1,
    checkSecondsMax: variables.CHECK_SECONDS_MAX ?? null,
    remediesMax: variables.REMEDIES_MAX,
    rateLimits: rateLimitsOf(variables),
    checksPerAccount: variables.CHECKS_PER_ACCOUNT,
    unpaidContent: {
      principalBytes: variables.UNPAID_CONTENT_MIB_PRINCIPAL * 2 ** 20,
      originBytes: variables.UNPAID_CONTENT_MIB_ORIGIN * 2 ** 20,
    },
    x402:
      variables.X402_FACILITATOR_URL && variables.X402_PAY_TO.length > 0
        ? {
            facilitatorUrl: variables.X402_FACILITATOR_URL.replace(/\/+$/, ''),
            payTo: variables.X402_PAY_TO as `0x${string}`[],
            refundKeys: variables.X402_REFUND_KEY as `0x${string}`[],
            networks: variables.X402_NETWORKS,
            rpcUrls: variables.X402_RPC_URLS,
            confirmations: variables.X402_CONFIRMATIONS,
            refundsWaitForFinality: variables.ENVIRONMENT === 'live',
          }
        : null,
    card: cardOf(variables),
    assessor: assessorOf(variables),
    assessorIsChosen:
      variables.ENVIRONMENT !== 'live' || variables.ASSESSOR === 'rules' || variables.ASSESSOR_MODELS.length > 0,
    ...sellingOf(variables),
    ...observingOf(variables),
    mail: variables.SMTP_URL && variables.MAIL_FROM ? { smtpUrl: variables.SMTP_URL, from: variables.MAIL_FROM } : null,
  };
}

/** Faults that only several variables together show. */
function crossFaults(variables: z.infer<typeof Variables>): string[] {
  const faults: string[] = [];
  const live = variables.ENVIRONMENT === 'live';
  const x402 = [variables.X402_FACILITATOR_URL, variables.X402_PAY_TO[0], variables.X402_NETWORKS[0]];
  if (x402.some(Boolean) && !x402.every(Boolean)) {
    faults.push('X402_FACILITATOR_URL, X402_PAY_TO and X402_NETWORKS belong together: set all or none');
  }
  if (variables.X402_REFUND_KEY.some((key) => !variables.X402_PAY_TO.some((address) => isKeyOf(key, address)))) {
    faults.push('X402_REFUND_KEY is not the key of X402_PAY_TO: only the address that holds money can return it');
  }
  if (new Set(variables.X402_PAY_TO.map((address) => address.toLowerCase())).size < variables.X402_PAY_TO.length) {
    faults.push('X402_PAY_TO names an address twice');
  }
  if ((variables.RECEIPT_KEYS_FILE === undefined) === (variables.RECEIPT_KEYS === undefined)) {
    faults.push('RECEIPT_KEYS_FILE or RECEIPT_KEYS says where the keys are that sign receipts: set one of them');
  }
  faults.push(...cardFaults(variables), ...assessorFaults(variables), ...observingFaults(variables));
  if (variables.SMTP_URL && !variables.MAIL_FROM) faults.push('MAIL_FROM is missing: SMTP_URL needs a sender');
  for (const network of variables.X402_NETWORKS) {
    if (!variables.X402_RPC_URLS[network]) faults.push(`X402_RPC_URLS names no address for ${network}`);
    if (live === testNetworks.includes(network)) {
      faults.push(`X402_NETWORKS holds ${network}, which is not a ${variables.ENVIRONMENT} network`);
    }
  }
  faults.push(...operatorFaults(variables, live), ...archiveFaults(variables));
  if (!live) return faults;
  return [
    ...faults,
    ...liveFaults({
      baseUrl: variables.BASE_URL,
      facilitatorUrl: variables.X402_FACILITATOR_URL,
      rpcUrls: variables.X402_RPC_URLS,
      payTo: variables.X402_PAY_TO,
      smtpUrl: variables.SMTP_URL,
      mailFrom: variables.MAIL_FROM,
      archiveUrl: variables.ARCHIVE_URL,
      stripe: {
        apiUrl: variables.STRIPE_API_URL,
        secretKey: variables.STRIPE_SECRET_KEY,
        webhookSecrets: variables.STRIPE_WEBHOOK_SECRET,
      },
      secrets: [
        ...variables.SECRET_KEY.map((secret) => ['SECRET_KEY', secret] as const),
        ['NEXTAUTH_SECRET', variables.NEXTAUTH_SECRET] as const,
        ...(variables.METRICS_TOKEN ? [['METRICS_TOKEN', variables.METRICS_TOKEN] as const] : []),
      ],
      trustedProxiesAreSet: variables.TRUSTED_PROXIES !== undefined,
    }),
  ];
}

function isKeyOf(privateKey: string, address: string): boolean {
  try {
    return privateKeyToAddress(privateKey as `0x${string}`).toLowerCase() === address.toLowerCase();
  } catch {
    return false;
  }
}
