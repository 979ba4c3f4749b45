import { makeSignInLink } from '../server/identity/sign-in.ts';
import { openDatabase } from '../server/kernel/database.ts';
import { readConfiguration } from '../server/kernel/env.ts';

/**
 * `npm run sign-in-link -- ACCOUNT_KEY E-MAIL` prints a single-use link that signs a member of the account in. It needs
 * the server's environment: whoever can run it can read the database anyway.
 */
const [accountKey, email] = process.argv.slice(2);
if (!accountKey || !email) {
  process.stderr.write('Say whose link it is: npm run sign-in-link -- ACCOUNT_KEY E-MAIL\n');
  process.exit(1);
}
const configuration = readConfiguration(process.env);
const db = openDatabase(configuration.databaseUrl, 1);
try {
  const link = await makeSignInLink(db, configuration.baseUrl, { accountKey, email }, new Date());
  process.stdout.write(`${link}\n`);
} finally {
  await db.end();
}
