import type { Queries } from '../server/kernel/database.ts';
import { openDatabaseClock, skewMaxSeconds } from '../server/kernel/database-clock.ts';
import { Refusal } from './refusal.ts';

/**
 * The time by the database's clock: what a command writes is due, ends and is signed by it. Throws a `Refusal` where
 * this machine's clock is too far from it, as a process refuses to work then.
 */
export async function databaseTime(db: Queries): Promise<Date> {
  const { now, skewSeconds, close } = await openDatabaseClock(db);
  close();
  const skew = Math.round(skewSeconds());
  if (Math.abs(skew) <= skewMaxSeconds) return now();
  throw new Refusal(`The clock of this machine is ${skew} s ahead of the database's: set it right. Nothing was done.`);
}
