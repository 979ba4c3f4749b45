import pg from 'pg';
import { noteGenerations, runAlone, sharedLines } from './postgres/connections.ts';
import { types } from './postgres/statement.ts';
import type { Sql } from './sql.ts';

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
    ...queriesOn((sql) => runAlone(pool, sql)),
  };
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

/** Whether the database refused what was written: an integrity constraint (class 23), or a trigger that raised (P0001). */
export function isIntegrityViolation(error: unknown): boolean {
  return /^(?:23|P0001)/.test(sqlState(error) ?? '');
}

export const inFailedTransaction = '25P02';
export const checkViolation = '23514';
export const lockNotAvailable = '55P03';
export const uniqueViolation = '23505';
