import type { Queries } from '../kernel/database.ts';
import { sql } from '../kernel/sql.ts';
import type { Verb } from '../operation/verb.ts';
import type * as contract from './account-contract.ts';

export const billing: Verb<typeof contract.billing> = async ({ caller, db }) => ({
  body: { billing: await billingOf(db, caller.accountKey) },
});

export const changeBilling: Verb<typeof contract.changeBilling> = async ({ ctx, caller, input, tx }) => {
  const { name, address, tax_id } = input;
  tx.write(sql`
    insert into billing_details (account_key, name, address, tax_id, changed_at)
    values (${caller.accountKey}, ${name}, ${address}, ${tax_id}, ${ctx.now})
    on conflict (account_key) do update set name = excluded.name, address = excluded.address,
      tax_id = excluded.tax_id, changed_at = excluded.changed_at`);
  return { body: { billing: input } };
};

/** Who buys for an account, as its receipts say it; null until an owner has said it. */
export async function billingOf(db: Queries, accountKey: string): Promise<contract.Billing | null> {
  const row = await db.maybe<contract.Billing>(sql`
    select name, address, tax_id from billing_details where account_key = ${accountKey}`);
  return row ?? null;
}
