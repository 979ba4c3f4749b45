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

/** Until when agents from there are kept from this address; null while they may write. */
export async function silencedUntil(db: Queries, email: string, origin: string, now: Date): Promise<Date | null> {
  const { last } = await db.one<{ last: Date | null }>(sql`
    select max(decided_at) as last from registrations
    where email = ${email} and origin = ${origin} and state = 'declined' and lifted_at is null
      and decided_at > ${after(now, -seconds.silence)}`);
  return last && after(last, seconds.silence);
}

/** Declines a registration. Its network may ask again, unless it is silenced, too. */
export function decline(tx: Tx, { registration_key }: { registration_key: string }, now: Date): void {
  tx.write(sql`
    update registrations set state = 'declined', decided_at = ${now}, lifted_at = ${now}
    where registration_key = ${registration_key}`);
}

/** Keeps letters away that agents of a declined registration's network ask for. */
export function silence(tx: Tx, registrationKey: string): void {
  tx.write(sql`
    update registrations set lifted_at = null where registration_key = ${registrationKey} and state = 'declined'`);
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
