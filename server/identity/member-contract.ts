import { z } from 'zod';
import { defineOperation } from '../operation/operation.ts';
import { lasting, service } from '../service/terms.ts';
import { Grant, GrantChange, GrantTerms } from './contract.ts';
import { ownPage } from './destination.ts';
import { AskingAgent, RailsSetUp } from './registration-contract.ts';

/** What an account's people do: sign in, connect agents, set their limits (specification 4.2). Pure. */

const instant = z.iso.datetime();
const key = z.string().min(1).max(64);

const ownPageField = z
  .string()
  .refine((text) => ownPage(text) !== null, 'must be a page of this service for members, such as /agents')
  .meta({ description: 'The page to open after signing in, as a path with its query.' });

export const signInLink = defineOperation({
  name: 'sign_in_link',
  summary:
    'Send a person the single-use link that signs them in. The answer is the same for every address. After five letters ' +
    'in an hour the next waits until the last link has expired.',
  method: 'POST',
  path: '/api/agent/v1/members/sign-in-link',
  audience: ['public'],
  effect: 'write',
  idempotency: 'optional',
  input: z.strictObject({ email: z.email().max(254).toLowerCase(), next: ownPageField.optional() }),
  output: z.object({ state: z.literal('sent_if_known') }).meta({ id: 'SignInLinkRequest' }),
  success: [202],
  problems: ['idempotency_in_progress', 'registrations_closed'],
  limit: 'sign_in_links',
});

const userCode = z.string().min(1).max(16);

/** A connecting agent, as shown to the member who typed its code. */
const Connection = AskingAgent.extend({ registration_key: z.string() }).meta({ id: 'Connection' });

export type Connection = z.infer<typeof Connection>;

export const connection = defineOperation({
  name: 'connection',
  summary: 'Find the agent that shows this code. The agent must have given your address.',
  method: 'POST',
  path: '/api/agent/v1/connections',
  audience: ['member'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({ user_code: userCode }),
  output: Connection,
  success: [200],
  problems: ['invalid_token', 'not_found', 'registration_expired'],
});

export const decideConnection = defineOperation({
  name: 'decide_connection',
  summary: 'Approve an agent with the limits it asked for or others, which needs a fresh sign-in, or deny it.',
  method: 'POST',
  path: '/api/agent/v1/connections/{registration_key}/decision',
  audience: ['member'],
  effect: 'write',
  idempotency: 'none',
  input: z.strictObject({
    registration_key: key,
    user_code: userCode,
    decision: z.enum(['approve', 'deny']),
    grant: GrantChange.optional(),
  }),
  output: z
    .object({ state: z.enum(['confirmed', 'declined']), agent_key: z.string(), grant: GrantTerms.nullable() })
    .meta({ id: 'ConnectionDecision' }),
  success: [200],
  problems: ['invalid_token', 'not_found', 'registration_expired', 'action_not_allowed', 'fresh_sign_in_required'],
});

const microcents = z.int().min(0);

/** An agent or a wallet of the account, with what it may spend and has spent. */
export const ConnectedAgent = z
  .object({
    agent_key: z.string(),
    kind: z.enum(['agent', 'wallet']),
    name: z.string().nullable(),
    state: z.enum(['active', 'paused', 'revoked']),
    connected_at: instant,
    last_used_at: instant.nullable(),
    claim_until: instant.nullable().meta({ description: 'Until then the agent may fetch a credential.' }),
    grant: Grant,
    spend: z.object({
      today_microcents: microcents,
      total_microcents: microcents,
      held_today_microcents: microcents.meta({ description: "Today's charges that are not final yet." }),
    }),
  })
  .meta({ id: 'ConnectedAgent' });

export type ConnectedAgent = z.infer<typeof ConnectedAgent>;

export const maxAgents = 200;

export const agents = defineOperation({
  name: 'agents',
  summary: "List the account's agents and wallets with their limits and spending.",
  method: 'GET',
  path: '/api/agent/v1/agents',
  audience: ['member'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({}),
  output: z
    .object({
      agents: z.array(ConnectedAgent).max(maxAgents),
      rails: RailsSetUp,
      review_due: z.boolean().meta({ description: 'Whether the owner still has to say which to keep.' }),
      resets_at: instant,
      service_keys: z.array(z.literal(service.serviceKey)),
    })
    .meta({ id: 'ConnectedAgents' }),
  success: [200],
  problems: ['invalid_token'],
});

const AccountEvent = z.object({
  at: instant,
  actor: z.string(),
  action: z.string(),
  detail: z.record(z.string(), z.unknown()),
});

export type AccountEvent = z.infer<typeof AccountEvent>;

export const agentHistory = defineOperation({
  name: 'agent_history',
  summary: 'Read the history of an agent, newest first, at most 100 entries.',
  method: 'GET',
  path: '/api/agent/v1/agents/{agent_key}/history',
  audience: ['member'],
  effect: 'read',
  readsReplica: true,
  idempotency: 'none',
  input: z.strictObject({ agent_key: key }),
  output: z.object({ events: z.array(AccountEvent) }).meta({ id: 'AgentHistory' }),
  success: [200],
  problems: ['invalid_token', 'not_found'],
});

/** Acts on an agent answer with the agent as it then is. */
const act = {
  method: 'POST',
  audience: ['member'],
  effect: 'write',
  idempotency: 'none',
  output: ConnectedAgent,
  success: [200],
} as const;

export const changeGrant = defineOperation({
  ...act,
  name: 'change_grant',
  summary: 'Change what an agent may spend and do. Lowering works at once; raising needs a fresh sign-in.',
  path: '/api/agent/v1/agents/{agent_key}/grant',
  input: GrantChange.extend({ agent_key: key }),
  problems: ['invalid_token', 'not_found', 'action_not_allowed', 'fresh_sign_in_required'],
});

export const pauseAgent = defineOperation({
  ...act,
  name: 'pause_agent',
  summary: 'Pause an agent, or resume it, which needs a fresh sign-in. A paused agent cannot buy; paid jobs continue.',
  path: '/api/agent/v1/agents/{agent_key}/pause',
  input: z.strictObject({ agent_key: key, paused: z.boolean() }),
  problems: ['invalid_token', 'not_found', 'action_not_allowed', 'fresh_sign_in_required'],
});

export const revokeAgent = defineOperation({
  ...act,
  name: 'revoke_agent',
  summary: 'End every credential of an agent for good. Paid jobs continue; reports and receipts stay.',
  path: '/api/agent/v1/agents/{agent_key}/revoke',
  input: z.strictObject({ agent_key: key }),
  problems: ['invalid_token', 'not_found', 'action_not_allowed'],
});

export const releaseAgain = defineOperation({
  ...act,
  name: 'release_again',
  summary:
    `Let an agent fetch a new credential with its claim token, within ${lasting('claimWindow')}. The one it has ends with the first ` +
    'use of the new one; with compromised it ends at once. Needs a fresh sign-in.',
  path: '/api/agent/v1/agents/{agent_key}/release',
  input: z.strictObject({ agent_key: key, compromised: z.boolean().default(false) }),
  problems: ['invalid_token', 'not_found', 'action_not_allowed', 'fresh_sign_in_required'],
});

export const reviewAgents = defineOperation({
  name: 'review_agents',
  summary: 'Keep or revoke each agent, as an owner is asked at the first sign-in.',
  method: 'POST',
  path: '/api/agent/v1/agents/review',
  audience: ['member'],
  effect: 'write',
  idempotency: 'none',
  input: z.strictObject({ keep: z.array(key).max(maxAgents), revoke: z.array(key).max(maxAgents) }),
  output: z.object({ kept: z.array(z.string()), revoked: z.array(z.string()) }).meta({ id: 'AgentReview' }),
  success: [200],
  problems: ['invalid_token', 'action_not_allowed'],
});
