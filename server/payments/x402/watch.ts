import { each, guarded } from '../../kernel/rounds.ts';
import type { Process } from '../rail.ts';
import { authorizationOf, type TransferAttempt } from './attempt.ts';
import type { OnChain } from './authorization.ts';
import { matchTransfers, type Tell } from './match.ts';
import { searchChain } from './search.ts';
import type { Stablecoins } from './stablecoins.ts';
import { countMissing, takeWatched } from './watched.ts';

/** Payments looked up in one round; the next round takes the rest. */
const batch = 50;
/** So many looks in a row must find that a final block does not hold a payment before it is reversed. */
const looksToReverse = 3;

/**
 * Looks at the chains for what nobody has asked about: payments that a reorganisation removed after they were
 * collected, and every transfer to and from us.
 */
export async function watchChains(process: Process, coins: Stablecoins, tell: Tell): Promise<void> {
  await each(await takeWatched(process.db, process.clock(), batch), (attempt) =>
    guarded('payment_not_watched', { payment_key: attempt.payment_key }, () =>
      watchPayment(process, coins, attempt, tell),
    ),
  );
  await each([...coins.networks], (network) =>
    guarded('chain_not_searched', { network }, () => searchChain(process, coins, network)),
  );
  await guarded('transfers_not_matched', {}, () => matchTransfers(process, tell));
}

/**
 * Asks the chain whether it still holds a collected payment. What a reorganisation removed is carried out again, as
 * long as its signature is good. A node that does not show a payment proves nothing: it is reversed only when a final
 * block shows that it is not there and can never be, at several looks.
 */
async function watchPayment({ db }: Process, coins: Stablecoins, attempt: TransferAttempt, tell: Tell): Promise<void> {
  const authorization = authorizationOf(attempt);
  const { created_at: seenAt, signature } = attempt;
  const hint = attempt.transaction ?? undefined;
  let onChain: OnChain = await coins.lookUp(authorization, { seenAt, hint, depth: 'finalized' });
  if (onChain.outcome === 'unused' && signature) {
    onChain = await coins.settle({ authorization, signature }, seenAt);
    // What can no longer happen was not asked of a final block here.
    if (onChain.outcome === 'never') return;
  }
  if (onChain.outcome === 'paid') {
    const logged = onChain.transfer;
    const isFinal = (await coins.finalized(attempt.network).catch(() => 0n)) >= logged.blockNumber;
    await tell(attempt, { is: 'collected', proof: { logged, isFinal } });
  }
  if (onChain.outcome === 'never' && (await countMissing(db, attempt.payment_key)) >= looksToReverse) {
    await tell(attempt, { is: 'reversed' });
  }
}
