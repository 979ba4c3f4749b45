import pg from 'pg';
import { expect, it } from 'vitest';
import { cloneDatabase, postgresUrl } from './test-database.ts';

it('gives each caller its own database with the tables and no rows', async () => {
  const [one, other] = await Promise.all([cloneDatabase(), cloneDatabase()]);
  await one.pool.query('create table mine (n int)');
  expect((await other.pool.query(`select to_regclass('mine') as mine`)).rows).toEqual([{ mine: null }]);
  expect((await other.pool.query('select * from jobs')).rows).toEqual([]);
  await Promise.all([one.drop(), other.drop()]);
});

it('leaves no database behind', async () => {
  const database = await cloneDatabase();
  await database.pool.query('select 1');
  await database.drop();
  const admin = new pg.Client({ connectionString: postgresUrl() });
  await admin.connect();
  const name = new URL(database.url).pathname.slice(1);
  expect((await admin.query('select 1 from pg_database where datname = $1', [name])).rows).toEqual([]);
  await admin.end();
});
