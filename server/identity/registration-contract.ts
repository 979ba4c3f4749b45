import { z } from 'zod';
import { defineOperation } from '../operation/operation.ts';
import { railNames } from '../payments/contract.ts';
import { defaultGrant, lasting, service } from '../service/terms.ts';
import { Grant, GrantChange, GrantTerms } from './contract.ts';

/** How an agent comes to buy for a customer (specification 4.2, 4.3). Pure. */

const instant = z.iso.datetime();
const registrationKey = z.string().min(1).max(64);
const Mode = z.enum(['new_customer', 'link_existing']);

/** Shown to people: one line of visible characters. */
export const shownText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'must be one line without control characters')
    .regex(/\S/, 'must hold something to read');

const limit = (max: bigint) => z.int().min(0).max(Number(max));

/** May only narrow the default grant (specification 4.7). */
const RequestedGrant = z
  .strictObject({
    service_keys: z.array(z.literal(service.serviceKey)).length(1).optional(),
    payment_methods: z
      .array(z.enum(defaultGrant.payment_methods))
      .min(1)
      .max(defaultGrant.payment_methods.length)
      .refine((methods) => new Set(methods).size === methods.length, 'must name each method once')
      .optional(),
    per_job_limit_microcents: limit(defaultGrant.per_job_limit_microcents).optional(),
    daily_limit_microcents: limit(defaultGrant.daily_limit_microcents).optional(),
    total_limit_microcents: z.int().min(0).nullable().optional(),
    governed_refs: z.literal(false).optional(),
    review_authority: z.boolean().optional(),
    expires_at: instant.nullable().optional(),
    approval_above_microcents: z.int().min(0).nullable().optional(),
  })
  .meta({ id: 'RequestedGrant', description: 'May only narrow the default grant of the service contract.' });

export type RequestedGrant = z.infer<typeof RequestedGrant>;

export const register = defineOperation({
  name: 'register',
  summary:
    'Ask to buy for a customer. With mode new_customer the person at the address confirms by a link or reads you a code; ' +
    'with mode link_existing a signed-in member of the account approves.',
  method: 'POST',
  path: '/api/agent/v1/registrations',
  limit: 'registrations',
  audience: ['public'],
  effect: 'write',
  idempotency: 'optional',
  input: z.strictObject({
    mode: Mode,
    email: z.email().max(254).toLowerCase(),
    terms_version: z.string().min(1).max(32),
    agent: z.strictObject({ name: shownText(80), software: shownText(120).optional() }),
    requested_grant: RequestedGrant.optional(),
  }),
  output: z
    .object({
      registration_key: z.string(),
      agent_key: z.string(),
      mode: Mode,
      state: z.literal('pending_confirmation'),
      claim_token: z.string().meta({ description: 'Sent only once. Protect it like a credential.' }),
      claim_url: z.url(),
      verification_url: z.url().meta({
        description:
          'Show it to the customer. With mode link_existing the page asks for user_code; with new_customer the letter has a ' +
          'link and a code of its own.',
      }),
      device_code: z.string().optional().meta({
        description:
          'The same as claim_token, by its name of RFC 8628; with mode link_existing. verification_uri likewise.',
      }),
      verification_uri: z.url().optional(),
      user_code: z.string().meta({ description: 'What a member types with mode link_existing; otherwise unused.' }),
      expires_in: z.int().meta({ description: 'Seconds until the registration ends.' }),
      code_expires_in: z.int().meta({ description: 'Seconds until the code expires; the link works longer.' }),
      interval: z.int().meta({ description: 'Seconds to wait between two claims.' }),
      requested_grant: GrantTerms,
      terms_version: z.string(),
    })
    .meta({ id: 'Registration' }),
  success: [202],
  secret: true,
  problems: [
    'idempotency_in_progress',
    'terms_version_mismatch',
    'credential_already_released',
    'registrations_closed',
  ],
});

export const claim = defineOperation({
  name: 'claim',
  summary:
    'Fetch the credential once the customer has confirmed, or with the code from the letter. It is sent only once; a ' +
    `credential not used within ${lasting('credentialFirstUse')} is revoked.`,
  method: 'POST',
  path: '/api/agent/v1/registrations/{registration_key}/claim',
  audience: ['public'],
  effect: 'write',
  idempotency: 'none',
  limit: 'claims',
  input: z.strictObject({
    registration_key: registrationKey,
    claim_token: z.string().min(1).max(128),
    code: z
      .string()
      .regex(/^\d{3}[ -]?\d{3}$/, 'must be the 6 digits of the letter')
      .optional(),
  }),
  output: z
    .union([
      z.object({
        state: z.literal('released'),
        credential: z.string(),
        credential_key: z.string(),
        agent_key: z.string(),
        account_key: z.string(),
        grant: Grant,
      }),
      z.object({ state: z.literal('pending_confirmation') }),
    ])
    .meta({ id: 'Claim' }),
  success: [200, 202],
  secret: true,
  problems: [
    'not_found',
    'code_invalid',
    'registration_declined',
    'registration_expired',
    'credential_already_released',
  ],
});

/** The content of a letter's link. */
const linkToken = z.string().min(1).max(128);

/** The configured ways to pay; no other can be offered. */
export const RailsSetUp = z.array(z.enum(railNames));

/** An agent as shown to a person. */
export const AskingAgent = z.object({
  rails: RailsSetUp,
  agent: z.object({ name: z.string(), software: z.string().nullable() }),
  origin: z.string(),
  user_code: z.string(),
  requested_grant: GrantTerms,
  terms_version: z.string(),
  created_at: instant,
  expires_at: instant,
});

export type AskingAgent = z.infer<typeof AskingAgent>;

const Confirmation = AskingAgent.extend({
  state: z.enum(['pending_confirmation', 'confirmed', 'declined', 'expired', 'address_has_account']),
  email: z.string(),
  code: z.string().nullable().meta({ description: 'The code for the agent, while it works.' }),
  code_expires_at: instant,
  fetched: z.boolean().meta({ description: 'The agent has fetched its credential.' }),
  agent_state: z.enum(['active', 'paused', 'revoked']).nullable().meta({
    description: 'How the agent stands now; null as long as nobody has confirmed it.',
  }),
  blocked_until: instant.nullable().meta({ description: 'Until then its network is kept from asking for letters.' }),
}).meta({ id: 'Confirmation' });

export type Confirmation = z.infer<typeof Confirmation>;

export const confirmation = defineOperation({
  name: 'confirmation',
  summary: 'Read the request behind the link of a registration letter. Reading it confirms nothing.',
  method: 'POST',
  path: '/api/agent/v1/confirmations',
  audience: ['public'],
  effect: 'read',
  idempotency: 'none',
  limit: 'claims',
  input: z.strictObject({ link: linkToken }),
  output: Confirmation,
  success: [200],
  secret: true,
  problems: ['not_found'],
});

export const confirm = defineOperation({
  name: 'confirm',
  summary:
    'Confirm or decline the registration in a letter, with limits no higher than it asked for. Confirming creates the ' +
    'account; the agent then fetches its credential. block also keeps letters away that agents of its network ask for, ' +
    'for a day; unblock ends that.',
  method: 'POST',
  path: '/api/agent/v1/confirmations/decision',
  audience: ['public'],
  effect: 'write',
  idempotency: 'none',
  limit: 'claims',
  input: z.strictObject({
    link: linkToken,
    decision: z.enum(['confirm', 'decline', 'block', 'unblock']),
    grant: GrantChange.optional(),
  }),
  output: z
    .object({
      state: z.enum(['confirmed', 'declined']),
      repeated: z.boolean().meta({ description: 'It had been decided so before.' }),
    })
    .meta({ id: 'ConfirmationDecision' }),
  success: [200],
  problems: ['not_found', 'registration_expired', 'action_not_allowed'],
});
