import type { Queries } from '../../kernel/database.ts';
import { BucketFailed, type ObjectStore } from '../../kernel/object-store.ts';
import { sql } from '../../kernel/sql.ts';
import { undamaged } from './bodies.ts';
import { noteWithoutArchive } from './bucket-fault.ts';
import { type ArchivedEntry, type KnownMonth, rowsOf } from './pack.ts';

/** The entries of a job that lie in the archive, as far as that gives them; one in two objects comes twice. */
export async function archivedEntriesOf(
  db: Queries,
  archive: ObjectStore | null,
  jobKey: string,
): Promise<ArchivedEntry[]> {
  const objects = await db.many<KnownMonth>(sql`
    select month::text as month, encode(digest, 'hex') as digest, encode(hashes, 'hex') as hashes from archived_ledger
    where month = ledger_month(${jobKey}) and ${jobKey} between first_key and last_key
      and exists (select from job_holdings where job_key = ${jobKey} and archived_events is not null)`);
  if (!archive && objects.length > 0) noteWithoutArchive();
  if (!archive) return [];
  const found: ArchivedEntry[] = [];
  try {
    for (const { month, digest, hashes } of objects) {
      const known = { digest, hashes };
      const rows = await undamaged(archive, { month, digest }, (object) => rowsOf<ArchivedEntry>(object, known));
      found.push(...rows.filter(({ job_key }) => job_key === jobKey));
    }
  } catch (error) {
    // One time-out is enough for a reader.
    if (!(error instanceof BucketFailed)) throw error;
  }
  return found;
}

/**
 * SQL for all entries of the job in `$1`: those here, and those in `$2`, as JSON of what `archivedEntriesOf` gave. An entry
 * that is in both comes once.
 */
export const wholeLedger = `
  select event_key, event, debit_account, credit_account, amount_microcents, currency, at
  from ledger_transfers where job_key = $1 and month = ledger_month($1)
  union
  select event_key, event, debit_account, credit_account, amount_microcents, currency, at
  from json_populate_recordset(null::ledger_transfers, $2::json)`;
