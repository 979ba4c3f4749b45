import { z } from 'zod';
import { ConnectedAgent } from '../identity/member-contract.ts';
import { defineOperation } from '../operation/operation.ts';
import { approvalStates } from './states.ts';

/** Decisions of an account's people about single purchases (specification 4.10). Pure. */

const instant = z.iso.datetime();
const key = z.string().min(1).max(64);
const microcents = z.int().min(0);

const Approval = z
  .object({
    approval_key: key,
    state: z.enum(approvalStates),
    quote_key: key,
    title: z
      .string()
      .nullable()
      .meta({ description: 'The first line of the request, in the words of the agent; null once deleted.' }),
    price_microcents: microcents,
    above_limits: z
      .boolean()
      .meta({ description: 'A limit was in the way: a yes lets this purchase pass the limits.' }),
    asked_at: instant,
    expires_at: instant.meta({ description: 'The end of the quote: a yes ends with it.' }),
    decided_at: instant.nullable(),
    decided_by: z.string().nullable(),
    job_key: key.nullable().meta({ description: 'What became of it, once authorized.' }),
    agent: ConnectedAgent.meta({ description: 'Who asks, with its limits and what it has spent.' }),
  })
  .meta({ id: 'Approval' });
export type Approval = z.infer<typeof Approval>;

export const approvalsMax = 50;

export const approvals = defineOperation({
  name: 'approvals',
  summary: `List what agents ask to buy and may not buy alone: what is open, soonest end first, at most ${approvalsMax}.`,
  method: 'GET',
  path: '/api/agent/v1/approvals',
  audience: ['member'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({}),
  output: z.object({ approvals: z.array(Approval) }).meta({ id: 'Approvals' }),
  success: [200],
  problems: ['invalid_token'],
});

export const approval = defineOperation({
  name: 'approval',
  summary: 'Read what an agent asks to buy, with its limits, what is left of them, and the decision.',
  method: 'GET',
  path: '/api/agent/v1/approvals/{approval_key}',
  audience: ['member'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({ approval_key: key }),
  output: Approval,
  success: [200],
  problems: ['invalid_token', 'not_found'],
});

export const decideApproval = defineOperation({
  name: 'decide_approval',
  summary:
    'Let an agent buy this one quote, which needs a fresh sign-in, or decline. A no stands; a yes can be taken back ' +
    'until it is used.',
  method: 'POST',
  path: '/api/agent/v1/approvals/{approval_key}/decision',
  audience: ['member'],
  effect: 'write',
  idempotency: 'none',
  input: z.strictObject({ approval_key: key, decision: z.enum(['approve', 'decline']) }),
  output: Approval,
  success: [200],
  problems: ['invalid_token', 'not_found', 'action_not_allowed', 'quote_expired', 'fresh_sign_in_required'],
});
