import type { Network } from '../../configuration.ts';
import { after } from '../../kernel/clock.ts';
import { log } from '../../kernel/log.ts';
import { currency, fromTokenUnits } from '../../kernel/money.ts';
import { sql } from '../../kernel/sql.ts';
import { transact } from '../../kernel/transaction.ts';
import { opening } from '../../ledger/entries.ts';
import { each, guarded } from '../../purchases/rounds.ts';
import type { Runtime } from '../../runtime.ts';
import { readChainBooks } from '../unsettled.ts';
import type { LastSearch, Searched } from './chain.ts';
import type { X402Rail } from './stablecoins.ts';
import { markRemoved, noteTransfer, type TransferRow } from './transfers.ts';

/** Windows of blocks that one round searches; the next goes on from there. */
const windowsMax = 20;
/** Where the books are not what the chain says, a search goes back so many blocks once more, and looks so often. */
const lookBackBlocks = 8_000n;
const compareEverySeconds = 60;
/** Logs that a chain has lost are looked for again for this many days, so many in one round. */
const lookForRemovedDays = 30;
const removedMax = 50;

/** Reads every log of the address that is paid, to and from it, up to the newest confirmed block, into the books. */
export async function searchChain(runtime: Runtime, rail: X402Rail, network: Network): Promise<void> {
  for (let windows = 0; windows < windowsMax; windows += 1) {
    const last = await runtime.db.maybe<LastSearch>(sql`
      select searched_to as "searchedTo", opened_at as "openedAt" from searched_chains where network = ${network}`);
    const found = await rail.search(network, last ?? null);
    if (!found) return log('search_lags', { network, searched_to: Number(last?.searchedTo ?? 0n) });
    if (!last) await openBooks(runtime, rail, network, found);
    // What the node does not show is looked for again: a search does not pass over it.
    if (!(await readWindow(runtime, rail, network, found))) {
      return log('search_lags', { network, searched_to: Number(last?.searchedTo ?? 0n) });
    }
    await recordSearch(runtime, rail, network, found);
    if (found.isCaughtUp) break;
  }
  await lookForRemoved(runtime, rail, network);
  await lookBack(runtime, rail, network);
}

/** When this process last held the books against each chain. */
const compared = new WeakMap<X402Rail, Map<Network, Date>>();

/**
 * A node that shows no logs, or a fork of its own, for longer than a search goes back has had the search pass over what it
 * did not show. The balance tells: where it is not what the books say, older blocks are read once more.
 */
async function lookBack(runtime: Runtime, rail: X402Rail, network: Network): Promise<void> {
  const times = compared.get(rail) ?? new Map<Network, Date>();
  compared.set(rail, times);
  const now = runtime.clock();
  const last = times.get(network);
  // A clock that was set back does not keep the books from being compared.
  if (last && last <= now && after(last, compareEverySeconds) > now) return;
  times.set(network, now);
  const books = (await readChainBooks(runtime.db)).find((one) => one.network === network);
  if (!books || books.balance_microcents === null || books.balance_microcents === books.ledger_microcents) return;
  const { searched_to: searchedTo } = books;
  log('books_differ', { network, searched_to: Number(searchedTo) });
  const { opened_at: openedAt } = await runtime.db.one<{ opened_at: bigint }>(sql`
    select opened_at from searched_chains where network = ${network}`);
  const found = await rail.search(network, { searchedTo: searchedTo - lookBackBlocks, openedAt });
  if (found) await readWindow(runtime, rail, network, found);
}

/** What lies before the first search stands in the books as one sum. */
async function openBooks(runtime: Runtime, rail: X402Rail, network: Network, found: Searched): Promise<void> {
  const openedAt = found.from - 1n;
  const units = openedAt < 0n ? 0n : await rail.balanceAt(network, openedAt);
  const { event, debit, credit } = opening(network);
  const now = runtime.clock();
  // Of what was collected before the first search, the books have some already.
  await runtime.db.many(sql`
    with opened as (
      insert into searched_chains (network, opened_at, searched_to, head, searched_at)
      values (${network}, ${openedAt}, ${openedAt}, ${found.head}, ${now})
      on conflict (network) do nothing returning network),
    missing as (
      select ${fromTokenUnits(units)}::bigint - coalesce((
        select sum(case when refund_nonce is null then -amount_microcents else amount_microcents end)
        from chain_transfers c where c.network = ${network} and removed_at is null and block_number <= ${openedAt}
      ), 0)::bigint as amount from opened)
    insert into ledger_transfers (event_key, event, debit_account, credit_account, amount_microcents, currency, at)
    select ${`${event}:${network}`}, ${event}, case when amount > 0 then ${debit} else ${credit} end,
      case when amount > 0 then ${credit} else ${debit} end, abs(amount), ${currency}, ${now}
    from missing where amount <> 0`);
}

/** Brings the rows of a window of blocks in line with what the chain shows there. False when the node shows too little. */
async function readWindow(runtime: Runtime, rail: X402Rail, network: Network, found: Searched): Promise<boolean> {
  const { from, to, logs } = found;
  const known = await runtime.db.many<TransferRow>(sql`
    select network, transaction, position, asset, sender, recipient, amount_microcents, nonce, refund_nonce,
      block_number, block_hash, log_index, use, payment_key, refund_key, seen_at, removed_at, moves
    from chain_transfers
    where network = ${network} and block_number between ${from} and ${to} and removed_at is null`);
  const nameOf = (transaction: string, blockHash: string, logIndex: number) =>
    `${transaction} ${blockHash} ${logIndex}`;
  const shown = new Set(logs.map((one) => nameOf(one.transaction, one.blockHash, one.logIndex)));
  const written = new Set(known.map((row) => nameOf(row.transaction, row.block_hash, row.log_index)));
  const unknown = logs.filter((one) => !written.has(nameOf(one.transaction, one.blockHash, one.logIndex)));
  const missing = known.filter((row) => !shown.has(nameOf(row.transaction, row.block_hash, row.log_index)));
  let isComplete = true;
  const transactions = new Set(unknown.map(({ transaction }) => transaction));
  await each([...transactions], async (transaction) => {
    if (!(await readTransaction(runtime, rail, network, transaction))) isComplete = false;
  });
  await each(missing, async (row) => {
    if (!(await lookForMissing(runtime, rail, row))) isComplete = false;
  });
  return isComplete;
}

/** Writes down the transfers of a transaction, each by itself. False while the node does not show it. */
async function readTransaction(
  runtime: Runtime,
  rail: X402Rail,
  network: Network,
  transaction: `0x${string}`,
): Promise<boolean> {
  const transfers = await rail.transfersIn(network, transaction);
  if (!transfers) return false;
  const asset = await rail.assetOf(network);
  for (const logged of transfers.filter(({ amount }) => amount > 0n)) {
    await guarded('transfer_not_noted', { network, transaction }, () =>
      transact(runtime.db, async (tx) =>
        noteTransfer(tx, { network, asset, payTo: rail.payTo, logged }, runtime.clock()),
      ),
    );
  }
  return true;
}

/**
 * A log that the chain showed before and does not show now is removed only when its block has been replaced: a node that
 * does not show the log of a block that still stands proves nothing. False then.
 */
async function lookForMissing(runtime: Runtime, rail: X402Rail, row: TransferRow): Promise<boolean> {
  const { network, transaction, block_number, block_hash } = row;
  if ((await rail.blockHash(network, block_number)) === block_hash) return false;
  if (await isShown(runtime, rail, row)) return true;
  await transact(runtime.db, async (tx) => markRemoved(tx, row, runtime.clock()));
  log('transfer_removed', { network, transaction });
  return true;
}

/** Whether the chain shows a log in whatever block it is in now. That is written down. */
async function isShown(
  runtime: Runtime,
  rail: X402Rail,
  { network, asset, transaction, position }: TransferRow,
): Promise<boolean> {
  const logged = (await rail.transfersIn(network, transaction))?.find((one) => one.position === position);
  if (!logged) return false;
  await transact(runtime.db, async (tx) =>
    noteTransfer(tx, { network, asset, payTo: rail.payTo, logged }, runtime.clock()),
  );
  return true;
}

/** Finds logs again that were removed, wherever a reorganisation put them back, except where another took their place. */
async function lookForRemoved(runtime: Runtime, rail: X402Rail, network: Network): Promise<void> {
  const removed = await runtime.db.many<TransferRow>(sql`
    select network, transaction, position, asset, sender, recipient, amount_microcents, nonce, refund_nonce,
      block_number, block_hash, log_index, use, payment_key, refund_key, seen_at, removed_at, moves
    from chain_transfers c
    where network = ${network} and removed_at > ${runtime.clock()}::timestamptz - make_interval(days => ${lookForRemovedDays})
      and not exists (select from chain_transfers other where other.removed_at is null
        and (other.payment_key = c.payment_key or other.refund_key = c.refund_key))
    order by removed_at desc limit ${removedMax}`);
  await each(removed, (row) =>
    guarded('transfer_not_looked_for', { network, transaction: row.transaction }, () => isShown(runtime, rail, row)),
  );
}

async function recordSearch(runtime: Runtime, rail: X402Rail, network: Network, found: Searched): Promise<void> {
  // A node that has thrown away the state of that block keeps no search from going on.
  const units = found.isCaughtUp ? await rail.balanceAt(network, found.to).catch(() => null) : null;
  const balance = units === null ? null : fromTokenUnits(units);
  await runtime.db.many(sql`
    update searched_chains set searched_to = ${found.to}, head = greatest(head, ${found.head}),
      balance_microcents = ${balance}, searched_at = ${runtime.clock()}
    where network = ${network} and searched_to <= ${found.to}`);
}
