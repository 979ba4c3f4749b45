import { unblockPurchases } from '../server/identity/blocked.ts';
import { runForOperator } from './operator.ts';

/** `npm run unblock -- ACCOUNT_KEY` lets an account buy again whose payment was reversed, once that is settled. */
await runForOperator(
  { words: 1, usage: 'Say which account: npm run unblock -- ACCOUNT_KEY' },
  async ([accountKey = ''], db) => {
    await unblockPurchases(db, accountKey);
    return `${accountKey} can buy again.`;
  },
);
