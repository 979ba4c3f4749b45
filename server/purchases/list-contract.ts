import { z } from 'zod';
import { defineOperation } from '../operation/operation.ts';
import { railNames } from '../payments/contract.ts';
import { lasting } from '../service/terms.ts';
import { Verdict } from '../work-check/contract.ts';
import { Evidence, Job, Quote, Receipt } from './contract.ts';

/** A caller's purchases, page by page, and their events (specification 3.8). Pure. */

const pageMax = 100;
const pageUsual = 20;

const cursor = z.string().min(1).max(80);

const Page = z.strictObject({
  after: cursor.optional().meta({ description: 'next_after of the previous page; omit it for the first.' }),
  limit: z.coerce.number().int().min(1).max(pageMax).default(pageUsual),
});

const next_after = cursor.nullable().meta({ description: 'Where the next page begins; null on the last one.' });

const list = {
  method: 'GET',
  audience: ['agent', 'member'],
  effect: 'read',
  idempotency: 'none',
  input: Page,
  success: [200],
  problems: ['invalid_token', 'not_found'],
} as const;

export const purchases = defineOperation({
  ...list,
  readsReplica: true,
  name: 'purchases',
  summary: 'List quotes, newest first.',
  path: '/api/agent/v1/purchases',
  output: z.object({ purchases: z.array(Quote).max(pageMax), next_after }).meta({ id: 'Purchases' }),
});

export const jobs = defineOperation({
  ...list,
  readsReplica: true,
  name: 'jobs',
  summary: 'List jobs, newest first.',
  path: '/api/agent/v1/jobs',
  output: z.object({ jobs: z.array(Job).max(pageMax), next_after }).meta({ id: 'Jobs' }),
});

const UnreachableReceipt = z
  .object({
    job_key: z.string(),
    receipt_key: z.string(),
    sequence: z.int().min(1),
    issued_at: z.iso.datetime(),
    unreachable: z.literal('archive_unreachable'),
  })
  .meta({ id: 'UnreachableReceipt' });

export const receipts = defineOperation({
  ...list,
  readsReplica: true,
  name: 'receipts',
  summary: 'List the newest receipt of each job. One that cannot be read right now is named as unreachable: ask again.',
  path: '/api/agent/v1/receipts',
  output: z
    .object({ receipts: z.array(z.union([Receipt, UnreachableReceipt])).max(pageMax), next_after })
    .meta({ id: 'Receipts' }),
});

const BoughtPurchase = z.object({
  job: Job,
  title: z.string().nullable().meta({ description: 'First line of the request; null once deleted.' }),
  content_deleted: z.boolean(),
  bought_by: Evidence.shape.bought_by,
  verdict: z.string().nullable().meta({ description: 'Of the newest report; null until there is one.' }),
});
export type BoughtPurchase = z.infer<typeof BoughtPurchase>;

/** Values of different names must all hold. */
const BoughtPage = Page.extend({
  agent_key: cursor.optional().meta({ description: 'Only what this agent or wallet bought.' }),
  rail: z.enum(railNames).optional().meta({ description: 'Only what its newest payment is on.' }),
  verdict: Verdict.optional().meta({ description: 'Only with this verdict in the newest report.' }),
  waits_for: z.enum(['review']).optional().meta({ description: 'Only what nobody has accepted or disputed yet.' }),
});

export const bought = defineOperation({
  ...list,
  readsReplica: true,
  name: 'bought',
  summary: 'List jobs with request, buyer and verdict.',
  path: '/api/agent/v1/bought',
  input: BoughtPage,
  output: z
    .object({
      purchases: z.array(BoughtPurchase).max(pageMax),
      next_after,
    })
    .meta({ id: 'Bought' }),
});

const Event = z
  .object({
    event_key: cursor,
    at: z.iso.datetime(),
    type: z.string().meta({ description: 'What happened, as in the timeline of a job. The list may grow.' }),
    quote_key: z.string(),
    job_key: z.string().nullable(),
    state: z.string().meta({ description: 'State of the quote after the event; from authorize on, of the job.' }),
  })
  .meta({ id: 'Event' });

export const events = defineOperation({
  ...list,
  name: 'events',
  summary:
    `List events of the last ${lasting('events')}, oldest first. Keep next_after and ask again with it; ` +
    'Prefer: wait=25 waits for the next event.',
  path: '/api/agent/v1/events',
  output: z
    .object({
      events: z.array(Event).max(pageMax),
      next_after: cursor.nullable().meta({ description: 'Where to continue: the last event on this page.' }),
    })
    .meta({ id: 'Events' }),
  waits: true,
});
