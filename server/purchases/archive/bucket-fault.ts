import type { Database } from '../../kernel/database.ts';
import { digestOf } from '../../kernel/digest.ts';
import { log } from '../../kernel/log.ts';
import { BucketFailed, type ObjectStore } from '../../kernel/object-store.ts';
import { sql } from '../../kernel/sql.ts';
import { manifestAt } from './pack.ts';

/** Where nothing is ever put. */
const nothingAt = 'manifests/none';

const missing = 'ARCHIVE_URL is missing: reports and receipts of old purchases lie in its bucket';
let isTold = false;

/** Logs once that something was looked for in an archive that no variable names. */
export function noteWithoutArchive(): void {
  if (!isTold) log('archive_not_set_up', { for: missing });
  isTold = true;
}

/** The same at a start, if anything lies there. */
export async function tellWithoutArchive(db: Database): Promise<void> {
  if (await bucketFault(db, null)) noteWithoutArchive();
}

/**
 * Asks the bucket once: for the newest manifest, or, before the first, for what is not there. `wrong` is what only
 * another environment mends, `absent` what may pass; null when it answers as it should. Without a bucket, `wrong` once
 * there is a manifest.
 */
export async function bucketFault(
  db: Database,
  archive: ObjectStore | null,
): Promise<{ wrong: string } | { absent: string } | null> {
  const newest = await db.maybe<{ number: number; digest: string }>(sql`
    select number, digest from archive_manifests order by number desc limit 1`);
  if (!archive) return newest ? { wrong: missing } : null;
  try {
    const signed = await archive.get(newest ? manifestAt(newest.number, newest.digest) : nothingAt);
    if (!newest || digestOf(signed.toString('utf8')) === newest.digest) return null;
    return { wrong: 'ARCHIVE_URL leads to a bucket whose newest manifest is another one: npm run archive -- check' };
  } catch (error) {
    if (!(error instanceof BucketFailed)) throw error;
    const { status, message, isAbsence } = error;
    if (isAbsence && !newest) return null;
    if (isAbsence) return { wrong: 'ARCHIVE_URL leads to a bucket that lacks the newest manifest' };
    if (status === null) return { absent: 'ARCHIVE_URL cannot be reached' };
    return mayPass(status, message)
      ? { absent: `ARCHIVE_URL: ${message}` }
      : { wrong: `ARCHIVE_URL is refused: ${message}` };
  }
}

/** Whether an answer says "not now": overload, a fault of the bucket, or a clock that is off. */
function mayPass(status: number, message: string): boolean {
  return status >= 500 || status === 429 || message.includes('RequestTimeTooSkewed');
}
