import { sql } from '../kernel/sql.ts';
import { transact } from '../kernel/transaction.ts';
import {
  authorizationOf,
  confirmCollected,
  countMissing,
  type PaymentRow,
  takeWatched,
} from '../payments/x402/attempt.ts';
import type { OnChain } from '../payments/x402/chain.ts';
import { searchChain } from '../payments/x402/search.ts';
import type { X402Rail } from '../payments/x402/stablecoins.ts';
import { noteTransfer, type TransferRow } from '../payments/x402/transfers.ts';
import type { Runtime } from '../runtime.ts';
import { matchTransfers, movePayment } from './match.ts';
import { reverse } from './reverse.ts';
import { each, guarded } from './rounds.ts';

/** Payments looked up in one round; the next round takes the rest. */
const batch = 50;
/** So many looks in a row must find that a final block does not hold a payment before it is reversed. */
const looksToReverse = 3;

/**
 * Looks at the chains for what nobody has asked about: payments that a reorganisation removed after they were
 * collected, and every transfer to and from us.
 */
export async function watchChains(runtime: Runtime): Promise<void> {
  const rail = runtime.x402;
  if (!rail) return;
  await each(await takeWatched(runtime.db, runtime.clock(), batch), (payment) =>
    guarded('payment_not_watched', { payment_key: payment.payment_key }, () => watchPayment(runtime, rail, payment)),
  );
  await each([...rail.networks], (network) =>
    guarded('chain_not_searched', { network }, () => searchChain(runtime, rail, network)),
  );
  await guarded('transfers_not_matched', {}, () => matchTransfers(runtime));
}

/**
 * Asks the chain whether it still holds a collected payment. What a reorganisation removed is carried out again, as
 * long as its signature is good. A node that does not show a payment proves nothing: it is reversed only when a final
 * block shows that it is not there and can never be, at several looks.
 */
async function watchPayment(runtime: Runtime, rail: X402Rail, payment: PaymentRow): Promise<void> {
  const { network, asset, pay_to: payTo, created_at: seenAt } = payment;
  const authorization = authorizationOf(payment);
  const hint = payment.transaction ?? undefined;
  let onChain: OnChain = await rail.lookUp(authorization, { seenAt, hint, depth: 'finalized' });
  if (onChain.outcome === 'unused' && payment.signature) {
    onChain = await rail.settle({ authorization, signature: payment.signature }, seenAt);
    // What can no longer happen was not asked of a final block here.
    if (onChain.outcome === 'never') return;
  }
  const now = runtime.clock();
  if (onChain.outcome === 'paid') {
    const logged = onChain.transfer;
    const isFinal = (await rail.finalized(network).catch(() => 0n)) >= logged.blockNumber;
    await transact(runtime.db, async (tx) => {
      noteTransfer(tx, { network, asset, payTo, logged }, now);
      await movePayment(tx, runtime, payment, { network, ...logged }, now);
      confirmCollected(tx, payment, isFinal, now);
    });
  }
  if (onChain.outcome === 'never') {
    await transact(runtime.db, async (tx) => {
      if ((await countMissing(tx, payment.payment_key)) < looksToReverse) return;
      const there = await tx.many<TransferRow>(sql`
        select network, transaction, position, asset, sender, recipient, amount_microcents, nonce, refund_nonce,
          block_number, block_hash, log_index, use, payment_key, refund_key, seen_at, removed_at, moves
        from chain_transfers where payment_key = ${payment.payment_key} and removed_at is null`);
      await reverse(tx, runtime, payment, there, now);
    });
  }
}
