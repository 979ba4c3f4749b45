import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { isDatabaseTrouble, type Queries, silenceMaxMs } from '../kernel/database.ts';
import { errorFields, log } from '../kernel/log.ts';
import { databaseOutage } from '../kernel/outage.ts';
import { SteadyClient } from '../kernel/postgres/steady-client.ts';
import { sql } from '../kernel/sql.ts';
import { traceparent } from '../kernel/trace.ts';
import type { Tx } from '../kernel/transaction.ts';
import { seconds } from '../service/terms.ts';

/** The work queue, in the same database as the purchases. */
export interface Queue {
  readonly boss: PgBoss;
  stop(): Promise<void>;
}

/** Collected jobs to check. */
export const checkQueue = 'check';

export interface CheckMessage {
  job_key: string;
  /** The trace of the request that queued it, while traces are exported. */
  traceparent?: string;
}

/** Letters to write. A message says what about; whether and to whom is decided on sending. Rooms define their own. */
export const letterQueue = 'letter';

export interface LetterMessage {
  readonly kind: string;
}

/** Letters that failed every try. They wait here until an operator retries them. */
export const deadLetterQueue = 'dead_letter';
const deadLetterDays = 14;

/**
 * Retry a mail server after 2, 4, 8 … seconds, for about a quarter of an hour. Workers renew while sending; a dead
 * worker's message is free after the shortest time that the queue allows.
 */
const letterTries = { retryLimit: 8, retryDelay: 2, retryBackoff: true, heartbeatSeconds: 10 };

/** How often to look for messages of dead workers. */
const superviseSeconds = 5;

/** Creates or updates the queue's tables. Runs under the migrations' lock. */
export async function installQueue(databaseUrl: string): Promise<void> {
  const options = { connectionString: databaseUrl, max: 1, supervise: false, schedule: false, Client: SteadyClient };
  const boss = new PgBoss(options);
  boss.on('error', (error) => log('queue_error', errorFields(error)));
  await boss.start();
  // No retries here: jobs count tries by their fence, and the sweep finds lost messages.
  await boss.createQueue(checkQueue, {
    // One message a job, however often the sweep asks.
    policy: 'short',
    notify: true,
    retryLimit: 0,
    expireInSeconds: seconds.executionDeadline,
    deleteAfterSeconds: 3_600,
  });
  await boss.createQueue(deadLetterQueue, { retentionSeconds: deadLetterDays * 86_400 });
  const letters = {
    notify: true,
    ...letterTries,
    expireInSeconds: 60,
    deleteAfterSeconds: 3_600,
    deadLetter: deadLetterQueue,
  };
  await boss.createQueue(letterQueue, letters);
  // Update the settings of an existing queue.
  await boss.updateQueue(letterQueue, letters);
  await boss.stop({ graceful: false, close: true });
}

/** Opens the queue of a migrated database. Workers supervise it; web processes only write. */
export async function openQueue(databaseUrl: string, role: 'sender' | 'worker', name: string): Promise<Queue> {
  // It listens for notifications on a client that it names itself.
  Object.assign(pg, { Client: SteadyClient });
  const options = {
    connectionString: databaseUrl,
    max: role === 'worker' ? 6 : 2,
    application_name: name,
    supervise: role === 'worker',
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    schedule: false,
    migrate: false,
    useListenNotify: role === 'worker',
    silenceMaxMs,
    Client: SteadyClient,
  };
  const boss = new PgBoss(options);
  boss.on('error', (error) => {
    if (isDatabaseTrouble(error)) databaseOutage.failed(error);
    else log('queue_error', errorFields(error));
  });
  await boss.start();
  return { boss, stop: () => boss.stop({ graceful: false, close: true }) };
}

/** Queues a job's check in the caller's transaction. */
export function enqueueCheck(tx: Tx, queue: Queue, jobKey: string): void {
  const parent = traceparent();
  const message: CheckMessage = { job_key: jobKey, ...(parent ? { traceparent: parent } : {}) };
  tx.join((run) => queue.boss.send(checkQueue, message, { singletonKey: jobKey, db: { executeSql: run } }));
}

/** The trace of the newest message about a job, if known. Called only while traces are exported. */
export async function traceOf(db: Queries, jobKey: string): Promise<string | null> {
  const message = await db.maybe<{ parent: string | null }>(sql`
    select data ->> 'traceparent' as parent from pgboss.job
    where name = ${checkQueue} and singleton_key = ${jobKey} order by created_on desc limit 1`);
  return message?.parent ?? null;
}

/** Queues a letter in the caller's transaction. */
export function enqueueLetter<Message extends LetterMessage>(tx: Tx, queue: Queue, message: NoInfer<Message>): void {
  tx.join((run) => queue.boss.send(letterQueue, message, { db: { executeSql: run } }));
}

/**
 * Returns dead letters to their queue in the caller's transaction, each with all its tries. Returns how many there
 * were.
 */
export async function redriveLetters(tx: Tx, queue: Queue, ids: readonly string[]): Promise<number> {
  let moved: Promise<number> = Promise.resolve(0);
  tx.join((run) => {
    moved = queue.boss.redrive(deadLetterQueue, { ids: [...ids], limit: ids.length, db: { executeSql: run } });
    return moved;
  });
  return moved;
}
