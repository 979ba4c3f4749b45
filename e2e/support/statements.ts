import type pg from 'pg';
import { Batch } from '../../server/kernel/postgres/statement.ts';

/** Sent now and then, whatever is asked: the database's clock beside the process's own. */
const clocks = 'select clock_timestamp() as at';

/** The SQL statements that a process sends. */
export class Statements {
  readonly #tapped = new WeakSet<pg.PoolClient>();
  #sent: string[] | null = null;

  constructor(pool: pg.Pool) {
    pool.on('acquire', (client) => this.#tap(client));
  }

  /** Runs `work`; returns its result and the statements sent meanwhile, in order. */
  async during<T>(work: () => Promise<T>): Promise<{ result: T; statements: string[] }> {
    const sent: string[] = [];
    this.#sent = sent;
    try {
      return { result: await work(), statements: sent };
    } finally {
      this.#sent = null;
    }
  }

  #tap(client: pg.PoolClient): void {
    if (this.#tapped.has(client)) return;
    this.#tapped.add(client);
    const send = client.query.bind(client) as (...args: unknown[]) => unknown;
    const query = (first: string | { text: string }, ...rest: unknown[]): unknown => {
      const sent = typeof first === 'string' ? [{ text: first }] : first instanceof Batch ? first.statements : [first];
      this.#sent?.push(...sent.map(({ text }) => text).filter((text) => text !== clocks));
      return send(first, ...rest);
    };
    Object.assign(client, { query });
  }
}
