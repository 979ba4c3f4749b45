import { z } from 'zod';
import { defineOperation } from '../../door/operation.ts';
import { switchNames } from '../../service/contract.ts';
import { roles } from '../roles.ts';
import { Amount, act, Instant, look, Reason } from './parts.ts';
import { ChainBooks } from './records.ts';

/** The console itself: the visitor, the state of the service, switches and search. Pure. */

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

/** Counts of what waits stop here: more is more than a person gets through. */
export const waitingMax = 1_000;

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
      overdue: z.int().meta({ description: 'Counted up to a bound.' }),
      failed: z.int(),
      refunds: z.int(),
      blocks: z.int(),
      disputes: z.int(),
    }),
  }),
  problems: [],
});

const Count = z.object({ value: z.string(), count: z.int() });

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
        median_seconds: z.number().nullable().meta({ description: 'To 5%, as the next.' }),
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
