import pg from 'pg';
import { noteGenerations, runAlone, sharedLines } from './postgres/connections.ts';
import { NoPrimary } from './postgres/primary.ts';
import { types } from './postgres/statement.ts';
import { SteadyClient } from './postgres/steady-client.ts';
import type { Sql } from './sql.ts';

/** Reads and writes rows, inside and outside a transaction. */
export interface Queries {
  /** Every row. The statement bounds how many. */
  many<Row>(statement: Sql): Promise<Row[]>;
  /** The only row. Throws when there is none. */
  one<Row>(statement: Sql): Promise<Row>;
  /** The row, if there is one. */
  maybe<Row>(statement: Sql): Promise<Row | undefined>;
}

export interface Database extends Queries {
  /**
   * For reads, and for counts that a crash may lose. Callers share a few connections, and what they ask at once leaves
   * in one packet. Never wait for a lock here: it holds up the others.
   */
  readonly shared: Queries;
  readonly pool: pg.Pool;
  end(): Promise<void>;
}

/** Give up connecting after this. */
export const connectTimeoutMs = 5_000;
/** Time-out of a row lock; the caller answers "try again". */
const lockTimeoutMs = 5_000;
/** Time-out of any statement. */
const statementTimeoutMs = 15_000;
/**
 * A transaction waits only for its process. Without this limit, a frozen process or a machine that vanished would hold
 * its locks for hours.
 */
const idleInTransactionMs = 15_000;
/**
 * An answer that takes longer never comes: the machine vanished, or a commit waits for a replica that is gone. What
 * became of the statement is unknown then.
 */
export const silenceMaxMs = statementTimeoutMs + 5_000;

/**
 * A commit counts once each synchronous replica shows it, where there are any (`synchronous_standby_names`): what was
 * acknowledged outlives the primary.
 */
const synchronousCommit = 'remote_apply';

/** What a session is set to. */
export const settings = {
  lock_timeout: lockTimeoutMs,
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: idleInTransactionMs,
  synchronous_commit: synchronousCommit,
  // Statements find rows by keys, so one plan fits all values. Otherwise PostgreSQL re-plans wide statements at each
  // execution, which takes longer than executing them.
  plan_cache_mode: 'force_generic_plan',
};

/** The same settings for other libraries, in libpq's form. */
export const sessionOptions = Object.entries(settings)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** Opens the pool of a process. Statements on one connection are pipelined. `answerMs`: how long an answer may take. */
export function openDatabase(
  url: string,
  { connections = 16, name = 'work-check', answerMs = silenceMaxMs } = {},
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: name,
    keepAlive: true,
    types,
    pipeline: true,
    options: sessionOptions,
    silenceMaxMs: answerMs,
    Client: SteadyClient,
  } as pg.PoolConfig);
  // The pool replaces a lost idle connection. Without a listener, the error would end the process.
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

/** `Queries` over anything that runs a statement. */
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

/** The SQLSTATE of a database error, from a statement or from Prisma. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) return error.code;
  const { meta } = (error ?? {}) as { meta?: { driverAdapterError?: { cause?: { originalCode?: string } } } };
  return meta?.driverAdapterError?.cause?.originalCode;
}

/** The constraint that a database error names. */
export function constraintOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}

/**
 * SQLSTATEs of a database that cannot serve now (PostgreSQL 18, appendix A): connections, resources, operator
 * intervention, time-outs, deadlocks, a replica that was a primary.
 */
const troubleStates = /^(?:08|53|57P|57014|58|25006|25P0[34]|40P01|55000|3D000|28)/;
/** Errors of Node and the driver for a connection that failed or was lost; of OpenSSL for a certificate that ended. */
const troubleCodes =
  /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EMFILE|ENFILE|ENOTFOUND|EAI_|P10|CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;
const troubleMessages =
  /^(?:Connection terminated|Client (?:has encountered a connection error|was closed)|timeout exceeded when trying to connect|the database connection was lost)/;

/** Whether the database is in trouble, rather than the statement. */
export function isDatabaseTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof NoPrimary) return true;
  const state = sqlState(error);
  if (state !== undefined) return troubleStates.test(state);
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof AggregateError) return error.errors.every(isDatabaseTrouble);
  return troubleCodes.test(code ?? '') || troubleMessages.test(error.message);
}

/** Whether the database refused a write: an integrity constraint (class 23) or a trigger (P0001). */
export function isIntegrityViolation(error: unknown): boolean {
  return /^(?:23|P0001)/.test(sqlState(error) ?? '');
}

export const inFailedTransaction = '25P02';
export const checkViolation = '23514';
export const lockNotAvailable = '55P03';
export const uniqueViolation = '23505';
