import { openDatabase } from '../server/kernel/database.ts';
import { readConfiguration } from '../server/kernel/env.ts';
import { Problem } from '../server/kernel/problem.ts';
import { openReceiptKeys } from '../server/purchases/receipt-keys.ts';
import { waiveOverdue } from '../server/purchases/waive.ts';

/**
 * `npm run waive -- JOB_KEY REASON` gives up the charge of a job whose review is overdue: the collection goes back to
 * who paid it. It needs the server's environment: whoever can run it can read the database anyway.
 */
const [jobKey, ...words] = process.argv.slice(2);
const because = words.join(' ');
if (!jobKey || !because) {
  process.stderr.write('Say which job and why: npm run waive -- JOB_KEY REASON\n');
  process.exit(1);
}
const configuration = readConfiguration(process.env);
const db = openDatabase(configuration.databaseUrl, 1);
const now = new Date();
try {
  const receiptSigner = await openReceiptKeys(configuration.receiptKeysFile, db, now);
  await waiveOverdue({ db, receiptSigner }, { jobKey, because, now });
  process.stdout.write(`The charge of ${jobKey} is waived; what was collected goes back.\n`);
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await db.end();
}
