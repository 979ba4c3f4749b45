import { z } from 'zod';

const SLOW_MS_MAX = 600_000;

/**
 * `refuse` answers the recipient with `code`; `slow` answers the letter `ms` late; `drop` breaks the connection before
 * the letter is kept, `drop_after_keep` after that, so that the sender believes it failed.
 */
export const mailFaultSchema = z.strictObject({
  mode: z.enum(['refuse', 'slow', 'drop', 'drop_after_keep']),
  /** How many letters it affects, or all until cleared. */
  times: z.union([z.int().min(1).max(1_000), z.literal('always')]).default(1),
  code: z.int().min(400).max(599).default(550),
  ms: z.int().min(0).max(SLOW_MS_MAX).default(1_000),
});

export type MailFault = z.infer<typeof mailFaultSchema>;
