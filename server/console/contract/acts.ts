import { z } from 'zod';
import { defineOperation } from '../../operation/operation.ts';
import { Amount, act, Done, Instant, inspect, Key, Reason } from './parts.ts';
import { type ActionName, Row } from './purchases.ts';

/** What operators do to purchases. Pure. */

const onPurchase = z.strictObject({ key: Key, reason: Reason });

export const notePurchase = defineOperation({
  ...act,
  name: 'note_purchase',
  summary: 'Add a note to a purchase. Only operators see it.',
  path: '/console/purchases/{key}/note_purchase',
  input: onPurchase,
  output: Done,
  problems: ['not_found', 'action_not_allowed'],
});

export const openContent = defineOperation({
  ...act,
  name: 'open_content',
  summary: 'Give a reason to read the content of a purchase. It can then be read for a while.',
  path: '/console/purchases/{key}/open_content',
  input: onPurchase,
  output: Done,
  problems: ['not_found', 'action_not_allowed'],
});

export const readContent = defineOperation({
  ...inspect,
  name: 'read_content',
  summary: 'Read work, evidence and reports of a purchase, after giving a reason.',
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
  summary: 'Cancel a job before its report. The collection is given up.',
  path: '/console/purchases/{key}/cancel_job',
  input: onPurchase,
  output: Done,
  problems: ['not_found', 'action_not_allowed'],
});

export const waiveCharge = defineOperation({
  ...act,
  name: 'waive_charge',
  summary: 'Waive the charge of a job whose review is overdue. The collection goes back.',
  path: '/console/purchases/{key}/waive_charge',
  input: onPurchase,
  output: Done,
  problems: ['not_found', 'action_not_allowed'],
});

export const askAgain = defineOperation({
  ...act,
  effect: 'money',
  name: 'ask_again',
  summary: 'Ask the provider for the state of an open payment or refund. Safe to repeat.',
  path: '/console/purchases/{key}/ask_again',
  input: onPurchase,
  output: z.object({ payment_state: z.string() }),
  problems: ['not_found', 'action_not_allowed'],
});

export const runAgain = defineOperation({
  ...act,
  name: 'run_again',
  summary:
    'Have a worker start the check of a job over, with a fresh set of tries. A worker still running it writes nothing more.',
  path: '/console/purchases/{key}/run_again',
  input: onPurchase,
  output: Done,
  problems: ['not_found', 'action_not_allowed'],
});

export const refundCharge = defineOperation({
  ...act,
  name: 'refund_charge',
  summary: 'Refund the charge of an accepted report out of revenue.',
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
  ...inspect,
  name: 'preview_acts',
  summary: 'Preview an action on the selected purchases: which it would change, and what prevents it for the others.',
  path: '/console/acts/preview',
  input: z.strictObject({ action: z.enum(bulkNames), keys: z.array(Key).min(1).max(bulkMax) }),
  output: z.object({
    touched: z.int(),
    amount_microcents: Amount.meta({ description: 'Sum over the purchases that the action is possible for.' }),
    purchases: z.array(Row.extend({ obstacle: z.string().nullable() })),
  }),
  problems: ['not_found'],
});

export const actOnPurchases = defineOperation({
  ...act,
  effect: 'money',
  name: 'act_on_purchases',
  summary: 'Apply an action to the selected purchases, each in its own transaction with an audit row.',
  path: '/console/acts',
  input: z.strictObject({ action: z.enum(bulkNames), keys: z.array(Key).min(1).max(bulkMax), reason: Reason }),
  output: z.object({ done: z.int(), refused: z.array(z.object({ key: z.string(), because: z.string() })) }),
  problems: ['not_found', 'action_not_allowed', 'fresh_sign_in_required'],
});
