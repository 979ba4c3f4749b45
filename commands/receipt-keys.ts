import { revokeReceiptKey, rotateReceiptKeys } from '../server/purchases/receipt/receipt-keys.ts';
import { runForOperator } from './operator.ts';
import { Refusal } from './refusal.ts';

const usage = 'Say what to do: npm run receipt-keys -- rotate, or npm run receipt-keys -- revoke KID REASON';

/**
 * `npm run receipt-keys -- rotate` adds a key that signs receipts from the next start on, or prints the new list where
 * the environment holds the keys; `revoke KID REASON` ends a key that leaked. Every key stays published with the time
 * it was valid.
 */
await runForOperator(
  { words: 1, usage },
  async ([word, named, ...reason], { db, now, configuration: { receiptKeys } }) => {
    if (word === 'rotate' && named === undefined) {
      const { kid, list } = await rotateReceiptKeys(receiptKeys, db, now);
      if (list !== null) return `Set RECEIPT_KEYS to this secret line for every process, and start each anew:\n${list}`;
      return `${kid} signs receipts once the server and its workers have been started anew; do that within the hour.`;
    }
    const because = reason.join(' ').trim();
    if (word !== 'revoke' || named === undefined || because === '') throw new Refusal(usage);
    await revokeReceiptKey(receiptKeys, db, { kid: named, because, now });
    return `${named} is revoked.`;
  },
);
