import { privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import {
  type AssessorModel,
  assessorFaults,
  assessorOf,
  assessorVariables,
  ConfigurationError,
  faultOf,
  presentIn,
} from './assessor-env.ts';
import type { RateLimits } from './rate-limit.ts';

const secret = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43,}$/, 'must be at least 32 random bytes in base64url (43 characters or more)');

const networks = ['eip155:84532', 'eip155:421614', 'eip155:8453', 'eip155:42161'] as const;
export type Network = (typeof networks)[number];
const testNetworks: readonly Network[] = ['eip155:84532', 'eip155:421614'];

/** `84532=http://…,421614=http://…` as a map from network to address. */
const rpcUrls = z.string().transform((text, issue) => {
  const urls: Partial<Record<Network, string>> = {};
  for (const part of text.split(',').filter(Boolean)) {
    const [id, ...rest] = part.split('=');
    const network = networks.find((name) => name === `eip155:${id?.trim()}`);
    const url = rest.join('=').trim();
    if (!network || !URL.canParse(url)) {
      issue.addIssue({ code: 'custom', message: `must be chain=address pairs parted by commas, not "${part}"` });
      return z.NEVER;
    }
    urls[network] = url;
  }
  return urls;
});

const quota = z.coerce.number().int().min(1).max(1_000_000);

const Variables = z.object({
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, 'must be a postgresql:// address'),
  PORT: z.coerce.number().int().min(1).max(65_535).default(3000),
  BASE_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  ENVIRONMENT: z.enum(['test', 'live']),
  SECRET_KEY: secret,
  NEXTAUTH_SECRET: secret,
  RECEIPT_KEYS_FILE: z.string().min(1),
  X402_FACILITATOR_URL: z.url().optional(),
  X402_PAY_TO: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an EVM address')
    .optional(),
  X402_REFUND_KEY: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'must be a private key: 0x and 64 hexadecimal digits')
    .optional(),
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
  X402_CONFIRMATIONS: z.coerce.number().int().min(1).max(100).default(1),
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(1),
  RATE_LIMIT_REQUESTS: quota.default(600),
  RATE_LIMIT_QUOTES: quota.default(120),
  RATE_LIMIT_WALLET_CHALLENGES: quota.default(60),
  RATE_LIMIT_REGISTRATIONS: quota.default(20),
  RATE_LIMIT_SIGN_IN_LINKS: quota.default(60),
  ...assessorVariables,
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// address' }).optional(),
  MAIL_FROM: z
    .string()
    .regex(
      /^(?:[^<>\r\n]{0,100}<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/,
      'must be an address, or a name and <address>',
    )
    .optional(),
});

export interface Configuration {
  databaseUrl: string;
  port: number;
  baseUrl: string;
  environment: 'test' | 'live';
  secretKey: string;
  sessionSecret: string;
  receiptKeysFile: string;
  /** How many proxies stand in front, each of which adds to X-Forwarded-For whom it was called by. */
  trustedProxies: number;
  rateLimits: RateLimits;
  /** Null when stablecoin payments are not configured. */
  x402: X402Configuration | null;
  /** Null when no letters can be sent, and so nobody new can register. */
  mail: MailConfiguration | null;
  /** The language models that assess work; with none, the embedded assessor does. Several form a panel. */
  assessor: readonly AssessorModel[];
}

export interface MailConfiguration {
  smtpUrl: string;
  from: string;
}

export interface X402Configuration {
  facilitatorUrl: string;
  payTo: `0x${string}`;
  /** Signs transfers back to payers. Without it an operator makes them. */
  refundKey: `0x${string}` | null;
  networks: readonly Network[];
  rpcUrls: Partial<Record<Network, string>>;
  confirmations: number;
}

/** Reads the environment once, at start. Throws `ConfigurationError`; never starts on half a configuration. */
export function readConfiguration(env: Record<string, string | undefined>): Configuration {
  const present = presentIn(env);
  const parsed = Variables.safeParse(present);
  const faults = parsed.success ? crossFaults(parsed.data) : parsed.error.issues.map(faultOf(present));
  if (!parsed.success || faults.length > 0) throw new ConfigurationError(faults.join('\n'));
  const variables = parsed.data;
  return {
    databaseUrl: variables.DATABASE_URL,
    port: variables.PORT,
    baseUrl: variables.BASE_URL,
    environment: variables.ENVIRONMENT,
    secretKey: variables.SECRET_KEY,
    sessionSecret: variables.NEXTAUTH_SECRET,
    receiptKeysFile: variables.RECEIPT_KEYS_FILE,
    trustedProxies: variables.TRUSTED_PROXIES,
    rateLimits: {
      requests: { quota: variables.RATE_LIMIT_REQUESTS, windowSeconds: 60 },
      quotes: { quota: variables.RATE_LIMIT_QUOTES, windowSeconds: 60 },
      wallet_challenges: { quota: variables.RATE_LIMIT_WALLET_CHALLENGES, windowSeconds: 60 },
      registrations: { quota: variables.RATE_LIMIT_REGISTRATIONS, windowSeconds: 3_600 },
      sign_in_links: { quota: variables.RATE_LIMIT_SIGN_IN_LINKS, windowSeconds: 3_600 },
    },
    x402:
      variables.X402_FACILITATOR_URL && variables.X402_PAY_TO
        ? {
            facilitatorUrl: variables.X402_FACILITATOR_URL.replace(/\/+$/, ''),
            payTo: variables.X402_PAY_TO as `0x${string}`,
            refundKey: (variables.X402_REFUND_KEY as `0x${string}` | undefined) ?? null,
            networks: variables.X402_NETWORKS,
            rpcUrls: variables.X402_RPC_URLS,
            confirmations: variables.X402_CONFIRMATIONS,
          }
        : null,
    assessor: assessorOf(variables),
    mail: variables.SMTP_URL && variables.MAIL_FROM ? { smtpUrl: variables.SMTP_URL, from: variables.MAIL_FROM } : null,
  };
}

/** What no single variable shows. */
function crossFaults(variables: z.infer<typeof Variables>): string[] {
  const faults: string[] = [];
  const live = variables.ENVIRONMENT === 'live';
  const x402 = [variables.X402_FACILITATOR_URL, variables.X402_PAY_TO, variables.X402_NETWORKS[0]];
  if (x402.some(Boolean) && !x402.every(Boolean)) {
    faults.push('X402_FACILITATOR_URL, X402_PAY_TO and X402_NETWORKS belong together: set all or none');
  }
  if (variables.X402_REFUND_KEY && !isKeyOf(variables.X402_REFUND_KEY, variables.X402_PAY_TO)) {
    faults.push('X402_REFUND_KEY is not the key of X402_PAY_TO: money can go back only from the address that has it');
  }
  faults.push(...assessorFaults(variables));
  if (variables.SMTP_URL && !variables.MAIL_FROM) faults.push('MAIL_FROM is missing: SMTP_URL needs a sender');
  for (const network of variables.X402_NETWORKS) {
    if (!variables.X402_RPC_URLS[network]) faults.push(`X402_RPC_URLS names no address for ${network}`);
    if (live === testNetworks.includes(network)) {
      faults.push(`X402_NETWORKS holds ${network}, which is not a ${variables.ENVIRONMENT} network`);
    }
  }
  if (live) {
    const addresses = {
      BASE_URL: variables.BASE_URL,
      X402_FACILITATOR_URL: variables.X402_FACILITATOR_URL,
      SMTP_URL: variables.SMTP_URL,
    };
    for (const [name, url] of Object.entries(addresses)) {
      if (url && isLoopback(url)) faults.push(`${name} is a loopback address, which production refuses`);
    }
    for (const [network, url] of Object.entries(variables.X402_RPC_URLS)) {
      if (isLoopback(url)) faults.push(`X402_RPC_URLS has a loopback address for ${network}, which production refuses`);
    }
  }
  return faults;
}

function isKeyOf(privateKey: string, address: string | undefined): boolean {
  try {
    return privateKeyToAddress(privateKey as `0x${string}`).toLowerCase() === address?.toLowerCase();
  } catch {
    return false;
  }
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\./.test(hostname);
}
