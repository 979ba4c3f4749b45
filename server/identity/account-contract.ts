import { z } from 'zod';
import { defineOperation } from '../operation/operation.ts';

/** A person's sign-ins and silenced origins. Pure. */

const instant = z.iso.datetime();

const SignedIn = z
  .object({
    email: z.string(),
    sessions: z.array(
      z.object({
        session_key: z.string(),
        created_at: instant,
        expires_at: instant,
        origin: z.string().meta({ description: 'The network block of the sign-in.' }),
        browser: z.string().nullable().meta({ description: "The browser's own name for itself; not verified." }),
        current: z.boolean().meta({ description: 'Whether this is the session of the request.' }),
      }),
    ),
    silenced: z.array(z.object({ origin: z.string(), since: instant, until: instant })).meta({
      description: 'Network blocks whose agents cannot write to this address, since the person blocked them.',
    }),
    blocks: z.array(z.object({ why: z.string(), next: z.string(), since: instant })).meta({
      description: 'Why the account can buy nothing new, and what to do about each.',
    }),
    report_letters: z.boolean().meta({
      description: 'Whether we write when a report is ready. Letters about money and safety always come.',
    }),
  })
  .meta({ id: 'SignedIn' });

export type SignedIn = z.infer<typeof SignedIn>;

export const member = defineOperation({
  name: 'member',
  summary: 'The member who asks: where they are signed in, and where agents are kept from writing to them from.',
  method: 'GET',
  path: '/api/agent/v1/members/me',
  audience: ['member'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({}),
  output: SignedIn,
  success: [200],
  problems: ['invalid_token'],
});

export const endSessions = defineOperation({
  name: 'end_sessions',
  summary: 'End one of your sign-ins, or without session_key all except this one.',
  method: 'POST',
  path: '/api/agent/v1/members/sessions/end',
  audience: ['member'],
  effect: 'write',
  idempotency: 'none',
  input: z.strictObject({ session_key: z.string().min(1).max(64).optional() }),
  output: SignedIn,
  success: [200],
  problems: ['invalid_token'],
});

export const liftSilence = defineOperation({
  name: 'lift_silence',
  summary: 'Let agents from this network block write to you again.',
  method: 'POST',
  path: '/api/agent/v1/members/silences/lift',
  audience: ['member'],
  effect: 'write',
  idempotency: 'none',
  input: z.strictObject({ origin: z.string().min(1).max(64) }),
  output: SignedIn,
  success: [200],
  problems: ['invalid_token'],
});

export const changeLetters = defineOperation({
  name: 'change_letters',
  summary: 'Turn letters about reports off or on for yourself.',
  method: 'POST',
  path: '/api/agent/v1/members/letters',
  audience: ['member'],
  effect: 'write',
  idempotency: 'none',
  input: z.strictObject({ reports: z.boolean() }),
  output: SignedIn,
  success: [200],
  problems: ['invalid_token'],
});

const nameMax = 200;
const addressMax = 500;
const taxIdMax = 50;

const Billing = z
  .object({
    name: z.string().trim().min(1).max(nameMax),
    address: z.string().trim().min(1).max(addressMax).meta({ description: 'Postal address; may have several lines.' }),
    tax_id: z.string().trim().min(1).max(taxIdMax).nullable(),
  })
  .meta({ id: 'Billing', description: 'Who buys, as it stands on receipts for the books.' });
export type Billing = z.infer<typeof Billing>;

const BillingOfAccount = z.object({ billing: Billing.nullable() }).meta({ id: 'BillingOfAccount' });

export const billing = defineOperation({
  name: 'billing',
  summary: 'Read who buys.',
  method: 'GET',
  path: '/api/agent/v1/account/billing',
  audience: ['member'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({}),
  output: BillingOfAccount,
  success: [200],
  problems: ['invalid_token'],
});

export const changeBilling = defineOperation({
  name: 'change_billing',
  summary: 'Say who buys, for receipts.',
  method: 'POST',
  path: '/api/agent/v1/account/billing',
  audience: ['member'],
  effect: 'write',
  idempotency: 'none',
  input: z.strictObject(Billing.shape),
  output: BillingOfAccount,
  success: [200],
  problems: ['invalid_token'],
});
