import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { Sql } from './sql.ts';
import { type Answer, Statement, types } from './statement.ts';

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

/** Opens the pool of a process. Statements on one connection are pipelined: sent without waiting for the one before. */
export function openDatabase(url: string, connections = 16): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    types,
    pipeline: true,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  } as pg.PoolConfig);
  // An idle connection that the server ends is replaced at the next query; without a listener it would end the process.
  pool.on('error', () => {});
  const lines = sharedLines(pool);
  return {
    pool,
    shared: queriesOn(lines.run),
    async end() {
      await lines.end();
      await pool.end();
    },
    ...queriesOn(({ name, text, values }) => pool.query({ name, text, values: [...values] })),
  };
}

/** As many connections are shared. */
const lineCount = 4;

interface SharedLine {
  run(statement: Sql): Promise<Answer>;
  end(): Promise<void>;
}

/**
 * A few connections that all callers share, in turn: what is asked while the event loop goes round once goes through
 * one of them, in one packet. The busier the process, the fewer writes a statement costs.
 */
function sharedLines(pool: pg.Pool): SharedLine {
  const lines = Array.from({ length: lineCount }, () => sharedLine(pool));
  let turn = 0;
  let filling: SharedLine | undefined;
  return {
    run(statement) {
      if (!filling) {
        filling = lines[turn++ % lineCount];
        setImmediate(() => {
          filling = undefined;
        });
      }
      return (filling as SharedLine).run(statement);
    },
    async end() {
      for (const line of lines) await line.end();
    },
  };
}

/** One connection of the pool, taken at the first use and replaced when it is lost. */
function sharedLine(pool: pg.Pool): SharedLine {
  let taken: Promise<pg.PoolClient> | undefined;
  const take = async () => {
    const client = await pool.connect();
    client.once('error', () => {
      taken = undefined;
      client.release(true);
    });
    await client.query('set synchronous_commit = off');
    return client;
  };
  return {
    async run(statement) {
      taken ??= take().catch((error) => {
        taken = undefined;
        throw error;
      });
      return ask(await taken, statement, setImmediate);
    },
    async end() {
      const client = await taken?.catch(() => undefined);
      client?.removeAllListeners('error');
      client?.on('error', () => {});
      client?.release(true);
    },
  };
}

const held = new WeakSet<Duplex>();

/**
 * Sends a statement. Those that are sent without waiting for each other leave in one packet, which costs one write;
 * `later` says when.
 */
export function ask(
  client: pg.PoolClient,
  query: string | Sql,
  later: (flush: () => void) => void = process.nextTick,
): Promise<Answer> {
  const { stream } = (client as unknown as { connection: pg.Connection }).connection;
  if (!held.has(stream)) {
    held.add(stream);
    stream.cork();
    later(() => {
      held.delete(stream);
      stream.uncork();
    });
  }
  const sent = typeof query === 'string' ? { text: query } : query;
  return new Promise((resolve, reject) => {
    client.query(new Statement(sent, (error, answer) => (error ? reject(error) : resolve(answer))));
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

/** The SQLSTATE of a database error, if it is one. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** The constraint that a database error is about, if it is about one. */
export function constraintOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}

export const inFailedTransaction = '25P02';
export const checkViolation = '23514';
export const lockNotAvailable = '55P03';
export const uniqueViolation = '23505';
