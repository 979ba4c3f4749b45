import { sql } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';

/**
 * Writes what happened to a purchase. The rows of one purchase form a chain: the database numbers each row and hashes
 * it together with the one before, so a row cannot be changed or lost without the chain showing it. The transition
 * holds the row lock of its quote or job, which puts the rows in order.
 */
export function audit(
  tx: Tx,
  row: { purchase: string; actor: string; action: string; from: string | null; to: string; at: Date },
): void {
  tx.write(sql`
    insert into audit_rows (purchase_key, at, actor, action, state_from, state_to)
    values (${row.purchase}, ${row.at}, ${row.actor}, ${row.action}, ${row.from}, ${row.to})`);
}
