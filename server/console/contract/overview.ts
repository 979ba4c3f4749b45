import { z } from 'zod';
import { switchNames } from '../../availability/contract.ts';
import { defineOperation } from '../../operation/operation.ts';
import { roles } from '../../operation/operator-roles.ts';
import { Amount, act, Instant, look, Reason } from './parts.ts';
import { ChainBooks } from './records.ts';

/** The console itself: the visitor, the state of the service, switches and search. Pure. */

export const turnSwitch = defineOperation({
  ...act,
  name: 'turn_switch',
  summary: 'Switch sales, registrations or a rail off or on. Open payments and jobs continue.',
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
  summary: "Read the operator's name, role and the number of items that need a person.",
  path: '/console/me',
  input: z.strictObject({}),
  output: z.object({
    name: z.string(),
    role: z.enum([...roles, 'command']),
    may_move_money: z.boolean().meta({ description: 'Whether the sign-in is fresh enough to move money.' }),
    waiting: z.object({
      in_doubt: z.int(),
      overdue: z.int().meta({ description: 'Counted up to a limit.' }),
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
  summary: 'Read the state of the service: purchases, money, health, switches, and the books compared with the chains.',
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
        over_target: z.int().meta({ description: 'Delivered after the target, counted from collection.' }),
        median_seconds: z.number().nullable().meta({ description: 'Accurate to 5%, as is the next.' }),
        p95_seconds: z.number().nullable(),
      }),
    ),
    disputed: z.int().meta({ description: 'Purchases with a report disputed in the period.' }),
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
        differences: z.int().meta({ description: "Number of differences between the provider's books and ours." }),
        compared_at: Instant,
      })
      .nullable()
      .meta({ description: "Null until the provider's books have been compared." }),
    webhooks: z.object({
      waiting: z.int(),
      failing: z.int().meta({ description: 'Tried but not handled yet.' }),
      oldest_at: Instant.nullable(),
      median_lag_seconds: z.number().nullable().meta({ description: 'From arrival to handling, in the period.' }),
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
  summary: 'Find a purchase, payment, customer or transfer by any of its keys or names.',
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
