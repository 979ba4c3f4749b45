import type pg from 'pg';
import { ask, type Database, inFailedTransaction, type Queries, queriesOn, sqlState } from './database.ts';
import { type Sql, statement } from './sql.ts';
import type { Answer } from './statement.ts';

/** A transaction in progress. It must not outlive the function it was given to. */
export interface Tx extends Queries {
  /** Sends a statement whose answer nobody needs. Its failure fails the transaction. */
  write(statement: Sql): void;
  /** Lets work go on in this transaction beside the rest, e.g. that of a library. Awaited before the commit is sent. */
  join(work: (run: (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>) => Promise<unknown>): void;
}

/**
 * Runs `work` in one transaction: all of it is committed, or none. It never talks to the network in between, so a
 * transaction lasts as long as its statements. `begin`, writes and `commit` are pipelined: a transaction costs as many
 * round trips as it has answers to wait for, plus one.
 */
export async function transact<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await database.pool.connect();
  client.on('error', failsItsStatements);
  let broken: Error | undefined;
  try {
    return await runOn(client, work);
  } catch (error) {
    if (error instanceof ConnectionLost) broken = error;
    throw error instanceof ConnectionLost ? error.cause : error;
  } finally {
    client.release(broken);
    client.removeListener('error', failsItsStatements);
  }
}

/** A connection that ends between two statements fails the next one. Unheard, its end would end the process. */
function failsItsStatements(): void {}

async function runOn<T>(client: pg.PoolClient, work: (tx: Tx) => Promise<T>): Promise<T> {
  const sent: Promise<unknown>[] = [];
  const joined: Promise<unknown>[] = [];
  let open = true;
  const send = <R>(list: Promise<unknown>[], promise: Promise<R>): Promise<R> => {
    // Awaited before the commit; until then a failure must not count as unhandled.
    promise.catch(() => {});
    list.push(promise);
    return promise;
  };
  const run = (query: string | Sql): Promise<Answer> => {
    if (!open) throw new Error('the transaction is over');
    return ask(client, query);
  };
  const tx: Tx = {
    ...queriesOn(run),
    write(writing) {
      send(sent, run(writing));
    },
    join(joining) {
      send(
        joined,
        joining((text, values) => run(values ? statement(text, values) : text)),
      );
    },
  };
  send(sent, run('begin'));
  try {
    const result = await work(tx);
    await Promise.all(joined);
    const committed = run('commit');
    open = false;
    // A failed statement turns the commit into a rollback, which must not pass for success.
    const [commit] = await Promise.all([committed, ...sent]);
    if (commit.tag !== 'COMMIT') throw new Error('the transaction was rolled back');
    return result;
  } catch (error) {
    open = false;
    const settled = await Promise.allSettled([...sent, ...joined]);
    await client.query('rollback').catch(() => {
      throw new ConnectionLost(error);
    });
    // What is awaited after a failed write only hears that the transaction has failed: the write knows why.
    const cause = settled.find((result) => result.status === 'rejected');
    throw sqlState(error) === inFailedTransaction && cause ? cause.reason : error;
  }
}

/** The connection cannot be used again; the pool must drop it. */
class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super('the database connection was lost', { cause });
  }
}
