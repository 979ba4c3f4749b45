import type pg from 'pg';
import { Statement } from '../../server/kernel/statement.ts';

/** How a faulty build differs from the right one: in a statement that it sends to the database. */
export interface Rewrite {
  /** Which statement, by a part of its text. */
  where: string | RegExp;
  /** What the faulty build sends in its place: a text for the same values, or one without; null sends nothing. */
  to: ((text: string, values: readonly unknown[]) => string | { withoutValues: string }) | null;
}

/** A service whose statements are sent as a faulty build would send them. */
export interface FaultyBuild {
  /** How often the fault struck. */
  readonly struck: number;
  /** What the database refused meanwhile. */
  readonly refusals: readonly string[];
  mend(): void;
}

const sending = new WeakMap<pg.Pool, { rewrite: Rewrite | null; struck: number; refusals: string[] }>();

/** Rewrites what goes through `pool` until it is mended. The code that sends it knows nothing of it. */
export function breakStatements(pool: pg.Pool, rewrite: Rewrite): FaultyBuild {
  const known = sending.get(pool);
  const state = known ?? { rewrite: null, struck: 0, refusals: [] };
  if (!known) {
    sending.set(pool, state);
    const tapped = new WeakSet<pg.PoolClient>();
    pool.on('acquire', (client) => {
      if (tapped.has(client)) return;
      tapped.add(client);
      tap(client, state);
    });
  }
  Object.assign(state, { rewrite, struck: 0, refusals: [] });
  return {
    get struck() {
      return state.struck;
    },
    get refusals() {
      return state.refusals;
    },
    mend: () => {
      state.rewrite = null;
    },
  };
}

function tap(client: pg.PoolClient, state: { rewrite: Rewrite | null; struck: number; refusals: string[] }): void {
  const send = client.query.bind(client) as (...args: unknown[]) => unknown;
  const query = (first: unknown, ...rest: unknown[]): unknown => {
    const noteRefusal = (error: unknown) => error && state.refusals.push(String(error));
    const noting = (argument: unknown) =>
      typeof argument === 'function'
        ? (...outcome: unknown[]) => {
            noteRefusal(outcome[0]);
            argument(...outcome);
          }
        : argument;
    // The pool passes a callback, a statement brings its own, and the word that ends a transaction gives a promise.
    if (first instanceof Statement) Object.assign(first, { callback: noting(Reflect.get(first, 'callback')) });
    const sent = send(rewritten(first, state), ...rest.map(noting));
    if (sent instanceof Promise) sent.catch(noteRefusal);
    return sent;
  };
  Object.assign(client, { query });
}

function rewritten(first: unknown, state: { rewrite: Rewrite | null; struck: number }): unknown {
  const { rewrite } = state;
  const text = typeof first === 'string' ? first : (first as { text?: string }).text;
  if (!rewrite || !text) return first;
  const matches = typeof rewrite.where === 'string' ? text.includes(rewrite.where) : rewrite.where.test(text);
  if (!matches) return first;
  state.struck += 1;
  const values = (first as { values?: unknown[] }).values ?? [];
  const sent = rewrite.to?.(text, values) ?? { withoutValues: 'select' };
  // Without its name, which belongs to the text that was prepared under it.
  const other = typeof sent === 'string' ? { text: sent, values } : { text: sent.withoutValues, values: undefined };
  return first instanceof Statement ? Object.assign(first, other, { name: undefined }) : other;
}
