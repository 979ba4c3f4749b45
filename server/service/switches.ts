import type { Queries } from '../kernel/database.ts';
import { sql } from '../kernel/sql.ts';
import { type SwitchName, switchNames } from './contract.ts';

/** The switches that an operator has turned off. */
export async function switchedOff(db: Queries): Promise<ReadonlySet<SwitchName>> {
  const rows = await db.many<{ name: SwitchName }>(sql`
    select name from switches where name = any(${switchNames}::text[]) and state = 'off'`);
  return new Set(rows.map(({ name }) => name));
}

/** Whether new purchases are switched off: all of them, or the one rail that is sold over. As SQL. */
export const saleIsOff = `exists (select from switches where state = 'off' and name in ('service', 'x402'))`;
