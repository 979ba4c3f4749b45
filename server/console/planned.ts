import type { PrismaClient } from '../generated/prisma/client.ts';
import type { Sql } from '../kernel/sql.ts';

/**
 * Reads what is summed over a period. It is planned by its values, which decide how much is read; elsewhere one plan
 * serves all values of a statement (`kernel/database.ts`).
 */
export function planned<Row>(prisma: PrismaClient, { text, values }: Sql): Promise<Row[]> {
  return prisma.$queryRawUnsafe<Row[]>(text, ...values);
}
