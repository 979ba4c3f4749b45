import { z } from 'zod';
import { defineOperation } from '../../operation/operation.ts';
import { Amount, act, Instant, inspect, Key, look, Reason, told } from './parts.ts';

/** Disputes, for operators. Pure. */

const Dispute = z.object({
  dispute_key: z.string().meta({ description: "The provider's id." }),
  job_key: z.string(),
  payment_key: z.string(),
  account_key: z.string(),
  opened_at: Instant,
  respond_by: Instant.nullable(),
  answered_at: Instant.nullable(),
  closed_at: Instant.nullable(),
  outcome: z.enum(['won', 'lost']).nullable(),
  reason: z.string().nullable(),
  amount_microcents: Amount.nullable(),
  withdrawn_microcents: Amount,
  fee_microcents: Amount,
  block_key: z.string().nullable().meta({ description: 'The block that this dispute put on the account.' }),
});
export type Dispute = z.infer<typeof Dispute>;

export const consoleDisputes = defineOperation({
  ...look,
  name: 'console_disputes',
  summary: 'List disputed card payments: open ones, soonest due first, and the latest closed ones.',
  path: '/console/disputes',
  input: z.strictObject({}),
  output: z.object({ open: told(Dispute), closed: told(Dispute) }),
  problems: [],
});

/** The operator's own words to the bank. */
const Statement = z.string().trim().min(1).max(5_000);

export const consoleDispute = defineOperation({
  ...inspect,
  name: 'console_dispute',
  summary: 'Read a dispute with the evidence that an answer sends to the bank.',
  path: '/console/disputes/{dispute_key}',
  input: z.strictObject({ dispute_key: Key }),
  output: Dispute.extend({
    /** Why it cannot be answered now; null when it can. */
    obstacle: z.string().nullable(),
    evidence: z.object({
      product: z.string(),
      email: z.string().nullable(),
      deliveredOn: z.string().nullable(),
      activity: z.string(),
      refundPolicy: z.string(),
      refusal: z.string(),
      record: z.string(),
    }),
  }),
  problems: ['not_found'],
});

export const answerDispute = defineOperation({
  ...act,
  effect: 'money',
  name: 'answer_dispute',
  summary: 'Send the evidence to the bank. This can be done once.',
  path: '/console/disputes/{dispute_key}/answer_dispute',
  input: z.strictObject({ dispute_key: Key, statement: Statement, reason: Reason }),
  output: z.object({ outcome: z.enum(['answered', 'answered_before']) }),
  problems: ['not_found', 'action_not_allowed', 'service_unavailable'],
});
