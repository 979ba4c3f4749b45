import type { Address } from 'viem';
import type { Network } from '../../configuration/networks.ts';
import { after } from '../../kernel/clock.ts';
import { log } from '../../kernel/log.ts';
import { currency, fromTokenUnits, toText } from '../../kernel/money.ts';
import { sql, statement } from '../../kernel/sql.ts';
import { transact } from '../../kernel/transaction.ts';
import { opening } from '../../ledger/entries.ts';
import { each, guarded } from '../../queue/rounds.ts';
import { keepDifferences } from '../differences.ts';
import type { Process } from '../rail.ts';
import type { ChainBooks, Difference } from '../told.ts';
import type { LastSearch, Searched } from './chain.ts';
import type { Stablecoins } from './stablecoins.ts';
import { markRemoved, noteTransfer, ownAddress, ownAddressOf, type TransferRow, transferColumns } from './transfers.ts';
import { readChainBooks } from './unsettled.ts';

/** Block windows per round. */
const windowsMax = 20;
/** On a mismatch, search older blocks again: so many at once, so many times a look, this often. */
const lookBackBlocks = 8_000n;
const lookBackWindows = 10;
const compareEverySeconds = 60;
/** Days to look for lost logs, and how many per round. */
const lookForRemovedDays = 30;
const daySeconds = 86_400;
const removedMax = 50;

/** One of our addresses on a chain. */
interface Place {
  network: Network;
  address: Address;
}

/** Records every transfer to and from our addresses, up to the newest confirmed block. */
export async function searchChain(process: Process, coins: Stablecoins, network: Network): Promise<void> {
  const places = coins.addresses.map((address) => ({ network, address }));
  // First all books: what goes from one address of ours to another is in both, or in none.
  for (const place of places) await openBooks(process, coins, place);
  let isComplete = true;
  for (const place of places) if (!(await searchAddress(process, coins, place))) isComplete = false;
  if (!isComplete) return;
  await lookForRemoved(process, coins, network);
  for (const place of places) await lookBack(process, coins, place);
}

/** False when the node shows too little: the next round searches again. */
async function searchAddress(process: Process, coins: Stablecoins, place: Place): Promise<boolean> {
  const { network, address } = place;
  for (let windows = 0; windows < windowsMax; windows += 1) {
    const last = await lastSearch(process, place);
    if (!last) return false;
    const found = await coins.search(network, address, last);
    if (found && (await readWindow(process, coins, place, found))) {
      await recordSearch(process, coins, place, found);
      if (found.isCaughtUp) return true;
      continue;
    }
    if (found) await noteHead(process, place, found.head);
    log('search_lags', { network, address, searched_to: Number(last.searchedTo) });
    return false;
  }
  return true;
}

function lastSearch({ db }: Process, { network, address }: Place): Promise<LastSearch | undefined> {
  return db.maybe<LastSearch>(sql`
    select searched_to as "searchedTo", opened_at as "openedAt" from searched_chains
    where network = ${network} and address = ${address}`);
}

/** The chain goes on while a search does not: how far it lags must show. */
async function noteHead({ db }: Process, { network, address }: Place, head: bigint): Promise<void> {
  await db.many(sql`
    update searched_chains set head = greatest(head, ${head}) where network = ${network} and address = ${address}`);
}

/** When this process last compared books and chain, and the block from which to go on backwards; null: the newest. */
interface Comparison {
  at: Date;
  before: bigint | null;
}
const compared = new WeakMap<Stablecoins, Map<string, Comparison>>();

/**
 * A node that lacks logs, or followed a fork, for longer than the overlap makes searches miss transfers. The balance
 * reveals it: while it differs, search older blocks again, each time further back, to where the books began.
 */
async function lookBack(process: Process, coins: Stablecoins, place: Place): Promise<void> {
  const { network, address } = place;
  const name = `${network} ${address}`;
  const comparisons = compared.get(coins) ?? new Map<string, Comparison>();
  compared.set(coins, comparisons);
  const now = process.clock();
  const last = comparisons.get(name);
  // A clock that was set back must not stop the comparison.
  if (last && last.at <= now && after(last.at, compareEverySeconds) > now) return;
  const comparison: Comparison = { at: now, before: null };
  comparisons.set(name, comparison);
  const books = await comparedBooks(process, network);
  if (!books) return;
  if (differ(books)) await readOlder(process, coins, { place, from: last?.before ?? null }, comparison);
  const left = differ(books) ? await comparedBooks(process, network) : books;
  if (left) await keepDifferences(process.db, network, differ(left) ? [differenceOf(left)] : [], now);
}

/** Searches older blocks again, window by window, while the books differ, and notes how far back it came. */
async function readOlder(
  process: Process,
  coins: Stablecoins,
  { place, from }: { place: Place; from: bigint | null },
  comparison: Comparison,
): Promise<void> {
  const { network, address } = place;
  const last = await lastSearch(process, place);
  if (!last) return;
  const { openedAt } = last;
  let before = from ?? last.searchedTo;
  for (let windows = 0; windows < lookBackWindows; windows += 1) {
    comparison.before = before;
    const found = await coins.search(network, address, { searchedTo: before - lookBackBlocks, openedAt });
    if (!found) return;
    await readWindow(process, coins, place, found);
    before = found.from;
    const isOldest = before <= openedAt + 1n;
    comparison.before = isOldest ? null : before;
    const books = await comparedBooks(process, network);
    if (isOldest || !books || !differ(books)) return;
  }
}

/** The books of a chain beside the chain's own word; undefined while it has not given one. */
async function comparedBooks({ db }: Process, network: Network): Promise<ChainBooks | undefined> {
  const books = (await readChainBooks(db)).find((one) => one.network === network);
  return books && books.balance_microcents !== null ? books : undefined;
}

function differ({ balance_microcents: balance, ledger_microcents: ledger }: ChainBooks): boolean {
  return balance !== ledger;
}

function differenceOf({ balance_microcents: balance, ledger_microcents: ledger }: ChainBooks): Difference {
  return {
    kind: 'balance',
    object_id: 'usdc',
    ours: toText(ledger),
    theirs: balance === null ? null : toText(balance),
  };
}

/** What precedes the first search of an address is one opening sum. */
async function openBooks(process: Process, coins: Stablecoins, place: Place): Promise<void> {
  if (await lastSearch(process, place)) return;
  const { network, address } = place;
  const found = await coins.search(network, address, null);
  if (!found) return;
  const openedAt = found.from - 1n;
  const units = openedAt < 0n ? 0n : await coins.balanceAt(network, address, openedAt);
  const { event, debit, credit } = opening(network);
  const now = process.clock();
  // The books have some of it already.
  await process.db.many(sql`
    with opened as (
      insert into searched_chains (network, address, opened_at, searched_to, head, searched_at)
      values (${network}, ${address}, ${openedAt}, ${openedAt}, ${found.head}, ${now})
      on conflict (network, address) do nothing returning network),
    missing as (
      select ${fromTokenUnits(units)}::bigint - coalesce((
        select sum(case when refund_nonce is null then -amount_microcents else amount_microcents end)
        from chain_transfers c where c.network = ${network} and removed_at is null and block_number <= ${openedAt}
          and case when refund_nonce is null then sender else recipient end = ${address}
      ), 0)::bigint as amount from opened)
    insert into ledger_transfers (event_key, event, debit_account, credit_account, amount_microcents, currency, at)
    select ${`${event}:${network}:${address}`}, ${event}, case when amount > 0 then ${debit} else ${credit} end,
      case when amount > 0 then ${credit} else ${debit} end, abs(amount), ${currency}, ${now}
    from missing where amount <> 0`);
}

const inWindow = `select ${transferColumns} from chain_transfers c
  where network = $1 and block_number between $2 and $3 and removed_at is null and ${ownAddressOf} = $4`;

/** Aligns a window's rows with the chain. False when the node shows too little. */
async function readWindow(process: Process, coins: Stablecoins, place: Place, found: Searched): Promise<boolean> {
  const { from, to, logs } = found;
  const { network, address } = place;
  const known = await process.db.many<TransferRow>(statement(inWindow, [network, from, to, address]));
  const nameOf = (transaction: string, blockHash: string, logIndex: number) =>
    `${transaction} ${blockHash} ${logIndex}`;
  const shown = new Set(logs.map((one) => nameOf(one.transaction, one.blockHash, one.logIndex)));
  const written = new Set(known.map((row) => nameOf(row.transaction, row.block_hash, row.log_index)));
  const unknown = logs.filter((one) => !written.has(nameOf(one.transaction, one.blockHash, one.logIndex)));
  const missing = known.filter((row) => !shown.has(nameOf(row.transaction, row.block_hash, row.log_index)));
  let isComplete = true;
  // First what is gone: a payment has one transfer, and the one that comes back takes its place.
  await each(missing, async (row) => {
    if (!(await lookForMissing(process, coins, row))) isComplete = false;
  });
  const transactions = new Set(unknown.map(({ transaction }) => transaction));
  await each([...transactions], async (transaction) => {
    if (!(await readTransaction(process, coins, place, transaction))) isComplete = false;
  });
  return isComplete;
}

/** Records a transaction's transfers to and from an address. False when the node does not show it. */
async function readTransaction(
  process: Process,
  coins: Stablecoins,
  { network, address }: Place,
  transaction: `0x${string}`,
): Promise<boolean> {
  const transfers = await coins.transfersIn(network, transaction);
  if (!transfers) return false;
  const asset = await coins.assetOf(network);
  const booked = await bookedBlocks(process, coins, network);
  for (const logged of transfers) {
    const { from, to, amount, blockNumber } = logged;
    if (amount === 0n || (from !== address && to !== address)) continue;
    // From one address of ours to another, both in the books: together they hold what they held.
    if ([from, to].every((one) => booked.get(one)?.(blockNumber))) continue;
    await guarded('transfer_not_noted', { network, transaction }, () =>
      transact(process.db, async (tx) => noteTransfer(tx, { network, asset, payTo: address, logged }, process.clock())),
    );
  }
  return true;
}

/** Which blocks are in the books of each address that is ours, or was and was searched so far. */
async function bookedBlocks(
  { db }: Process,
  { addresses }: Stablecoins,
  network: Network,
): Promise<Map<string, (block: bigint) => boolean>> {
  const rows = await db.many<{ address: Address; opened_at: bigint; searched_to: bigint }>(sql`
    select address, opened_at, searched_to from searched_chains where network = ${network}`);
  return new Map(
    rows.map(({ address, opened_at, searched_to }) => [
      address,
      (block) => block > opened_at && (addresses.includes(address) || block <= searched_to),
    ]),
  );
}

/**
 * Remove a missing log only when its block was replaced: a node that hides a log of a standing block, or does not know
 * the block, proves nothing, and this returns false.
 */
async function lookForMissing(process: Process, coins: Stablecoins, row: TransferRow): Promise<boolean> {
  const { network, transaction, block_number, block_hash } = row;
  const standing = await coins.blockHash(network, block_number);
  if (standing === null || standing === block_hash) {
    // Why a search lags: the node knows no block of this number, or shows its block without the log.
    log('transfer_hidden', { network, transaction, block: Number(block_number), knows_block: standing !== null });
    return false;
  }
  if (await isShown(process, coins, row)) return true;
  await transact(process.db, async (tx) => markRemoved(tx, row, process.clock()));
  log('transfer_removed', { network, transaction });
  return true;
}

/** Whether the chain shows a log, in whatever block; records where. */
async function isShown(process: Process, coins: Stablecoins, row: TransferRow): Promise<boolean> {
  const { network, asset, transaction, position } = row;
  const logged = (await coins.transfersIn(network, transaction))?.find((one) => one.position === position);
  if (!logged) return false;
  await transact(process.db, async (tx) =>
    noteTransfer(tx, { network, asset, payTo: ownAddress(row), logged }, process.clock()),
  );
  return true;
}

const removedSince = `select ${transferColumns} from chain_transfers c
  where network = $1 and removed_at > $2
    and not exists (select from chain_transfers other where other.removed_at is null
      and (other.payment_key = c.payment_key or other.refund_key = c.refund_key))
  order by removed_at desc limit $3`;

/** Restores removed logs that are back, unless another took their place. */
async function lookForRemoved(process: Process, coins: Stablecoins, network: Network): Promise<void> {
  const since = after(process.clock(), -lookForRemovedDays * daySeconds);
  const removed = await process.db.many<TransferRow>(statement(removedSince, [network, since, removedMax]));
  await each(removed, (row) =>
    guarded('transfer_not_looked_for', { network, transaction: row.transaction }, () => isShown(process, coins, row)),
  );
}

async function recordSearch(process: Process, coins: Stablecoins, place: Place, found: Searched): Promise<void> {
  const { network, address } = place;
  // A node without that block's state does not stop the search.
  const units = found.isCaughtUp ? await coins.balanceAt(network, address, found.to).catch(() => null) : null;
  const balance = units === null ? null : fromTokenUnits(units);
  await process.db.many(sql`
    update searched_chains set searched_to = ${found.to}, head = greatest(head, ${found.head}),
      balance_microcents = ${balance}, searched_at = ${process.clock()}
    where network = ${network} and address = ${address} and searched_to <= ${found.to}`);
}
