import type pg from 'pg';
import { type Database, inFailedTransaction, type Queries, queriesOn, sqlState } from './database.ts';
import { ConnectionLost, gathering, lend } from './postgres/connections.ts';
import { type Answer, Batch } from './postgres/statement.ts';
import { type Sql, sql, statement, type Unprepared } from './sql.ts';

/** An open transaction. Don't let it outlive its function. */
export interface Tx extends Queries {
  /** Sends a statement without waiting. A failure fails the transaction. */
  write(statement: Sql): void;
  /** Adds concurrent work to the transaction, e.g. a library's. Awaited before the commit. */
  join(work: (run: (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>) => Promise<unknown>): void;
}

/**
 * Runs `work` in one transaction: all or nothing. No network calls inside. `begin`, writes and `commit` are pipelined:
 * a transaction takes as many round trips as answers it waits for, plus one.
 */
export function transact<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return lend(database.pool, (client) => runOn(client, work));
}

async function runOn<T>(client: pg.PoolClient, work: (tx: Tx) => Promise<T>): Promise<T> {
  const sent: Promise<Answer>[] = [];
  const joined: Promise<unknown>[] = [];
  let open = true;
  // Pipeline statements that nobody waits for.
  const gather = gathering((statements) => client.query(new Batch(statements)), process.nextTick);
  const run = (query: Unprepared): Promise<Answer> => {
    if (!open) throw new Error('the transaction is over');
    return noted(sent, gather(query));
  };
  const tx: Tx = {
    ...queriesOn(run),
    write: run,
    join(joining) {
      noted(
        joined,
        joining((text, values) => run(values ? statement(text, values) : { text })),
      );
    },
  };
  run(sql`begin`);
  try {
    const result = await work(tx);
    await Promise.all(joined);
    const committed = run(sql`commit`);
    open = false;
    await Promise.all(sent);
    // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK: throw.
    if ((await committed).tag !== 'COMMIT') throw new Error('the transaction was rolled back');
    return result;
  } catch (error) {
    open = false;
    const settled = await Promise.allSettled([...sent, ...joined]);
    await client.query('rollback').catch(() => {
      throw new ConnectionLost(error);
    });
    // Report the first failure; later statements only hear that the transaction failed.
    const cause = settled.find((result) => result.status === 'rejected');
    throw sqlState(error) === inFailedTransaction && cause ? cause.reason : error;
  }
}

/** Awaited before commit or rollback; don't report it as unhandled until then. */
function noted<R>(list: Promise<R>[], promise: Promise<R>): Promise<R> {
  promise.catch(() => {});
  list.push(promise);
  return promise;
}
