import pg from 'pg';
import type { Sql, Unprepared } from './sql.ts';
import { type Answer, Batch, Statement, types } from './statement.ts';

/** Reading and writing rows: the same three questions inside and outside a transaction. */
export interface Queries {
  /** Every row. The statement itself bounds how many. */
  many<Row>(statement: Sql): Promise<Row[]>;
  /** The only row. Throws when there is none: use it where a row must exist. */
  one<Row>(statement: Sql): Promise<Row>;
  /** The row, if there is one. */
  maybe<Row>(statement: Sql): Promise<Row | undefined>;
}

export interface Database extends Queries {
  /**
   * For reads, and for counts that may be lost in a crash: many callers share a few connections, and what they ask at
   * once leaves in one packet. A statement that waits for a lock would hold the others up.
   */
  readonly shared: Queries;
  readonly pool: pg.Pool;
  end(): Promise<void>;
}

/** A connection that is not to be had for so long is not waited for any longer. */
export const connectTimeoutMs = 5_000;
/** A statement that waits longer than this for a row lock gives up; the caller answers "try again". */
const lockTimeoutMs = 5_000;
/** No statement of a purchase takes longer than this unless something is broken. */
const statementTimeoutMs = 15_000;
/**
 * A transaction waits for nothing but its process. One that is frozen, or whose machine is gone without a word, would
 * keep its rows from everybody for as long as the network takes it for alive, which is hours.
 */
const idleInTransactionMs = 15_000;

const settings = {
  lock_timeout: lockTimeoutMs,
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: idleInTransactionMs,
  // Every statement finds its rows by keys, so one plan serves all values. Left to choose, PostgreSQL plans the wide
  // ones anew at each execution, which takes longer than executing them.
  plan_cache_mode: 'force_generic_plan',
};

/** The same for whatever opens connections of its own, as libpq takes them. */
export const sessionOptions = Object.entries(settings)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** Opens the pool of a process. Statements on one connection are pipelined: sent without waiting for the one before. */
export function openDatabase(url: string, { connections = 16, name = 'work-check' } = {}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: name,
    keepAlive: true,
    types,
    pipeline: true,
    options: sessionOptions,
  } as pg.PoolConfig);
  // An idle connection that the server ends is replaced at the next query; without a listener it would end the process.
  pool.on('error', () => {});
  noteGenerations(pool);
  const lines = sharedLines(pool);
  return {
    pool,
    shared: queriesOn(lines.run),
    async end() {
      await lines.end();
      await pool.end();
    },
    ...queriesOn((sql) =>
      lend(
        pool,
        (client) => new Promise((resolve, reject) => sendApart(client, [new Statement(sql, resolve, reject)])),
      ),
    ),
  };
}

/** As many connections are shared. */
const lineCount = 4;

/**
 * A few connections that all callers share, in turn: what is asked while the event loop goes round once goes through
 * one of them, in one packet. The busier the process, the fewer writes a statement costs.
 */
function sharedLines(pool: pg.Pool): { run(statement: Sql): Promise<Answer>; end(): Promise<void> } {
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
  /** Lets the connection go once it has answered what was asked of it. The next statement takes another. */
  replace(): void;
  end(): Promise<void>;
}

/** One connection of the pool, taken at the first use and replaced when it is lost. */
function sharedLine(pool: pg.Pool): SharedLine {
  let taken: Promise<pg.PoolClient> | undefined;
  const take = (): Promise<pg.PoolClient> => {
    const taking = connection(pool).then(async (client) => {
      client.once('error', () => {
        if (taken === taking) taken = undefined;
        client.release(true);
      });
      await client.query('set synchronous_commit = off');
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
      // Answers come in the order of the questions.
      old?.then((client) => client.query('select').finally(() => letGo(client))).catch(() => {});
    },
    async end() {
      const client = await taken?.catch(() => undefined);
      if (client) letGo(client);
    },
  };
}

/**
 * Lends `work` a connection of the pool. A statement that was prepared before a column was added, or changed, cannot be
 * executed again on its connection: then the connections are replaced, and `work` is done once more.
 */
export async function lend<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return lendOnce(pool, work).catch((error) => {
    if (!isOldPlan(error)) throw error;
    replaceConnections(pool);
    return lendOnce(pool, work);
  });
}

/** Whether a statement failed because what it answers has changed since it was prepared (0A000). */
function isOldPlan(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
}

interface Generations {
  current: number;
  of: WeakMap<pg.PoolClient, number>;
}

const generations = new WeakMap<pg.Pool, Generations>();

function noteGenerations(pool: pg.Pool): void {
  const noted: Generations = { current: 0, of: new WeakMap() };
  generations.set(pool, noted);
  pool.on('connect', (client) => noted.of.set(client, noted.current));
}

/** From now on no connection is used that was there before. */
function replaceConnections(pool: pg.Pool): void {
  const noted = generations.get(pool);
  if (noted) noted.current += 1;
}

/** A connection of the pool that has not been replaced. */
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

/** A connection that ends between two statements fails the next one. Unheard, its end would end the process. */
function failsItsStatements(): void {}

/** The connection cannot be used again; the pool must drop it. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super('the database connection was lost', { cause });
  }
}

/** Sends statements that have nothing to do with each other: one may fail alone. They leave in one packet. */
function sendApart(client: pg.PoolClient, statements: readonly Statement[]): void {
  const { stream } = (client as unknown as { connection: pg.Connection }).connection;
  stream.cork();
  for (const statement of statements) client.query(new Batch([statement]));
  stream.uncork();
}

/** Gathers statements, and gives them to `send` when `later` says that no more will come now. */
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
      // One that cannot be sent throws here, before anything is planned for it.
      const statement = new Statement(sql, resolve, reject);
      if (gathered.length === 0) later(flush);
      gathered.push(statement);
    });
}

/** `Queries` over anything that can run a statement. */
export function queriesOn(run: (statement: Sql) => Promise<{ rows: unknown[] }>): Queries {
  const many = async <Row>(statement: Sql) => (await run(statement)).rows as Row[];
  return {
    many,
    async one<Row>(statement: Sql) {
      const [row] = await many<Row>(statement);
      if (row === undefined) throw new Error(`no row: ${statement.text.slice(0, 80)}`);
      return row;
    },
    async maybe<Row>(statement: Sql) {
      const [row] = await many<Row>(statement);
      return row;
    },
  };
}

/** The SQLSTATE of a database error, if it is one: of a statement, or of a read through models. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) return error.code;
  const { meta } = (error ?? {}) as { meta?: { driverAdapterError?: { cause?: { originalCode?: string } } } };
  return meta?.driverAdapterError?.cause?.originalCode;
}

/** The constraint that a database error is about, if it is about one. */
export function constraintOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}

/**
 * SQLSTATEs (PostgreSQL 18, appendix A) of a database that cannot serve now, whatever it was asked: connections, what it
 * runs out of, its operator, time-outs, deadlocks; and one that takes no connections.
 */
const troubleStates = /^(?:08|53|57P|57014|58|25P0[34]|40P01|55000|3D000|28)/;
/** What Node and the driver say of a connection that cannot be made, or is lost. */
const troubleCodes = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_|P10)/;
const troubleMessages =
  /^(?:Connection terminated|timeout exceeded when trying to connect|the database connection was lost)/;

/** Whether the database itself is in trouble, and not what it was asked. */
export function isDatabaseTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const state = sqlState(error);
  if (state !== undefined) return troubleStates.test(state);
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof AggregateError) return error.errors.every(isDatabaseTrouble);
  return troubleCodes.test(code ?? '') || troubleMessages.test(error.message);
}

export const inFailedTransaction = '25P02';
export const checkViolation = '23514';
export const lockNotAvailable = '55P03';
export const uniqueViolation = '23505';
