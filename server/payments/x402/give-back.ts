import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { transact } from '../../kernel/transaction.ts';
import { each, guarded } from '../../queue/rounds.ts';
import type { Process, RefundFate, Refunds } from '../rail.ts';
import type { OnChain } from './authorization.ts';
import type { Proof } from './outcome.ts';
import {
  dueRefunds,
  forgetTry,
  lostRefunds,
  moveRefund,
  owe,
  type TransferRefund,
  takeRefund,
  transferBack,
  validSeconds,
} from './refunds.ts';
import type { Stablecoins } from './stablecoins.ts';
import { arrivalOf, claimDeparture, noteTransfer, transactionUsing } from './transfers.ts';

/** Rows per round. */
const batch = 50;

/**
 * Sends arrivals back from the address that received them to the sender. Without that address's key, refunds wait for an
 * operator.
 */
export function giveBackOver(coins: Stablecoins | null): Refunds<TransferRefund, Proof> {
  const from = coins?.refundsFrom ?? [];
  return {
    async owe(tx, { paymentKey, jobKey, reason, now }) {
      const arrival = await arrivalOf(tx, paymentKey);
      if (!arrival) throw new Error(`no transfer is known that paid ${paymentKey}`);
      owe(tx, arrival, { paymentKey, jobKey, reason, now });
    },
    due: async (db, now, limit) => (from.length > 0 ? dueRefunds(db, from, now, limit) : []),
    take: takeRefund,
    async carryOut(db, refund) {
      if (!coins) return { is: 'open' };
      const onChain = await sentBack(db, coins, refund).catch(async (error) => {
        await forgetTry(db, refund);
        throw error;
      });
      return fateOf(onChain);
    },
    prove,
    async move(tx, refundKey, proof, now) {
      return 'noted' in proof && proof.noted !== null && moveRefund(tx, proof.noted, refundKey, now);
    },
    async mend(process) {
      if (!coins || from.length === 0) return;
      await each(await lostRefunds(process.db, from, batch), (refund) =>
        guarded('refund_not_carried_out', { refund_key: refund.refund_key }, () =>
          carryOutAgain(process, coins, refund),
        ),
      );
    },
  };
}

function fateOf(onChain: OnChain): RefundFate<Proof> {
  switch (onChain.outcome) {
    case 'paid':
      return { is: 'refunded', proof: { logged: onChain.transfer, isFinal: false } };
    case 'unconfirmed':
    case 'unused':
      return { is: 'open' };
    default:
      return { is: 'refund_failed', because: 'The transfer back can no longer be carried out.' };
  }
}

/** Sends an arrival back unless that happened, while the chain shows the arrival; in live mode, once it is final. */
async function sentBack(db: Queries, coins: Stablecoins, refund: TransferRefund): Promise<OnChain> {
  const transfer = transferBack(refund);
  const hint = await transactionUsing(db, transfer);
  const found = await coins.lookUp(transfer, { seenAt: refund.created_at, hint });
  if (found.outcome !== 'unused' || !(await isThere(coins, refund))) return found;
  return coins.settle(await coins.sign(transfer), refund.created_at);
}

async function isThere(coins: Stablecoins, refund: TransferRefund): Promise<boolean> {
  const { network, arrival_transaction, arrival_position } = refund;
  const arrival = (await coins.transfersIn(network, arrival_transaction))?.find(
    ({ position }) => position === arrival_position,
  );
  if (!arrival) return false;
  return !coins.refundsWaitForFinality || (await coins.finalized(network)) >= arrival.blockNumber;
}

/** Records the transfer back, which explains the departure. Undefined when explained before. */
async function prove(tx: Tx, refund: TransferRefund, proof: Proof, now: Date): Promise<string | undefined> {
  if (!('logged' in proof)) return undefined;
  const { network, asset, recipient: payTo, refund_key: refundKey } = refund;
  noteTransfer(tx, { network, asset, payTo, logged: proof.logged }, now);
  return (await claimDeparture(tx, { network, ...proof.logged }, { refundKey })) ? refundKey : undefined;
}

/** A refund that a reorganisation removed: its nonce lets it happen once. Its new departure is matched like others. */
async function carryOutAgain({ db, clock }: Process, coins: Stablecoins, refund: TransferRefund): Promise<void> {
  const onChain = await sentBack(db, coins, { ...refund, valid_before: after(clock(), validSeconds) });
  if (onChain.outcome !== 'paid') return;
  const { network, asset, recipient: payTo } = refund;
  await transact(db, async (tx) => noteTransfer(tx, { network, asset, payTo, logged: onChain.transfer }, clock()));
}
