import { accountInUse, accountOfKey, changeAccount } from '../server/payments/card/account.ts';
import { openCardProvider } from '../server/payments/card/provider.ts';
import { runForOperator } from './operator.ts';
import { Refusal } from './refusal.ts';

/**
 * `npm run card-account -- ACCOUNT REASON` accepts that STRIPE_SECRET_KEY is of another account at Stripe than before.
 * What was paid over the former one can neither go back by itself nor be charged again there.
 */
await runForOperator(
  { words: 2, usage: 'Say which account, and why: npm run card-account -- ACCOUNT REASON' },
  async ([account = '', ...reason], { db, now, configuration: { card } }) => {
    if (card.secretKey === '') throw new Refusal('STRIPE_SECRET_KEY is not set.');
    const found = await accountOfKey(openCardProvider(card));
    if (found === null) throw new Refusal('STRIPE_SECRET_KEY may not read its account: a start does not compare it.');
    if (found !== account) throw new Refusal(`STRIPE_SECRET_KEY is of ${found}, not of ${account}.`);
    const before = await accountInUse(db);
    await changeAccount(db, account, reason.join(' '), now);
    return `Sells over ${account}${before && before !== account ? `, over ${before} before` : ''}.`;
  },
);
