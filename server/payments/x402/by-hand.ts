import type { Database } from '../../kernel/database.ts';
import { microcents } from '../../kernel/money.ts';
import { sql, statement } from '../../kernel/sql.ts';
import { type Tx, transact } from '../../kernel/transaction.ts';
import { withdrawn } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import { Problem } from '../../problems/problem.ts';
import { requestReturn } from './refunds.ts';
import {
  bookKeyOf,
  claimDeparture,
  lockTransfer,
  type TransferName,
  type TransferRow,
  transferColumns,
} from './transfers.ts';

/**
 * Sends an unmatched arrival back to its sender, in the worker's next round. It proves nothing from then on. Throws
 * `not_found`, and `action_not_allowed` when it is used or an open payment names it.
 */
export async function returnArrival(db: Database, name: TransferName, now: Date): Promise<TransferRow> {
  return transact(db, (tx) => returnArrivalIn(tx, name, now));
}

/** The same, in the caller's transaction. */
export async function returnArrivalIn(tx: Tx, name: TransferName, now: Date): Promise<TransferRow> {
  const arrival = await lockTransfer(tx, name);
  if (!arrival || arrival.refund_nonce === null) {
    throw new Problem('not_found', `No transfer to us is known at ${bookKeyOf(name)}.`);
  }
  const open = await tx.maybe<{ payment_key: string }>(sql`
    select payment_key from x402_payments
    where (network, asset, payer, nonce) = (${arrival.network}, ${arrival.asset}, ${arrival.sender}, ${arrival.nonce})
      and state in ('settling', 'unknown')`);
  if (open) throw notAllowed(`${open.payment_key} is open and names it.`);
  if (arrival.removed_at) throw notAllowed('The chain does not show the transfer now.');
  if (!(await requestReturn(tx, arrival, 'returned_by_operator', now))) {
    throw notAllowed(`Its use is known: ${arrival.use}.`);
  }
  return arrival;
}

const outgoing = `
  select ${transferColumns}, exists (
    select from chain_transfers a where a.network = c.network and a.refund_nonce = c.nonce) as gives_back
  from chain_transfers c
  where network = $1 and transaction = $2 and use = 'outgoing' and removed_at is null
  for no key update of c`;

/**
 * Records that an operator withdrew what left in this transaction; returns how much. Throws `not_found` without an
 * unexplained transfer of ours, and `action_not_allowed` for one whose nonce gives an arrival back.
 */
export async function recordWithdrawalIn(
  tx: Tx,
  { network, transaction }: Pick<TransferName, 'network' | 'transaction'>,
  now: Date,
): Promise<bigint> {
  const departures = await tx.many<TransferRow & { gives_back: boolean }>(statement(outgoing, [network, transaction]));
  if (departures.length === 0) {
    throw new Problem('not_found', `No transfer of ours in ${transaction} waits to be explained.`);
  }
  if (departures.some(({ gives_back }) => gives_back))
    throw notAllowed('It returns an incoming transfer, so it is not a withdrawal.');
  for (const departure of departures) {
    if (!(await claimDeparture(tx, departure, 'withdrawal'))) continue;
    const amount = microcents(departure.amount_microcents);
    post(tx, { ...withdrawn, key: bookKeyOf(departure), jobKey: null, principalKey: null, amount, at: now });
  }
  return departures.reduce((sum, { amount_microcents }) => sum + amount_microcents, 0n);
}

function notAllowed(detail: string): Problem {
  return new Problem('action_not_allowed', detail);
}
