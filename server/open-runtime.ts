import { PrismaPg } from '@prisma/adapter-pg';
import { type Configuration, readConfiguration } from './configuration.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { systemClock } from './kernel/clock.ts';
import { ConfigurationError } from './kernel/configuration-error.ts';
import { connectTimeoutMs, type Database, openDatabase, sessionOptions } from './kernel/database.ts';
import { requireOwnConnections } from './kernel/pooler.ts';
import { checkSecretKeys, requireSecretKeys } from './kernel/secret-keys.ts';
import { continueTransactionNumbers } from './kernel/transaction-numbers.ts';
import { openMailer } from './mail/mailer.ts';
import { openRails } from './payments/open-rails.ts';
import { checkReceiptKeys, openReceiptKeys } from './purchases/receipt/receipt-keys.ts';
import type { ReceiptSigner } from './purchases/receipt/receipt-signer.ts';
import { openQueue } from './queue/queue.ts';
import type { Runtime } from './runtime.ts';
import { openAssessorProbe } from './service/assessor.ts';

/** The composition root: environment in, real adapters out. Throws `ConfigurationError` on a bad environment. */
export async function openRuntime(env: Record<string, string | undefined>, role: 'web' | 'worker'): Promise<Runtime> {
  const configuration = readConfiguration(env);
  const clock = systemClock;
  const { databaseUrl, connections } = configuration;
  const name = `work-check ${role}`;
  await requireOwnConnections(databaseUrl);
  const db = openDatabase(databaseUrl, { connections: connections.purchases, name });
  const receiptSigner = await signingKeys(configuration, db, clock()).catch(async (error) => {
    await db.end();
    throw error;
  });
  const prisma = new PrismaClient({
    adapter: new PrismaPg({
      connectionString: databaseUrl,
      max: connections.models,
      connectionTimeoutMillis: connectTimeoutMs,
      application_name: name,
      // A filter may match few rows or most: plan each list for its values.
      options: `${sessionOptions} -c plan_cache_mode=auto`,
    }),
  });
  const queue = await openQueue(databaseUrl, role === 'worker' ? 'worker' : 'sender', name);
  const mailer = configuration.mail ? openMailer(configuration.mail) : null;
  const stopping = new AbortController();
  return {
    configuration,
    clock,
    db,
    prisma,
    queue,
    rails: openRails(configuration),
    mailer,
    assessorProbe: openAssessorProbe(configuration.assessor),
    receiptSigner,
    stopping: stopping.signal,
    beginStop: () => stopping.abort(),
    async close() {
      await queue.stop();
      mailer?.close();
      await prisma.$disconnect();
      await db.end();
    },
  };
}

/** Gets the database ready to be written to. Refuses keys that it does not know. Throws `ConfigurationError`. */
async function signingKeys(configuration: Configuration, db: Database, now: Date): Promise<ReceiptSigner> {
  await requireSecretKeys(db, configuration.keyring, now);
  await continueTransactionNumbers(db);
  return openReceiptKeys(configuration.receiptKeys, db, now);
}

/**
 * Compares the configured keys with the database before a deployment. Writes nothing. Throws `ConfigurationError` with
 * a sentence per fault.
 */
export async function checkKeys({ databaseUrl, keyring, receiptKeys }: Configuration): Promise<void> {
  const db = openDatabase(databaseUrl, { connections: 1 });
  try {
    const checks = await Promise.allSettled([
      checkSecretKeys(db, keyring),
      checkReceiptKeys(receiptKeys, db, systemClock()),
    ]);
    const reasons = checks.flatMap((check) => (check.status === 'rejected' ? [check.reason as Error] : []));
    for (const reason of reasons) if (!(reason instanceof ConfigurationError)) throw reason;
    if (reasons.length > 0) throw new ConfigurationError(reasons.map(({ message }) => message).join('\n'));
  } finally {
    await db.end();
  }
}

/** Next bundles pages apart from the server: both must share one runtime. */
const holder = globalThis as { workCheckRuntime?: Promise<Runtime> };

/** The runtime of this web process, opened once. */
export function webRuntime(): Promise<Runtime> {
  holder.workCheckRuntime ??= openRuntime(process.env, 'web');
  return holder.workCheckRuntime;
}
