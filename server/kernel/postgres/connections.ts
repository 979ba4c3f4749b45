import pg from 'pg';
import type { Sql, Unprepared } from '../sql.ts';
import { type Answer, Batch, Statement } from './statement.ts';

/** Most connections to share; transactions need the others. */
const lineCountMax = 4;

/**
 * A few connections shared by all callers in turn: all statements of one event-loop turn leave in one packet. Ten reads
 * at once take a quarter of their time on the pool (speed-up 1.9 to 8.1, `npm run bench -- tricks`).
 */
export function sharedLines(pool: pg.Pool): { run(statement: Sql): Promise<Answer>; end(): Promise<void> } {
  const lineCount = Math.max(1, Math.min(lineCountMax, Math.floor(pool.options.max / 2)));
  const lines = Array.from({ length: lineCount }, () => sharedLine(pool));
  let turn = 0;
  const ask = gathering((statements) => lines[turn++ % lineCount]?.send(statements), setImmediate);
  return {
    run: (statement) =>
      ask(statement).catch((error) => {
        if (!isOldPlan(error)) throw error;
        replaceConnections(pool);
        for (const line of lines) line.replace();
        return ask(statement);
      }),
    async end() {
      for (const line of lines) await line.end();
    },
  };
}

interface SharedLine {
  send(statements: readonly Statement[]): void;
  /** Releases the connection after its pending answers. The next statement takes another. */
  replace(): void;
  end(): Promise<void>;
}

/** One pool connection, taken at first use and replaced when lost. */
function sharedLine(pool: pg.Pool): SharedLine {
  let taken: Promise<pg.PoolClient> | undefined;
  const take = (): Promise<pg.PoolClient> => {
    const taking = connection(pool).then(async (client) => {
      let isHere = true;
      const drop = () => {
        if (taken === taking) taken = undefined;
        if (isHere) client.release(true);
        isHere = false;
      };
      client.on('error', drop);
      try {
        // Not `set local`: there is no transaction here. The connection stays here until it ends.
        await client.query('set synchronous_commit = off');
      } catch (error) {
        // It ended before anybody listened.
        drop();
        throw error;
      }
      return client;
    });
    return taking;
  };
  const letGo = (client: pg.PoolClient) => {
    client.removeAllListeners('error');
    client.on('error', () => {});
    client.release(true);
  };
  return {
    send(statements) {
      taken ??= take();
      taken.then(
        (client) => sendApart(client, statements),
        (error) => {
          taken = undefined;
          for (const { reject } of statements) reject(error);
        },
      );
    },
    replace() {
      const old = taken;
      taken = undefined;
      // Answers come in the order of the statements.
      old?.then((client) => client.query('select').finally(() => letGo(client))).catch(() => {});
    },
    async end() {
      const client = await taken?.catch(() => undefined);
      if (client) letGo(client);
    },
  };
}

/**
 * Lends `work` a pool connection. A schema change invalidates prepared statements; then replace the connections and run
 * `work` once more.
 */
export async function lend<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return lendOnce(pool, work).catch((error) => {
    if (!isOldPlan(error)) throw error;
    replaceConnections(pool);
    return lendOnce(pool, work);
  });
}

/** Whether a statement failed because its result type changed since it was prepared (0A000). */
function isOldPlan(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
}

interface Generations {
  current: number;
  of: WeakMap<pg.PoolClient, number>;
}

const generations = new WeakMap<pg.Pool, Generations>();

/** Tracks a pool's connections so that they can be replaced. Call once, before the first opens. */
export function noteGenerations(pool: pg.Pool): void {
  const noted: Generations = { current: 0, of: new WeakMap() };
  generations.set(pool, noted);
  pool.on('connect', (client) => noted.of.set(client, noted.current));
}

/** Stop using the connections opened so far. */
function replaceConnections(pool: pg.Pool): void {
  const noted = generations.get(pool);
  if (noted) noted.current += 1;
}

/** A pool connection that has not been replaced. */
async function connection(pool: pg.Pool): Promise<pg.PoolClient> {
  for (;;) {
    const client = await pool.connect();
    const noted = generations.get(pool);
    if (!noted || noted.of.get(client) === noted.current) return client;
    client.release(true);
  }
}

async function lendOnce<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await connection(pool);
  client.on('error', failsItsStatements);
  let lost: ConnectionLost | undefined;
  try {
    return await work(client);
  } catch (error) {
    if (error instanceof ConnectionLost) lost = error;
    throw lost?.cause ?? error;
  } finally {
    client.release(lost);
    client.removeListener('error', failsItsStatements);
  }
}

/** A connection that ends between two statements fails the next one. Without a listener it would end the process. */
function failsItsStatements(): void {}

/** Broken: the pool must drop it. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super('the database connection was lost', { cause });
  }
}

/** Sends independent statements in one packet; one may fail alone. */
function sendApart(client: pg.PoolClient, statements: readonly Statement[]): void {
  const { stream } = (client as unknown as { connection: pg.Connection }).connection;
  stream.cork();
  for (const statement of statements) client.query(new Batch([statement]));
  stream.uncork();
}

/** Runs one statement on a pool connection. */
export function runAlone(pool: pg.Pool, sql: Sql): Promise<Answer> {
  return lend(
    pool,
    (client) => new Promise((resolve, reject) => sendApart(client, [new Statement(sql, resolve, reject)])),
  );
}

/** Collects statements and sends them once `later` fires. */
export function gathering(
  send: (statements: readonly Statement[]) => void,
  later: (flush: () => void) => void,
): (sql: Unprepared) => Promise<Answer> {
  let gathered: Statement[] = [];
  const flush = () => {
    const statements = gathered;
    gathered = [];
    send(statements);
  };
  return (sql) =>
    new Promise((resolve, reject) => {
      // Throw here if it cannot be encoded, before anything is queued.
      const statement = new Statement(sql, resolve, reject);
      if (gathered.length === 0) later(flush);
      gathered.push(statement);
    });
}
