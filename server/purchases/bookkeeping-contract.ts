import { z } from 'zod';
import { defineOperation } from '../operation/operation.ts';
import { Evidence, Receipt } from './contract.ts';

/** Receipts as the books of buyer and seller need them: a view of the signed ones (specification 10.8). Pure. */

const key = z.string().min(1).max(80);
const microcents = z.int();
const pageMax = 100;
const pageUsual = 20;

/** A month of UTC, such as `2026-11`. */
export const Month = z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/);

const Party = z.object({ name: z.string(), address: z.string().nullable(), tax_id: z.string().nullable() });

const BookkeepingReceipt = z
  .object({
    number: z.string().nullable().meta({
      description: 'In sequence, without a gap, for each seller and year; null for the moment until it is given.',
    }),
    job_key: key,
    issued_at: z.iso.datetime().meta({ description: 'When money was taken.' }),
    seller: Party.extend({ email: z.string() }).nullable(),
    buyer: Party.nullable().meta({ description: 'As an owner of the account said it; null until then.' }),
    amount_microcents: microcents.meta({ description: 'What was collected, tax included.' }),
    net_microcents: microcents,
    tax_microcents: microcents,
    tax_percent: z.number(),
    untaxed_because: z.string().nullable(),
    title: z.string().nullable().meta({ description: 'First line of the request; null once deleted.' }),
    bought_by: Evidence.shape.bought_by,
    verdict: z.string().nullable(),
    receipt_key: key.meta({ description: 'Of the newest signed receipt; the figures that follow are as it has them.' }),
    collected_at: z.iso.datetime(),
    rail: Receipt.shape.collection.shape.rail,
    reference: z.string().meta({ description: 'Where the money was taken: as in the collection of the receipt.' }),
    charge_state: Receipt.shape.charge.shape.state,
    charged_microcents: microcents,
    remedy_kind: Receipt.shape.remedy.shape.kind,
    given_back_microcents: microcents,
    receipt: Receipt.nullable().meta({
      description: 'The newest signed receipt: collection, charge and remedy apart; null where it is left out.',
    }),
    left_out: z.enum(['not_asked', 'archive_unreachable']).nullable().meta({
      description: 'Why receipt is null: the view has none, or it cannot be read right now, so ask again.',
    }),
  })
  .meta({ id: 'BookkeepingReceipt' });
export type BookkeepingReceipt = z.infer<typeof BookkeepingReceipt>;

export const bookkeeping = defineOperation({
  name: 'bookkeeping',
  summary: 'List receipts for the books, with sums.',
  method: 'GET',
  path: '/api/agent/v1/bookkeeping',
  audience: ['agent', 'member'],
  effect: 'read',
  readsReplica: true,
  idempotency: 'none',
  input: z.strictObject({
    month: Month.optional(),
    job_key: key.optional(),
    view: z.enum(['signed', 'figures']).default('signed').meta({
      description: 'figures leaves the signed receipts out, and needs no archive.',
    }),
    after: key.optional().meta({ description: 'next_after of the previous page; omit it for the first.' }),
    limit: z.coerce.number().int().min(1).max(pageMax).default(pageUsual),
  }),
  output: z
    .object({
      receipts: z.array(BookkeepingReceipt).max(pageMax),
      sums: z
        .object({
          count: z.int(),
          collected_microcents: microcents,
          charged_microcents: microcents,
          given_back_microcents: microcents,
        })
        .meta({ description: 'Of all pages.' }),
      next_after: key.nullable(),
    })
    .meta({ id: 'Bookkeeping' }),
  success: [200],
  problems: ['invalid_token', 'not_found'],
});
export type Bookkeeping = z.infer<typeof bookkeeping.output>;

const whole = 10_000;
const microcentsPerCent = 1_000_000;

/**
 * The tax within an amount, to the cent, half a cent upwards. Both in microcents.
 *
 * @param hundredths the rate in hundredths of a percent: 1,900 for 19%
 */
export function taxWithin(amount: number, hundredths: number): number {
  const cents = (amount * hundredths) / (whole + hundredths) / microcentsPerCent;
  return Math.round(cents) * microcentsPerCent;
}

const monthName = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `November 2026` of `2026-11`. */
export const monthText = (month: string): string => monthName.format(new Date(`${month}-01T00:00:00.000Z`));
