import { z } from 'zod';
import { GrantDecision } from '../identity/contract.ts';
import { defineOperation } from '../operation/operation.ts';
import { JobKey, Quote, Receipt } from './contract.ts';

/** A purchase as `verify` reads it, for members who were not there when it was bought. Pure. */

export const bundle = defineOperation({
  name: 'bundle',
  summary: 'Read a purchase as the verify command and page take it: offer, decisions, request, reports and receipts.',
  method: 'GET',
  path: '/api/agent/v1/jobs/{job_key}/bundle',
  audience: ['member'],
  effect: 'read',
  idempotency: 'none',
  input: JobKey,
  output: z
    .object({
      bundle_version: z.literal('1'),
      offer: Quote,
      grant_decisions: z.array(GrantDecision),
      request: z
        .looseObject({})
        .meta({ description: 'What was sent: the body of check_work without its client fields.' }),
      retrieved: z.array(
        z.object({ ref: z.string(), source: z.string(), text: z.string(), observed_at: z.string().nullable() }),
      ),
      reports: z.array(z.looseObject({})),
      receipts: z.array(Receipt),
    })
    .meta({ id: 'PurchaseBundle' }),
  success: [200],
  problems: ['invalid_token', 'not_found', 'action_not_allowed'],
});
