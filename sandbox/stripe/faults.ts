import { z } from 'zod';

/** What each fault does to a call, and whether the call has taken effect by then. */
const FAULT_MODES = {
  drop_before: 'breaks the connection; nothing happened',
  drop_after: 'carries the call out, then breaks the connection',
  hold_before: 'waits until released, then carries the call out',
  hold_after: 'carries the call out, then keeps the answer until released',
  slow: 'carries the call out at once, answers `ms` later',
  error_400: 'answers 400 invalid_request_error and keeps that for the key; nothing happened',
  error_500: 'answers 500 and keeps that for the key; nothing happened',
  error_500_after: 'carries the call out, answers 500 and keeps that for the key',
  conflict_409: 'answers 409 idempotency_key_in_use, keeps nothing; nothing happened',
  limit_429: 'answers 429, keeps nothing; nothing happened',
  truncate: 'carries the call out, answers with the first half of the JSON',
  sever: 'carries the call out, breaks the connection in the middle of the answer',
} as const;

type FaultMode = keyof typeof FAULT_MODES;

const SLOW_MS_MAX = 600_000;
const times = z.union([z.int().min(1).max(1_000), z.literal('always')]).default(1);

export const apiFaultSchema = z.strictObject({
  mode: z.enum(Object.keys(FAULT_MODES) as [FaultMode, ...FaultMode[]]),
  /** An endpoint such as `payment_intents.confirm`; by default the next call of any. */
  on: z.string().max(100).default('any'),
  times,
  /** How many matching calls pass first. */
  skip: z.int().min(0).max(1_000).default(0),
  ms: z.int().min(0).max(SLOW_MS_MAX).default(1_000),
});
export type ApiFault = z.infer<typeof apiFaultSchema>;

/**
 * `duplicate` sends an event `copies` times at once, `delay` sends it `ms` later, `withhold` keeps it until released,
 * `lose` never sends it, `reorder` collects `count` events and sends them newest first.
 */
export const webhookFaultSchema = z.strictObject({
  mode: z.enum(['duplicate', 'delay', 'withhold', 'lose', 'reorder']),
  /** Only events of this type. */
  type: z.string().max(100).optional(),
  times,
  ms: z.int().min(0).max(SLOW_MS_MAX).default(1_000),
  copies: z.int().min(2).max(100).default(2),
  count: z.int().min(2).max(100).default(2),
});
export type WebhookFault = z.infer<typeof webhookFaultSchema>;

/** Makes the next payment `processing` or the next refund `pending`, until it is settled. */
export const outcomeSchema = z.strictObject({ of: z.enum(['payment', 'refund']), times });
