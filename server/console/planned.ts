import type { PrismaClient } from '../generated/prisma/client.ts';
import type { Sql } from '../kernel/sql.ts';

/**
 * Reads sums over a period, planned for its values, because they decide how much is read. Elsewhere one plan serves all
 * values of a statement (`kernel/database.ts`).
 */
export function planned<Row>(prisma: PrismaClient, { text, values }: Sql): Promise<Row[]> {
  return prisma.$queryRawUnsafe<Row[]>(text, ...values);
}
