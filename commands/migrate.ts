import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { isDatabaseTrouble, lockNotAvailable, sqlState } from '../server/kernel/database.ts';
import { SteadyClient } from '../server/kernel/postgres/steady-client.ts';
import { installQueue } from '../server/queue/queue.ts';
import { runCommand } from './command.ts';
import { Refusal } from './refusal.ts';

/** The advisory lock of Prisma's own `migrate`, so that the two never run at once. */
const MIGRATION_LOCK = 72_707_369;
const MIGRATIONS = path.resolve(import.meta.dirname, '..', 'prisma', 'migrations');

/** How long to wait for a table in use before letting go and retrying: others queue behind a waiting migration. */
const LOCK_TIMEOUT_MS = 1_000;
const LOCK_TRIES = 60;
const LOCK_PAUSE_MS = 500;
/** Poll: waiting in a statement holds a snapshot, which blocks concurrent index builds. */
const TURN_POLL_MS = 100;
/**
 * First line of a migration with one statement that cannot run in a transaction, such as `create index concurrently`.
 */
const NO_TRANSACTION = '-- no transaction';
const insufficientPrivilege = '42501';

interface Recorded {
  readonly checksum: string;
  readonly finished_at: Date | null;
}

/**
 * Applies each new `migration.sql` below `dir`, in name order, and records it in `_prisma_migrations` as Prisma does,
 * so that `prisma migrate status` and `deploy` agree. Also makes the coming months of audit and books, and
 * updates the queue's own tables. Safe to run from several processes. Returns the names applied. Throws a `Refusal` for a migration that failed
 * earlier, was edited after it was applied, or fails now: one that the database was in no state to take may be run again,
 * any other waits for a person.
 */
export async function migrate(databaseUrl: string, dir: string = MIGRATIONS): Promise<string[]> {
  const migrations = await readMigrations(dir);
  const client = new SteadyClient({ connectionString: databaseUrl });
  await client.connect();
  try {
    await takeTurn(client);
    await createHistory(client);
    const recorded = await readHistory(client);
    const applied: string[] = [];
    for (const { name, sql, checksum } of migrations) {
      const earlier = recorded.get(name);
      if (earlier === undefined) {
        await apply(client, name, sql, checksum);
        applied.push(name);
      } else if (earlier.finished_at === null) {
        throw new Refusal(
          `Migration ${name} failed earlier. Once its cause is mended: npm run prisma -- migrate resolve --rolled-back ${name}, and run it again.`,
        );
      } else if (earlier.checksum !== checksum) {
        throw new Refusal(
          `Migration ${name} was edited after it was applied: restore its text and add a new migration.`,
        );
      }
    }
    if (dir === MIGRATIONS) await client.query('select make_audit_months(), keep_answer_weeks()');
    await installQueue(databaseUrl);
    return applied;
  } finally {
    await client.end();
  }
}

async function takeTurn(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as is_mine', [MIGRATION_LOCK]);
    if (rows[0].is_mine) return;
    await sleep(TURN_POLL_MS);
  }
}

async function readMigrations(dir: string): Promise<{ name: string; sql: string; checksum: string }[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(path.join(dir, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

async function createHistory(client: pg.Client): Promise<void> {
  await client.query(`
    create table if not exists _prisma_migrations (
      id                  varchar(36) primary key not null,
      checksum            varchar(64) not null,
      finished_at         timestamptz,
      migration_name      varchar(255) not null,
      logs                text,
      rolled_back_at      timestamptz,
      started_at          timestamptz not null default now(),
      applied_steps_count integer not null default 0
    )`);
}

async function readHistory(client: pg.Client): Promise<Map<string, Recorded>> {
  const { rows } = await client.query<Recorded & { migration_name: string }>(
    'select migration_name, checksum, finished_at from _prisma_migrations where rolled_back_at is null',
  );
  return new Map(rows.map((row) => [row.migration_name, row]));
}

async function apply(client: pg.Client, name: string, sql: string, checksum: string): Promise<void> {
  const record = [randomUUID(), checksum, name];
  for (let tries = 1; ; tries += 1) {
    try {
      if (sql.startsWith(NO_TRANSACTION)) await applyApart(client, sql, record);
      else await applyWhole(client, sql, record);
      return;
    } catch (error) {
      // A lost connection rolls back by itself.
      await client.query('rollback').catch(() => {});
      const isLocked = sqlState(error) === lockNotAvailable;
      if (isLocked && tries < LOCK_TRIES) {
        await sleep(LOCK_PAUSE_MS);
        continue;
      }
      const why = error instanceof Error ? error.message : String(error);
      if (isLocked || isDatabaseTrouble(error) || sqlState(error) === insufficientPrivilege) {
        throw new Refusal(`Migration ${name} changed nothing, so run it again once this is mended: ${why}`);
      }
      await client.query(
        'insert into _prisma_migrations (id, checksum, migration_name, logs) values ($1, $2, $3, $4)',
        [...record, String(error)],
      );
      throw new Refusal(`Migration ${name} failed: ${why}`);
    }
  }
}

const RECORD = `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
  values ($1, $2, $3, clock_timestamp(), 1)`;

/** One transaction for the script and its record: a crash leaves neither. */
async function applyWhole(client: pg.Client, sql: string, record: string[]): Promise<void> {
  await client.query('begin');
  await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await client.query(sql);
  await client.query(RECORD, record);
  await client.query('commit');
}

/** A statement and then its record: the statement must be repeatable. */
async function applyApart(client: pg.Client, sql: string, record: string[]): Promise<void> {
  await dropHalfBuilt(client);
  await client.query(sql);
  await client.query(RECORD, record);
}

/** Drops an index whose build was interrupted: `if not exists` would take it for finished. */
async function dropHalfBuilt(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index join pg_class on pg_class.oid = indrelid
     where not indisvalid and relnamespace = 'public'::regnamespace`,
  );
  for (const { name } of rows) await client.query(`drop index concurrently if exists ${name}`);
}

if (import.meta.main) {
  await runCommand(async () => {
    const url = process.env.DATABASE_URL;
    if (!url) throw new Refusal('DATABASE_URL is missing: it names the database to migrate.');
    const applied = await migrate(url);
    console.log(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
    return 0;
  });
}
