import type pg from 'pg';
import { type Database, inFailedTransaction, type Queries, queriesOn, sqlState } from './database.ts';
import { ConnectionLost, gathering, lend } from './postgres/connections.ts';
import { type Answer, Batch } from './postgres/statement.ts';
import { type Sql, sql, statement, type Unprepared } from './sql.ts';

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
export function transact<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return lend(database.pool, (client) => runOn(client, work));
}

async function runOn<T>(client: pg.PoolClient, work: (tx: Tx) => Promise<T>): Promise<T> {
  const sent: Promise<Answer>[] = [];
  const joined: Promise<unknown>[] = [];
  let open = true;
  // What is sent without waiting for each other goes together.
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
    // What the database had to give up it rolls back, which must not pass for success.
    if ((await committed).tag !== 'COMMIT') throw new Error('the transaction was rolled back');
    return result;
  } catch (error) {
    open = false;
    const settled = await Promise.allSettled([...sent, ...joined]);
    await client.query('rollback').catch(() => {
      throw new ConnectionLost(error);
    });
    // What is sent after a failure only hears that the transaction has failed: the first to fail knows why.
    const cause = settled.find((result) => result.status === 'rejected');
    throw sqlState(error) === inFailedTransaction && cause ? cause.reason : error;
  }
}

/** Awaited before the commit, or before giving up; until then a failure must not count as unhandled. */
function noted<R>(list: Promise<R>[], promise: Promise<R>): Promise<R> {
  promise.catch(() => {});
  list.push(promise);
  return promise;
}
