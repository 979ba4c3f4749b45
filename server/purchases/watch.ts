import type { Network } from '../kernel/env.ts';
import { log } from '../kernel/log.ts';
import { fromTokenUnits, toWire } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import { transact } from '../kernel/transaction.ts';
import type { Arrival } from '../payments/chain.ts';
import { authorizationOf, confirmCollected, type PaymentRow, paymentOf, takeWatched } from '../payments/payment.ts';
import { requestLateRefund } from '../payments/refund.ts';
import type { X402Rail } from '../payments/x402.ts';
import type { Runtime } from '../runtime.ts';
import { lockJob, noteOnJob } from './job.ts';
import { issueReceipt } from './receipt.ts';
import { reverse } from './reverse.ts';
import { each, guarded } from './rounds.ts';

/** Payments looked up in one round; the next round takes the rest. */
const batch = 50;

/**
 * Looks at the chains for what nobody has asked about: payments that a reorganisation removed after they were
 * collected, and transfers to us that no payment is waiting for.
 */
export async function watchChains(runtime: Runtime): Promise<void> {
  const rail = runtime.x402;
  if (!rail) return;
  await each(await takeWatched(runtime.db, runtime.clock(), batch), (payment) =>
    guarded('payment_not_watched', { payment_key: payment.payment_key }, () => watchPayment(runtime, rail, payment)),
  );
  await each([...rail.networks], (network) =>
    guarded('chain_not_searched', { network }, () => searchArrivals(runtime, rail, network)),
  );
}

/**
 * Asks the chain whether it still holds a collected payment. What a reorganisation removed is carried out again, as
 * long as its signature is good; what can never arrive again is reversed.
 */
async function watchPayment(runtime: Runtime, rail: X402Rail, payment: PaymentRow): Promise<void> {
  const authorization = authorizationOf(payment);
  let onChain = await rail.lookUp(authorization, payment.created_at, payment.transaction ?? undefined);
  if (onChain.outcome === 'unused' && payment.signature) {
    onChain = await rail.settle({ authorization, signature: payment.signature }, payment.created_at);
  }
  const now = runtime.clock();
  await transact(runtime.db, async (tx) => {
    if (onChain.outcome === 'never') await reverse(tx, runtime, payment, now);
    if (onChain.outcome !== 'paid' || !(await confirmCollected(tx, payment, onChain.transaction, now))) return;
    const job = await lockJob(tx, payment.job_key);
    noteOnJob(tx, job, 'moved_on_chain', now);
    await issueReceipt(tx, runtime.receiptSigner, job.job_key, job, now);
  });
}

/** Goes through what was transferred to us since the last search. */
async function searchArrivals(runtime: Runtime, rail: X402Rail, network: Network): Promise<void> {
  const { db } = runtime;
  const last = await db.maybe<{ scanned_to: bigint }>(sql`
    select scanned_to from scanned_chains where network = ${network}`);
  const { arrivals, scannedTo } = await rail.arrivals(network, last?.scanned_to ?? null);
  const transactions = arrivals.map(({ transaction }) => transaction);
  // One transaction may carry several transfers, by several payers.
  const known = await db.many<Pick<Arrival, 'transaction'> & { payer: string }>(sql`
    select transaction, payer from payments where network = ${network} and transaction = any(${transactions})
    union all
    select transaction, payer from unmatched_transfers where network = ${network} and transaction = any(${transactions})`);
  const seen = new Set(known.map(({ transaction, payer }) => `${transaction} ${payer}`));
  for (const arrival of arrivals) {
    if (!seen.has(`${arrival.transaction} ${arrival.from}`)) await placeArrival(runtime, rail, network, arrival);
  }
  await db.many(sql`
    insert into scanned_chains (network, scanned_to) values (${network}, ${scannedTo})
    on conflict (network) do update set scanned_to = excluded.scanned_to`);
}

/** Finds out what a transfer to us is for. */
async function placeArrival(runtime: Runtime, rail: X402Rail, network: Network, arrival: Arrival): Promise<void> {
  const authorization = await rail.authorizationIn(network, arrival);
  const payment = authorization && (await paymentOf(runtime.db, authorization));
  if (payment?.state === 'failed') return owedBack(runtime, payment);
  // Whatever waits for its outcome finds the transfer by itself.
  if (payment) return;
  const now = runtime.clock();
  await runtime.db.many(sql`
    insert into unmatched_transfers (network, transaction, log_index, block_number, payer, amount_microcents, nonce,
      seen_at)
    values (${network}, ${arrival.transaction}, ${arrival.logIndex}, ${arrival.blockNumber}, ${arrival.from},
      ${fromTokenUnits(arrival.amount)}, ${authorization?.nonce ?? null}, ${now})
    on conflict do nothing`);
  log('unmatched_transfer', {
    network,
    transaction: arrival.transaction,
    payer: arrival.from,
    amount_microcents: toWire(fromTokenUnits(arrival.amount)),
  });
}

/** A payment that was given up has arrived: its job is paid otherwise or gone, so the money goes back. */
async function owedBack(runtime: Runtime, payment: PaymentRow): Promise<void> {
  const now = runtime.clock();
  await transact(runtime.db, async (tx) => {
    const job = await lockJob(tx, payment.job_key);
    if (await requestLateRefund(tx, payment, job.principal_key, now)) noteOnJob(tx, job, 'arrived_late', now);
  });
}
