import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import { seconds } from '../service/terms.ts';

/** Blocks of addresses whose agents a person silenced. */
export interface Silence {
  origin: string;
  since: Date;
  until: Date;
}

/** Whether agents from there are kept from this address. */
export async function isSilenced(db: Queries, email: string, origin: string, now: Date): Promise<boolean> {
  const declined = await db.maybe(sql`
    select 1 from registrations
    where email = ${email} and origin = ${origin} and state = 'declined' and lifted_at is null
      and decided_at > ${after(now, -seconds.silence)} limit 1`);
  return declined !== undefined;
}

/** Entries shown to a person. */
const shownMax = 100;

/** The origins silenced for this address, newest first. */
export async function silencesOf(db: Queries, email: string, now: Date): Promise<Silence[]> {
  const rows = await db.many<{ origin: string; since: Date; last: Date }>(sql`
    select origin, min(decided_at) as since, max(decided_at) as last from registrations
    where email = ${email} and state = 'declined' and lifted_at is null and decided_at > ${after(now, -seconds.silence)}
    group by origin order by last desc limit ${shownMax}`);
  return rows.map(({ origin, since, last }) => ({ origin, since, until: after(last, seconds.silence) }));
}

/** Lets that origin write again. False when it was not silenced. */
export async function liftSilence(tx: Tx, email: string, origin: string, now: Date): Promise<boolean> {
  const lifted = await tx.many(sql`
    update registrations set lifted_at = ${now}
    where email = ${email} and origin = ${origin} and state = 'declined' and lifted_at is null returning 1`);
  return lifted.length > 0;
}
