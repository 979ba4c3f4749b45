import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { databaseUrl } from './postgres.ts';

/** The template of every test database: all migrations applied, no rows. */
export const TEMPLATE = 'work_check_template';
const POOL_SIZE = 20;
const UNUSED_ATTEMPTS = 100;
const UNUSED_POLL_MS = 20;

export interface TestDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
}

/**
 * A migrated, empty database for the tests of one file or one `describe`, dropped afterwards. Call it where hooks may
 * be declared: `const database = await testDatabase();` at the top of a file.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const { drop, ...database } = await cloneDatabase();
  afterAll(drop);
  return database;
}

/** Connection string of the maintenance database of this process's PostgreSQL. */
export function postgresUrl(): string {
  const url = inject('postgresUrls')[Number(process.env.VITEST_POOL_ID) - 1];
  if (url === undefined) throw new Error('No PostgreSQL was started for this process.');
  return url;
}

/** The same for a single test or a property's run; the caller drops it. */
export async function cloneDatabase(): Promise<TestDatabase & { drop(): Promise<void> }> {
  const adminUrl = postgresUrl();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administer(adminUrl, (admin) => admin.query(`create database ${name} template ${TEMPLATE} strategy wal_log`));
  const url = databaseUrl(adminUrl, name);
  const pool = new pg.Pool({ connectionString: url, max: POOL_SIZE });
  return {
    url,
    pool,
    drop: async () => {
      await pool.end();
      await administer(adminUrl, async (admin) => {
        await untilUnused(admin, name);
        await admin.query(`drop database ${name} with (force)`);
      });
    },
  };
}

/**
 * Connections outlive their pool for a moment, and dropping the database under one fails whoever holds it. So wait,
 * then drop by force what a test forgot.
 */
async function untilUnused(admin: pg.Client, name: string): Promise<void> {
  for (let attempt = 0; attempt < UNUSED_ATTEMPTS; attempt++) {
    const { rowCount } = await admin.query('select 1 from pg_stat_activity where datname = $1', [name]);
    if (rowCount === 0) return;
    await sleep(UNUSED_POLL_MS);
  }
}

/** Runs one statement on a connection of its own. */
export async function queryOnce(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function administer(adminUrl: string, work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
