import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from './migrate.ts';
import { createDatabase, startThrowawayPostgres } from './postgres.ts';
import { generateClient } from './prisma.ts';
import { TEMPLATE } from './test-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of the maintenance database of this test run's PostgreSQL. */
    postgresUrl: string;
  }
}

/** Before the tests of a project: PostgreSQL with a migrated template that each test database is cloned from. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await generateClient();
  const postgres = await startThrowawayPostgres();
  try {
    await migrate(await createDatabase(postgres.url, TEMPLATE));
    await markAsTemplate(postgres.url);
  } catch (error) {
    await postgres.stop();
    throw error;
  }
  project.provide('postgresUrl', postgres.url);
  return postgres.stop;
}

async function markAsTemplate(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(`alter database ${TEMPLATE} is_template true`);
  await client.end();
}
