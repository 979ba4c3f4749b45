import { z } from 'zod';
import { defineOperation } from '../operation/operation.ts';
import { CheckRequest, Report } from '../work-check/contract.ts';
import { checkWork, Job, JobKey, pay } from './contract.ts';
import { checkRules } from './request-contract.ts';

/** Buying a check with nothing but a wallet (specification 7.11). Pure. */

/** As from the wallet sign-in. */
const Session = z.object({ access_token: z.string(), token_type: z.literal('Bearer'), expires_in: z.int() });

/** What cannot happen here: the request has no key of its own, and no card. */
const elsewhere: readonly string[] = [
  'invalid_token',
  'not_found',
  'idempotency_key_required',
  'idempotency_in_progress',
  'card_declined',
];

export const buyCheck = defineOperation({
  name: 'buy_check',
  summary:
    'Buy a check in one call, without a credential, over x402. The paying wallet owns the job. Without a payment it ' +
    'answers 402 and reads nothing.',
  method: 'POST',
  path: '/api/x402/v1/check',
  audience: ['public'],
  effect: 'money',
  idempotency: 'none',
  input: CheckRequest.safeExtend({
    max_price_microcents: z.int().min(0).optional().meta({ description: 'The most you will pay, in microcents.' }),
  }).superRefine(checkRules),
  totalInput: checkWork.totalInput,
  maxBytes: checkWork.maxBytes,
  output: Job.extend({
    session: Session.nullable().meta({
      description:
        'Reads the report. Only in the first answer, and only for a wallet that is new here: a payment says whom it pays, and ' +
        'not what for. Otherwise sign in with the wallet, or with each request at read_url.',
    }),
    read_url: z.string().meta({ description: 'Where the payer reads job and report with `sign-in-with-x`.' }),
  }).meta({ id: 'BoughtCheck' }),
  success: [202],
  paid: true,
  readsWhenPaid: true,
  secret: true,
  problems: [...new Set([...checkWork.problems, ...pay.problems])].filter((code) => !elsewhere.includes(code)),
  limit: 'claims',
});

export const readCheck = defineOperation({
  name: 'read_check',
  summary: 'Read job and report with the x402 extension sign-in-with-x.',
  method: 'GET',
  path: '/api/x402/v1/check/{job_key}',
  audience: ['public'],
  effect: 'read',
  idempotency: 'none',
  input: JobKey,
  output: Job.extend({
    report: Report.nullable().meta({ description: 'The newest report; null before delivery.' }),
  }).meta({ id: 'ReadCheck' }),
  success: [200],
  signsIn: true,
  problems: ['not_found', 'signature_invalid', 'challenge_expired', 'contract_wallet_unsupported'],
  limit: 'wallet_verifications',
});
