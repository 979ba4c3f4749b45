import type pg from 'pg';

/** Faults that are planted in a database, to see whether it refuses them and the checkers name them. */

/** A fault, as what a build with it would leave. */
export interface PlantedFault<Victims> {
  fault: string;
  /** What a build with this fault would leave in the database. */
  rows: (victims: Victims) => string;
  /** How the database refuses it. */
  refused?: RegExp;
  /** How the checker names it: where the database cannot refuse it, or its guards are missing. */
  named?: string;
}

/** Does something in a transaction that never happens. */
export async function tentatively<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    return await work(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** Takes the guards of every table away: triggers, checks and unique indexes. */
export const withoutGuards = `
  do $$ declare guard record; begin
    for guard in select conrelid::regclass as relation, conname from pg_constraint
      where contype = 'c' and connamespace = 'public'::regnamespace loop
      execute format('alter table %s drop constraint %I', guard.relation, guard.conname);
    end loop;
    for guard in select indexrelid::regclass as name from pg_index join pg_class on pg_class.oid = indrelid
      where indisunique and not indisprimary and relnamespace = 'public'::regnamespace
        and not exists (select from pg_constraint where conindid = indexrelid) loop
      execute format('drop index %s', guard.name);
    end loop;
  end $$;
  set local session_replication_role = replica`;

/** Those that the database refuses. */
export function refusedOf<Victims>(planted: readonly PlantedFault<Victims>[]) {
  return planted.flatMap((one) => (one.refused ? [{ ...one, refused: one.refused }] : []));
}

/** Those that a checker names. */
export function namedOf<Victims>(planted: readonly PlantedFault<Victims>[]) {
  return planted.flatMap((one) => (one.named ? [{ ...one, named: one.named }] : []));
}
