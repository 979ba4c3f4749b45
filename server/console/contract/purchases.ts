import { z } from 'zod';
import { defineOperation } from '../../operation/operation.ts';
import { railNames } from '../../payments/contract.ts';
import { chargeStates, jobStates, paymentStates, reviewStates } from '../../purchases/states.ts';
import { Amount, act, Instant, inspect, Key, look } from './parts.ts';

/** Purchases, their lists and saved views, for operators. Pure. */

/** The filters of purchases with their values; null for any value. */
export const filterFields = {
  job: jobStates,
  payment: paymentStates,
  charge: chargeStates,
  review: reviewStates,
  verdict: ['supported', 'revise', 'escalate', 'insufficient_evidence'],
  rail: railNames,
  /** Keys of accounts. */
  customer: null,
  /** Keys of agents and wallets. */
  agent: null,
} as const satisfies Record<string, readonly string[] | null>;
export type FilterField = keyof typeof filterFields;
export const filterNames = Object.keys(filterFields) as FilterField[];

/** Values of one field are alternatives; excluded values are all excluded. */
export const Filter = z
  .strictObject({
    field: z.enum(filterNames as [FilterField, ...FilterField[]]),
    value: z.string().min(1).max(100),
    not: z.boolean().default(false),
  })
  .refine(({ field, value }) => (filterFields[field] as readonly string[] | null)?.includes(value) ?? true, {
    message: 'This field has no such value.',
  });
export type Filter = z.infer<typeof Filter>;

export const Row = z.object({
  job_key: z.string(),
  quote_key: z.string(),
  created_at: Instant,
  account_key: z.string(),
  buyer: z.string(),
  rail: z.string().nullable(),
  state: z.string(),
  payment_state: z.string(),
  charge_state: z.string(),
  review_state: z.string(),
  verdict: z.string().nullable(),
  amount_microcents: Amount,
});
export type Row = z.infer<typeof Row>;

/** What became of the payment of a purchase, for bookkeeping. */
const Money = z.object({
  fee_microcents: Amount.nullable().meta({ description: "The card provider's; null where nobody told one." }),
  refunded_microcents: Amount,
  reference: z
    .string()
    .nullable()
    .meta({ description: 'The charge at the card provider, or network and transaction.' }),
});
export type Money = z.infer<typeof Money>;

export const consolePurchases = defineOperation({
  ...look,
  name: 'console_purchases',
  summary: 'List purchases that match filters, a page at a time.',
  path: '/console/purchases',
  input: z.strictObject({
    filters: z.array(Filter).max(24).default([]),
    from: Instant.nullable().default(null),
    to: Instant.nullable().default(null),
    sort: z.enum(['newest', 'oldest']).default('newest'),
    after: Key.nullable().default(null),
    limit: z.int().min(1).max(1_000).default(50),
    money: z.boolean().default(false).meta({ description: 'With fee, refund and reference of each.' }),
  }),
  output: z.object({ purchases: z.array(Row.extend({ money: Money.nullable() })), next_after: z.string().nullable() }),
  problems: ['not_found'],
});

export const Entry = z.object({
  id: z.string().meta({ description: 'Identifies the entry within its purchase.' }),
  at: Instant,
  kind: z.enum([
    'state',
    'payment',
    'chain',
    'refund',
    'report',
    'review',
    'receipt',
    'ledger',
    'queue',
    'letter',
    'request',
    'operator',
    'switch',
    'provider',
    'webhook',
  ]),
  title: z.string(),
  detail: z.string(),
  key: z.string().nullable(),
  failed: z.boolean(),
  needs_look: z.boolean().meta({ description: 'What is wrong is still so, and waits for a person.' }),
  raw: z.record(z.string(), z.unknown()),
});
export type Entry = z.infer<typeof Entry>;

export const actionNames = [
  'ask_again',
  'run_again',
  'cancel_job',
  'waive_charge',
  'refund_charge',
  'open_content',
  'note_purchase',
] as const;
export type ActionName = (typeof actionNames)[number];

export const Action = z.object({
  name: z.enum(actionNames),
  /** Why it is impossible now; null when possible. */
  obstacle: z.string().nullable(),
});
export type Action = z.infer<typeof Action>;

/** What was taken for a purchase, and what goes back of it, oldest first. */
const Movements = z.object({
  takings: z.array(
    z.object({
      at: Instant,
      amount_microcents: Amount,
      pays: z.boolean().meta({ description: 'False where it came too often or too late, and goes back.' }),
      reference: z.string().meta({ description: 'The charge at the card provider, or network and transaction.' }),
    }),
  ),
  refunds: z.array(
    z.object({
      refund_key: z.string(),
      state: z.string(),
      amount_microcents: Amount,
      at: Instant.meta({ description: 'When it went back; while it is under way, since when it is owed.' }),
      reference: z.string().nullable(),
    }),
  ),
});
export type Movements = z.infer<typeof Movements>;

export const consolePurchase = defineOperation({
  ...inspect,
  name: 'console_purchase',
  summary: 'Read a purchase with all its records, newest first.',
  path: '/console/purchases/{key}',
  input: z.strictObject({ key: Key }),
  output: Row.extend({
    job_key: z.string().nullable(),
    agent_key: z.string(),
    agent_name: z.string().nullable(),
    method: z.string().nullable(),
    payment_key: z.string().nullable(),
    deadline: z.object({ what: z.string(), at: Instant }).nullable(),
    failure: z.string().nullable(),
    owner: z.string().nullable().meta({ description: "The address of the account's owner; a wallet has none." }),
    decline: z
      .object({ code: z.string(), at: Instant, intent_id: z.string().nullable() })
      .nullable()
      .meta({ description: "The bank's newest refusal of a charge, as the card provider names it." }),
    movements: Movements,
    content_deleted_at: Instant.nullable(),
    reports: z.array(
      z.object({ number: z.int(), verdict: z.string().nullable(), digest: z.string(), delivered_at: Instant }),
    ),
    receipts: z.array(
      z.object({
        receipt_key: z.string(),
        sequence: z.int(),
        digest: z.string(),
        issued_at: Instant,
        body: z.string().nullable().meta({ description: 'Null while the archive that has it does not answer.' }),
      }),
    ),
    actions: z.array(Action),
    timeline: z.array(Entry),
  }),
  problems: ['not_found'],
});
export type Purchase = z.infer<typeof consolePurchase.output>;
const View = z.object({ view_key: z.string(), name: z.string(), query: z.string() });
export type SavedView = z.infer<typeof View>;

/** One operator's. */
const Views = z.object({ views: z.array(View) });

export const consoleViews = defineOperation({
  ...look,
  name: 'console_views',
  summary: "List the operator's saved views of the purchase list.",
  path: '/console/views',
  input: z.strictObject({}),
  output: Views,
  problems: [],
});

export const saveView = defineOperation({
  ...act,
  name: 'save_view',
  summary: 'Save a view of the purchase list under a name, replacing one of the same name.',
  path: '/console/views',
  input: z.strictObject({
    name: z.string().trim().min(1).max(40),
    query: z.string().max(2_000).meta({ description: "The query of the list's address." }),
  }),
  output: Views,
  problems: ['action_not_allowed'],
});

export const removeView = defineOperation({
  ...act,
  name: 'remove_view',
  summary: 'Delete a saved view.',
  path: '/console/views/{view_key}/remove',
  input: z.strictObject({ view_key: Key }),
  output: Views,
  problems: ['not_found'],
});
