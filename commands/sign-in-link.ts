import { makeSignInLink } from '../server/identity/sign-in.ts';
import { sql } from '../server/kernel/sql.ts';
import { runForOperator } from './operator.ts';
import { Refusal } from './refusal.ts';

/**
 * `npm run sign-in-link -- ACCOUNT_KEY E-MAIL` prints a single-use link that signs a member of the account in. The member
 * is made when the account has none with this address.
 */
await runForOperator(
  { words: 2, usage: 'Say whose link it is: npm run sign-in-link -- ACCOUNT_KEY E-MAIL' },
  async ([accountKey = '', email = ''], { db, configuration: { baseUrl } }) => {
    const account = await db.maybe(sql`select 1 from accounts where account_key = ${accountKey}`);
    if (!account) throw new Refusal(`${accountKey} is no account.`);
    return makeSignInLink(db, baseUrl, { accountKey, email }, new Date());
  },
);
