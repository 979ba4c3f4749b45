import { each, guarded } from '../../queue/rounds.ts';
import type { Process } from '../rail.ts';
import { authorizationOf, type TransferAttempt } from './attempt.ts';
import type { OnChain } from './authorization.ts';
import { matchTransfers, type Tell } from './match.ts';
import { searchChain } from './search.ts';
import type { Stablecoins } from './stablecoins.ts';
import { countMissing, takeWatched } from './watched.ts';

/** Payments per round. */
const batch = 50;
/** A final block must lack a payment at this many looks in a row before it is reversed. */
const looksToReverse = 3;

/** Looks for what nobody asked about: payments that a reorganisation removed, and all transfers to and from us. */
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
 * Asks whether the chain still holds a collected payment. Carries a removed one out again while its signature is valid.
 * A node that lacks it proves nothing: reverse only when final blocks show, at several looks, that it can never be.
 */
async function watchPayment({ db }: Process, coins: Stablecoins, attempt: TransferAttempt, tell: Tell): Promise<void> {
  const authorization = authorizationOf(attempt);
  const { created_at: seenAt, signature } = attempt;
  const hint = attempt.transaction ?? undefined;
  let onChain: OnChain = await coins.lookUp(authorization, { seenAt, hint, depth: 'finalized' });
  if (onChain.outcome === 'unused' && signature) {
    onChain = await coins.settle({ authorization, signature }, seenAt);
    // No final block was asked: it can no longer happen here.
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
