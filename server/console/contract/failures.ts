import { z } from 'zod';
import { defineOperation } from '../../operation/operation.ts';
import { Amount, act, Instant, look, Reason, told } from './parts.ts';

/** Failed work, for operators. Pure. */

const FailedJob = z.object({
  job_key: z.string(),
  at: Instant,
  state: z.string(),
  payment_state: z.string(),
  tries: z.int(),
  failure: z.string().nullable(),
  amount_microcents: Amount,
});

export const consoleFailures = defineOperation({
  ...look,
  name: 'console_failures',
  summary: 'List failed jobs, jobs being retried, and letters that could not be sent.',
  path: '/console/failures',
  input: z.strictObject({ kind: z.string().max(64).nullable().default(null) }),
  output: z.object({
    failed: told(FailedJob),
    tried_again: told(FailedJob),
    letters: told(
      z.object({
        letter_id: z.uuid(),
        kind: z.string(),
        at: Instant,
        tries: z.int(),
        error: z.string().nullable(),
      }),
    ),
    kinds: z.array(z.object({ value: z.string(), count: z.int() })),
  }),
  problems: [],
});

export const retryLetters = defineOperation({
  ...act,
  name: 'retry_letters',
  summary: 'Retry one dead letter, all of a kind, or all: at most a thousand, oldest first.',
  path: '/console/letters/retry_letters',
  input: z.strictObject({
    letter_id: z.uuid().nullable().default(null),
    kind: z.string().max(64).nullable().default(null),
    reason: Reason,
  }),
  output: z.object({ moved: z.int() }),
  problems: ['not_found'],
});
