import { type Clock, systemClock } from './clock.ts';
import type { Queries } from './database.ts';
import { sql } from './sql.ts';

/** A process whose clock is further off refuses to work: what it did not decide by this clock, such as TLS, is wrong. */
export const skewMaxSeconds = 60;
/** Machines that keep time agree better than one can measure: up to here their own clock is believed. */
const trustedMs = 1_000;
const measureEveryMs = 10_000;

export interface DatabaseClock {
  /** What is deleted, ends or is due is decided by it: all processes agree, however wrong a machine's clock is. */
  readonly now: Clock;
  /** By how many seconds this machine's clock is ahead of the database's; negative if it is behind. */
  skewSeconds(): number;
  close(): void;
}

/**
 * Opens a clock that keeps the database's time. It goes on by itself between measurements, so that setting the machine's
 * clock does not move it.
 */
export async function openDatabaseClock(db: Queries): Promise<DatabaseClock> {
  let startMs = await measuredStart(db);
  const timer = setInterval(() => {
    measuredStart(db).then(
      (measured) => {
        startMs = measured;
      },
      // A database that is away is told elsewhere; the clock goes on.
      () => {},
    );
  }, measureEveryMs).unref();
  const now = () => startMs + performance.now();
  return {
    now: () => new Date(now()),
    skewSeconds: () => (systemClock().getTime() - now()) / 1_000,
    close: () => clearInterval(timer),
  };
}

/** When this process started, by the database's clock. */
async function measuredStart(db: Queries): Promise<number> {
  const asked = performance.now();
  const { at } = await db.one<{ at: Date }>(sql`select clock_timestamp() as at`);
  const answered = performance.now();
  const ownMs = systemClock().getTime() - answered;
  const databaseMs = at.getTime() - (asked + answered) / 2;
  // Within the time that the question took nothing is known.
  const tolerance = trustedMs + (answered - asked) / 2;
  return Math.abs(ownMs - databaseMs) <= tolerance ? ownMs : databaseMs;
}
