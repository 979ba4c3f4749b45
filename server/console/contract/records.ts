import { z } from 'zod';
import { defineOperation } from '../../operation/operation.ts';
import { Amount, act, Done, Instant, inspect, Key, look, Reason, told } from './parts.ts';

/** The books, and what providers announced, for operators. Pure. */

export const ChainBooks = z.object({
  network: z.string(),
  searched_to: z.int(),
  head: z.int(),
  searched_at: Instant,
  balance_microcents: Amount.nullable(),
  ledger_microcents: Amount,
});
export type ChainBooks = z.infer<typeof ChainBooks>;

const Account = z.object({
  account: z.string(),
  debited_microcents: Amount,
  credited_microcents: Amount,
  balance_microcents: Amount.meta({ description: 'Debits less credits.' }),
  entries: z.int(),
});

const Difference = z.object({
  book: z.string().meta({ description: '`card`, or the network of a chain.' }),
  kind: z.string(),
  object_id: z.string().meta({ description: "The provider's id." }),
  /** What each side says; null where it knows of no such thing. */
  ours: z.string().nullable(),
  theirs: z.string().nullable(),
  first_seen_at: Instant,
  last_seen_at: Instant,
  job_key: z.string().nullable().meta({ description: 'The purchase on our side.' }),
  provider_page: z.string().nullable().meta({ description: "The object's page at the provider." }),
});

export const consoleLedger = defineOperation({
  ...look,
  name: 'console_ledger',
  summary: 'Read the accounts of the books, whether they balance, and the differences from providers.',
  path: '/console/ledger',
  input: z.strictObject({}),
  output: z.object({
    closed_at: Instant.nullable().meta({ description: 'Totals are stored up to this time; later entries are added.' }),
    accounts: z.array(Account),
    /** Debits less credits over all accounts: zero. */
    difference_microcents: Amount,
    differences: told(Difference),
    card: z.object({ searched_at: Instant, balance_microcents: Amount, ledger_microcents: Amount }).nullable(),
    chains: z.array(ChainBooks),
  }),
  problems: [],
});

const EventKey = z.string().min(1).max(250);
const LedgerEntry = z.object({
  event_key: z.string(),
  event: z.string(),
  at: Instant,
  job_key: z.string().nullable(),
  debit_account: z.string(),
  credit_account: z.string(),
  amount_microcents: Amount,
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;

export const consoleEntries = defineOperation({
  ...look,
  name: 'console_entries',
  summary: 'List entries of the books or of one account, newest first, a page at a time.',
  path: '/console/ledger/entries',
  input: z.strictObject({
    account: z.string().min(1).max(100).nullable().default(null),
    after: EventKey.nullable().default(null),
    limit: z.int().min(1).max(200).default(50),
  }),
  output: z.object({
    entries: z.array(LedgerEntry),
    next_after: z.string().nullable(),
    archived: z
      .object({ entries: z.int(), months: z.array(z.string()) })
      .nullable()
      .meta({
        description:
          'What lies in the archive instead: each purchase shows its own. Months are those of the purchases.',
      }),
  }),
  problems: ['not_found'],
});

const Announced = z.object({
  event_key: z.string(),
  type: z.string(),
  object_key: z.string(),
  created_at: Instant,
  received_at: Instant,
  handled_at: Instant.nullable(),
  tries: z.int(),
  next_try_at: Instant,
  failure: z.string().nullable(),
});
export type Announced = z.infer<typeof Announced>;

export const consoleWebhooks = defineOperation({
  ...look,
  name: 'console_webhooks',
  summary: "List the card provider's events, newest first, with the number of tries to handle each.",
  path: '/console/webhooks',
  input: z.strictObject({
    waiting: z.boolean().default(false).meta({ description: 'Only events not handled yet.' }),
    after: Key.nullable().default(null),
    limit: z.int().min(1).max(200).default(50),
  }),
  output: z.object({
    events: z.array(Announced),
    next_after: z.string().nullable(),
    waiting: z.int(),
    oldest_at: Instant.nullable(),
  }),
  problems: ['not_found'],
});

const onEvent = z.strictObject({ event_key: Key, reason: Reason });

export const hearAgain = defineOperation({
  ...act,
  name: 'hear_again',
  summary: 'Handle an event again. Repeating it is safe: it takes effect once.',
  path: '/console/webhooks/{event_key}/hear_again',
  input: onEvent,
  output: Done,
  problems: ['not_found'],
});

export const openWebhook = defineOperation({
  ...act,
  name: 'open_webhook',
  summary: 'Give a reason to read the payload of an event. It can then be read for a while.',
  path: '/console/webhooks/{event_key}/open_webhook',
  input: onEvent,
  output: Done,
  problems: ['not_found'],
});

export const readWebhook = defineOperation({
  ...inspect,
  name: 'read_webhook',
  summary: 'Read the payload of an event from the provider, after giving a reason.',
  path: '/console/webhooks/{event_key}/payload',
  input: z.strictObject({ event_key: Key }),
  output: z.object({
    opened_because: z.string(),
    until: Instant,
    /** JSON text; null once the provider has deleted it, after 30 days. */
    payload: z.string().nullable(),
  }),
  problems: ['not_found', 'action_not_allowed', 'service_unavailable'],
});
