import { z } from 'zod';
import { defineOperation } from '../operation/operation.ts';
import { railNames } from '../payments/contract.ts';
import { paymentStates } from './states.ts';

/** The payment page, and the cards that an account keeps (specification 8.1). Pure. */

const instant = z.iso.datetime();
const microcents = z.int().min(0);
const key = z.string().min(1).max(64);
const PaymentKey = z.strictObject({
  payment_key: key.meta({ description: 'The end of continuation_url. Random; whoever has it can pay.' }),
});

export const PaymentPage = z
  .object({
    payment_key: key,
    state: z.enum(['open', 'unknown', 'paid', 'ended']).meta({
      description:
        'open: can be paid. unknown: do not pay again, the outcome is not known yet. paid: nothing is left to do. ' +
        'ended: this payment will never collect; the agent asks for another.',
    }),
    payment_state: z.enum(paymentStates).meta({ description: "The state of the check's payment, on any rail." }),
    checkout_begun_at: instant.nullable().meta({ description: "When a payer first opened the provider's page." }),
    refused: z
      .object({ reason: z.string(), at: instant })
      .nullable()
      .meta({
        description:
          'The newest refusal of a card on the provider’s page; null where there was none. The reason is the provider’s ' +
          'code; card_declined where the bank gave none, or one that only its holder should hear.',
      }),
    price: z.object({ amount_microcents: microcents, currency: z.literal('USD') }),
    agent_name: z.string().nullable(),
    job_key: key.nullable().meta({ description: 'The check, for a signed-in member of its account; null for others.' }),
    limits: z.object({
      per_job_limit_microcents: microcents,
      daily_limit_microcents: microcents,
      total_limit_microcents: microcents.nullable(),
    }),
    rails: z
      .array(z.object({ rail: z.enum(railNames), methods: z.array(z.string()), networks: z.array(z.string()) }))
      .meta({ description: 'What can pay now. Empty unless the link is open.' }),
    card_for_members_only: z.boolean().meta({
      description: 'Whether the card page opens for signed-in members of the account alone, and the reader is none.',
    }),
    offers_saving: z.boolean().meta({ description: 'Whether the reader is a signed-in member and may save the card.' }),
    environment: z.enum(['test', 'live']),
    expires_at: instant,
  })
  .meta({ id: 'PaymentPage' });
export type PaymentPage = z.infer<typeof PaymentPage>;

export const paymentPage = defineOperation({
  name: 'payment_page',
  summary: 'Read what a payment link asks for, and its state. The link is the only credential; it shows no content.',
  method: 'GET',
  path: '/api/agent/v1/payments/{payment_key}',
  audience: ['public', 'member'],
  effect: 'read',
  idempotency: 'none',
  input: PaymentKey,
  output: PaymentPage,
  success: [200],
  problems: ['not_found'],
  limit: 'claims',
});

export const startCheckout = defineOperation({
  name: 'start_checkout',
  summary: "Open the provider's page for a payment link when the payer clicks. Repeating it gives the same page.",
  method: 'POST',
  path: '/api/agent/v1/payments/{payment_key}/checkout',
  audience: ['public', 'member'],
  effect: 'money',
  idempotency: 'none',
  input: PaymentKey,
  output: z.object({ url: z.url() }).meta({ id: 'Checkout' }),
  success: [200],
  problems: [
    'grant_scope_missing',
    'grant_limit_exceeded',
    'not_found',
    'purchases_blocked',
    'action_not_allowed',
    'payment_unknown',
    'service_unavailable',
  ],
  limit: 'claims',
});

const SavedCard = z
  .object({
    card_key: key,
    brand: z.string(),
    last4: z.string(),
    exp_month: z.int(),
    exp_year: z.int(),
    saved_at: instant,
  })
  .meta({ id: 'SavedCard' });

const SavedCards = z.object({ cards: z.array(SavedCard) }).meta({ id: 'SavedCards' });
export type SavedCards = z.infer<typeof SavedCards>;

export const savedCards = defineOperation({
  name: 'saved_cards',
  summary: "List the account's saved cards, newest first. The first one is charged.",
  method: 'GET',
  path: '/api/agent/v1/cards',
  audience: ['member'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({}),
  output: SavedCards,
  success: [200],
  problems: ['invalid_token'],
});

export const removeCard = defineOperation({
  name: 'remove_card',
  summary: 'Remove a saved card for good: agents can no longer pay with it. Past payments stay.',
  method: 'POST',
  path: '/api/agent/v1/cards/{card_key}/remove',
  audience: ['member'],
  effect: 'write',
  idempotency: 'none',
  input: z.strictObject({ card_key: key }),
  output: SavedCards,
  success: [200],
  problems: ['invalid_token', 'not_found'],
  destroys: true,
});

const ContestedPayments = z
  .object({
    payments: z.array(
      z.object({
        payment_key: key,
        job_key: key,
        cause: z.enum(['card_dispute', 'payment_reversed', 'card_reported', 'blocked_card']),
        since: instant,
        can_disown: z.boolean().meta({ description: 'Whether a member can say that nobody of the account made it.' }),
      }),
    ),
    links_closed_at: instant.nullable().meta({
      description: 'Since when only signed-in members pay by card on the payment links of the account.',
    }),
  })
  .meta({ id: 'ContestedPayments' });
export type ContestedPayments = z.infer<typeof ContestedPayments>;

export const contestedPayments = defineOperation({
  name: 'contested_payments',
  summary: 'The payments that keep the account from buying.',
  method: 'GET',
  path: '/api/agent/v1/members/payments/contested',
  audience: ['member'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({}),
  output: ContestedPayments,
  success: [200],
  problems: ['invalid_token'],
});

export const disownPayments = defineOperation({
  name: 'disown_payments',
  summary:
    'Say that nobody of the account made the contested payments that can be disowned. Their blocks end, their cards ' +
    'stay blocked, and from then on only signed-in members pay by card on the payment links of the account.',
  method: 'POST',
  path: '/api/agent/v1/members/payments/disown',
  audience: ['member'],
  effect: 'write',
  idempotency: 'none',
  input: z.strictObject({}),
  output: ContestedPayments,
  success: [200],
  problems: ['invalid_token', 'action_not_allowed'],
});
