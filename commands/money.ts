import { openDatabase } from '../server/kernel/database.ts';
import { toText } from '../server/kernel/money.ts';
import { readUnsettled, type Told } from '../server/purchases/unsettled.ts';
import { runCommand } from './command.ts';
import { Refusal } from './refusal.ts';

/**
 * `npm run money` lists what about money is not settled, and what to do about each: transfers that match no payment,
 * accounts that may buy nothing new, payments whose outcome is open, and refunds that were not carried out. It reads
 * `DATABASE_URL` and changes nothing.
 */
await runCommand(async () => {
  const url = process.env.DATABASE_URL;
  if (!url) throw new Refusal('DATABASE_URL is missing: it names the database to look into.');
  const db = openDatabase(url, { connections: 1 });
  try {
    const { transfers, accounts, payments, refunds } = await readUnsettled(db);
    show(
      'Transfers to us that match no payment',
      'Find out from whom and what for: nothing returns them by itself.',
      transfers,
      (row) => [row.seen_at, toText(row.amount_microcents), row.network, `from ${row.payer}`, `in ${row.transaction}`],
    );
    show(
      'Accounts that may buy nothing new, because the chain took a payment back',
      'Once that is settled: npm run unblock -- ACCOUNT',
      accounts,
      (row) => [row.purchases_blocked_at, toText(row.reversed_microcents), row.account_key, ...row.jobs],
    );
    show(
      'Payments whose outcome is open',
      'The worker asks the chain again every few seconds. Older than 10 minutes: does it run, and does the chain answer?',
      payments,
      (row) => [row.created_at, toText(row.amount_microcents), row.network, row.payment_key, row.job_key],
    );
    show(
      'Refunds that were not carried out',
      'Pending: the worker tries again, if X402_REFUND_KEY is set. Failed: transfer the amount back by hand.',
      refunds,
      (row) => [
        row.created_at,
        toText(row.amount_microcents),
        row.network,
        `to ${row.payer}`,
        row.state === 'refund_failed' ? 'failed' : `pending after ${row.tries} tries`,
        row.job_key,
      ],
    );
    return 0;
  } finally {
    await db.end();
  }
});

/** Prints one list: a line a row, and what to do. Of a list that is empty, that it is. */
function show<Row>(title: string, advice: string, { rows, total }: Told<Row>, cells: (row: Row) => (Date | string)[]) {
  console.log(`${title}: ${total}`);
  for (const row of rows) {
    const line = cells(row).map((cell) => (cell instanceof Date ? cell.toISOString() : cell));
    console.log(`  ${line.join('  ')}`);
  }
  if (total > rows.length) console.log(`  … and ${total - rows.length} more`);
  if (total > 0) console.log(`  ${advice}`);
}
