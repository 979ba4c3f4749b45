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

/** The same, and whether the database takes no writes: a replica, or one that somebody or a provider closed. */
export async function switchedOffAndClosed(db: Queries): Promise<{ off: ReadonlySet<SwitchName>; isClosed: boolean }> {
  const { off, is_closed } = await db.one<{ off: SwitchName[]; is_closed: boolean }>(sql`
    select current_setting('transaction_read_only') = 'on' as is_closed,
      array(select name from switches where name = any(${switchNames}::text[]) and state = 'off') as off`);
  return { off: new Set(off), isClosed: is_closed };
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
