import type { IdentityLetter } from '../server/identity/letters.ts';
import { makeSignInLink } from '../server/identity/sign-in.ts';
import { newKey } from '../server/kernel/id.ts';
import { sql } from '../server/kernel/sql.ts';
import type { Tx } from '../server/kernel/transaction.ts';
import { enqueueLetter, openQueue } from '../server/queue/queue.ts';
import { runForOperator } from './operator.ts';
import { Refusal } from './refusal.ts';

/**
 * `npm run sign-in-link -- ACCOUNT_KEY E-MAIL` prints a single-use link that signs a member of the account in. Adds the
 * member if the account has none with this address; the account's owner gets a letter about it.
 */
await runForOperator(
  { words: 2, usage: 'Say whose link it is: npm run sign-in-link -- ACCOUNT_KEY E-MAIL' },
  async ([accountKey = '', email = ''], { db, now, configuration: { baseUrl, databaseUrl } }) => {
    const account = await db.maybe(sql`select 1 from accounts where account_key = ${accountKey} and closed_at is null`);
    if (!account) throw new Refusal(`${accountKey} is no account, or it is closed.`);
    const queue = await openQueue(databaseUrl, 'sender', 'work-check operator');
    try {
      const letter = { kind: 'operator_link', request_key: newKey('req'), account_key: accountKey, email } as const;
      const beside = (tx: Tx) => enqueueLetter<IdentityLetter>(tx, queue, letter);
      return await makeSignInLink(db, baseUrl, { accountKey, email, beside }, now);
    } finally {
      await queue.stop();
    }
  },
);
