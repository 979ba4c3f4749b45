import { liftBlocks } from '../identity/blocked.ts';
import { toWire } from '../kernel/money.ts';
import type { Verb } from '../operation/verb.ts';
import type { ChainBooks } from '../payments/told.ts';
import { returnArrivalIn } from '../payments/x402/by-hand.ts';
import type { TransferName } from '../payments/x402/transfers.ts';
import { Problem } from '../problems/problem.ts';
import { settleRefund as settle } from '../purchases/rounds/settle-refund.ts';
import { readUnsettled } from '../purchases/rounds/unsettled.ts';
import { noteAct } from './acts.ts';
import type * as money from './contract/money.ts';
import type * as records from './contract/records.ts';
import { onWire, wired } from './wire.ts';

export const consoleMoney: Verb<typeof money.consoleMoney> = async ({ ctx, db }) => {
  const { chains, arrivals, departures, unknown, payments, refunds, blocks } = await readUnsettled(db, ctx.now);
  return {
    body: {
      chains: chains.map(chainView),
      arrivals: onWire(arrivals),
      departures: onWire(departures),
      unknown: onWire(unknown),
      payments: onWire(payments),
      refunds: onWire(refunds),
      blocks: onWire(blocks),
    },
  };
};

/** A chain compared with the books, as answers carry it. */
export function chainView(chain: ChainBooks): records.ChainBooks {
  return wired(chain);
}

/** Owes an unexplained transfer back to its sender. The worker carries it out. */
export const giveBack: Verb<typeof money.giveBack> = async ({ ctx, caller, input, tx }) => {
  const { reason, ...name } = input;
  const { amount_microcents, sender } = await returnArrivalIn(tx, name as TransferName, ctx.now);
  const subject = `transfer:${name.network}:${name.transaction}:${name.position}`;
  noteAct(tx, caller, { subject, action: 'give_back', reason, amount: amount_microcents }, ctx.now);
  return { body: { amount_microcents: toWire(amount_microcents), sender } };
};

/** Closes a refund that failed, in the books, on its job and on the receipt. Sends nothing. */
export const settleRefund: Verb<typeof money.settleRefund> = async ({ ctx, caller, input, tx }) => {
  const { amount, purchase } = await settle(tx, ctx.runtime, {
    refundKey: input.refund_key,
    settlement: input,
    now: ctx.now,
  });
  const reason = `${input.as === 'sent_by_hand' ? `Sent by hand, ${input.reference}` : 'Kept as credit'}: ${input.reason}`;
  noteAct(tx, caller, { subject: input.refund_key, action: 'settle_refund', reason, purchase, amount }, ctx.now);
  return { body: { amount_microcents: toWire(amount) } };
};

export const liftBlock: Verb<typeof money.liftBlock> = async ({ ctx, caller, input, tx }) => {
  const { block_key, reason } = input;
  const lifted = await liftBlocks(tx, block_key, { actor: caller.name, because: reason, now: ctx.now });
  if (lifted === 0) throw new Problem('not_found', `${block_key} names no open block.`);
  noteAct(tx, caller, { subject: block_key, action: 'lift_block', reason }, ctx.now);
  return { body: { done: true } };
};
