import { sql } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';

/**
 * Writes an audit row. The database numbers the rows of a purchase and hashes each with the one before, so changes and
 * losses show. The transition's lock on quote or job orders them.
 */
export function audit(
  tx: Tx,
  row: { purchase: string; actor: string; action: string; from: string | null; to: string; at: Date },
): void {
  tx.write(sql`
    insert into audit_rows (month, purchase_key, at, actor, action, state_from, state_to)
    values (audit_month(${row.purchase}), ${row.purchase}, ${row.at}, ${row.actor}, ${row.action}, ${row.from}, ${row.to})`);
}
