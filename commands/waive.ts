import { openRails } from '../server/payments/open-rails.ts';
import { openReceiptKeys } from '../server/purchases/receipt/receipt-keys.ts';
import { waiveOverdue } from '../server/purchases/review/waive.ts';
import { runForOperator } from './operator.ts';

/**
 * `npm run waive -- JOB_KEY REASON` gives up the charge of a job whose review is overdue: the collection goes back to
 * who paid it.
 */
await runForOperator(
  { words: 2, usage: 'Say which job and why: npm run waive -- JOB_KEY REASON' },
  async ([jobKey = '', ...reason], { db, configuration }) => {
    const now = new Date();
    const receiptSigner = await openReceiptKeys(configuration.receiptKeys, db, now);
    await waiveOverdue(
      { db, receiptSigner, rails: openRails(configuration) },
      { jobKey, because: reason.join(' '), now },
    );
    return `The charge of ${jobKey} is waived; what was collected goes back.`;
  },
);
