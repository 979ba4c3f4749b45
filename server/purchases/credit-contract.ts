import { z } from 'zod';
import { defineOperation } from '../operation/operation.ts';
import { Evidence } from './contract.ts';

/** Credit for checks, with how it came and went. Pure. */

const pageMax = 100;
const pageUsual = 20;

const cursor = z.string().min(1).max(100);
const amount = z.int().meta({ description: 'Microcents.' });

const CreditChange = z.object({
  change_key: cursor,
  at: z.iso.datetime(),
  event: z.string().meta({
    description:
      '`credited`: a purchase came to nothing; `credit_spent`: it paid for a check; `refund_credited`: a refund that could ' +
      'not be sent was kept as credit; `credit_taken`: what it came from had gone back. The list may grow.',
  }),
  amount_microcents: amount.meta({ description: 'Microcents; negative where credit went.' }),
  balance_microcents: amount.meta({ description: 'Microcents of credit after this, over all that is listed.' }),
  job_key: z.string(),
  bought_by: Evidence.shape.bought_by,
});
export type CreditChange = z.infer<typeof CreditChange>;

export const credit = defineOperation({
  name: 'credit',
  summary: 'Read your credit for checks and how it came and went.',
  method: 'GET',
  path: '/api/agent/v1/credit',
  audience: ['agent', 'member'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({
    after: cursor.optional().meta({ description: 'next_after of the previous page; omit it for the first.' }),
    limit: z.coerce.number().int().min(1).max(pageMax).default(pageUsual),
  }),
  output: z
    .object({
      balance_microcents: amount,
      changes: z.array(CreditChange).max(pageMax),
      next_after: cursor.nullable().meta({ description: 'Where the next page begins; null on the last one.' }),
    })
    .meta({ id: 'Credit' }),
  success: [200],
  problems: ['invalid_token', 'not_found'],
});
