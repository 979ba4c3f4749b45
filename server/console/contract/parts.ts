import { z } from 'zod';

/** Parts of the console's contracts. None of it is published. Amounts are microcents. Pure. */

export const Reason = z.string().trim().min(1).max(500).meta({ description: 'Recorded in the audit log.' });
export const Key = z.string().regex(/^\w{1,64}$/);
export const Instant = z.iso.datetime();
export const Amount = z.int();
export const Done = z.object({ done: z.literal(true) });

/** An operation that reads what a decision is about: one purchase or dispute, or content that was opened with a reason. */
export const inspect = {
  method: 'GET',
  audience: ['operator'],
  effect: 'read',
  idempotency: 'none',
  success: [200],
} as const;

/** An operation that reads a list or a statistic. */
export const look = { ...inspect, readsReplica: true } as const;

/** An operation that writes, and is audited with its reason. */
export const act = {
  method: 'POST',
  audience: ['operator'],
  effect: 'write',
  idempotency: 'none',
  success: [200],
} as const;

/** The first rows of a list, and how many there are. */
export const told = <Item extends z.ZodType>(row: Item) => z.object({ rows: z.array(row), total: z.int() });
