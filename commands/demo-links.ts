import { noteRoleChange } from '../server/console/acts.ts';
import { grantRole } from '../server/identity/operators.ts';
import { makeSignInLink } from '../server/identity/sign-in.ts';
import type { Database } from '../server/kernel/database.ts';
import { sql } from '../server/kernel/sql.ts';
import { transact } from '../server/kernel/transaction.ts';

const customerAddress = 'owner@example.com';
const operatorAddress = 'operator@example.com';

/** The links that sign a newcomer to the demo in, once each: as a member of the buyer's account, and as an operator. */
export async function newcomerLinks(
  db: Database,
  baseUrl: string,
  accountKey: string | null,
  now: Date,
): Promise<{ customer: string | null; operator: string }> {
  await transact(db, async (tx) => {
    await grantRole(tx, operatorAddress, 'admin', now);
    noteRoleChange(tx, operatorAddress, 'granted admin', now);
  });
  const own = await db.one<{ account_key: string }>(sql`
    select account_key from members where email = ${operatorAddress} limit 1`);
  const operator = { accountKey: own.account_key, email: operatorAddress };
  return {
    customer: accountKey && (await makeSignInLink(db, baseUrl, { accountKey, email: customerAddress }, now)),
    operator: await makeSignInLink(db, baseUrl, operator, now),
  };
}
