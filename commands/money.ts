import { byCommand, noteAct, noteWithdrawal } from '../server/console/acts.ts';
import { type Database, openDatabase } from '../server/kernel/database.ts';
import { toText } from '../server/kernel/money.ts';
import { transact } from '../server/kernel/transaction.ts';
import type { CardBooks, ChainBooks, OpenTransfer, Told } from '../server/payments/told.ts';
import { recordWithdrawalIn, returnArrivalIn } from '../server/payments/x402/by-hand.ts';
import type { TransferName } from '../server/payments/x402/transfers.ts';
import { readAddresses, type SearchedAddress } from '../server/payments/x402/unsettled.ts';
import { Problem } from '../server/problems/problem.ts';
import { readUnsettled } from '../server/purchases/rounds/unsettled.ts';
import { runCommand } from './command.ts';
import { databaseTime } from './database-time.ts';
import { Refusal } from './refusal.ts';
import { useRunning } from './running.ts';

/**
 * `npm run money` compares, for each chain and the card provider, what we hold there with the books, then lists open
 * matters of money and what to do about each. `npm run money -- return NETWORK TX POSITION` gives an unmatched transfer
 * back to its sender; `npm run money -- withdrawal NETWORK TX` records that an operator took out what left in that
 * transaction. It reads `DATABASE_URL`; without it, it is about the demo that runs here.
 */
await runCommand(async () => {
  useRunning();
  const url = process.env.DATABASE_URL;
  if (!url) throw new Refusal('DATABASE_URL is missing: it names the database to look into.');
  const db = openDatabase(url, { connections: 1 });
  try {
    const [command, ...words] = process.argv.slice(2);
    const now = await databaseTime(db);
    if (command === undefined) await list(db, now);
    else console.log(await settle(db, now, command, words));
    return 0;
  } catch (error) {
    throw error instanceof Problem ? new Refusal(error.message) : error;
  } finally {
    await db.end();
  }
});

/** Carries out an operator's decision about a transfer. */
async function settle(
  db: Database,
  now: Date,
  command: string,
  [network = '', transaction = '', position = '']: string[],
) {
  const name = { network, transaction: transaction.toLowerCase(), position: Number(position) } as TransferName;
  if (command === 'return' && /^\d{1,9}$/.test(position)) {
    const { amount_microcents, sender } = await transact(db, async (tx) => {
      const arrival = await returnArrivalIn(tx, name, now);
      const subject = `transfer:${name.network}:${name.transaction}:${name.position}`;
      const reason = 'npm run money -- return';
      noteAct(tx, byCommand, { subject, action: 'give_back', reason, amount: arrival.amount_microcents }, now);
      return arrival;
    });
    return `${toText(amount_microcents)} goes back to ${sender}.`;
  }
  if (command === 'withdrawal' && transaction !== '' && position === '') {
    const amount = await transact(db, async (tx) => {
      const taken = await recordWithdrawalIn(tx, name, now);
      noteWithdrawal(tx, `transfer:${name.network}:${name.transaction}`, taken, now);
      return taken;
    });
    return `${toText(amount)} was taken out.`;
  }
  throw new Refusal(
    'Say what to do: npm run money, npm run money -- return NETWORK TX POSITION, npm run money -- withdrawal NETWORK TX',
  );
}

async function list(db: Database, now: Date): Promise<void> {
  const { chains, card, differences, arrivals, departures, blocks, unknown, payments, refunds } = await readUnsettled(
    db,
    now,
  );
  await showChains(db, chains);
  if (card) showCard(card);
  show(
    'What the books and a provider, or a chain, do not agree on',
    'The worker looks again every few minutes. What stays: compare both sides by hand, docs/operating.md says how.',
    differences,
    ({ first_seen_at, book, kind, object_id, ours, theirs }) => [
      first_seen_at,
      `${book} ${kind}`,
      object_id,
      `ours: ${ours ?? 'nothing'}`,
      `theirs: ${theirs ?? 'nothing'}`,
    ],
  );
  show(
    'Transfers to us that match no payment',
    'Find out what for. Back to who sent it: npm run money -- return NETWORK TX POSITION',
    arrivals,
    (row) => transferCells('from', row),
  );
  show(
    'Transfers from us that no refund explains',
    'Taken out by an operator: npm run money -- withdrawal NETWORK TX. Otherwise somebody else has the key.',
    departures,
    (row) => [...transferCells('to', row), ...(row.gives_back ? [`gives back ${row.gives_back}`] : [])],
  );
  show(
    'Blocks that keep an account, or an address that pays, from buying anything new',
    'Once the cause is settled: npm run unblock -- BLOCK REASON',
    blocks,
    (row) => [
      row.created_at,
      row.block_key,
      row.cause,
      row.account_key ?? row.payer ?? '',
      ...(row.amount_microcents === null ? [] : [toText(row.amount_microcents)]),
      ...(row.job_key === null ? [] : [row.job_key]),
    ],
  );
  show(
    'Payments whose outcome nobody knows after an hour',
    'The provider has not said how they ended. Does the worker run, does a node show all logs, does Stripe answer?',
    unknown,
    (row) => [row.created_at, toText(row.amount_microcents), row.network, row.payment_key, row.job_key],
  );
  show(
    'Payments whose outcome is open',
    'The worker asks again every few seconds. Older than 10 minutes: does it run, and does the chain or Stripe answer?',
    payments,
    (row) => [row.created_at, toText(row.amount_microcents), row.network, row.payment_key, row.job_key],
  );
  show(
    'Refunds that were not carried out',
    'Pending: the worker tries again, if X402_REFUND_KEY has the key of the address that was paid. Failed, or for a person: give the amount back by hand, then npm run settle-refund -- REFUND sent REFERENCE REASON; or, if the customer agrees, npm run settle-refund -- REFUND credit REASON',
    refunds,
    (row) => [
      row.created_at,
      toText(row.amount_microcents),
      row.network,
      `to ${row.payer}`,
      row.state === 'refund_failed' ? 'failed' : `pending after ${row.tries} tries`,
      `${row.refund_key}${row.job_key === null ? '' : `  ${row.job_key}`}`,
    ],
  );
}

/** Every chain, and our addresses there if they are several. */
async function showChains(db: Database, chains: ChainBooks[]): Promise<void> {
  for (const chain of chains) showChain(chain);
  const addresses = await readAddresses(db);
  if (addresses.length > chains.length) for (const address of addresses) showAddress(address);
}

/** One line per chain: whether it agrees with the books, and the difference. */
function showChain({
  network,
  searched_to,
  head,
  searched_at,
  balance_microcents,
  ledger_microcents,
}: ChainBooks): void {
  const [balance, ledger] = [balance_microcents, ledger_microcents];
  const agreement =
    balance === null
      ? 'NOT COMPARED: the chain has not said lately what we hold; does a worker run, and does the node answer?'
      : balance === ledger
        ? 'they agree'
        : `THEY DIFFER BY ${toText(balance - ledger)}`;
  const where = `at block ${searched_to} of ${head}, searched ${searched_at.toISOString()}`;
  console.log(
    `${network}: ${balance === null ? 'unknown' : toText(balance)} on the chain, ${toText(ledger)} in the books`,
  );
  console.log(`  ${agreement}, ${where}`);
}

/** One of several addresses: what it holds, and whether it is needed. */
function showAddress({ network, address, searched_to, balance_microcents: balance, is_empty }: SearchedAddress): void {
  const held = balance === null ? 'an unknown amount' : toText(balance);
  const advice = is_empty ? '; empty, so X402_PAY_TO may do without it if it is not the first' : '';
  console.log(`  ${address} holds ${held} of it at block ${searched_to} of ${network}${advice}`);
}

/** The same for the card provider. */
function showCard({ searched_at, balance_microcents: balance, ledger_microcents: ledger }: CardBooks): void {
  const agreement =
    balance === ledger
      ? 'they agree'
      : `THEY DIFFER BY ${toText(balance - ledger)}, which a payment on its way explains until the next look`;
  console.log(`card: ${toText(balance)} at the provider, ${toText(ledger)} in the books`);
  console.log(`  ${agreement}, looked at ${searched_at.toISOString()}`);
}

function transferCells(direction: string, row: OpenTransfer): (Date | string)[] {
  const { seen_at, amount_microcents, network, other, transaction, position } = row;
  return [seen_at, toText(amount_microcents), network, `${direction} ${other}`, `in ${transaction} ${position}`];
}

/** Prints one list: a line per row and what to do, or that it is empty. */
function show<Row>(title: string, advice: string, { rows, total }: Told<Row>, cells: (row: Row) => (Date | string)[]) {
  console.log(`${title}: ${total}`);
  for (const row of rows) {
    const line = cells(row).map((cell) => (cell instanceof Date ? cell.toISOString() : cell));
    console.log(`  ${line.join('  ')}`);
  }
  if (total > rows.length) console.log(`  … and ${total - rows.length} more`);
  if (total > 0) console.log(`  ${advice}`);
}
