import { unblockPurchases } from '../server/identity/blocked.ts';
import { openDatabase } from '../server/kernel/database.ts';
import { readConfiguration } from '../server/kernel/env.ts';
import { Problem } from '../server/kernel/problem.ts';

/**
 * `npm run unblock -- ACCOUNT_KEY` lets an account buy again whose payment was reversed, once that is settled. It needs
 * the server's environment: whoever can run it can write to the database anyway.
 */
const [accountKey] = process.argv.slice(2);
if (!accountKey) {
  process.stderr.write('Say which account: npm run unblock -- ACCOUNT_KEY\n');
  process.exit(1);
}
const db = openDatabase(readConfiguration(process.env).databaseUrl, 1);
try {
  await unblockPurchases(db, accountKey);
  process.stdout.write(`${accountKey} can buy again.\n`);
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await db.end();
}
