import { z } from 'zod';
import { addressesIn } from '../kernel/postgres/primary.ts';

/** Which servers of PostgreSQL there are, and how many connections go there. */
export const databaseVariables = {
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgresql:// address')
    .refine(
      (url) => addressesIn(url).every((one) => URL.canParse(one)),
      'must name hosts parted by commas, each with its port',
    ),
  DATABASE_READ_URL: z
    .string()
    .refine(
      (url) => /^postgres(ql)?:\/\//.test(url) && addressesIn(url).length === 1 && URL.canParse(url),
      'must be a postgresql:// address of one server',
    )
    .optional(),
  DATABASE_READ_LAG_SECONDS: z.coerce.number().min(0.05).max(60).default(1),
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(500).default(12),
  DATABASE_MODEL_CONNECTIONS: z.coerce.number().int().min(1).max(100).default(4),
};
const DatabaseVariables = z.object(databaseVariables);

export interface Databases {
  /** May name several servers: the one that takes writes is found among them. */
  databaseUrl: string;
  /** A replica for reading, and how long a read waits for it to catch up; null without one. */
  replica: { url: string; lagMaxSeconds: number } | null;
  /** Database connections: for purchases, and for the Prisma reads of pages and lists. */
  connections: { purchases: number; models: number };
}

export function databasesOf(variables: z.infer<typeof DatabaseVariables>): Databases {
  const { DATABASE_READ_URL: url, DATABASE_READ_LAG_SECONDS: lagMaxSeconds } = variables;
  return {
    databaseUrl: variables.DATABASE_URL,
    replica: url === undefined ? null : { url, lagMaxSeconds },
    connections: { purchases: variables.DATABASE_CONNECTIONS, models: variables.DATABASE_MODEL_CONNECTIONS },
  };
}
