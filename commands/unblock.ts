import { unblockPurchases } from '../server/identity/blocked.ts';
import { runForOperator } from './operator.ts';
import { Refusal } from './refusal.ts';

/** `npm run unblock -- ACCOUNT_KEY` lets an account buy again whose payment was reversed, once that is settled. */
await runForOperator(async (db) => {
  const [accountKey] = process.argv.slice(2);
  if (!accountKey) throw new Refusal('Say which account: npm run unblock -- ACCOUNT_KEY');
  await unblockPurchases(db, accountKey);
  return `${accountKey} can buy again.`;
});
