import { z } from 'zod';
import { defineOperation } from '../door/operation.ts';
import { act, Done, Instant, Key, look, Reason } from './contract.ts';

/** Customers and their agents, for operators. Pure. */

const Customer = z.object({
  account_key: z.string(),
  created_at: Instant,
  owner: z.string().nullable(),
  members: z.int(),
  agents: z.int(),
  waivers: z.int(),
  blocks: z.int(),
});
export type Customer = z.infer<typeof Customer>;

export const consoleAccounts = defineOperation({
  ...look,
  name: 'console_accounts',
  summary: 'Customers, the newest first, a page at a time; or those that an address, a key or a name begins with.',
  path: '/console/customers',
  input: z.strictObject({
    q: z.string().trim().min(1).max(255).nullable().default(null),
    blocked: z.boolean().default(false).meta({ description: 'Only those that a block keeps from buying.' }),
    after: Key.nullable().default(null),
    limit: z.int().min(1).max(200).default(50),
  }),
  output: z.object({ customers: z.array(Customer), next_after: z.string().nullable() }),
  problems: ['not_found'],
});

export const pauseCustomerAgent = defineOperation({
  ...act,
  name: 'pause_customer_agent',
  summary: 'Pause an agent of a customer, or let it buy again.',
  path: '/console/agents/{agent_key}/pause_customer_agent',
  input: z.strictObject({ agent_key: Key, paused: z.enum(['yes', 'no']), reason: Reason }),
  output: Done,
  problems: ['not_found', 'action_not_allowed'],
});

export const revokeCustomerAgent = defineOperation({
  ...act,
  name: 'revoke_customer_agent',
  summary: 'Revoke an agent of a customer for good, with its credentials. What it bought stays.',
  path: '/console/agents/{agent_key}/revoke_customer_agent',
  input: z.strictObject({ agent_key: Key, reason: Reason }),
  output: Done,
  problems: ['not_found', 'action_not_allowed'],
});
