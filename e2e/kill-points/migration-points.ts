import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import { migrate } from '../../commands/migrate.ts';
import { createDatabase } from '../../commands/postgres.ts';
import { startProcess } from '../../commands/processes.ts';
import { type StoppingPoint, tapDatabase } from './database-tap.ts';
import type { Stage } from './stage.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Where a migration of an empty database is killed. */
export const migrationPoints: { point: string; stopAt: StoppingPoint }[] = [
  { point: 'K43 a migration is not begun', stopAt: { before: /create table jobs/i } },
  { point: 'K43 a migration is done, and not committed', stopAt: { beforeCommitOf: /create table jobs/i } },
  { point: 'K43 a migration is committed, and what comes next is not begun', stopAt: { after: /create table jobs/i } },
  { point: 'K43 the tables of the queue are not there yet', stopAt: { before: /create schema.* pgboss/i } },
];

/**
 * Kills a process that migrates an empty database at the point. The next one must finish and leave nothing for a third.
 */
export async function killMigration(stage: Stage, { point, stopAt }: (typeof migrationPoints)[number]): Promise<void> {
  const name = `migrated_${randomUUID().replaceAll('-', '')}`;
  const url = await createDatabase(stage.stack.databaseUrl, name);
  const tap = await tapDatabase(url);
  const stopped = tap.stopAt(stopAt);
  const victim = startProcess({
    name: 'victim',
    command: process.execPath,
    args: [path.join(ROOT, 'commands/migrate.ts')],
    env: { ...process.env, DATABASE_URL: tap.url },
    show: 'problems',
  });
  const ended = victim.died.then((sentence) => Promise.reject(new Error(sentence)));
  await Promise.race([stopped, ended]);
  await victim.kill();
  await tap.close();
  await stage.goesOn(point, () => migrate(url));
  expect(await migrate(url)).toEqual([]);
  expect(await appliedOf(url)).toEqual(folders());
}

/** The migrations recorded as applied, once each. */
async function appliedOf(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ migration_name: string }>(
    'select migration_name from _prisma_migrations where finished_at is not null order by migration_name',
  );
  await client.end();
  return rows.map(({ migration_name }) => migration_name);
}

const folders = (): string[] =>
  readdirSync(path.join(ROOT, 'prisma/migrations'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
