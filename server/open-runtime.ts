import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/prisma/client.ts';
import { systemClock } from './kernel/clock.ts';
import { type Database, openDatabase } from './kernel/database.ts';
import { type Configuration, readConfiguration } from './kernel/env.ts';
import { requireSecretKeys } from './kernel/secret-keys.ts';
import { openMailer } from './mail/mailer.ts';
import { openX402 } from './payments/x402.ts';
import { openReceiptKeys, type ReceiptSigner } from './purchases/receipt-keys.ts';
import { openQueue } from './queue/queue.ts';
import type { Runtime } from './runtime.ts';

/** Pages and lists read through models, a few at a time. */
const prismaConnections = 4;

/** The composition root: environment in, real adapters out. Throws `ConfigurationError` on a bad environment. */
export async function openRuntime(env: Record<string, string | undefined>, role: 'web' | 'worker'): Promise<Runtime> {
  const configuration = readConfiguration(env);
  const clock = systemClock;
  const db = openDatabase(configuration.databaseUrl);
  const receiptSigner = await signingKeys(configuration, db, clock()).catch(async (error) => {
    await db.end();
    throw error;
  });
  const prisma = new PrismaClient({
    adapter: new PrismaPg({ connectionString: configuration.databaseUrl, max: prismaConnections }),
  });
  const queue = await openQueue(configuration.databaseUrl, role === 'worker' ? 'worker' : 'sender');
  const mailer = configuration.mail ? openMailer(configuration.mail) : null;
  return {
    configuration,
    clock,
    db,
    prisma,
    queue,
    x402: configuration.x402 ? openX402(configuration.x402) : null,
    mailer,
    receiptSigner,
    async close() {
      await queue.stop();
      mailer?.close();
      await prisma.$disconnect();
      await db.end();
    },
  };
}

/** Nothing is signed, sealed or hashed with keys that this database does not know. Throws `ConfigurationError`. */
async function signingKeys(configuration: Configuration, db: Database, now: Date): Promise<ReceiptSigner> {
  await requireSecretKeys(db, configuration.keyring, now);
  return openReceiptKeys(configuration.receiptKeysFile, db, now);
}

/** Next bundles the pages apart from the server that starts it: both must find the one runtime of the process. */
const holder = globalThis as { workCheckRuntime?: Promise<Runtime> };

/** The runtime of this web process, opened at the first call. */
export function webRuntime(): Promise<Runtime> {
  holder.workCheckRuntime ??= openRuntime(process.env, 'web');
  return holder.workCheckRuntime;
}
