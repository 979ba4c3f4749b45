import { microcents } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import { type Tx, transact } from '../kernel/transaction.ts';
import { movedIn, movedOut, refunded } from '../ledger/entries.ts';
import { post } from '../ledger/ledger.ts';
import type { PaymentRow } from '../payments/x402/attempt.ts';
import { decideRefund, requestLateRefund, requestReturn } from '../payments/x402/refund.ts';
import {
  bookKeyOf,
  claimArrival,
  claimDeparture,
  lockTransfer,
  markRemoved,
  type TransferRow,
} from '../payments/x402/transfers.ts';
import type { Runtime } from '../runtime.ts';
import { lockJob, noteOnJob } from './job.ts';
import { issueReceipt } from './receipt.ts';
import { heal } from './reverse.ts';
import { each, guarded } from './rounds.ts';

/** Rows of each kind in one round; the next round takes the rest. */
const batch = 50;

/**
 * Finds out what the logs are for that nobody has asked about: late payments, payments that a reorganisation has moved or
 * brought back, and transfers of ours that gave an arrival back. All of it joins rows by what the chain itself says. The
 * same nonce with another amount or another recipient is no payment: it stays unmatched, and only an operator returns it.
 */
export async function matchTransfers(runtime: Runtime): Promise<void> {
  const arrivals = await runtime.db.many<TransferRow & { of_payment: string }>(sql`
    select c.network, c.transaction, c.position, c.asset, c.sender, c.recipient, c.amount_microcents, c.nonce,
      c.refund_nonce, c.block_number, c.block_hash, c.log_index, c.use, c.payment_key, c.refund_key, c.seen_at,
      c.removed_at, c.moves, x.payment_key as of_payment
    from chain_transfers c join x402_payments x
      on (x.network, x.asset, x.payer, x.nonce) = (c.network, c.asset, c.sender, c.nonce)
    where c.use = 'unmatched' and c.removed_at is null and x.state in ('failed', 'collected')
      and (x.pay_to, x.amount_microcents) = (c.recipient, c.amount_microcents)
    order by c.seen_at limit ${batch}`);
  await each(arrivals, (arrival) =>
    guarded('arrival_not_matched', { payment_key: arrival.of_payment }, () =>
      transact(runtime.db, (tx) => matchArrival(tx, runtime, arrival, arrival.of_payment)),
    ),
  );
  const back = await runtime.db.many<PaymentRow>(sql`
    select x.payment_key, x.job_key, x.principal_key, x.state, x.network, x.asset, x.payer, x.pay_to, x.nonce,
      x.amount_microcents, x.valid_after, x.valid_before, x.signature, x.created_at, x.seen_block,
      x.transaction, x.decided_at, x.reversed_at, x.missing_looks
    from x402_payments x join chain_transfers c using (payment_key)
    where x.reversed_at is not null and c.removed_at is null limit ${batch}`);
  await each(back, (payment) =>
    guarded('reversal_not_healed', { payment_key: payment.payment_key }, () =>
      transact(runtime.db, (tx) => heal(tx, runtime, payment, runtime.clock())),
    ),
  );
  await matchDepartures(runtime);
}

/** An arrival that was signed for an attempt which is decided already. */
async function matchArrival(tx: Tx, runtime: Runtime, arrival: TransferRow, paymentKey: string): Promise<void> {
  const now = runtime.clock();
  const payment = await tx.one<PaymentRow>(sql`
    select payment_key, job_key, principal_key, state, network, asset, payer, pay_to, nonce, amount_microcents,
      valid_after, valid_before, signature, created_at, seen_block, transaction, decided_at, reversed_at,
      missing_looks
    from x402_payments where payment_key = ${paymentKey}`);
  if (payment.state === 'collected') return movePayment(tx, runtime, payment, arrival, now);
  // Its job is paid otherwise or gone, so the money goes back.
  const job = await lockJob(tx, payment.job_key);
  if (await requestLateRefund(tx, arrival, payment, now)) noteOnJob(tx, job, 'arrived_late', now);
}

/** The chain holds a collected payment in another log than before: that one pays from now on. */
export async function movePayment(
  tx: Tx,
  runtime: Pick<Runtime, 'receiptSigner'>,
  payment: PaymentRow,
  arrival: Pick<TransferRow, 'network' | 'transaction' | 'position'>,
  now: Date,
): Promise<void> {
  const { payment_key: paymentKey } = payment;
  const job = await lockJob(tx, payment.job_key);
  const before = await tx.many<TransferRow>(sql`
    select network, transaction, position, asset, sender, recipient, amount_microcents, nonce, refund_nonce,
      block_number, block_hash, log_index, use, payment_key, refund_key, seen_at, removed_at, moves
    from chain_transfers where payment_key = ${paymentKey} and removed_at is null for no key update`);
  const isThere = (row: TransferRow) => bookKeyOf(row) === bookKeyOf(arrival);
  if (before.some(isThere)) return;
  for (const row of before) markRemoved(tx, row, now);
  claimArrival(tx, arrival, paymentKey);
  const claimed = await lockTransfer(tx, arrival);
  if (claimed?.payment_key !== paymentKey) throw new Error(`${bookKeyOf(arrival)} is used for something else`);
  post(tx, {
    ...movedIn,
    key: bookKeyOf(arrival),
    jobKey: null,
    principalKey: null,
    amount: microcents(claimed.amount_microcents),
    at: now,
  });
  tx.write(sql`
    update refunds set network = ${arrival.network}, arrival_transaction = ${arrival.transaction},
      arrival_position = ${arrival.position}
    where payment_key = ${paymentKey} and reason <> 'late_payment'`);
  noteOnJob(tx, job, 'moved_on_chain', now);
  if (payment.reversed_at === null) await issueReceipt(tx, runtime.receiptSigner, job.job_key, job, now);
  else await heal(tx, runtime, payment, now);
}

/** Transfers of ours that have the nonce of the one that gives an arrival back. */
async function matchDepartures(runtime: Runtime): Promise<void> {
  const departures = await runtime.db.many<
    TransferRow & { of: TransferRow; of_refund: string | null; is_done: boolean }
  >(sql`
    select o.network, o.transaction, o.position, o.asset, o.sender, o.recipient, o.amount_microcents, o.nonce,
      o.refund_nonce, o.block_number, o.block_hash, o.log_index, o.use, o.payment_key, o.refund_key, o.seen_at,
      o.removed_at, o.moves, to_jsonb(a) as of, r.refund_key as of_refund, coalesce(r.state = 'refunded', false) as is_done
    from chain_transfers o join chain_transfers a on a.network = o.network and a.refund_nonce = o.nonce
      and (a.asset, a.sender, a.recipient, a.amount_microcents) = (o.asset, o.recipient, o.sender, o.amount_microcents)
    left join refunds r on (r.network, r.arrival_transaction, r.arrival_position) = (a.network, a.transaction, a.position)
    where o.use = 'outgoing' and o.removed_at is null
      and (r.state = 'refunded' or (r.refund_key is null and a.use = 'unmatched' and a.removed_at is null))
    order by o.seen_at limit ${batch}`);
  await each(departures, (departure) =>
    guarded('departure_not_matched', { transaction: departure.transaction }, () =>
      transact(runtime.db, async (tx) => {
        const now = runtime.clock();
        const common = { jobKey: null, principalKey: null, amount: microcents(departure.amount_microcents), at: now };
        if (departure.of_refund !== null) {
          // A reorganisation moved it.
          await moveRefund(tx, departure, departure.of_refund, now);
          return;
        }
        // It went back before, as the chain shows and the database, restored from a backup, does not know.
        const refundKey = await requestReturn(tx, departure.of, 'returned_before', now);
        if (refundKey === undefined) return;
        await claimDeparture(tx, departure, { refundKey });
        await decideRefund(tx, refundKey, { state: 'refunded' }, now);
        post(tx, { ...refunded, ...common, key: refundKey });
      }),
    ),
  );
}

/** The chain holds the transfer back of a refund in another log than before. */
export async function moveRefund(
  tx: Tx,
  departure: Pick<TransferRow, 'network' | 'transaction' | 'position' | 'amount_microcents'>,
  refundKey: string,
  now: Date,
): Promise<void> {
  const before = await tx.many<TransferRow>(sql`
    select network, transaction, position, asset, sender, recipient, amount_microcents, nonce, refund_nonce,
      block_number, block_hash, log_index, use, payment_key, refund_key, seen_at, removed_at, moves
    from chain_transfers where refund_key = ${refundKey} and removed_at is null for no key update`);
  for (const row of before) markRemoved(tx, row, now);
  if (!(await claimDeparture(tx, departure, { refundKey }))) return;
  const amount = microcents(departure.amount_microcents);
  post(tx, { ...movedOut, key: bookKeyOf(departure), jobKey: null, principalKey: null, amount, at: now });
}
