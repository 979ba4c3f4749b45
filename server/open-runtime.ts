import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { openAssessorProbe } from './availability/assessor.ts';
import { type Configuration, readConfiguration } from './configuration.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { systemClock } from './kernel/clock.ts';
import { ConfigurationError } from './kernel/configuration-error.ts';
import { connectTimeoutMs, type Database, openDatabase, sessionOptions, silenceMaxMs } from './kernel/database.ts';
import { type DatabaseClock, openDatabaseClock } from './kernel/database-clock.ts';
import { openObjectStore } from './kernel/object-store.ts';
import { requireOwnConnections } from './kernel/pooler.ts';
import { ReplicaWatch } from './kernel/postgres/replica.ts';
import { SteadyClient } from './kernel/postgres/steady-client.ts';
import { checkSecretKeys, keepInFront, requireSecretKeys } from './kernel/secret-keys.ts';
import { continueTransactionNumbers } from './kernel/transaction-numbers.ts';
import { openMailer } from './mail/mailer.ts';
import { openRails } from './payments/open-rails.ts';
import { bucketFault, tellWithoutArchive } from './purchases/archive/bucket-fault.ts';
import { checkReceiptKeys, openReceiptKeys } from './purchases/receipt/receipt-keys.ts';
import { openQueue } from './queue/queue.ts';
import type { ReceiptSigner, Replica, Runtime } from './runtime.ts';

/** The composition root: environment in, real adapters out. Throws `ConfigurationError` on a bad environment. */
export async function openRuntime(env: Record<string, string | undefined>, role: 'web' | 'worker'): Promise<Runtime> {
  const configuration = readConfiguration(env);
  const { databaseUrl, connections } = configuration;
  const name = `work-check ${role}`;
  await requireOwnConnections(databaseUrl);
  const db = openDatabase(databaseUrl, { connections: connections.purchases, name });
  const { receiptSigner, databaseClock } = await prepared(configuration, db).catch(async (error) => {
    await db.end();
    throw error;
  });
  if (role === 'web' && !configuration.archive) await tellWithoutArchive(db);
  const prisma = openPrisma(databaseUrl, connections.models, name);
  const replica = role === 'web' ? openReplica(configuration, db, name) : null;
  const queue = await openQueue(databaseUrl, role === 'worker' ? 'worker' : 'sender', name);
  const mailer = configuration.mail ? openMailer(configuration.mail) : null;
  const stopping = new AbortController();
  const leaveFront = keepInFront(db, configuration.keyring);
  return {
    configuration,
    clock: databaseClock.now,
    skewSeconds: databaseClock.skewSeconds,
    db,
    prisma,
    replica,
    archive: configuration.archive && openObjectStore(configuration.archive, 'archive_unreachable'),
    queue,
    rails: openRails(configuration),
    mailer,
    assessorProbe: openAssessorProbe(configuration.assessor),
    receiptSigner,
    stopping: stopping.signal,
    beginStop: () => stopping.abort(),
    async close() {
      databaseClock.close();
      leaveFront();
      await queue.stop();
      mailer?.close();
      await prisma.$disconnect();
      await replica?.close();
      await db.end();
    },
  };
}

function openPrisma(connectionString: string, max: number, name: string): PrismaClient {
  return new PrismaClient({
    adapter: new PrismaPg({
      connectionString,
      max,
      connectionTimeoutMillis: connectTimeoutMs,
      application_name: name,
      // A filter may match few rows or most: plan each list for its values.
      options: `${sessionOptions} -c plan_cache_mode=auto`,
      silenceMaxMs,
      Client: SteadyClient,
    } as pg.PoolConfig),
  });
}

/** The replica that DATABASE_READ_URL names. It may be away at any time, at a start, too. */
function openReplica({ replica: named, connections }: Configuration, primary: Database, name: string): Replica | null {
  if (!named) return null;
  const db = openDatabase(named.url, { connections: connections.models, name });
  const prisma = openPrisma(named.url, connections.models, name);
  const watch = new ReplicaWatch(primary.shared, db.shared, named.lagMaxSeconds);
  return {
    db,
    prisma,
    watch,
    async close() {
      watch.close();
      await prisma.$disconnect();
      await db.end();
    },
  };
}

/** Gets the database ready to be written to. Refuses keys that it does not know. Throws `ConfigurationError`. */
async function prepared(
  configuration: Configuration,
  db: Database,
): Promise<{ receiptSigner: ReceiptSigner; databaseClock: DatabaseClock }> {
  const databaseClock = await openDatabaseClock(db);
  const now = databaseClock.now();
  await requireSecretKeys(db, configuration.keyring);
  await continueTransactionNumbers(db);
  return { receiptSigner: await openReceiptKeys(configuration.receiptKeys, db, now), databaseClock };
}

/** Compares the configured keys with the database before a deployment; a sentence per fault. Writes nothing. */
export async function keyFaults({ databaseUrl, keyring, receiptKeys }: Configuration): Promise<string[]> {
  const db = openDatabase(databaseUrl, { connections: 1 });
  try {
    const checks = await Promise.allSettled([
      checkSecretKeys(db, keyring),
      checkReceiptKeys(receiptKeys, db, systemClock()),
    ]);
    const reasons = checks.flatMap((check) => (check.status === 'rejected' ? [check.reason as Error] : []));
    for (const reason of reasons) if (!(reason instanceof ConfigurationError)) throw reason;
    return reasons.map(({ message }) => message);
  } finally {
    await db.end();
  }
}

/** Asks the bucket of the archive once, or whether one is missing. Writes nothing. */
export async function archiveFault({ databaseUrl, archive }: Configuration): ReturnType<typeof bucketFault> {
  const db = openDatabase(databaseUrl, { connections: 1 });
  try {
    return await bucketFault(db, archive && openObjectStore(archive, 'archive_unreachable'));
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
