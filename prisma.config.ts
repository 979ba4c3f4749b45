import { defineConfig } from 'prisma/config';

/** Commands that need no database, `generate` and `validate`, work without `DATABASE_URL`. */
const NOWHERE = 'postgresql://127.0.0.1/none';

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? NOWHERE },
});
