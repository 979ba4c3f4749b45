import type pg from 'pg';

/** Not restored: migrations, and counters and queues besides the data. */
const kept = ['_prisma_migrations', 'rate_counts'];

/**
 * Takes a backup and returns its restore, which resets every row. The chains, and what buyers and the facilitator
 * remember, continue.
 */
export async function takeBackup(pool: pg.Pool): Promise<() => Promise<void>> {
  const tables = await tablesOf(pool);
  const name = `backup_${Date.now()}_${Math.floor(Math.random() * 1e9)}`;
  const copies = tables.map(({ name: table, columns }, index) => ({ table, columns, copy: `${name}.t${index}` }));
  await inTransaction(pool, 'begin isolation level repeatable read', [
    `create schema ${name}`,
    ...copies.map(({ table, columns, copy }) => `create table ${copy} as select ${columns} from ${table}`),
  ]);
  return () =>
    inTransaction(pool, 'begin', [
      // The tables' triggers refuse exactly this.
      'set local session_replication_role = replica',
      `truncate ${copies.map(({ table }) => table).join(', ')}`,
      ...copies.map(
        ({ table, columns, copy }) => `insert into ${table} (${columns}) overriding system value select * from ${copy}`,
      ),
      `drop schema ${name} cascade`,
    ]);
}

/**
 * Restores a dump into a migrated database of another cluster: rows and sequences, as `pg_dump` and `pg_restore` do.
 * Cluster-wide objects are left behind.
 */
export async function restoreDump(from: pg.Pool, into: pg.Pool): Promise<void> {
  const tables = await tablesOf(from);
  const client = await into.connect();
  try {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    await client.query(`truncate ${tables.map(({ name }) => name).join(', ')}`);
    for (const { name, columns } of tables) {
      const { rows } = await from.query<{ all: string }>(
        `select coalesce(json_agg(t), '[]')::text as all from ${name} t`,
      );
      await client.query(
        `insert into ${name} (${columns}) overriding system value
        select ${columns} from json_populate_recordset(null::${name}, $1)`,
        [rows[0]?.all],
      );
    }
    await client.query(`
      select setval(pg_get_serial_sequence('account_events', 'sequence'), max(sequence) + 1) from account_events`);
    await client.query(`
      select setval(pg_get_serial_sequence('due_letters', 'sequence'), coalesce(max(sequence), 0) + 1) from due_letters`);
    await client.query(`
      select setval(pg_get_serial_sequence('idempotency_claims', 'number'), max(number) + 1) from idempotency_claims`);
    await client.query('commit');
  } finally {
    client.release();
  }
}

async function tablesOf(pool: pg.Pool): Promise<{ name: string; columns: string }[]> {
  const { rows } = await pool.query<{ name: string; columns: string }>(
    `select format('%I.%I', table_schema, table_name) as name,
      string_agg(format('%I', column_name), ', ' order by ordinal_position)
        filter (where is_generated = 'NEVER') as columns
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_type = 'BASE TABLE' and not table_name = any($1)
      -- The tables of months and weeks have no rows but those of the whole.
      and not (select relispartition from pg_class where oid = format('%I.%I', table_schema, table_name)::regclass)
      and (table_schema = 'public' or (table_schema = 'pgboss' and table_name = 'job'))
    group by 1`,
    [kept],
  );
  return rows;
}

async function inTransaction(pool: pg.Pool, begin: string, statements: string[]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(begin);
    for (const statement of statements) await client.query(statement);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}
