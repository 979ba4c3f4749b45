import { type Database, sqlState } from './database.ts';

/** Without another failed write in this time the disk counts as having room again. */
const rememberMs = 30_000;

const failedAt = new WeakMap<Database, number>();

/** SQLSTATE of a write that found no room on the database's disk (disk_full). */
const diskFull = '53100';

/** Whether a write failed because the database's disk is full. Notes it for this process. */
export function noteFullDisk(db: Database, error: unknown): boolean {
  if (sqlState(error) !== diskFull) return false;
  failedAt.set(db, performance.now());
  return true;
}

/** Whether a write of this process has found the database's disk full lately. Reads still work then. */
export function isDiskFull(db: Database): boolean {
  return performance.now() - (failedAt.get(db) ?? Number.NEGATIVE_INFINITY) < rememberMs;
}
