import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { sql } from '../kernel/sql.ts';
import type { Operator } from '../operation/caller.ts';
import type { ConsoleOperation } from '../operation/operator-roles.ts';
import { seconds } from '../service/terms.ts';

/** Why an operator opened sensitive content, and until when that counts. */
export interface Opened {
  opened_because: string;
  until: string;
}

/** The reason this operator gave, if recent enough; else undefined. `act` is what opens `subject`. */
export async function openedBy(
  db: Queries,
  { name }: Operator,
  { act, subject }: { act: ConsoleOperation; subject: string },
  now: Date,
): Promise<Opened | undefined> {
  const opened = await db.maybe<{ at: Date; reason: string }>(sql`
    select at, reason from operator_acts
    where subject = ${subject} and action = ${act} and actor = ${name}
      and at > ${after(now, -seconds.contentOpen)}
    order by at desc limit 1`);
  return opened && { opened_because: opened.reason, until: after(opened.at, seconds.contentOpen).toISOString() };
}
