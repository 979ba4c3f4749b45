import { z } from 'zod';
import { defineOperation } from '../../operation/operation.ts';
import { Amount, Instant, Key, look } from './parts.ts';

/** The record of what operators did, and its verification. Pure. */

const Act = z.object({
  subject: z.string(),
  sequence: z.int(),
  at: Instant,
  actor: z.string(),
  role: z.string(),
  action: z.string(),
  reason: z.string(),
  purchase_key: z.string().nullable(),
  amount_microcents: Amount.nullable(),
  hash: z.string(),
});
export type Act = z.infer<typeof Act>;

export const consoleActs = defineOperation({
  ...look,
  name: 'console_acts',
  summary: 'List what operators did, newest first.',
  path: '/console/acts',
  input: z.strictObject({
    /** The last act of the page before: its sequence and subject, `3:switch:card`. */
    after: z
      .string()
      .regex(/^\d{1,9}:.{1,300}$/)
      .nullable()
      .default(null),
    limit: z.int().min(1).max(200).default(100),
  }),
  output: z.object({ acts: z.array(Act), next_after: z.string().nullable() }),
  problems: ['not_found'],
});

export const verifyActs = defineOperation({
  ...look,
  name: 'verify_acts',
  summary: 'Recompute the audit hashes of all operator actions, and of the purchases they affected or of one purchase.',
  path: '/console/acts/verification',
  input: z.strictObject({ purchase_key: Key.nullable().default(null) }),
  output: z.object({
    acts: z.int(),
    rows: z.int(),
    /** The recomputed seals, newest first up to a bound, and the rows in them. */
    seals: z.int(),
    sealed_rows: z.int(),
    sealed_since: Instant.nullable(),
    broken: z.array(z.object({ subject: z.string(), sequence: z.int(), fault: z.string() })),
  }),
  problems: [],
});
