import type { Queries } from '../kernel/database.ts';
import { sql } from '../kernel/sql.ts';
import { payableBy } from '../payments/contract.ts';
import { type SwitchName, switchNames } from './contract.ts';

/** The switches that an operator has turned off. */
export async function switchedOff(db: Queries): Promise<ReadonlySet<SwitchName>> {
  const rows = await db.many<{ name: SwitchName }>(sql`
    select name from switches where name = any(${switchNames}::text[]) and state = 'off'`);
  return new Set(rows.map(({ name }) => name));
}

/** The rails of this build: a sale is off once each of them is. */
const soldOver = payableBy.filter((way) => way !== 'wallet_credit');

/** Whether new purchases are switched off: all of them, or every rail that is sold over. As SQL. */
export const saleIsOff = `(exists (select from switches where state = 'off' and name = 'service')
  or (select count(*) from switches where state = 'off' and name in ('${soldOver.join("', '")}')) = ${soldOver.length})`;
