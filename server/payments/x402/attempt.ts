import type { Network } from '../../configuration.ts';
import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { leaseUntil, whileHeld } from '../../kernel/lease.ts';
import { type Microcents, microcents, toTokenUnits } from '../../kernel/money.ts';
import { columnsOf, sql, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import type { Authorization, SignedTransfer } from './chain.ts';

/** One attempt to pay for a job with a signed transfer. `settling` and `unknown` are open: the money may or may not move. */
export interface PaymentRow {
  payment_key: string;
  job_key: string;
  /** Who buys: of a wallet, its address. */
  principal_key: string;
  state: 'settling' | 'unknown' | 'collected' | 'failed';
  network: Network;
  asset: `0x${string}`;
  payer: `0x${string}`;
  pay_to: `0x${string}`;
  nonce: `0x${string}`;
  amount_microcents: bigint;
  valid_after: Date;
  valid_before: Date;
  /** Kept while it may still have to be carried out, or carried out again. */
  signature: `0x${string}` | null;
  created_at: Date;
  /** The highest block of the chain that anybody here had seen when it was presented. */
  seen_block: bigint;
  /** That holds the transfer, or held it last; null while it is not known to have happened. */
  transaction: `0x${string}` | null;
  decided_at: Date | null;
  /** Since when the chain has lost it for good. */
  reversed_at: Date | null;
  missing_looks: number;
}

const columns = columnsOf<PaymentRow>({
  payment_key: true,
  job_key: true,
  principal_key: true,
  state: true,
  network: true,
  asset: true,
  payer: true,
  pay_to: true,
  nonce: true,
  amount_microcents: true,
  valid_after: true,
  valid_before: true,
  signature: true,
  created_at: true,
  seen_block: true,
  transaction: true,
  decided_at: true,
  reversed_at: true,
  missing_looks: true,
});

/** A request that pays takes so long when all is well. */
const settlingForSeconds = 3;

/** The attempt that this signature opened, on whichever job. A signature is one payment (EIP-3009 nonce). */
export function paymentOf(
  db: Queries,
  authorization: Pick<Authorization, 'network' | 'asset' | 'from' | 'nonce'>,
): Promise<PaymentRow | undefined> {
  const text = `select ${columns} from x402_payments where network = $1 and asset = $2 and payer = $3 and nonce = $4`;
  const { network, asset, from, nonce } = authorization;
  return db.maybe<PaymentRow>(statement(text, [network, asset, from, nonce]));
}

/** The attempt of a job that has not ended, if there is one. */
export function openPaymentOf(db: Queries, jobKey: string): Promise<PaymentRow | undefined> {
  const text = `select ${columns} from x402_payments where job_key = $1 and state in ('settling', 'unknown')`;
  return db.maybe<PaymentRow>(statement(text, [jobKey]));
}

/** Open attempts that need help: longest unattended first. A request that is paying right now needs none yet. */
export function openPayments(db: Queries, now: Date, limit: number): Promise<PaymentRow[]> {
  const text = `
    select ${columns} from x402_payments
    where (state in ('settling', 'unknown') and lease_until <= $1) or (state = 'settling' and created_at <= $2)
    order by lease_until limit $3`;
  return db.many<PaymentRow>(statement(text, [now, after(now, -settlingForSeconds), limit]));
}

/**
 * Records the intent to collect, in one statement: the job is taken and the attempt is written, or neither. From here
 * on the money may move. Undefined when the job cannot be paid now; fails on a signature that is taken.
 */
export async function recordIntent(
  db: Queries,
  intent: {
    paymentKey: string;
    jobKey: string;
    principalKey: string;
    amount: Microcents;
    transfer: SignedTransfer;
    /** Of the chain, as it was read before the transfer could be carried out for this job. */
    head: bigint;
    now: Date;
  },
): Promise<PaymentRow | undefined> {
  const { authorization, signature } = intent.transfer;
  // The highest block that anybody ever saw: a node that lags must not make an old transfer look younger than this.
  const taken = await db.maybe<{ seen_block: bigint }>(sql`
    with taken as (
      update jobs set payment_state = 'processing', updated_at = ${intent.now}
      where job_key = ${intent.jobKey} and principal_key = ${intent.principalKey} and state = 'awaiting_payment'
        and payment_state = 'none'
      returning job_key),
    intent as (
      insert into payments (payment_key, job_key, rail, method, state, amount_microcents, created_at, lease_until)
      select ${intent.paymentKey}, job_key, 'x402', 'x402', 'settling', ${intent.amount}, ${intent.now},
        ${leaseUntil(intent.now)}
      from taken returning payment_key)
    insert into x402_transfers (payment_key, network, asset, payer, pay_to, nonce, valid_after, valid_before, signature,
      seen_block)
    select payment_key, ${authorization.network}, ${authorization.asset}, ${authorization.from}, ${authorization.to},
      ${authorization.nonce}, ${authorization.validAfter}, ${authorization.validBefore}, ${signature},
      greatest(${intent.head}::bigint,
        (select max(seen_block) from x402_transfers where network = ${authorization.network}),
        (select head from searched_chains where network = ${authorization.network}))
    from intent
    returning seen_block`);
  if (!taken) return undefined;
  return {
    payment_key: intent.paymentKey,
    job_key: intent.jobKey,
    principal_key: intent.principalKey,
    state: 'settling',
    network: authorization.network,
    asset: authorization.asset,
    payer: authorization.from,
    pay_to: authorization.to,
    nonce: authorization.nonce,
    amount_microcents: intent.amount,
    valid_after: authorization.validAfter,
    valid_before: authorization.validBefore,
    signature,
    created_at: intent.now,
    seen_block: taken.seen_block,
    transaction: null,
    decided_at: null,
    reversed_at: null,
    missing_looks: 0,
  };
}

/** Records a payment out of credit: it is collected the moment it is made. */
export function recordCreditPayment(
  tx: Tx,
  payment: Pick<PaymentRow, 'payment_key' | 'job_key' | 'amount_microcents'>,
  now: Date,
): void {
  tx.write(sql`
    insert into payments (payment_key, job_key, rail, method, state, amount_microcents, created_at, lease_until,
      decided_at)
    values (${payment.payment_key}, ${payment.job_key}, 'x402', 'wallet_credit', 'collected',
      ${payment.amount_microcents}, ${now}, ${now}, ${now})`);
}

/**
 * Decides an open attempt, once. It is collected only by a transfer that this transaction, or one before it, has given it
 * (`claimArrival`). False when somebody decided it before, or when no transfer is there for it. A payment that arrived is
 * watched from now on.
 */
export async function decide(
  tx: Tx,
  paymentKey: string,
  fact: { state: 'collected' } | { state: 'failed'; failure: string },
  now: Date,
): Promise<boolean> {
  const decided = await tx.maybe(
    fact.state === 'collected'
      ? sql`
        with decided as (
          update payments set state = 'collected', decided_at = ${now}
          where payment_key = ${paymentKey} and state in ('settling', 'unknown') and exists (
            select from chain_transfers where payment_key = ${paymentKey} and use = 'payment' and removed_at is null)
          returning payment_key)
        update x402_transfers set watch_at = ${nextLook(now, now)} from decided
        where x402_transfers.payment_key = decided.payment_key
        returning decided.payment_key`
      : sql`
        with decided as (
          update payments set state = 'failed', decided_at = ${now}, failure = ${fact.failure}
          where payment_key = ${paymentKey} and state in ('settling', 'unknown')
          returning payment_key)
        update x402_transfers set signature = null from decided
        where x402_transfers.payment_key = decided.payment_key
        returning decided.payment_key`,
  );
  return decided !== undefined;
}

/** So many seconds after its collection a payment is looked up on its chain again, and then from time to time. */
const looksAfterSeconds = [60, 300, 1_800];

function nextLook(collectedAt: Date, now: Date): Date | null {
  const seconds = looksAfterSeconds.find((one) => after(collectedAt, one) > now);
  return seconds === undefined ? null : after(collectedAt, seconds);
}

/** A look that ended without an answer is taken again after this long. */
const lookAgainSeconds = 30;
/** A payment that is not final after the last look is looked up again after this long. */
const untilFinalSeconds = 1_800;

/** Takes collected payments that are due to be looked up again, longest due first: nobody else does for a while. */
export function takeWatched(db: Queries, now: Date, limit: number): Promise<PaymentRow[]> {
  const text = `
    with taken as (
      update x402_transfers set watch_at = $1
      where payment_key in (
        select payment_key from x402_transfers where watch_at <= $2 order by watch_at limit $3 for update skip locked)
      returning payment_key)
    select ${columns} from x402_payments join taken using (payment_key)`;
  return db.many<PaymentRow>(statement(text, [after(now, lookAgainSeconds), now, limit]));
}

/**
 * The chain still holds the payment. Once it is final it is not watched any more: then nothing can carry the transfer out
 * again, and its signature is forgotten.
 */
export function confirmCollected(tx: Tx, payment: PaymentRow, isFinal: boolean, now: Date): void {
  const next = nextLook(payment.decided_at ?? payment.created_at, now);
  const watchAt = next ?? (isFinal ? null : after(now, untilFinalSeconds));
  tx.write(sql`
    update x402_transfers set watch_at = ${watchAt}, missing_looks = 0,
      signature = case when ${watchAt}::timestamptz is null then null else signature end
    where payment_key = ${payment.payment_key} and watch_at is not null`);
}

/** A final block shows that the payment is not there: how many looks in a row have said so. */
export async function countMissing(tx: Tx, paymentKey: string): Promise<number> {
  const counted = await tx.maybe<{ missing_looks: number }>(sql`
    update x402_transfers set missing_looks = missing_looks + 1
    where payment_key = ${paymentKey} and watch_at is not null returning missing_looks`);
  return counted?.missing_looks ?? 0;
}

/** The chain has lost the payment for good, written down once. False when it was before. */
export async function markReversed(tx: Tx, paymentKey: string, now: Date): Promise<boolean> {
  const reversed = await tx.maybe(sql`
    with reversed as (
      update payments set reversed_at = ${now}
      where payment_key = ${paymentKey} and state = 'collected' and reversed_at is null
      returning payment_key)
    update x402_transfers set watch_at = null, signature = null from reversed
    where x402_transfers.payment_key = reversed.payment_key
    returning reversed.payment_key`);
  return reversed !== undefined;
}

/** The chain holds the payment after all, and is watched again. False when it was not reversed. */
export async function markHealed(tx: Tx, paymentKey: string, now: Date): Promise<boolean> {
  const healed = await tx.maybe(sql`
    with healed as (
      update payments set reversed_at = null where payment_key = ${paymentKey} and reversed_at is not null
      returning payment_key)
    update x402_transfers set watch_at = ${after(now, lookAgainSeconds)}, missing_looks = 0 from healed
    where x402_transfers.payment_key = healed.payment_key
    returning healed.payment_key`);
  return healed !== undefined;
}

/** Says that nobody knows yet how the attempt ended; the next try with its signature may begin at `tryAgainAt`. */
export function markUnknown(tx: Tx, paymentKey: string, tryAgainAt: Date): void {
  tx.write(sql`
    update payments set state = 'unknown', lease_until = ${tryAgainAt}
    where payment_key = ${paymentKey} and state in ('settling', 'unknown')`);
}

/** Takes the right to call the facilitator again with the same signature; false while another request holds it. */
export async function takeLease(db: Queries, paymentKey: string, now: Date): Promise<boolean> {
  const taken = await db.maybe(sql`
    update payments set lease_until = ${leaseUntil(now)}
    where payment_key = ${paymentKey} and state in ('settling', 'unknown') and lease_until <= ${now}
    returning payment_key`);
  return taken !== undefined;
}

/** Keeps that right while `call` is under way. */
export function whileCalling<T>(
  { db, clock }: { db: Queries; clock: () => Date },
  paymentKey: string,
  call: () => Promise<T>,
): Promise<T> {
  const renew = () =>
    db.many(sql`
      update payments set lease_until = ${leaseUntil(clock())}
      where payment_key = ${paymentKey} and state in ('settling', 'unknown')`);
  return whileHeld(renew, call);
}

/** The signed transfer of an attempt, as the chain is asked about it. */
export function authorizationOf(row: PaymentRow): Authorization {
  return {
    network: row.network,
    asset: row.asset,
    from: row.payer,
    to: row.pay_to,
    nonce: row.nonce,
    amount: BigInt(toTokenUnits(microcents(row.amount_microcents))),
    validAfter: row.valid_after,
    validBefore: row.valid_before,
  };
}
