import { microcents } from '../../kernel/money.ts';
import { statement } from '../../kernel/sql.ts';
import { type Tx, transact } from '../../kernel/transaction.ts';
import { refunded } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import { each, guarded } from '../../queue/rounds.ts';
import type { News, Process } from '../rail.ts';
import { decideRefund } from '../refund.ts';
import { attemptByKey, attemptColumns, type TransferAttempt } from './attempt.ts';
import type { Proof } from './outcome.ts';
import { moveRefund, requestReturn } from './refunds.ts';
import { claimDeparture, type TransferRow, transferColumns } from './transfers.ts';

/** Rows of each kind per round. */
const batch = 50;

/** Tells purchases how an attempt stands. */
export type Tell = (attempt: TransferAttempt, news: News<Proof>) => Promise<void>;

const ofDecided = `
  select ${transferColumns}, x.payment_key as of_payment
  from chain_transfers c join x402_payments x
    on (x.network, x.asset, x.payer, x.nonce) = (c.network, c.asset, c.sender, c.nonce)
  where (c.use = 'unmatched' or c.is_superseded) and c.removed_at is null and x.state in ('failed', 'collected')
    and (x.pay_to, x.amount_microcents) = (c.recipient, c.amount_microcents)
  order by c.seen_at limit $1`;

const broughtBack = `
  select ${attemptColumns} from x402_payments x join chain_transfers c using (payment_key)
  where x.reversed_at is not null and c.removed_at is null limit $1`;

/** Collected payments that a departure gives back and no refund knows of: from before a restore. */
const goneBack = `
  select ${attemptColumns} from x402_payments x join jobs using (job_key)
    join chain_transfers a using (payment_key)
    join chain_transfers c on c.network = a.network and c.nonce = a.refund_nonce
      and (a.asset, a.sender, a.recipient, a.amount_microcents) = (c.asset, c.recipient, c.sender, c.amount_microcents)
  where c.use = 'outgoing' and c.removed_at is null and x.state = 'collected' and x.reversed_at is null
    and jobs.payment_state in ('collected', 'credited')
    and not exists (select from refunds r
      where (r.network, r.arrival_transaction, r.arrival_position) = (a.network, a.transaction, a.position))
  order by c.seen_at limit $1`;

/**
 * Matches logs that nobody asked about: late, moved or restored payments, and refunds. Joins rows by what the chain
 * says. The same nonce with another amount or recipient stays unmatched; only an operator returns it.
 */
export async function matchTransfers(process: Process, tell: Tell): Promise<void> {
  const { db } = process;
  const arrivals = await db.many<TransferRow & { of_payment: string }>(statement(ofDecided, [batch]));
  await each(arrivals, (arrival) =>
    guarded('arrival_not_matched', { payment_key: arrival.of_payment }, async () =>
      tell(await attemptByKey(db, arrival.of_payment), { is: 'collected', proof: { noted: arrival } }),
    ),
  );
  const back = await db.many<TransferAttempt>(statement(broughtBack, [batch]));
  await each(back, (attempt) =>
    guarded('reversal_not_healed', { payment_key: attempt.payment_key }, () =>
      tell(attempt, { is: 'collected', proof: { noted: null } }),
    ),
  );
  const gone = await db.many<TransferAttempt>(statement(goneBack, [batch]));
  await each(gone, (attempt) =>
    guarded('payment_not_given_up', { payment_key: attempt.payment_key }, () => tell(attempt, { is: 'gone_back' })),
  );
  await matchDepartures(process, tell);
}

/** A departure, the arrival that it gives back, and their refund; its payment if the refund is that payment's remedy. */
type Departure = TransferRow & { of: TransferRow; of_refund: string | null; of_payment: string | null };

const ofGivenBack = `
  select ${transferColumns}, to_jsonb(a) as of, r.refund_key as of_refund,
    case when r.reason <> 'late_payment' then r.payment_key end as of_payment
  from chain_transfers c join chain_transfers a on a.network = c.network and a.refund_nonce = c.nonce
    and (a.asset, a.sender, a.recipient, a.amount_microcents) = (c.asset, c.recipient, c.sender, c.amount_microcents)
  left join refunds r on (r.network, r.arrival_transaction, r.arrival_position) = (a.network, a.transaction, a.position)
  where (c.use = 'outgoing' or c.is_superseded) and c.removed_at is null
    -- What the chain lost gives way to what arrived again by the same authorization.
    and (a.removed_at is null or not exists (select from chain_transfers again
      where (again.network, again.refund_nonce) = (a.network, a.refund_nonce) and again.removed_at is null))
    and (r.state = 'refunded' or (r.refund_key is null and a.use = 'unmatched' and a.removed_at is null))
  order by c.seen_at limit $1`;

/** Departures with an arrival's refund nonce. */
async function matchDepartures(process: Process, tell: Tell): Promise<void> {
  const { db } = process;
  const departures = await db.many<Departure>(statement(ofGivenBack, [batch]));
  await each(departures, (departure) =>
    guarded('departure_not_matched', { transaction: departure.transaction }, () =>
      matchDeparture(process, departure, tell),
    ),
  );
}

async function matchDeparture({ db, clock }: Process, departure: Departure, tell: Tell): Promise<void> {
  const { of_refund: refundKey, of_payment: paymentKey } = departure;
  if (refundKey === null) return transact(db, (tx) => recordReturned(tx, departure, clock()));
  // A reorganisation moved it.
  if (paymentKey !== null) {
    return tell(await attemptByKey(db, paymentKey), { is: 'refund_moved', refundKey, proof: { noted: departure } });
  }
  await transact(db, (tx) => moveRefund(tx, departure, refundKey, clock()));
}

async function recordReturned(tx: Tx, departure: Departure, now: Date): Promise<void> {
  // It went back before, as the chain shows, but a restored database does not know.
  const refundKey = await requestReturn(tx, departure.of, 'returned_before', now);
  if (refundKey === undefined) return;
  await claimDeparture(tx, departure, { refundKey });
  await decideRefund(tx, refundKey, { state: 'refunded', isNew: true }, now);
  const amount = microcents(departure.amount_microcents);
  post(tx, { ...refunded, key: refundKey, jobKey: null, principalKey: null, amount, at: now });
}
