import { z } from 'zod';
import { defineOperation } from '../operation/operation.ts';
import { defaultGrant, lasting, seconds } from '../service/terms.ts';

/** Who is asking, and wallet sign-in (specification 4). Pure. */

const instant = z.iso.datetime();
const microcents = z.int().min(0);
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be an EVM address: 0x and 40 hexadecimal digits');

/** What an agent may buy, how, and for how much (specification 4.7). */
export const GrantTerms = z
  .object({
    service_keys: z.array(z.string()),
    payment_methods: z.array(z.string()),
    per_job_limit_microcents: microcents,
    daily_limit_microcents: microcents,
    total_limit_microcents: microcents.nullable(),
    governed_refs: z.boolean(),
    review_authority: z.boolean(),
    expires_at: instant.nullable().meta({ description: 'From then on it covers nothing; null without an end.' }),
    approval_above_microcents: microcents
      .nullable()
      .meta({ description: "A dearer purchase needs a person's approval; null for none." }),
    may_ask_above_limits: z
      .boolean()
      .meta({ description: 'Whether approval can also be asked for a purchase above a limit.' }),
  })
  .meta({ id: 'GrantTerms' });

export type GrantTerms = z.infer<typeof GrantTerms>;

/** What a customer decided that an agent may buy, as quotes and receipts name it: its digest is over its RFC 8785 form. */
export const GrantDecision = z
  .object({
    grant_key: z.string(),
    principal_key: z.string().meta({ description: 'The key of the agent, or the address of the wallet.' }),
    decided_at: instant,
  })
  .extend(GrantTerms.shape)
  .meta({ id: 'GrantDecision' });

export type GrantDecision = z.infer<typeof GrantDecision>;

export const Grant = GrantTerms.extend({ paused: z.boolean() }).meta({ id: 'Grant' });

/** Against typing errors: a million USD. */
const limit = z.int().min(0).max(100_000_000_000_000);

/** A member's changes; what is left out stays. */
export const GrantChange = z
  .strictObject({
    payment_methods: z
      .array(z.enum(defaultGrant.payment_methods))
      .max(defaultGrant.payment_methods.length)
      .refine((methods) => new Set(methods).size === methods.length, 'must name each method once')
      .optional(),
    per_job_limit_microcents: limit.optional(),
    daily_limit_microcents: limit.optional(),
    total_limit_microcents: limit.nullable().optional(),
    governed_refs: z.boolean().optional(),
    review_authority: z.boolean().optional(),
    expires_at: instant.nullable().optional(),
    approval_above_microcents: limit.nullable().optional(),
    may_ask_above_limits: z.boolean().optional(),
  })
  .meta({ id: 'GrantChange' });

export type GrantChange = z.infer<typeof GrantChange>;

export const me = defineOperation({
  name: 'me',
  summary: 'Read whose credential this is, what its grant allows and how much of it is spent.',
  method: 'GET',
  path: '/api/agent/v1/me',
  audience: ['agent'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({}),
  output: z
    .object({
      principal: z.union([
        z.object({ kind: z.literal('agent'), agent_key: z.string(), name: z.string().nullable() }),
        z.object({ kind: z.literal('wallet'), address }),
      ]),
      account_key: z.string(),
      credential: z.object({
        credential_key: z.string(),
        created_at: instant,
        expires_at: instant.nullable(),
        last_used_at: instant.nullable(),
      }),
      grant: Grant,
      spend: z.object({
        today_microcents: microcents.meta({
          description:
            'How much of the daily limit the jobs authorized today (UTC) use, paid or not. Money that became wallet ' +
            'credit still counts. Jobs never paid, paid from credit, or whose money went back do not.',
        }),
        total_microcents: microcents.meta({ description: 'The same over all days.' }),
        reserved_microcents: microcents.meta({ description: 'The part reserved for unpaid jobs.' }),
      }),
      wallet_credit_microcents: microcents,
      holds: z.array(z.string()),
      terms_version: z.string(),
      environment: z.enum(['test', 'live']),
    })
    .meta({ id: 'Me' }),
  success: [200],
  problems: ['invalid_token'],
  tool: 'svc.whoami',
});

export const rotateCredential = defineOperation({
  name: 'rotate_credential',
  summary:
    `Get a new credential. The old one works until the first use of the new one plus the grace, at most ${lasting('rotationGraceMax')}, ` +
    'so after a lost answer you can rotate again. With reason compromised it ends at once.',
  method: 'POST',
  path: '/api/agent/v1/credentials/rotate',
  audience: ['agent'],
  effect: 'write',
  idempotency: 'optional',
  input: z.strictObject({
    reason: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'compromised ends every older credential at once.' }),
    grace_period_seconds: z.int().min(0).max(seconds.rotationGraceMax).optional(),
  }),
  output: z
    .object({
      credential: z.string(),
      credential_key: z.string(),
      previous: z.object({
        credential_key: z.string(),
        valid_until: instant.meta({ description: 'The latest end; using the new credential ends it sooner.' }),
      }),
    })
    .meta({ id: 'RotatedCredential' }),
  success: [201],
  secret: true,
  problems: [
    'invalid_token',
    'idempotency_key_mismatch',
    'idempotency_key_conflict',
    'idempotency_in_progress',
    'action_not_allowed',
    'credential_already_released',
  ],
});

export const walletSignOut = defineOperation({
  name: 'wallet_sign_out',
  summary: 'End this wallet session.',
  method: 'DELETE',
  path: '/api/x402/v1/wallets/session',
  audience: ['agent'],
  effect: 'write',
  idempotency: 'none',
  input: z.strictObject({}),
  output: z.object({ state: z.literal('signed_out'), credential_key: z.string() }).meta({ id: 'SignedOut' }),
  success: [200],
  problems: ['invalid_token', 'action_not_allowed'],
});

export const walletChallenge = defineOperation({
  name: 'wallet_challenge',
  summary: 'Get a message to sign with an EVM wallet. Signing in authorizes no payment.',
  method: 'POST',
  path: '/api/x402/v1/wallets/challenge',
  audience: ['public'],
  effect: 'write',
  idempotency: 'optional',
  input: z.strictObject({ address, format: z.enum(['siwe', 'legacy']).optional() }),
  output: z
    .object({
      challenge_key: z.string(),
      message: z.string(),
      nonce: z.string(),
      domain: z.string(),
      uri: z.string(),
      chain_id: z.int(),
      issued_at: instant,
      expires_at: instant,
    })
    .meta({ id: 'WalletChallenge' }),
  success: [200],
  // Unknown callers cannot conflict: the body is the key's scope.
  problems: ['idempotency_in_progress'],
  limit: 'wallet_challenges',
});

export const walletVerify = defineOperation({
  name: 'wallet_verify',
  summary: `Exchange the signed challenge for a session of ${lasting('walletSession')}. A challenge works once.`,
  method: 'POST',
  path: '/api/x402/v1/wallets/verify',
  audience: ['public'],
  effect: 'write',
  idempotency: 'none',
  input: z.strictObject({
    challenge_key: z.string().min(1).max(64),
    signature: z
      .string()
      .max(4_096)
      .regex(/^0x[0-9a-fA-F]*$/, 'must be hexadecimal with 0x'),
  }),
  output: z
    .object({
      access_token: z.string(),
      token_type: z.literal('Bearer'),
      expires_in: z.int(),
      principal: z.object({ kind: z.literal('wallet'), address }),
    })
    .meta({ id: 'WalletSession' }),
  success: [200],
  secret: true,
  problems: ['signature_invalid', 'challenge_expired', 'contract_wallet_unsupported'],
  limit: 'wallet_verifications',
});
