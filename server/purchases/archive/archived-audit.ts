import type { Queries } from '../../kernel/database.ts';
import { BucketFailed, type ObjectStore } from '../../kernel/object-store.ts';
import { sql } from '../../kernel/sql.ts';
import { undamaged, unreachable } from './bodies.ts';
import { type ArchivedRow, type KnownMonth, rowsOf } from './pack.ts';

const columns = 'purchase_key, sequence, at, actor, action, state_from, state_to, previous_hash, hash';

/**
 * SQL for whole audits: their rows here, of purchases that `which` names as a condition on `purchase_key`, and those in the
 * parameter `archived`, as JSON of what `archivedAuditOf` gave. A row that is in both comes once.
 */
export const wholeAudit = (which: string, archived: string): string => `
  select ${columns} from audit_rows where purchase_key ${which}
  union
  select ${columns} from json_populate_recordset(null::audit_rows, ${archived}::json)`;

/**
 * The rows of a purchase's audit that lie in the archive, in their order; none when all are in the database. Throws
 * `service_unavailable` when the archive does not give them.
 */
export async function archivedAuditOf(
  db: Queries,
  archive: ObjectStore | null,
  purchaseKey: string,
): Promise<ArchivedRow[]> {
  const parts = await db.many<KnownMonth & { sequence: number; hash: string }>(sql`
    select archived_audit.month::text as month, encode(digest, 'hex') as digest, encode(hashes, 'hex') as hashes,
      audit_ends.sequence, encode(hash, 'hex') as hash
    from audit_ends join archived_audit using (month, until_transaction, number) where purchase_key = ${purchaseKey}`);
  if (parts.length === 0) return [];
  if (!archive) throw unreachable();
  const found = new Map<number, ArchivedRow>();
  for (const { month, digest, hashes } of parts) {
    const known = { month, digest, hashes };
    const rows = await undamaged(archive, { month, digest }, (object) => rowsOf<ArchivedRow>(object, known)).catch(
      (error) => {
        if (error instanceof BucketFailed) throw unreachable();
        throw error;
      },
    );
    for (const row of rows) if (row.purchase_key === purchaseKey) found.set(row.sequence, row);
  }
  if (parts.some(({ sequence, hash }) => found.get(sequence)?.hash !== hash)) throw unreachable();
  return [...found.values()].toSorted((one, other) => one.sequence - other.sequence);
}
