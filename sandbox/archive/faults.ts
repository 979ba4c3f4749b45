import { z } from 'zod';

/**
 * `refuse` answers with `status` and changes nothing; `refuse_after_keep` keeps what was put first; `drop` breaks the
 * connection; `exchange` gives another object than was asked for.
 */
export const archiveFaultSchema = z.strictObject({
  mode: z.enum(['refuse', 'refuse_after_keep', 'drop', 'exchange']),
  /** Which calls it affects; both without it. */
  method: z.enum(['GET', 'PUT']).optional(),
  /** How many calls it affects, or all until cleared. */
  times: z.union([z.int().min(1).max(1_000), z.literal('always')]).default(1),
  status: z.int().min(400).max(599).default(503),
});

export type ArchiveFault = z.infer<typeof archiveFaultSchema>;
