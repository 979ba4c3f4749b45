import { z } from 'zod';
import { defineOperation } from '../../operation/operation.ts';
import { Amount, act, Done, Instant, Key, look, Reason, told } from './parts.ts';
import { ChainBooks } from './records.ts';

/** Money that waits for somebody, for operators. Pure. */

const OpenTransfer = z.object({
  seen_at: Instant,
  amount_microcents: Amount,
  network: z.string(),
  other: z.string(),
  transaction: z.string(),
  position: z.int(),
  gives_back: z.string().nullable(),
});

const OpenPayment = z.object({
  payment_key: z.string(),
  job_key: z.string(),
  created_at: Instant,
  amount_microcents: Amount,
  network: z.string(),
  payer: z.string(),
});

export const consoleMoney = defineOperation({
  ...look,
  name: 'console_money',
  summary: 'List money that needs an operator: payments in doubt, unmatched transfers, refunds and blocks.',
  path: '/console/money',
  input: z.strictObject({}),
  output: z.object({
    chains: z.array(ChainBooks),
    arrivals: told(OpenTransfer),
    departures: told(OpenTransfer),
    unknown: told(OpenPayment),
    payments: told(OpenPayment),
    refunds: told(
      z.object({
        refund_key: z.string(),
        job_key: z.string().nullable(),
        state: z.enum(['refund_pending', 'refund_failed']),
        created_at: Instant,
        tries: z.int(),
        amount_microcents: Amount,
        network: z.string(),
        payer: z.string(),
        waits_for: z.enum(['person', 'dispute', 'arrival', 'finality', 'transfer', 'try']),
        failure: z.string().nullable(),
      }),
    ),
    blocks: told(
      z.object({
        block_key: z.string(),
        account_key: z.string().nullable(),
        payer: z.string().nullable(),
        cause: z.string(),
        created_at: Instant,
        amount_microcents: Amount.nullable(),
        job_key: z.string().nullable(),
      }),
    ),
  }),
  problems: [],
});

export const giveBack = defineOperation({
  ...act,
  name: 'give_back',
  summary: 'Return a transfer that matches no payment to its sender.',
  path: '/console/transfers/{transaction}/give_back',
  input: z.strictObject({
    network: z.string().max(64),
    transaction: z.string().regex(/^0x[0-9a-f]{64}$/),
    position: z.coerce.number().int().min(0),
    reason: Reason,
  }),
  output: z.object({ amount_microcents: Amount, sender: z.string() }),
  problems: ['not_found', 'action_not_allowed'],
});

export const settleRefund = defineOperation({
  ...act,
  name: 'settle_refund',
  summary:
    'Close a refund that failed, or is pending for a day and cannot be under way, with what was done: sent by hand, or kept as credit of its buyer.',
  path: '/console/refunds/{refund_key}/settle_refund',
  input: z.discriminatedUnion('as', [
    z.strictObject({
      refund_key: Key,
      as: z.literal('sent_by_hand'),
      reference: z
        .string()
        .trim()
        .regex(/^[\x21-\x7e](?:[\x20-\x7e]{0,118}[\x21-\x7e])?$/)
        .meta({ description: 'What the transfer is called at the bank or on the chain. The receipt names it.' }),
      reason: Reason,
    }),
    z.strictObject({ refund_key: Key, as: z.literal('wallet_credit'), reason: Reason }),
  ]),
  output: z.object({ amount_microcents: Amount }),
  problems: ['not_found', 'action_not_allowed'],
});

export const liftBlock = defineOperation({
  ...act,
  name: 'lift_block',
  summary: 'Lift a block, so that its account or payer can buy again.',
  path: '/console/blocks/{block_key}/lift_block',
  input: z.strictObject({ block_key: Key, reason: Reason }),
  output: Done,
  problems: ['not_found'],
});
