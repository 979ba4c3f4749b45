import type pg from 'pg';

/** Faults planted in a database, to test whether it refuses them and the checkers find them. */

/** A fault, as a faulty build would leave it. */
export interface PlantedFault<Victims> {
  fault: string;
  /** What a faulty build would write to the database. */
  rows: (victims: Victims) => string;
  /** The database's error. */
  refused?: RegExp;
  /** The checker's finding: where the database cannot refuse it, or its guards are missing. */
  named?: string;
}

/** Runs `work` in a transaction that is rolled back. */
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

/** Removes the guards of every table: triggers, checks and unique indexes. */
export const withoutGuards = `
  do $$ declare guard record; begin
    for guard in select conrelid::regclass as relation, conname from pg_constraint
      where contype = 'c' and coninhcount = 0 and connamespace = 'public'::regnamespace loop
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

/** Those that a checker finds. */
export function namedOf<Victims>(planted: readonly PlantedFault<Victims>[]) {
  return planted.flatMap((one) => (one.named ? [{ ...one, named: one.named }] : []));
}
