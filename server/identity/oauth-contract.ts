import { z } from 'zod';
import { defineOperation } from '../operation/operation.ts';
import { GrantChange, GrantTerms } from './contract.ts';
import { RailsSetUp } from './registration-contract.ts';

/** How a member lets an OAuth client buy (specification 13.3). Pure. */

const key = z.string().min(1).max(64);

const Authorization = z
  .object({
    authorization_key: z.string(),
    client: z.object({
      name: z.string().nullable().meta({ description: 'Given by the client, not verified.' }),
      client_id: z.string(),
      host: z
        .string()
        .nullable()
        .meta({ description: 'Where the client publishes who it is; null for one that registered itself.' }),
    }),
    redirect_host: z.string().meta({ description: 'Where the answer goes.' }),
    agent_key: z.string().nullable().meta({ description: 'The agent that this client already is, for you.' }),
    requested_grant: GrantTerms,
    rails: RailsSetUp,
    terms_version: z.string(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'Authorization' });

export type Authorization = z.infer<typeof Authorization>;

export const authorization = defineOperation({
  name: 'authorization',
  summary: 'See which OAuth client asks to buy for your account, and where its answer goes.',
  method: 'GET',
  path: '/api/agent/v1/authorizations/{authorization_key}',
  audience: ['member'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({ authorization_key: key }),
  output: Authorization,
  success: [200],
  problems: ['invalid_token', 'not_found'],
});

export const decideAuthorization = defineOperation({
  name: 'decide_authorization',
  summary: 'Let an OAuth client buy with these limits, which needs a fresh sign-in, or deny it.',
  method: 'POST',
  path: '/api/agent/v1/authorizations/{authorization_key}/decision',
  audience: ['member'],
  effect: 'write',
  idempotency: 'none',
  input: z.strictObject({
    authorization_key: key,
    decision: z.enum(['approve', 'deny']),
    grant: GrantChange.optional(),
  }),
  output: z
    .object({
      state: z.enum(['approved', 'denied']),
      agent_key: z.string().nullable(),
      continue_url: z.url().meta({ description: 'Where the browser that asked goes on.' }),
    })
    .meta({ id: 'AuthorizationDecision' }),
  success: [200],
  problems: ['invalid_token', 'not_found', 'action_not_allowed', 'fresh_sign_in_required'],
});
