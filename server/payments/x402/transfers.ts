import { type Address, type Hex, keccak256, toBytes } from 'viem';
import type { Network } from '../../configuration/networks.ts';
import type { Queries } from '../../kernel/database.ts';
import { currency, fromTokenUnits } from '../../kernel/money.ts';
import { sql, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { arrived, left, type Movement, removedFromChain, restoredToChain } from '../../ledger/entries.ts';
import type { LoggedTransfer } from './logs.ts';

/** A log's name, stable as long as its transaction is. */
export interface TransferName {
  network: Network;
  transaction: Hex;
  position: number;
}

/** A transfer to or from one of our addresses, and its one use. */
export interface TransferRow extends TransferName {
  asset: Address;
  sender: Address;
  recipient: Address;
  amount_microcents: bigint;
  nonce: Hex | null;
  refund_nonce: Hex | null;
  block_number: bigint;
  block_hash: Hex;
  log_index: number;
  use: 'unmatched' | 'payment' | 'late' | 'returned' | 'outgoing' | 'refund' | 'withdrawal';
  payment_key: string | null;
  refund_key: string | null;
  seen_at: Date;
  removed_at: Date | null;
  moves: number;
  /** Another log has taken over its payment or refund. */
  is_superseded: boolean;
}

/** What a `TransferRow` is read from, behind `select`: columns of `chain_transfers` as `c`. */
export const transferColumns = `c.network, c.transaction, c.position, c.asset, c.sender, c.recipient, c.amount_microcents,
  c.nonce, c.refund_nonce, c.block_number, c.block_hash, c.log_index, c.use, c.payment_key, c.refund_key, c.seen_at,
  c.removed_at, c.moves, c.is_superseded`;

/** A log with its chain, its token and our address in it. */
export interface SeenTransfer {
  network: Network;
  asset: Address;
  payTo: Address;
  logged: LoggedTransfer;
}

/**
 * The nonce of an arrival's refund. Derived from the arrival itself, so the token allows it once, even after a restore
 * from a backup.
 */
export function refundNonceOf(
  arrival: { network: Network; asset: Address; from: Address; nonce: Hex } | (TransferName & { nonce: null }),
): Hex {
  const { network } = arrival;
  const name =
    arrival.nonce === null
      ? `${network}:${arrival.transaction}:${arrival.position}`
      : `${network}:${arrival.asset}:${arrival.from}:${arrival.nonce}`;
  return keccak256(toBytes(`refund:${name}`));
}

/** A log's name in the books: posted once. */
export function bookKeyOf({ network, transaction, position }: TransferName): string {
  return `${network}:${transaction}:${position}`;
}

/** Records and posts a log, once. Restores a removed one; updates the block of a moved one. */
export function noteTransfer(tx: Tx, { network, asset, payTo, logged }: SeenTransfer, now: Date): void {
  const { transaction, position, from, to, nonce, blockNumber, blockHash, logIndex } = logged;
  const amount = fromTokenUnits(logged.amount);
  const isArrival = to === payTo;
  const movement = isArrival ? arrived(network) : left(network);
  const name = { network, transaction, position };
  const key = bookKeyOf(name);
  const known = nonce === null ? { ...name, nonce } : { network, asset, from, nonce };
  const refundNonce = isArrival ? refundNonceOf(known) : null;
  tx.write(sql`
    with noted as (
      insert into chain_transfers (network, transaction, position, asset, sender, recipient, amount_microcents, nonce,
        refund_nonce, block_number, block_hash, log_index, use, seen_at)
      values (${network}, ${transaction}, ${position}, ${asset}, ${from}, ${to}, ${amount}, ${nonce}, ${refundNonce},
        ${blockNumber}, ${blockHash}, ${logIndex}, ${isArrival ? 'unmatched' : 'outgoing'}, ${now})
      on conflict (network, transaction, position) do nothing
      returning network, refund_nonce, block_number, amount_microcents),
    -- What lies before the books of the chain were opened stands in the opening balance, and comes out of that.
    books as (
      select noted.refund_nonce, noted.amount_microcents, exists (
        select from searched_chains s
        where s.network = noted.network and s.address = ${payTo} and opened_at >= block_number) as opened
      from noted)
    insert into ledger_transfers (event_key, event, debit_account, credit_account, amount_microcents, currency, at)
    select ${`${movement.event}:${key}`}, ${movement.event},
      case when opened and refund_nonce is not null then 'equity:opening' else ${movement.debit} end,
      case when opened and refund_nonce is null then 'equity:opening' else ${movement.credit} end,
      amount_microcents, ${currency}, ${now}
    from books`);
  const restored = restoredToChain(network, isArrival);
  tx.write(sql`
    with found as (
      update chain_transfers set removed_at = null, block_number = ${blockNumber}, block_hash = ${blockHash},
        log_index = ${logIndex}, moves = moves + case when removed_at is null then 0 else 1 end
      where network = ${network} and transaction = ${transaction} and position = ${position}
        and (removed_at is not null or block_hash <> ${blockHash})
      returning amount_microcents, old.removed_at, moves)
    insert into ledger_transfers (event_key, event, debit_account, credit_account, amount_microcents, currency, at)
    select ${`${restored.event}:${key}:`} || moves, ${restored.event}, ${restored.debit}, ${restored.credit},
      amount_microcents, ${currency}, ${now}
    from found where removed_at is not null`);
}

/** The chain no longer shows a log: the books stop counting it until it is back. Its payment is looked at next. */
export function markRemoved(tx: Tx, row: TransferRow, now: Date): void {
  const movement: Movement = removedFromChain(row.network, isArrival(row));
  tx.write(sql`
    with removed as (
      update chain_transfers set removed_at = ${now}, moves = moves + 1
      where network = ${row.network} and transaction = ${row.transaction} and position = ${row.position}
        and removed_at is null
      returning amount_microcents, moves, payment_key),
    looked_at as (
      update x402_transfers x set watch_at = least(watch_at, ${now}) from removed join payments p using (payment_key)
      where x.payment_key = removed.payment_key and p.state = 'collected' and p.reversed_at is null)
    insert into ledger_transfers (event_key, event, debit_account, credit_account, amount_microcents, currency, at)
    select ${`${movement.event}:${bookKeyOf(row)}:`} || moves, ${movement.event}, ${movement.debit}, ${movement.credit},
      amount_microcents, ${currency}, ${now}
    from removed`);
}

/** Our address in it. */
export function ownAddress(row: Pick<TransferRow, 'refund_nonce' | 'sender' | 'recipient'>): Address {
  return isArrival(row) ? row.recipient : row.sender;
}

/** The same of a row of `chain_transfers` as `c`, in SQL. */
export const ownAddressOf = '(case when c.refund_nonce is null then c.sender else c.recipient end)';

/** Whether it came in; else it went out. */
function isArrival(row: Pick<TransferRow, 'refund_nonce'>): boolean {
  return row.refund_nonce !== null;
}

/** Gives an arrival its one use, before money moves for it. Does nothing the second time. */
export function claimArrival(tx: Tx, arrival: TransferName, paymentKey: string): void {
  tx.write(sql`
    update chain_transfers set use = 'payment', payment_key = ${paymentKey}
    where network = ${arrival.network} and transaction = ${arrival.transaction} and position = ${arrival.position}
      and use = 'unmatched' and removed_at is null`);
}

/** The same for money owed back. False when the arrival was used or is gone. */
export async function giveUpArrival(tx: Tx, arrival: TransferName, use: 'late' | 'returned'): Promise<boolean> {
  const claimed = await tx.maybe(sql`
    update chain_transfers set use = ${use}
    where network = ${arrival.network} and transaction = ${arrival.transaction} and position = ${arrival.position}
      and use = 'unmatched' and removed_at is null
    returning position`);
  return claimed !== undefined;
}

/** Explains a departure: a refund, or a withdrawal. False when explained before. */
export async function claimDeparture(
  tx: Tx,
  departure: TransferName,
  use: { refundKey: string } | 'withdrawal',
): Promise<boolean> {
  const [name, refundKey] = use === 'withdrawal' ? [use, null] : ['refund', use.refundKey];
  const claimed = await tx.maybe(sql`
    update chain_transfers set use = ${name}, refund_key = ${refundKey}
    where network = ${departure.network} and transaction = ${departure.transaction}
      and position = ${departure.position} and use = 'outgoing' and removed_at is null
    returning position`);
  return claimed !== undefined;
}

const lockByName = `select ${transferColumns} from chain_transfers c
  where network = $1 and transaction = $2 and position = $3 for no key update`;

/** Locks a log by its name. */
export function lockTransfer(
  tx: Tx,
  { network, transaction, position }: TransferName,
): Promise<TransferRow | undefined> {
  return tx.maybe<TransferRow>(statement(lockByName, [network, transaction, position]));
}

const holdsPayment = `select ${transferColumns} from chain_transfers c
  where payment_key = $1 order by removed_at is not null, is_superseded, seen_at desc limit 1`;

/** The log that holds a payment, or held it last. */
export function arrivalOf(db: Queries, paymentKey: string): Promise<TransferRow | undefined> {
  return db.maybe<TransferRow>(statement(holdsPayment, [paymentKey]));
}

const ofPayment = `select ${transferColumns} from chain_transfers c
  where payment_key = $1 and removed_at is null for no key update`;

/** Locks the counted logs of a payment. */
export function logsOfPayment(tx: Tx, paymentKey: string): Promise<TransferRow[]> {
  return tx.many<TransferRow>(statement(ofPayment, [paymentKey]));
}

const ofRefund = `select ${transferColumns} from chain_transfers c
  where refund_key = $1 and removed_at is null for no key update`;

/** Locks the counted logs of a refund. */
export function logsOfRefund(tx: Tx, refundKey: string): Promise<TransferRow[]> {
  return tx.many<TransferRow>(statement(ofRefund, [refundKey]));
}

/**
 * Makes one log the one that its payment or refund names: takes over from all others that ever held it. Their
 * authorization happens once, so the chain shows at most one of them; each can come back and take over again.
 */
export function takeOver(tx: Tx, to: TransferName, held: { paymentKey: string } | { refundKey: string }): void {
  const [paymentKey, refundKey] = 'paymentKey' in held ? [held.paymentKey, null] : [null, held.refundKey];
  tx.write(sql`
    update chain_transfers set
      is_superseded = (network, transaction, position) <> (${to.network}, ${to.transaction}, ${to.position}::integer)
    where payment_key = ${paymentKey} or refund_key = ${refundKey}`);
}

/** A transaction that used an account's authorization, as far as searches saw one. */
export async function transactionUsing(
  db: Queries,
  authorization: { network: Network; from: Address; nonce: Hex },
): Promise<Hex | undefined> {
  const row = await db.maybe<{ transaction: Hex }>(sql`
    select transaction from chain_transfers
    where network = ${authorization.network} and nonce = ${authorization.nonce} and sender = ${authorization.from}
    order by removed_at is not null, seen_at desc limit 1`);
  return row?.transaction;
}
