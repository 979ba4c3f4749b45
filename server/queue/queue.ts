import { PgBoss } from 'pg-boss';
import { isDatabaseTrouble, type Queries } from '../kernel/database.ts';
import { errorFields, log } from '../kernel/log.ts';
import { databaseOutage } from '../kernel/outage.ts';
import { sql } from '../kernel/sql.ts';
import { traceparent } from '../kernel/trace.ts';
import type { Tx } from '../kernel/transaction.ts';
import { seconds } from '../service/terms.ts';

/** The queue of work to do, in the same database as the purchases. */
export interface Queue {
  readonly boss: PgBoss;
  stop(): Promise<void>;
}

/** Collected jobs whose work is to be checked. */
export const checkQueue = 'check';

export interface CheckMessage {
  job_key: string;
  /** Of the request that queued it, while traces are sent. */
  traceparent?: string;
}

/** Letters to write. A message says what about; whether and to whom is decided when it is sent. Rooms define their own. */
export const letterQueue = 'letter';

export interface LetterMessage {
  readonly kind: string;
}

/**
 * A mail server that is down for a while: tried again after 2, 4, 8 … seconds, for about a quarter of an hour. A worker
 * that sends gives a sign of life; what a dead one held is somebody else's soon after the time without one, the shortest
 * that the queue allows.
 */
const letterTries = { retryLimit: 8, retryDelay: 2, retryBackoff: true, heartbeatSeconds: 10 };

/** Workers look so often for messages whose worker is gone. */
const superviseSeconds = 5;

/**
 * Puts the queue's own tables into the database, or brings them up to date. Part of migrating it, under the lock of the
 * migrations, so that processes which start at the same time never do it twice.
 */
export async function installQueue(databaseUrl: string): Promise<void> {
  const boss = new PgBoss({ connectionString: databaseUrl, max: 1, supervise: false, schedule: false });
  boss.on('error', (error) => log('queue_error', errorFields(error)));
  await boss.start();
  // Tries are counted by the job's own fence, and lost messages are found by the sweep.
  await boss.createQueue(checkQueue, {
    // A job waits once, however often the sweep asks for it.
    policy: 'short',
    notify: true,
    retryLimit: 0,
    expireInSeconds: seconds.executionDeadline,
    deleteAfterSeconds: 3_600,
  });
  const letters = { notify: true, ...letterTries, expireInSeconds: 60, deleteAfterSeconds: 3_600 };
  await boss.createQueue(letterQueue, letters);
  // A queue that was there before keeps what it was made with, unless it is told.
  await boss.updateQueue(letterQueue, letters);
  await boss.stop({ graceful: false, close: true });
}

/** Opens the queue of a migrated database. Only a worker supervises it; a web process just writes to it. */
export async function openQueue(databaseUrl: string, role: 'sender' | 'worker', name: string): Promise<Queue> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    max: role === 'worker' ? 6 : 2,
    application_name: name,
    supervise: role === 'worker',
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    schedule: false,
    migrate: false,
    useListenNotify: role === 'worker',
  });
  boss.on('error', (error) => {
    if (isDatabaseTrouble(error)) databaseOutage.failed(error);
    else log('queue_error', errorFields(error));
  });
  await boss.start();
  return { boss, stop: () => boss.stop({ graceful: false, close: true }) };
}

/** Queues the check of a job in the caller's transaction: no commit, no message; no message without the commit. */
export function enqueueCheck(tx: Tx, queue: Queue, jobKey: string): void {
  const parent = traceparent();
  const message: CheckMessage = { job_key: jobKey, ...(parent ? { traceparent: parent } : {}) };
  tx.join((run) => queue.boss.send(checkQueue, message, { singletonKey: jobKey, db: { executeSql: run } }));
}

/** Which trace the newest message about a job belongs to; null when none is known. Asked only while traces are sent. */
export async function traceOf(db: Queries, jobKey: string): Promise<string | null> {
  const message = await db.maybe<{ parent: string | null }>(sql`
    select data ->> 'traceparent' as parent from pgboss.job
    where name = ${checkQueue} and singleton_key = ${jobKey} order by created_on desc limit 1`);
  return message?.parent ?? null;
}

/** Queues a letter in the caller's transaction: a message of the room that writes it. */
export function enqueueLetter<Message extends LetterMessage>(tx: Tx, queue: Queue, message: NoInfer<Message>): void {
  tx.join((run) => queue.boss.send(letterQueue, message, { db: { executeSql: run } }));
}
