import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from './migrate.ts';
import { createDatabase } from './postgres.ts';
import { runPrisma } from './prisma.ts';
import { postgresUrl, queryOnce } from './test-database.ts';

let folder: string;
let url: string;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'work-check-migrations-'));
  url = await createDatabase(postgresUrl(), `migrate_${path.basename(folder).slice(-6).toLowerCase()}`);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('migrate', () => {
  it('applies each migration once, in the order of their names', async () => {
    addMigration('2_fill', 'insert into note values (1);');
    addMigration('1_create', 'create table note (n int);');
    expect(await migrate(url, folder)).toEqual(['1_create', '2_fill']);
    addMigration('3_more', 'insert into note values (2);');
    expect(await migrate(url, folder)).toEqual(['3_more']);
    expect(await query('select n from note order by n')).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('applies each migration once when several processes start together', async () => {
    addMigration('1_create', 'create table note (n int); insert into note values (1);');
    const runs = await Promise.all([1, 2, 3, 4].map(() => migrate(url, folder)));
    expect(runs.flat()).toEqual(['1_create']);
    expect(await query('select n from note')).toEqual([{ n: 1 }]);
  });

  it('leaves nothing of a migration that fails, and refuses to go on without a person', async () => {
    addMigration('1_broken', 'create table note (n int); select 1 / 0;');
    await expect(migrate(url, folder)).rejects.toThrow('Migration 1_broken failed: division by zero');
    await expect(migrate(url, folder)).rejects.toThrow(/^Migration 1_broken failed earlier\. .*--rolled-back 1_broken/);
    expect(await query(`select to_regclass('note') as note`)).toEqual([{ note: null }]);
  });

  it.each([
    ['finds the disk full', "raise exception 'could not extend file' using errcode = 'disk_full'"],
    ['is cut off by a restart', 'perform pg_terminate_backend(pg_backend_pid())'],
    ['is canceled', "raise exception 'canceling statement' using errcode = 'query_canceled'"],
    ['comes from a role without the right', "raise exception 'must be owner' using errcode = 'insufficient_privilege'"],
  ])('of which one %s leaves nothing, says so, and applies it the next time', async (_, trouble) => {
    // The second run finds the trouble gone.
    addMigration('1_create', 'create table trouble (gone boolean); insert into trouble values (false);');
    await migrate(url, folder);
    addMigration(
      '2_more',
      `create table note (n int); do $$ begin if not (select gone from trouble) then ${trouble}; end if; end $$;`,
    );
    await expect(migrate(url, folder)).rejects.toThrow(/^Migration 2_more changed nothing, so run it again once/);
    expect(await query(`select to_regclass('note') as note`)).toEqual([{ note: null }]);
    await query('update trouble set gone = true');
    expect(await migrate(url, folder)).toEqual(['2_more']);
  });

  it('can be told by Prisma that the cause of a failure is mended', async () => {
    const name = '20990101000000_broken';
    addMigration(name, 'select 1 / 0;');
    const failed = await migrate(url, folder).catch((error: Error) => error.message);
    expect(failed).toContain('division by zero');
    const args = ['migrate', 'resolve', '--rolled-back', name];
    const { exitCode, output } = await runPrisma(args, 'pipe', { DATABASE_URL: url });
    expect([exitCode, output]).toEqual([0, expect.stringContaining('marked as rolled back')]);
    addMigration(name, 'select 1;');
    expect(await migrate(url, folder)).toEqual([name]);
  });

  it('refuses a migration that was edited after it was applied', async () => {
    addMigration('1_create', 'create table note (n int);');
    await migrate(url, folder);
    addMigration('1_create', 'create table note (n bigint);');
    await expect(migrate(url, folder)).rejects.toThrow('Migration 1_create was edited after it was applied');
  });
});

describe('a migration of a table that is in use', () => {
  /** Reads the table in a transaction that stays open until told. */
  async function reader(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('begin');
    await client.query('select * from note');
    return client;
  }

  it('does not stand in the way of others while it waits, and is applied in the end', async () => {
    addMigration('1_create', 'create table note (n int); insert into note values (1);');
    await migrate(url, folder);
    addMigration('2_column', 'alter table note add column m int;');
    const busy = await reader();
    const migrated = migrate(url, folder);
    // These queue behind the migration, which would otherwise wait as long as the reader.
    const deadline = Date.now() + 5_000;
    let others = 0;
    while (Date.now() < deadline && others < 3) {
      await query('select n from note');
      others += 1;
      await sleep(400);
    }
    expect(others).toBe(3);
    await busy.query('commit');
    await busy.end();
    expect(await migrated).toEqual(['2_column']);
  });

  it('can build an index beside the writers, also after it was cut short', async () => {
    addMigration('1_create', 'create table note (n int); insert into note values (1), (1);');
    await migrate(url, folder);
    // A failed build of a unique index leaves an invalid one behind.
    await expect(query('create unique index concurrently note_n_idx on note (n)')).rejects.toThrow();
    addMigration('2_index', '-- no transaction\ncreate index concurrently if not exists note_n_idx on note (n);');
    const runs = await Promise.all([1, 2, 3].map(() => migrate(url, folder)));
    expect(runs.flat()).toEqual(['2_index']);
    expect(
      await query(`select indisvalid, indisunique from pg_index where indexrelid = 'note_n_idx'::regclass`),
    ).toEqual([{ indisvalid: true, indisunique: false }]);
  });
});

describe('the migrations of this project', () => {
  it('are known to Prisma as applied', async () => {
    await migrate(url);
    const { exitCode, output } = await runPrisma(['migrate', 'status'], 'pipe', { DATABASE_URL: url });
    expect(output).toContain('Database schema is up to date!');
    expect(exitCode).toBe(0);
  });

  it('lead to the schema that the client is generated from', async () => {
    const between = ['--from-migrations', 'prisma/migrations', '--to-schema', 'prisma/schema.prisma'];
    const args = ['migrate', 'diff', ...between, '--exit-code'];
    const { exitCode, output } = await runPrisma(args, 'pipe', { DATABASE_URL: url });
    expect(output).toContain('No difference detected.');
    expect(exitCode).toBe(0);
  });
});

function addMigration(name: string, sql: string): void {
  mkdirSync(path.join(folder, name), { recursive: true });
  writeFileSync(path.join(folder, name, 'migration.sql'), sql);
}

const query = (sql: string): Promise<unknown[]> => queryOnce(url, sql);
