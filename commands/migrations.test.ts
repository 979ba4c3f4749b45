import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const folder = path.resolve(import.meta.dirname, '../prisma/migrations');
/** Older ones made the tables that they index, or came before anybody had rows. */
const since = '20261128';

const migrations = readdirSync(folder)
  .filter((name) => name >= since && /^\d/.test(name))
  .map((name) => [name, readFileSync(path.join(folder, name, 'migration.sql'), 'utf8')] as const);

it.each(migrations)('%s builds no index that locks writers out', (_, text) => {
  for (const [, options, table] of text.matchAll(/create (?:unique )?index (.*?)\s+on (\w+)/gis)) {
    const isNew = new RegExp(`create table ${table}\\b`, 'i').test(text);
    if (!isNew) expect(options).toMatch(/^concurrently if not exists /i);
  }
});
