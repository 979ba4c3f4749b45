import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { databaseUrl } from './postgres.ts';

/** The database that every test database is a copy of: all migrations applied, no rows. */
export const TEMPLATE = 'work_check_template';
const POOL_SIZE = 20;

export interface TestDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
}

/**
 * A migrated, empty database for the tests of one file or one `describe`; it goes when they are done.
 * Call it where hooks may be declared: `const database = await testDatabase();` at the top of a file.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const { drop, ...database } = await cloneDatabase();
  afterAll(drop);
  return database;
}

/** The same for a single test or a property's run; the caller drops it. */
async function cloneDatabase(): Promise<TestDatabase & { drop(): Promise<void> }> {
  const adminUrl = inject('postgresUrl');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administer(adminUrl, `create database ${name} template ${TEMPLATE} strategy wal_log`);
  const url = databaseUrl(adminUrl, name);
  const pool = new pg.Pool({ connectionString: url, max: POOL_SIZE });
  return {
    url,
    pool,
    drop: async () => {
      await pool.end();
      await administer(adminUrl, `drop database ${name} with (force)`);
    },
  };
}

async function administer(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
