import { revokeReceiptKey, rotateReceiptKeys } from '../server/purchases/receipt/receipt-keys.ts';
import { runForOperator } from './operator.ts';
import { Refusal } from './refusal.ts';

const usage = 'Say what to do: npm run receipt-keys -- rotate, or npm run receipt-keys -- revoke KID REASON';

/**
 * `npm run receipt-keys -- rotate` adds a key that signs receipts from the next start on; `revoke KID REASON` ends one
 * that somebody else may hold. Every key stays published, with the time for which it counts.
 */
await runForOperator(
  { words: 1, usage },
  async ([word, kid, ...reason], { db, configuration: { receiptKeysFile } }) => {
    const now = new Date();
    if (word === 'rotate' && kid === undefined) {
      const made = await rotateReceiptKeys(receiptKeysFile, db, now);
      return `${made} signs receipts once the server and its workers have been started anew; do that within the hour.`;
    }
    const because = reason.join(' ').trim();
    if (word !== 'revoke' || kid === undefined || because === '') throw new Refusal(usage);
    await revokeReceiptKey(receiptKeysFile, db, { kid, because, now });
    return `${kid} is revoked.`;
  },
);
