import { z } from 'zod';
import { defineOperation } from '../../door/operation.ts';
import { Amount, act, Done, Instant, Key, look, Reason } from './parts.ts';
import { type ActionName, Row } from './purchases.ts';

/** What operators do to purchases. Pure. */

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

/** Actions on many purchases at once. */
export const bulkNames = ['ask_again', 'run_again', 'waive_charge', 'note_purchase'] as const satisfies ActionName[];
export type BulkName = (typeof bulkNames)[number];

/** Most purchases of one request. */
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
