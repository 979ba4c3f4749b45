import { z } from 'zod';
import { defineOperation } from '../operation/operation.ts';

/** Closing an account: what it would end, and the act. Pure. */

const count = z.int().min(0);
const key = z.string().min(1).max(64);

const Closing = z
  .object({
    account_key: z.string(),
    agents: count.meta({ description: 'Agents whose keys and grants end.' }),
    members: count.meta({ description: 'People who are signed out, and are members no more.' }),
    cards: count.meta({ description: 'Saved cards that are removed, also at the card provider.' }),
    unpaid: count.meta({ description: 'Purchases that nobody has paid: they are canceled.' }),
    in_work: count.meta({ description: 'Paid purchases without a report: they run to their end.' }),
    to_review: count.meta({
      description: 'Reports that wait for a review. Nobody can decide about them afterwards but an operator.',
    }),
    going_back: count.meta({ description: 'Purchases whose money is on its way back: it still goes there.' }),
    credit_microcents: z.int().meta({ description: 'Credit for checks. It stays in the books; nothing can spend it.' }),
  })
  .meta({ id: 'Closing' });
export type Closing = z.infer<typeof Closing>;

export const closing = defineOperation({
  name: 'closing',
  summary: 'Read what closing the account would end, and whether something is in the way.',
  method: 'GET',
  path: '/api/agent/v1/account/closing',
  audience: ['member'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({}),
  output: Closing.extend({
    in_the_way: z.enum(['block', 'wallet']).nullable().meta({
      description: 'A block is settled first; a wallet that signs in with its own key keeps its account.',
    }),
  }).meta({ id: 'ClosingAhead' }),
  success: [200],
  problems: ['invalid_token'],
});
export type ClosingAhead = z.infer<typeof closing.output>;

export const closeAccount = defineOperation({
  name: 'close_account',
  summary:
    'Close your account for good: keys, grants, sign-ins and memberships end at once. Owners only, signed in afresh.',
  method: 'POST',
  path: '/api/agent/v1/accounts/{account_key}/close',
  audience: ['member'],
  effect: 'write',
  idempotency: 'none',
  input: z.strictObject({ account_key: key }),
  output: Closing.extend({ closed_at: z.iso.datetime() }).meta({ id: 'Closed' }),
  success: [200],
  problems: ['invalid_token', 'not_found', 'action_not_allowed', 'fresh_sign_in_required'],
});
