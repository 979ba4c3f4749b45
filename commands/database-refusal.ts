import { isDatabaseTrouble, lockNotAvailable, sqlState } from '../server/kernel/database.ts';
import { Refusal } from './refusal.ts';

/** SQLSTATEs (PostgreSQL 18, appendix A) of what only another database, role or schema mends, each with what to do. */
const meanings: readonly (readonly [states: RegExp, says: (why: string) => string])[] = [
  [/^(?:28|3D000)/, (why) => `DATABASE_URL is refused: ${why}.`],
  [
    /^(?:42P01|42703|42883|3F000)/,
    (why) =>
      `DATABASE_URL leads to a database without the tables of this version: ${why}. If it is the right one: npm run migrate.`,
  ],
  [
    /^42501/,
    (why) =>
      `The role in DATABASE_URL may not do this: ${why}. npm run migrate needs the role that owns the tables; docs/rights.sql, run after it, gives the service its own.`,
  ],
  [/^25006/, (why) => `DATABASE_URL leads to a server that takes no writes: ${why}.`],
];

/** The database's error as a sentence for who runs a command; null for what is no matter of the database. */
export function databaseRefusal(error: unknown): Refusal | null {
  const state = sqlState(error) ?? '';
  const why = reasonIn(error);
  const [, says] = meanings.find(([states]) => states.test(state)) ?? [];
  if (says) return new Refusal(says(why));
  if (state !== lockNotAvailable && !isDatabaseTrouble(error)) return null;
  return new Refusal(
    `The database does not serve this now: ${why}. Once it does, see whether this was done, and else start it again.`,
  );
}

/** An address with several hosts fails once for each, and says nothing itself. */
function reasonIn(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return reasonIn(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
