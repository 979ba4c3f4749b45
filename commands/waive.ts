import { openReceiptKeys } from '../server/purchases/receipt-keys.ts';
import { waiveOverdue } from '../server/purchases/waive.ts';
import { runForOperator } from './operator.ts';
import { Refusal } from './refusal.ts';

/**
 * `npm run waive -- JOB_KEY REASON` gives up the charge of a job whose review is overdue: the collection goes back to
 * who paid it.
 */
await runForOperator(async (db, { receiptKeysFile }) => {
  const [jobKey, ...words] = process.argv.slice(2);
  const because = words.join(' ');
  if (!jobKey || !because) throw new Refusal('Say which job and why: npm run waive -- JOB_KEY REASON');
  const now = new Date();
  const receiptSigner = await openReceiptKeys(receiptKeysFile, db, now);
  await waiveOverdue({ db, receiptSigner }, { jobKey, because, now });
  return `The charge of ${jobKey} is waived; what was collected goes back.`;
});
