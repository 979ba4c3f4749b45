import type { Queries } from '../kernel/database.ts';
import { sql } from '../kernel/sql.ts';
import { railNames } from '../payments/contract.ts';
import type { Rails } from '../payments/rail.ts';
import { type SwitchName, switchNames } from './contract.ts';

/** The switches that are off. */
export async function switchedOff(db: Queries): Promise<ReadonlySet<SwitchName>> {
  const rows = await db.many<{ name: SwitchName }>(sql`
    select name from switches where name = any(${switchNames}::text[]) and state = 'off'`);
  return new Set(rows.map(({ name }) => name));
}

/** The sales switches that are off, as SQL for an array. */
export const salesOff = `(select coalesce(json_agg(name), '[]') from switches
  where state = 'off' and name in ('service', '${railNames.join("', '")}'))`;

/** Whether nothing is sold: the service is off, or every rail that could take payment. */
export function saleIsOff(off: readonly SwitchName[], rails: Rails): boolean {
  if (off.includes('service')) return true;
  const all = [...rails.values()];
  const usable = all.some(({ isSetUp }) => isSetUp) ? all.filter(({ isSetUp }) => isSetUp) : all;
  return usable.every(({ name }) => off.includes(name));
}
