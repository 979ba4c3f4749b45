import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from './migrate.ts';
import { createDatabase, type Postgres, startThrowawayPostgres } from './postgres.ts';
import { generateClient } from './prisma.ts';
import { TEMPLATE } from './test-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection strings of the maintenance databases, one of a PostgreSQL for each process that runs tests. */
    postgresUrls: readonly string[];
  }
}

/**
 * Before the tests of a project: for each process that runs tests a PostgreSQL, with a migrated template that each test
 * database is cloned from. In a shared one a transaction of one process would hold up what the other may seal or count:
 * PostgreSQL numbers the transactions of all its databases together.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await generateClient();
  const starting = Array.from({ length: project.config.maxWorkers }, startMigrated);
  const started = (await Promise.allSettled(starting)).flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const stop = async () => {
    await Promise.all(started.map((postgres) => postgres.stop()));
  };
  await Promise.all(starting).catch(async (error) => {
    await stop();
    throw error;
  });
  project.provide(
    'postgresUrls',
    started.map(({ url }) => url),
  );
  return stop;
}

async function startMigrated(): Promise<Postgres> {
  const postgres = await startThrowawayPostgres();
  try {
    await migrate(await createDatabase(postgres.url, TEMPLATE));
    await markAsTemplate(postgres.url);
    return postgres;
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

async function markAsTemplate(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(`alter database ${TEMPLATE} is_template true`);
  await client.end();
}
