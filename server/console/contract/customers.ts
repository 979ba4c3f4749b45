import { z } from 'zod';
import { defineOperation } from '../../operation/operation.ts';
import { Amount, act, Done, Instant, Key, look, Reason } from './parts.ts';
import { Row } from './purchases.ts';

/** Customers and their agents, for operators. Pure. */

const Customer = z.object({
  account_key: z.string(),
  created_at: Instant,
  closed_at: Instant.nullable(),
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
  summary: 'List customers, newest first, a page at a time, or those matching the start of an address, key or name.',
  path: '/console/customers',
  input: z.strictObject({
    q: z.string().trim().min(1).max(255).nullable().default(null),
    blocked: z.boolean().default(false).meta({ description: 'Only customers that a block keeps from buying.' }),
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

export const sendLetterAgain = defineOperation({
  ...act,
  name: 'send_letter_again',
  summary: 'Send a letter about a purchase, an account or a month once more, to the address it went to.',
  path: '/console/letters/{letter_key}/send_letter_again',
  input: z.strictObject({ letter_key: Key, reason: Reason }),
  output: Done,
  problems: ['not_found', 'action_not_allowed'],
});

export const sendEventsAgain = defineOperation({
  ...act,
  name: 'send_events_again',
  summary: 'Tell a webhook endpoint of a customer again of every event after this one, or of all that are kept.',
  path: '/console/endpoints/{endpoint_key}/send_events_again',
  input: z.strictObject({
    endpoint_key: Key,
    after: z.string().max(80).default('').meta({ description: 'A webhook-id; empty for all that are kept.' }),
    reason: Reason,
  }),
  output: Done,
  problems: ['not_found'],
});

export const consoleCustomers = defineOperation({
  ...look,
  name: 'console_customers',
  summary: 'Read a customer: members, agents with their limits, and blocks.',
  path: '/console/customers/{account_key}',
  input: z.strictObject({ account_key: Key }),
  output: z.object({
    account_key: z.string(),
    created_at: Instant,
    closed: z.object({ at: Instant, by: z.string() }).nullable(),
    members: z.array(
      z.object({ email: z.string(), role: z.string(), created_at: Instant, removed_at: Instant.nullable() }),
    ),
    agents: z.array(
      z.object({
        agent_key: z.string(),
        kind: z.string(),
        name: z.string().nullable(),
        state: z.enum(['active', 'paused', 'revoked']),
        per_job_microcents: Amount,
        daily_microcents: Amount,
        total_microcents: Amount.nullable(),
        ends_at: Instant.nullable(),
        used_today_microcents: Amount,
        used_microcents: Amount,
        methods: z.array(z.string()),
        credentials: z.array(
          z.object({
            credential_key: z.string(),
            created_at: Instant,
            expires_at: Instant.nullable(),
            last_used_at: Instant.nullable(),
            revoked_at: Instant.nullable(),
          }),
        ),
      }),
    ),
    blocks: z.array(
      z.object({
        block_key: z.string(),
        cause: z.string(),
        why: z.string(),
        job_key: z.string().nullable().meta({ description: 'The purchase whose payment it is for.' }),
        dispute_key: z
          .string()
          .nullable()
          .meta({ description: "The open dispute of that payment, at the payer's bank." }),
        created_at: Instant,
        lifted_at: Instant.nullable(),
        lifted_by: z.string().nullable(),
        lifted_because: z.string().nullable(),
      }),
    ),
    purchases: z.object({
      total: z.int(),
      collected_microcents: Amount,
      given_back_microcents: Amount,
      final_microcents: Amount,
      newest: z.array(
        Row.extend({
          taken: z.int().meta({ description: 'How often a card or a wallet paid for it.' }),
          back_microcents: Amount,
        }),
      ),
    }),
    cards: z.array(
      z.object({
        card_key: z.string(),
        title: z.string().meta({ description: 'Brand, last four digits and month of expiry.' }),
        saved_at: Instant,
        removed_at: Instant.nullable(),
        declined: z.string().nullable().meta({ description: "The bank's newest refusal of it." }),
      }),
    ),
    endpoints: z.array(
      z.object({
        endpoint_key: z.string(),
        host: z.string().meta({ description: 'Of its address. The rest may carry a secret.' }),
        added_at: Instant,
        removed_at: Instant.nullable(),
        told_at: Instant.nullable(),
        failing_since: Instant.nullable(),
        failure: z.string().nullable(),
      }),
    ),
    letters: z.array(
      z.object({
        letter_key: z.string(),
        what: z.string(),
        repeatable: z
          .boolean()
          .meta({ description: 'It can be sent again: it says what is kept, and holds no secret.' }),
        address: z.string(),
        created_at: Instant,
        sent_at: Instant.nullable(),
      }),
    ),
    waivers: z.int(),
    /** Waived charges by buyer and payer, to find who disputes everything twice. */
    waivers_by: z.array(
      z.object({
        agent_key: z.string(),
        payer: z.string().nullable(),
        waived: z.int(),
        delivered: z.int(),
        last_at: Instant.nullable(),
      }),
    ),
  }),
  problems: ['not_found'],
});

export type CustomerRecord = z.infer<typeof consoleCustomers.output>;
