// Longer than 300 lines: what operators alone can ask for, in one table.
import { z } from 'zod';
import { defineOperation } from '../door/operation.ts';
import { railNames } from '../payments/contract.ts';
import { chargeStates, jobStates, paymentStates, reviewStates } from '../purchases/states.ts';
import { switchNames } from '../service/contract.ts';
import { roles } from './roles.ts';

/** What operators alone may ask for: none of it is published. Amounts are microcents. Pure. */

export const Reason = z.string().trim().min(1).max(500).meta({ description: 'Kept with what is done.' });
export const Key = z.string().regex(/^\w{1,64}$/);
export const Instant = z.iso.datetime();
export const Amount = z.int();
export const Done = z.object({ done: z.literal(true) });

export const look = {
  method: 'GET',
  audience: ['operator'],
  effect: 'read',
  idempotency: 'none',
  success: [200],
} as const;
export const act = {
  method: 'POST',
  audience: ['operator'],
  effect: 'write',
  idempotency: 'none',
  success: [200],
} as const;

export const turnSwitch = defineOperation({
  ...act,
  name: 'turn_switch',
  summary: 'Turn selling, registrations or a rail off or on again. What is open goes on.',
  path: '/console/switches/{name}',
  input: z.strictObject({ name: z.enum(switchNames), state: z.enum(['on', 'off']), reason: Reason }),
  output: z.object({
    name: z.enum(switchNames),
    state: z.enum(['on', 'off']),
    reason: z.string(),
    changed_at: Instant,
  }),
  problems: [],
});

export const consoleMe = defineOperation({
  ...look,
  name: 'console_me',
  summary: 'Who looks, in which role, and how much waits for a person.',
  path: '/console/me',
  input: z.strictObject({}),
  output: z.object({
    name: z.string(),
    role: z.enum([...roles, 'command']),
    may_move_money: z.boolean().meta({ description: 'Signed in so lately that money may be moved.' }),
    waiting: z.object({
      in_doubt: z.int(),
      overdue: z.int(),
      failed: z.int(),
      refunds: z.int(),
      blocks: z.int(),
      disputes: z.int(),
    }),
  }),
  problems: [],
});

const Count = z.object({ value: z.string(), count: z.int() });

export const ChainBooks = z.object({
  network: z.string(),
  searched_to: z.int(),
  head: z.int(),
  searched_at: Instant,
  balance_microcents: Amount.nullable(),
  ledger_microcents: Amount,
});
export type ChainBooks = z.infer<typeof ChainBooks>;

export const consoleOverview = defineOperation({
  ...look,
  name: 'console_overview',
  summary: 'How the service does: purchases, money, health, switches, and the books beside the chains.',
  path: '/console/overview',
  input: z.strictObject({ days: z.union([z.literal(1), z.literal(7), z.literal(30)]).default(1) }),
  output: z.object({
    since: Instant,
    purchases: z.int(),
    volume_microcents: Amount,
    delivered: z.int(),
    failed: z.int(),
    rails: z.array(
      z.object({
        rail: z.string(),
        collected: z.int(),
        ended_otherwise: z.int(),
        delivered: z.int(),
        failed: z.int(),
        over_target: z.int().meta({ description: 'Delivered later than the target after the collection.' }),
        median_seconds: z.number().nullable(),
        p95_seconds: z.number().nullable(),
      }),
    ),
    disputed: z.int().meta({ description: 'Purchases of which a report was disputed in the period.' }),
    waived: z.int(),
    reviews: z.array(Count),
    series: z.array(z.object({ at: Instant, count: z.int() })),
    verdicts: z.array(Count),
    held_microcents: Amount,
    refunded_microcents: Amount,
    credited_microcents: Amount,
    availability: z.object({
      state: z.string(),
      reasons: z.array(z.string()),
      rails: z.array(z.object({ rail: z.string(), state: z.string(), reasons: z.array(z.string()) })),
      registrations: z.object({ state: z.string(), reasons: z.array(z.string()) }),
    }),
    queues: z.array(z.object({ name: z.string(), waiting: z.int(), failed: z.int(), oldest_at: Instant.nullable() })),
    database: z.object({ version: z.string(), bytes: z.int(), connections: z.int() }),
    chains: z.array(ChainBooks),
    card: z
      .object({
        balance_microcents: Amount,
        ledger_microcents: Amount,
        differences: z.int().meta({ description: "What the provider's books and ours differ in." }),
        compared_at: Instant,
      })
      .nullable()
      .meta({ description: "Null until the provider's books were compared." }),
    webhooks: z.object({
      waiting: z.int(),
      failing: z.int().meta({ description: 'Tried, and not handled yet.' }),
      oldest_at: Instant.nullable(),
      median_lag_seconds: z.number().nullable().meta({ description: 'From announced to handled, in the period.' }),
    }),
    assessor: z.object({ name: z.string(), state: z.enum(['available', 'unavailable']) }),
    switches: z.array(
      z.object({
        name: z.enum(switchNames),
        state: z.enum(['on', 'off']),
        reason: z.string().nullable(),
        actor: z.string().nullable(),
        changed_at: Instant.nullable(),
      }),
    ),
  }),
  problems: [],
});
export type Overview = z.infer<typeof consoleOverview.output>;

export const told = <Row extends z.ZodType>(row: Row) => z.object({ rows: z.array(row), total: z.int() });
const OpenTransfer = z.object({
  seen_at: Instant,
  amount_microcents: Amount,
  network: z.string(),
  other: z.string(),
  transaction: z.string(),
  position: z.int(),
  gives_back: z.string().nullable(),
});
const OpenPayment = z.object({
  payment_key: z.string(),
  job_key: z.string(),
  created_at: Instant,
  amount_microcents: Amount,
  network: z.string(),
  payer: z.string(),
});

export const consoleMoney = defineOperation({
  ...look,
  name: 'console_money',
  summary: 'Money that waits for somebody: payments in doubt, unmatched transfers, refunds and blocks.',
  path: '/console/money',
  input: z.strictObject({}),
  output: z.object({
    chains: z.array(ChainBooks),
    arrivals: told(OpenTransfer),
    departures: told(OpenTransfer),
    unknown: told(OpenPayment),
    payments: told(OpenPayment),
    refunds: told(
      z.object({
        refund_key: z.string(),
        job_key: z.string().nullable(),
        state: z.enum(['refund_pending', 'refund_failed']),
        created_at: Instant,
        tries: z.int(),
        amount_microcents: Amount,
        network: z.string(),
        payer: z.string(),
        waits_for: z.enum(['person', 'dispute', 'arrival', 'finality', 'transfer', 'try']),
        failure: z.string().nullable(),
      }),
    ),
    blocks: told(
      z.object({
        block_key: z.string(),
        account_key: z.string().nullable(),
        payer: z.string().nullable(),
        cause: z.string(),
        created_at: Instant,
        amount_microcents: Amount.nullable(),
        job_key: z.string().nullable(),
      }),
    ),
  }),
  problems: [],
});

/** What purchases are filtered by, with the values that each field takes; null for a free one. */
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

/** Values of one field stand beside each other: any of them may hold. Excluding ones must all not hold. */
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

export const consolePurchases = defineOperation({
  ...look,
  name: 'console_purchases',
  summary: 'Purchases by what they are filtered by, a page at a time.',
  path: '/console/purchases',
  input: z.strictObject({
    filters: z.array(Filter).max(24).default([]),
    from: Instant.nullable().default(null),
    to: Instant.nullable().default(null),
    sort: z.enum(['newest', 'oldest']).default('newest'),
    after: Key.nullable().default(null),
    limit: z.int().min(1).max(1_000).default(50),
  }),
  output: z.object({ purchases: z.array(Row), next_after: z.string().nullable() }),
  problems: ['not_found'],
});

export const Entry = z.object({
  id: z.string().meta({ description: 'Names the entry within its purchase.' }),
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
  /** Why it cannot be done now; null when it can. */
  obstacle: z.string().nullable(),
});
export type Action = z.infer<typeof Action>;

export const consolePurchase = defineOperation({
  ...look,
  name: 'console_purchase',
  summary: 'A purchase with everything that was recorded of it, the newest first.',
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
        body: z.string(),
      }),
    ),
    actions: z.array(Action),
    timeline: z.array(Entry),
  }),
  problems: ['not_found'],
});
export type Purchase = z.infer<typeof consolePurchase.output>;

export const consoleSearch = defineOperation({
  ...look,
  name: 'console_search',
  summary: 'Find a purchase, payment, customer or transfer by anything that names it.',
  path: '/console/search',
  input: z.strictObject({ q: z.string().trim().min(1).max(255) }),
  output: z.object({
    results: z.array(
      z.object({
        kind: z.enum([
          'purchase',
          'quote',
          'payment',
          'refund',
          'receipt',
          'registration',
          'customer',
          'transfer',
          'request',
          'card',
          'dispute',
          'webhook',
          'block',
        ]),
        key: z.string(),
        title: z.string(),
        at: Instant.nullable(),
        page: z.string(),
      }),
    ),
  }),
  problems: [],
});

const Act = z.object({
  subject: z.string(),
  sequence: z.int(),
  at: Instant,
  actor: z.string(),
  role: z.string(),
  action: z.string(),
  reason: z.string(),
  purchase_key: z.string().nullable(),
  amount_microcents: Amount.nullable(),
  hash: z.string(),
});
export type Act = z.infer<typeof Act>;

export const consoleActs = defineOperation({
  ...look,
  name: 'console_acts',
  summary: 'What operators did, the newest first.',
  path: '/console/acts',
  input: z.strictObject({ before: Instant.nullable().default(null), limit: z.int().min(1).max(200).default(100) }),
  output: z.object({ acts: z.array(Act), next_before: Instant.nullable() }),
  problems: [],
});

export const verifyActs = defineOperation({
  ...look,
  name: 'verify_acts',
  summary: 'Compute the hashes of the audit again: of all acts, and of the purchases that they were on or of one.',
  path: '/console/acts/verification',
  input: z.strictObject({ purchase_key: Key.nullable().default(null) }),
  output: z.object({
    acts: z.int(),
    rows: z.int(),
    /** Seals that were computed again, the newest first up to a bound, and over how many rows. */
    seals: z.int(),
    sealed_rows: z.int(),
    sealed_since: Instant.nullable(),
    broken: z.array(z.object({ subject: z.string(), sequence: z.int(), fault: z.string() })),
  }),
  problems: [],
});

export const consoleCustomers = defineOperation({
  ...look,
  name: 'console_customers',
  summary: 'A customer: members, agents with what they may spend, and blocks.',
  path: '/console/customers/{account_key}',
  input: z.strictObject({ account_key: Key }),
  output: z.object({
    account_key: z.string(),
    created_at: Instant,
    members: z.array(z.object({ email: z.string(), role: z.string(), created_at: Instant })),
    agents: z.array(
      z.object({
        agent_key: z.string(),
        kind: z.string(),
        name: z.string().nullable(),
        state: z.enum(['active', 'paused', 'revoked']),
        per_job_microcents: Amount,
        daily_microcents: Amount,
        total_microcents: Amount.nullable(),
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
        created_at: Instant,
        lifted_at: Instant.nullable(),
        lifted_by: z.string().nullable(),
        lifted_because: z.string().nullable(),
      }),
    ),
    waivers: z.int(),
    /** Who disputes everything twice: by who buys, and by who paid. */
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

const onPurchase = z.strictObject({ key: Key, reason: Reason });

export const notePurchase = defineOperation({
  ...act,
  name: 'note_purchase',
  summary: 'Write a note beside a purchase. Operators alone see it.',
  path: '/console/purchases/{key}/note_purchase',
  input: onPurchase,
  output: Done,
  problems: ['not_found', 'action_not_allowed'],
});

export const openContent = defineOperation({
  ...act,
  name: 'open_content',
  summary: 'Say why the content of a purchase has to be read. It can be read for a while from then on.',
  path: '/console/purchases/{key}/open_content',
  input: onPurchase,
  output: Done,
  problems: ['not_found', 'action_not_allowed'],
});

export const readContent = defineOperation({
  ...look,
  name: 'read_content',
  summary: 'Work, evidence and reports of a purchase, for who said why.',
  path: '/console/purchases/{key}/content',
  input: z.strictObject({ key: Key }),
  output: z.object({
    opened_because: z.string(),
    until: Instant,
    input: z.string().nullable(),
    reports: z.array(z.object({ number: z.int(), body: z.string() })),
  }),
  problems: ['not_found', 'action_not_allowed'],
});

export const cancelJob = defineOperation({
  ...act,
  name: 'cancel_job',
  summary: 'Cancel a job before its report. What was collected is given up.',
  path: '/console/purchases/{key}/cancel_job',
  input: onPurchase,
  output: Done,
  problems: ['not_found', 'action_not_allowed'],
});

export const waiveCharge = defineOperation({
  ...act,
  name: 'waive_charge',
  summary: 'Give up the charge of a job whose review is overdue. The collection goes back.',
  path: '/console/purchases/{key}/waive_charge',
  input: onPurchase,
  output: Done,
  problems: ['not_found', 'action_not_allowed'],
});

export const askAgain = defineOperation({
  ...act,
  effect: 'money',
  name: 'ask_again',
  summary: 'Ask the provider how an open payment or refund of a purchase stands. Safe to repeat.',
  path: '/console/purchases/{key}/ask_again',
  input: onPurchase,
  output: z.object({ payment_state: z.string() }),
  problems: ['not_found', 'action_not_allowed'],
});

export const giveBack = defineOperation({
  ...act,
  name: 'give_back',
  summary: 'Give a transfer that matches no payment back to who sent it.',
  path: '/console/transfers/{transaction}/give_back',
  input: z.strictObject({
    network: z.string().max(64),
    transaction: z.string().regex(/^0x[0-9a-f]{64}$/),
    position: z.coerce.number().int().min(0),
    reason: Reason,
  }),
  output: z.object({ amount_microcents: Amount, sender: z.string() }),
  problems: ['not_found', 'action_not_allowed'],
});

export const liftBlock = defineOperation({
  ...act,
  name: 'lift_block',
  summary: 'Let whoever a block keeps from buying buy again.',
  path: '/console/blocks/{block_key}/lift_block',
  input: z.strictObject({ block_key: Key, reason: Reason }),
  output: Done,
  problems: ['not_found'],
});

export const runAgain = defineOperation({
  ...act,
  name: 'run_again',
  summary: 'Have a worker take the check of a job anew, with all its tries. One that is at it writes no more.',
  path: '/console/purchases/{key}/run_again',
  input: onPurchase,
  output: Done,
  problems: ['not_found', 'action_not_allowed'],
});

export const refundCharge = defineOperation({
  ...act,
  name: 'refund_charge',
  summary: 'Give the charge of an accepted report back, out of the revenue.',
  path: '/console/purchases/{key}/refund_charge',
  input: onPurchase,
  output: Done,
  problems: ['not_found', 'action_not_allowed'],
});

/** What can be done to many purchases at once. */
export const bulkNames = ['ask_again', 'run_again', 'waive_charge', 'note_purchase'] as const satisfies ActionName[];
export type BulkName = (typeof bulkNames)[number];

/** So many purchases are acted on at once. */
export const bulkMax = 100;

export const previewActs = defineOperation({
  ...look,
  name: 'preview_acts',
  summary: 'What an action would touch of purchases that were chosen, and what stands in its way.',
  path: '/console/acts/preview',
  input: z.strictObject({ action: z.enum(bulkNames), keys: z.array(Key).min(1).max(bulkMax) }),
  output: z.object({
    touched: z.int(),
    amount_microcents: Amount.meta({ description: 'Of those that the action can be done to.' }),
    purchases: z.array(Row.extend({ obstacle: z.string().nullable() })),
  }),
  problems: ['not_found'],
});

export const actOnPurchases = defineOperation({
  ...act,
  effect: 'money',
  name: 'act_on_purchases',
  summary: 'Do one action to purchases that were chosen, each in a transaction of its own with its audit row.',
  path: '/console/acts',
  input: z.strictObject({ action: z.enum(bulkNames), keys: z.array(Key).min(1).max(bulkMax), reason: Reason }),
  output: z.object({ done: z.int(), refused: z.array(z.object({ key: z.string(), because: z.string() })) }),
  problems: ['not_found', 'action_not_allowed', 'fresh_sign_in_required'],
});

const View = z.object({ view_key: z.string(), name: z.string(), query: z.string() });
export type SavedView = z.infer<typeof View>;
/** Of an operator. */
const Views = z.object({ views: z.array(View) });

export const consoleViews = defineOperation({
  ...look,
  name: 'console_views',
  summary: 'The views of the list of purchases that an operator has saved.',
  path: '/console/views',
  input: z.strictObject({}),
  output: Views,
  problems: [],
});

export const saveView = defineOperation({
  ...act,
  name: 'save_view',
  summary: 'Save a view of the list of purchases under a name; one of the same name is replaced.',
  path: '/console/views',
  input: z.strictObject({
    name: z.string().trim().min(1).max(40),
    query: z.string().max(2_000).meta({ description: 'As the address of the list says it.' }),
  }),
  output: Views,
  problems: ['action_not_allowed'],
});

export const removeView = defineOperation({
  ...act,
  name: 'remove_view',
  summary: 'Forget a saved view.',
  path: '/console/views/{view_key}/remove',
  input: z.strictObject({ view_key: Key }),
  output: Views,
  problems: ['not_found'],
});
