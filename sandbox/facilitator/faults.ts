import { z } from 'zod';

/** What each fault does to a call, and whether the money has moved by then. */
const FAULT_MODES = {
  hold_before_settle: 'waits until released, then settles; no money has moved while it waits',
  hold_after_settle: 'settles, then keeps the answer until released',
  drop_before_settle: 'breaks the connection; no money moves',
  drop_after_settle: 'settles, then breaks the connection',
  slow: 'settles at once, answers `ms` later',
  error_500: 'answers 500; no money moves',
  refuse: 'answers success false with `reason`; no money moves',
  lie: 'answers success with `transaction`, or a made-up one; no money moves',
  pending: 'broadcasts, then answers settlement_pending without waiting for the block',
  rpc_timeout_on_broadcast: 'broadcasts, but its provider times out, so it answers a plain failure',
  instant: 'answers success to verify and settle without touching a chain (for benchmarks)',
} as const;

export type FaultMode = keyof typeof FAULT_MODES;

const VERIFY_FAULTS: readonly FaultMode[] = ['slow', 'error_500', 'refuse', 'drop_before_settle', 'instant'];
const SLOW_MS_MAX = 600_000;

export const faultSchema = z
  .strictObject({
    mode: z.enum(Object.keys(FAULT_MODES) as [FaultMode, ...FaultMode[]]),
    /** How many calls it affects, or all until cleared. */
    times: z.union([z.int().min(1).max(1_000), z.literal('always')]).default(1),
    on: z.enum(['settle', 'verify', 'supported']).default('settle'),
    ms: z.int().min(0).max(SLOW_MS_MAX).default(1_000),
    reason: z.string().max(200).default('invalid_exact_evm_transaction_failed'),
    transaction: z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{64}$/)]).optional(),
  })
  .refine(({ mode, on }) => on !== 'verify' || VERIFY_FAULTS.includes(mode), {
    message: `on verify only ${VERIFY_FAULTS.join(', ')} can strike`,
    path: ['on'],
  })
  .refine(({ mode, on }) => on !== 'supported' || mode === 'error_500', {
    message: 'on supported only error_500 can strike',
    path: ['on'],
  });

export type Fault = z.infer<typeof faultSchema>;
