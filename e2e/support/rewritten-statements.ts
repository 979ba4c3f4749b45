import type pg from 'pg';
import { Batch, Statement } from '../../server/kernel/postgres/statement.ts';
import type { Unprepared } from '../../server/kernel/sql.ts';

/** A faulty build, as a change to one of its SQL statements. */
export interface Rewrite {
  /** Which statement, by part of its text. */
  where: string | RegExp;
  /** The statement to send instead: a text for the same values, or one without values; null sends nothing. */
  to: ((text: string, values: readonly unknown[]) => string | { withoutValues: string }) | null;
}

/** A service whose statements are rewritten as a faulty build would send them. */
export interface FaultyBuild {
  /** How often the fault struck. */
  readonly struck: number;
  /** The errors of the database meanwhile. */
  readonly refusals: readonly string[];
  mend(): void;
}

const sending = new WeakMap<pg.Pool, { rewrite: Rewrite | null; struck: number; refusals: string[] }>();

/** Rewrites statements sent through `pool` until restored; the sending code does not notice. */
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
    if (!(first instanceof Batch)) return send(first, ...rest);
    const statements = first.statements.map(
      ({ resolve, reject, ...sql }) =>
        new Statement(rewritten(sql, state), resolve, (error) => {
          state.refusals.push(String(error));
          reject(error);
        }),
    );
    return send(new Batch(statements), ...rest);
  };
  Object.assign(client, { query });
}

function rewritten(sent: Unprepared, state: { rewrite: Rewrite | null; struck: number }): Unprepared {
  const { rewrite } = state;
  if (!rewrite) return sent;
  const matches = typeof rewrite.where === 'string' ? sent.text.includes(rewrite.where) : rewrite.where.test(sent.text);
  if (!matches) return sent;
  state.struck += 1;
  const other = rewrite.to?.(sent.text, sent.values ?? []) ?? { withoutValues: 'select' };
  // Drop the name: it belongs to the prepared text.
  return typeof other === 'string' ? { text: other, values: sent.values ?? [] } : { text: other.withoutValues };
}
