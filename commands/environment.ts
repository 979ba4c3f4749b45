import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { SANDBOX_ACCESS_KEY_ID, SANDBOX_SECRET_ACCESS_KEY } from '../sandbox/archive/keys.ts';
import { SANDBOX_BUCKET } from '../sandbox/archive/server.ts';
import type { Ports } from '../sandbox/ports.ts';
import { SANDBOX_SECRET_KEY, SANDBOX_WEBHOOK_SECRET } from '../sandbox/stripe/keys.ts';
import { Refusal } from './refusal.ts';

const SECRET_BYTES = 32;
const OWNER_ONLY = 0o600;

/** Made once per data folder, so that credentials, sessions and payments survive a restart. */
interface Secrets {
  readonly secret_key: string;
  readonly nextauth_secret: string;
  /** The receiving wallet. */
  readonly pay_to_private_key: `0x${string}`;
}

/** Rate limits nobody reaches: everybody on one machine shares an address, and the bench is fast. */
export const unlimited = {
  RATE_LIMIT_REQUESTS: '1000000',
  RATE_LIMIT_QUOTES: '1000000',
  RATE_LIMIT_NETWORK_REQUESTS: '1000000',
  RATE_LIMIT_NETWORK_QUOTES: '1000000',
  RATE_LIMIT_WALLET_CHALLENGES: '1000000',
  RATE_LIMIT_WALLET_VERIFICATIONS: '1000000',
  RATE_LIMIT_REGISTRATIONS: '1000000',
  RATE_LIMIT_SIGN_IN_LINKS: '1000000',
  RATE_LIMIT_CLAIMS: '1000000',
  RATE_LIMIT_PAGES: '1000000',
  UNPAID_CONTENT_MIB_PRINCIPAL: '1000000',
  UNPAID_CONTENT_MIB_ORIGIN: '1000000',
} as const;

/** The environment of server and worker when the sandbox stands in for all providers. */
export function sandboxedEnvironment(ports: Ports, dataDir: string, databaseUrl: string): Record<string, string> {
  const secrets = readSecrets(path.join(dataDir, 'secrets.json'));
  const baseUrl = `http://localhost:${ports.app}`;
  return {
    PORT: String(ports.app),
    DATA_DIR: dataDir,
    BASE_URL: baseUrl,
    DATABASE_URL: databaseUrl,
    ENVIRONMENT: 'test',
    ASSESSOR: 'rules',
    SECRET_KEY: secrets.secret_key,
    NEXTAUTH_URL: baseUrl,
    NEXTAUTH_SECRET: secrets.nextauth_secret,
    RECEIPT_KEYS_FILE: path.join(dataDir, 'receipt-keys.json'),
    X402_FACILITATOR_URL: `http://127.0.0.1:${ports.facilitator}`,
    X402_PAY_TO: privateKeyToAddress(secrets.pay_to_private_key),
    X402_REFUND_KEY: secrets.pay_to_private_key,
    X402_NETWORKS: 'eip155:84532,eip155:421614',
    X402_RPC_URLS: `84532=http://127.0.0.1:${ports.chains[84532]},421614=http://127.0.0.1:${ports.chains[421614]}`,
    STRIPE_SECRET_KEY: SANDBOX_SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: SANDBOX_WEBHOOK_SECRET,
    STRIPE_API_URL: `http://127.0.0.1:${ports.stripe}`,
    ARCHIVE_URL: `http://127.0.0.1:${ports.archive}/${SANDBOX_BUCKET}`,
    ARCHIVE_ACCESS_KEY_ID: SANDBOX_ACCESS_KEY_ID,
    ARCHIVE_SECRET_ACCESS_KEY: SANDBOX_SECRET_ACCESS_KEY,
    ...unlimited,
    // No load balancer needs to notice a stop.
    STOP_DELAY_SECONDS: '0',
    SMTP_URL: `smtp://127.0.0.1:${ports.smtp}`,
    MAIL_FROM: 'Work Check <no-reply@work-check.example>',
    OPERATOR_NAME: 'The sandbox of Work Check',
    OPERATOR_EMAIL: 'operator@work-check.example',
    SELLER_ADDRESS: '1 Sandbox Street, 10115 Testville',
    SELLER_TAX_ID: 'TEST-000000',
    UNTAXED_BECAUSE: 'No tax is charged: this is a test installation, and no money moved.',
  };
}

function readSecrets(file: string): Secrets {
  if (!existsSync(file)) {
    const secrets: Secrets = {
      secret_key: randomBytes(SECRET_BYTES).toString('base64url'),
      nextauth_secret: randomBytes(SECRET_BYTES).toString('base64url'),
      pay_to_private_key: generatePrivateKey(),
    };
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: OWNER_ONLY });
    return secrets;
  }
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new Refusal(`${file} cannot be read as JSON: restore it, or delete it to get new secrets.`);
  }
}
