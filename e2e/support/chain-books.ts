import type pg from 'pg';
import { controlClient } from '../../sandbox/control-client.ts';

/** One base unit of the token, in microcents. */
const microcentsPerUnit = 100n;

interface Movement {
  network: string;
  /** Who paid it, or was paid back. */
  other: string;
  nonce: string | null;
  amount: bigint;
  transaction: string;
}

/**
 * Where the chains and the books differ (I6, I8): every transfer to the addresses that payments name is the collection
 * of exactly one payment or belongs to one that is still open, every transfer from them is one refund, and the other
 * way round. What the service has noticed as unmatched is left to an operator. Empty when they agree.
 */
export async function chainDifferences(database: Pick<pg.Pool, 'query'>, controlUrl: string): Promise<string[]> {
  const { rows: payments } = await database.query<PaymentRow>(`
    select payment_key, network, payer, nonce, amount_microcents::text as amount, transaction, pay_to,
      case when reversed_at is not null then 'reversed'
        when exists (select from refunds r where r.payment_key = p.payment_key and r.reason = 'late_payment') then 'late'
        else state end as state
    from payments p where method = 'x402'`);
  const { rows: unmatched } = await database.query<{ transaction: string; payer: string }>(`
    select transaction, payer from unmatched_transfers where (transaction, payer) not in (
      select transaction, payer from payments where transaction is not null)`);
  const { rows: refunds } = await database.query<RefundRow>(`
    select refund_key, r.state, network, payer, r.amount_microcents::text as amount, r.transaction, r.created_at
    from refunds r join payments using (payment_key)`);
  const ours = new Set(payments.map(({ pay_to }) => pay_to));
  const received: Movement[] = [];
  const given: Movement[] = [];
  const control = controlClient(controlUrl);
  for (const { network, chain_id } of ours.size > 0 ? await control.chains() : []) {
    for (const { from, to, nonce, amount, transaction } of await control.transfers(chain_id)) {
      const movement = { network, nonce, amount: BigInt(amount) * microcentsPerUnit, transaction };
      if (ours.has(to.toLowerCase())) received.push({ ...movement, other: from.toLowerCase() });
      if (ours.has(from.toLowerCase())) given.push({ ...movement, other: to.toLowerCase() });
    }
  }
  const noticed = new Set(unmatched.map(({ transaction, payer }) => `${transaction} ${payer}`));
  const claimed = received.filter(({ transaction, other }) => !noticed.has(`${transaction} ${other}`));
  return [...collections(payments, claimed), ...refundsGiven(refunds, given)];
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

function collections(payments: PaymentRow[], received: Movement[]): string[] {
  const authorization = (row: { network: string; nonce: string | null }, payer: string) =>
    `${row.network} ${payer} ${row.nonce}`;
  const byAuthorization = new Map(payments.map((payment) => [authorization(payment, payment.payer), payment]));
  const seen = new Set<string>();
  const differences: string[] = [];
  for (const transfer of received) {
    const payment = byAuthorization.get(authorization(transfer, transfer.other));
    if (!payment) differences.push(`I6 ${transfer.transaction} pays us, and no payment knows of it`);
    else if (seen.has(payment.payment_key)) differences.push(`I4 ${payment.payment_key} was paid twice`);
    else if (payment.state === 'failed') differences.push(`I8 ${payment.payment_key} failed, but its money came`);
    else if (payment.state === 'collected' && !agrees(payment, transfer)) {
      differences.push(`I6 ${payment.payment_key} names another transfer than ${transfer.transaction}`);
    }
    if (payment) seen.add(payment.payment_key);
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
  payer: string;
  amount: string;
  transaction: string | null;
}

function refundsGiven(refunds: RefundRow[], given: Movement[]): string[] {
  const byTransaction = new Map(given.map((transfer) => [transfer.transaction, transfer]));
  const open = refunds.filter(({ state }) => state !== 'refunded');
  const known = new Set(refunds.map(({ transaction }) => transaction));
  const differences = refunds
    .filter(({ state }) => state === 'refunded')
    .filter((refund) => {
      const transfer = byTransaction.get(refund.transaction ?? '');
      return !transfer || transfer.other !== refund.payer || !agrees(refund, transfer);
    })
    .map(({ refund_key }) => `I6 ${refund_key} is refunded, and the chain knows of no such transfer`);
  // A refund whose answer was lost is found again by its nonce: until then one transfer may be ahead of the books.
  for (const transfer of given.filter(({ transaction }) => !known.has(transaction))) {
    const ahead = open.findIndex((refund) => refund.payer === transfer.other && refund.network === transfer.network);
    if (ahead < 0) differences.push(`I6 ${transfer.transaction} gives money back, and no refund knows of it`);
    else open.splice(ahead, 1);
  }
  return differences;
}

function agrees(row: { network: string; amount: string; transaction: string | null }, transfer: Movement): boolean {
  return (
    row.network === transfer.network &&
    BigInt(row.amount) === transfer.amount &&
    row.transaction === transfer.transaction
  );
}
