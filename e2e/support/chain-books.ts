import type pg from 'pg';
import type { Hex } from 'viem';
import { controlClient } from '../../sandbox/control-client.ts';
import type { Network } from '../../server/configuration/networks.ts';
import { refundNonceOf } from '../../server/payments/x402/transfers.ts';

/** One base unit of the token, in microcents. */
const microcentsPerUnit = 100n;

interface Movement {
  network: string;
  from: string;
  to: string;
  nonce: string | null;
  amount: bigint;
  transaction: string;
}

/**
 * Lists the differences between the chains and the books (I6, I8), from the chains' logs and not from what the service
 * has read. Every transfer to the receiving address is the collection of exactly one payment, belongs to an open one,
 * goes back, or is noticed as unmatched. Every transfer from it is one refund or a withdrawal, and vice versa. Nobody
 * got more than they sent. Empty when they agree.
 */
export async function chainDifferences(database: Pick<pg.Pool, 'query'>, controlUrl: string): Promise<string[]> {
  const { rows: payments } = await database.query<PaymentRow>(`
    select payment_key, network, payer, nonce, amount_microcents::text as amount, transaction, pay_to,
      case when reversed_at is not null then 'reversed' else state end as state
    from x402_payments`);
  const { rows } = await database.query<TransferRow>(`
    select network, transaction, position, asset, sender, recipient, nonce, refund_nonce,
      amount_microcents::text as amount, use, payment_key, refund_key
    from chain_transfers where removed_at is null`);
  const { rows: refunds } = await database.query<RefundRow>(`
    select r.refund_key, r.state, r.network, c.sender as payee, r.amount_microcents::text as amount, back.transaction,
      p.reversed_at is not null as was_reversed, c.transaction as arrival, c.removed_at is not null as is_arrival_lost
    from refunds r join chain_transfers c on (c.network, c.transaction, c.position)
      = (r.network, r.arrival_transaction, r.arrival_position)
    left join chain_transfers back on back.refund_key = r.refund_key and back.removed_at is null
    left join payments p on p.payment_key = r.payment_key`);
  const ours = new Set([...payments.map(({ pay_to }) => pay_to), ...rows.map(ourAddress)]);
  const received: Movement[] = [];
  const given: Movement[] = [];
  const opened = await database.query<{ network: string; address: string; opened_at: string }>(
    'select network, address, opened_at from searched_chains',
  );
  const openedAt = new Map(opened.rows.map((row) => [`${row.network} ${row.address}`, Number(row.opened_at)]));
  const control = controlClient(controlUrl);
  for (const { network, chain_id } of ours.size > 0 ? await control.chains() : []) {
    for (const { from, to, nonce, amount, transaction, block_number } of await control.transfers(chain_id)) {
      const isKnown = rows.some((row) => row.transaction === transaction);
      const begins = [from, to].map((one) => openedAt.get(`${network} ${one.toLowerCase()}`));
      // The opening balance holds what came before; what goes from one address of ours to another changes nothing.
      if (block_number <= Math.max(...begins.map((block) => block ?? -1)) && !isKnown) continue;
      if (begins.every((block) => block !== undefined) && !isKnown) continue;
      const movement: Movement = {
        network,
        nonce,
        amount: BigInt(amount) * microcentsPerUnit,
        transaction,
        from: from.toLowerCase(),
        to: to.toLowerCase(),
      };
      if (movement.amount === 0n || movement.from === movement.to) continue;
      if (ours.has(movement.to)) received.push(movement);
      if (ours.has(movement.from)) given.push(movement);
    }
  }
  return [
    ...collections(payments, rows, received),
    ...refundsGiven(refunds, rows, given, received),
    ...gains(received, given, rows),
    ...refundNonces(rows),
  ];
}

interface PaymentRow {
  payment_key: string;
  state: string;
  network: string;
  payer: string;
  nonce: string;
  amount: string;
  transaction: string | null;
  pay_to: string;
}

interface TransferRow {
  network: Network;
  transaction: Hex;
  position: number;
  asset: Hex;
  sender: Hex;
  recipient: string;
  nonce: Hex | null;
  refund_nonce: Hex | null;
  amount: string;
  use: string;
  payment_key: string | null;
  refund_key: string | null;
}

const isDeparture = ({ use }: TransferRow): boolean => ['outgoing', 'refund', 'withdrawal'].includes(use);
const ourAddress = (row: TransferRow): string => (isDeparture(row) ? row.sender : row.recipient);

function isSame(row: TransferRow, transfer: Movement): boolean {
  return (
    row.network === transfer.network &&
    row.transaction === transfer.transaction &&
    row.sender === transfer.from &&
    row.recipient === transfer.to &&
    row.nonce === transfer.nonce &&
    BigInt(row.amount) === transfer.amount
  );
}

function collections(payments: PaymentRow[], rows: TransferRow[], received: Movement[]): string[] {
  const named = (network: string, payer: string, nonce: string | null) => `${network} ${payer} ${nonce}`;
  const byName = new Map(payments.map((payment) => [named(payment.network, payment.payer, payment.nonce), payment]));
  const seen = new Set<string>();
  const differences: string[] = [];
  for (const transfer of received) {
    const row = rows.find((one) => isSame(one, transfer));
    if (row && row.use !== 'payment') continue;
    const payment = byName.get(named(transfer.network, transfer.from, transfer.nonce));
    if (!payment) differences.push(`I6 ${transfer.transaction} pays us, and no payment knows of it`);
    else if (seen.has(payment.payment_key)) differences.push(`I4 ${payment.payment_key} was paid twice`);
    else if (payment.state === 'failed') differences.push(`I8 ${payment.payment_key} failed, but its money came`);
    else if (payment.state === 'collected' && row?.payment_key !== payment.payment_key) {
      differences.push(`I6 ${payment.payment_key} names another transfer than ${transfer.transaction}`);
    }
    if (payment && BigInt(payment.amount) === transfer.amount) seen.add(payment.payment_key);
  }
  for (const { payment_key, state } of payments) {
    if (state === 'collected' && !seen.has(payment_key)) {
      differences.push(`I6 ${payment_key} is collected, and the chain knows of no transfer`);
    }
  }
  return differences;
}

interface RefundRow {
  refund_key: string;
  state: string;
  network: string;
  payee: string;
  amount: string;
  transaction: string | null;
  was_reversed: boolean;
  /** The transaction of what it gives back, and whether the books say that the chain has lost that. */
  arrival: string;
  is_arrival_lost: boolean;
}

function refundsGiven(refunds: RefundRow[], rows: TransferRow[], given: Movement[], received: Movement[]): string[] {
  const open = refunds.filter(({ state }) => state !== 'refunded');
  const differences = refunds
    .filter((refund) => refund.state === 'refunded' && !isVoid(refund, received))
    .filter(
      (refund) => !given.some((transfer) => isOf(refund, transfer) && transfer.transaction === refund.transaction),
    )
    .map(({ refund_key }) => `I6 ${refund_key} is refunded, and the chain knows of no such transfer`);
  for (const transfer of given) {
    const row = rows.find((one) => isSame(one, transfer));
    if (row && row.use !== 'outgoing') continue;
    // A refund whose answer was lost is found by its nonce: until then one transfer may be ahead of the books.
    const ahead = open.findIndex((refund) => isOf(refund, transfer));
    if (ahead >= 0) open.splice(ahead, 1);
    else if (!row) differences.push(`I6 ${transfer.transaction} gives money back, and no refund knows of it`);
  }
  return differences;
}

/** The chain has lost what it gives back: for good, or in one reorganisation with the refund. Then nothing is owed. */
function isVoid({ network, arrival, was_reversed, is_arrival_lost }: RefundRow, received: Movement[]): boolean {
  const isShown = received.some((transfer) => transfer.network === network && transfer.transaction === arrival);
  return was_reversed || (is_arrival_lost && !isShown);
}

function isOf(refund: RefundRow, transfer: Movement): boolean {
  return (
    refund.network === transfer.network && refund.payee === transfer.to && BigInt(refund.amount) === transfer.amount
  );
}

/** Arrivals whose refund nonce does not derive from them: after a restore they would go back twice. */
function refundNonces(rows: TransferRow[]): string[] {
  return rows
    .filter((row) => {
      const { network, transaction, position, asset, sender: from, nonce } = row;
      const name = nonce === null ? { network, transaction, position, nonce } : { network, asset, from, nonce };
      return row.refund_nonce !== null && row.refund_nonce !== refundNonceOf(name);
    })
    .map(({ transaction }) => `I8 ${transaction} would go back under another nonce than its own`);
}

/** Who got more from us than they sent; an operator's withdrawals do not count. */
function gains(received: Movement[], given: Movement[], rows: TransferRow[]): string[] {
  const balance = new Map<string, bigint>();
  const add = (who: string, amount: bigint) => balance.set(who, (balance.get(who) ?? 0n) + amount);
  for (const { network, from, amount } of received) add(`${network} ${from}`, amount);
  for (const transfer of given) {
    const isWithdrawal = rows.some((row) => row.use === 'withdrawal' && isSame(row, transfer));
    if (!isWithdrawal) add(`${transfer.network} ${transfer.to}`, -transfer.amount);
  }
  return [...balance].filter(([, left]) => left < 0n).map(([who, left]) => `I5 ${who} got ${-left} more than it sent`);
}
