import type { Queries } from './database.ts';
import { sql } from './sql.ts';

/**
 * Makes the tables of audit, books and texts for this month and the next two, where they are missing. Rows of a month without
 * one go to a default one, so nothing waits for this.
 */
export async function makeAuditMonths({ db }: { db: Queries }): Promise<void> {
  await db.many(sql`select make_audit_months()`);
}
