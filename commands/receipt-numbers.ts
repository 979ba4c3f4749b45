import { byCommand, noteAct } from '../server/console/acts.ts';
import { transact } from '../server/kernel/transaction.ts';
import {
  gapText,
  receiptNumberGaps,
  sellerNow,
  skipReceiptNumbers,
} from '../server/purchases/receipt/receipt-numbers.ts';
import { runForOperator } from './operator.ts';
import { Refusal } from './refusal.ts';

const usage = 'Say what to do: npm run receipt-numbers, or npm run receipt-numbers -- skip COUNT REASON';

/**
 * `npm run receipt-numbers` lists the numbers that no receipt has, with the reason. `skip COUNT REASON`, after a restore
 * and before any worker starts, leaves out the next ones: customers may hold receipts with them. Audited.
 */
await runForOperator({ words: 0, usage }, async ([word, count = '', ...words], { db, now, configuration }) => {
  if (word === undefined) {
    const gaps = await receiptNumberGaps(db);
    const lines = gaps.map((gap) => `${gapText(gap)} left out ${gap.noted_at.toISOString()}: ${gap.reason}`);
    return lines.join('\n') || 'No number is left out.';
  }
  const reason = words.join(' ').trim();
  if (word !== 'skip' || !/^[1-9]\d{0,5}$/.test(count) || reason === '') throw new Refusal(usage);
  return transact(db, async (tx) => {
    const gaps = await skipReceiptNumbers(tx, sellerNow(configuration).name, { count: Number(count), reason, now });
    const left = gaps.map(gapText);
    const because = `${left.join(', ')}: ${reason}`;
    noteAct(tx, byCommand, { subject: 'receipt numbers', action: 'skip_receipt_numbers', reason: because }, now);
    return left.map((text) => `${text} are left out.`).join('\n');
  });
});
