import type { Queries } from './database.ts';
import { sql } from './sql.ts';

/**
 * Has the rows of coming transactions come behind those that are there. A dump that was restored brings numbers that
 * another cluster has given, which may lie far ahead of this one's. Every process asks for it before it writes.
 */
export async function continueTransactionNumbers(db: Queries): Promise<void> {
  await db.many(sql`select continue_transaction_numbers()`);
}
