import type { Network } from '../../configuration/networks.ts';
import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { leaseUntil } from '../../kernel/lease.ts';
import { type Microcents, microcents, toTokenUnits } from '../../kernel/money.ts';
import { assembled, sql, statement } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import type { Attempt, TakingJob } from '../rail.ts';
import { type Authorization, runOutSeconds, type SignedTransfer } from './authorization.ts';

/** One attempt to pay for a job with a signed transfer. */
export interface TransferAttempt extends Attempt {
  rail: 'x402';
  network: Network;
  asset: `0x${string}`;
  payer: `0x${string}`;
  pay_to: `0x${string}`;
  nonce: `0x${string}`;
  valid_after: Date;
  valid_before: Date;
  /** Kept while the transfer may have to be carried out (again). */
  signature: `0x${string}` | null;
  /** The highest block seen when it was presented. */
  seen_block: bigint;
  /** The transaction that holds it, or held it last; null until known. */
  transaction: `0x${string}` | null;
}

/** What a `TransferAttempt` is read from, behind `select`: columns of `x402_payments` as `x`. */
export const attemptColumns = `'x402' as rail, 'x402' as method, x.payment_key, x.job_key, x.principal_key, x.state, x.network, x.asset, x.payer,
  x.pay_to, x.nonce, x.amount_microcents, x.valid_after, x.valid_before, x.signature, x.created_at, x.seen_block,
  x.transaction, x.decided_at, x.reversed_at`;

/** The payer of each transfer attempt, as SQL: columns `payment_key` and `payer`. */
export const transferPayers = 'select payment_key, payer from x402_transfers';

/**
 * When an open attempt becomes cancelable, as SQL: columns `payment_key`, `withdrawable_after` and `expires_at`. By then a chain that
 * keeps time proves that it can no longer happen.
 */
export const transferEnds = `
  select payment_key, valid_before + interval '${runOutSeconds} seconds' as withdrawable_after, valid_before as expires_at
  from x402_transfers`;

/** The outside reference of a collection by transfer, as SQL; else null. */
export const transferReference = (paymentKey: string): string => `(
  select network || ':' || transaction from chain_transfers c where c.payment_key = ${paymentKey}
  order by removed_at is not null, is_superseded, seen_at desc limit 1)`;

/**
 * Whether the transfer back of the refund `r` can be under way no more, as SQL: its arrival stands, no transfer has its nonce,
 * and none was ever signed, or the newest signature ended before a search that reached the chain's end.
 */
export const transferBackRests = (r: string): string => `(
  ${r}.network is not null and exists (
    select from chain_transfers a where a.network = ${r}.network and a.transaction = ${r}.arrival_transaction
      and a.position = ${r}.arrival_position and a.removed_at is null
      and not exists (select from chain_transfers back where back.network = a.network and back.nonce = a.refund_nonce
        and back.removed_at is null)
      and (${r}.valid_before is null or exists (
        select from searched_chains s where s.network = a.network and s.address = a.recipient
          and s.balance_microcents is not null and s.searched_at > ${r}.valid_before + make_interval(mins => 10)))))`;

/** The outside reference of a transfer back, as SQL; null until it is in a block. */
export const backReference = (refundKey: string): string => `(
  select network || ':' || transaction from chain_transfers back
  where back.refund_key = ${refundKey} and back.removed_at is null limit 1)`;

/** A normal request to pay finishes within this. */
const settlingForSeconds = 3;

const bySignature = `select ${attemptColumns} from x402_payments x
  where network = $1 and asset = $2 and payer = $3 and nonce = $4`;

/** The attempt of this signature, on any job. A signature is one payment (EIP-3009 nonce). */
export function attemptOf(
  db: Queries,
  { network, asset, from, nonce }: Pick<Authorization, 'network' | 'asset' | 'from' | 'nonce'>,
): Promise<TransferAttempt | undefined> {
  return db.maybe<TransferAttempt>(statement(bySignature, [network, asset, from, nonce]));
}

const byKey = `select ${attemptColumns} from x402_payments x where payment_key = $1`;

export function attemptByKey(db: Queries, paymentKey: string): Promise<TransferAttempt> {
  return db.one<TransferAttempt>(statement(byKey, [paymentKey]));
}

const openOfJob = `select ${attemptColumns} from x402_payments x
  where job_key = $1 and state in ('settling', 'unknown')`;

/** The job's open attempt, if any. */
export function openAttempt(db: Queries, jobKey: string): Promise<TransferAttempt | undefined> {
  return db.maybe<TransferAttempt>(statement(openOfJob, [jobKey]));
}

const unattended = `select ${attemptColumns} from x402_payments x
  where (state in ('settling', 'unknown') and lease_until <= $1) or (state = 'settling' and created_at <= $2)
  order by lease_until limit $3`;

/** Open attempts without a request on them, longest unattended first. */
export function openAttempts(db: Queries, now: Date, limit: number): Promise<TransferAttempt[]> {
  return db.many<TransferAttempt>(statement(unattended, [now, after(now, -settlingForSeconds), limit]));
}

/** What an attempt is opened with. */
export interface Intent {
  paymentKey: string;
  taking: TakingJob;
  jobKey: string;
  principalKey: string;
  grantDigest: string;
  amount: Microcents;
  transfer: SignedTransfer;
  /** Chain head from before the transfer could happen for this job. */
  head: bigint;
  now: Date;
}

// The highest block anybody saw: a lagging node must not make an old transfer look young.
const intentText = (taking: string): string => `
  with taken as (${taking}),
  intent as (
    insert into payments (payment_key, job_key, rail, method, state, amount_microcents, created_at, lease_until)
    select $7, job_key, 'x402', 'x402', 'settling', $8, $3, $9 from taken returning payment_key)
  insert into x402_transfers (payment_key, network, asset, payer, pay_to, nonce, valid_after, valid_before, signature,
    seen_block)
  select payment_key, $10, $11, $12, $13, $14, $15, $16, $17,
    greatest($18::bigint, (select max(seen_block) from x402_transfers where network = $10),
      (select max(head) from searched_chains where network = $10))
  from intent
  returning seen_block`;

/**
 * Records the intent in one statement: takes the job and writes the attempt, or neither. From here on the money may
 * move. Undefined when the job cannot be paid now; fails when the signature is taken.
 */
export async function recordIntent(db: Queries, intent: Intent): Promise<TransferAttempt | undefined> {
  const { authorization, signature } = intent.transfer;
  const { network, asset, from, to, nonce, validAfter, validBefore } = authorization;
  const job = ['processing', 'x402', intent.now, intent.jobKey, intent.principalKey, intent.grantDigest];
  const attempt = [intent.paymentKey, intent.amount, leaseUntil(intent.now)];
  const transfer = [network, asset, from, to, nonce, validAfter, validBefore, signature, intent.head];
  const taken = await db.maybe<{ seen_block: bigint }>(
    assembled(intentText, [intent.taking], [...job, ...attempt, ...transfer]),
  );
  if (!taken) return undefined;
  return {
    rail: 'x402',
    method: 'x402',
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
  };
}

/**
 * Decides an open attempt, once. Collected only by a transfer claimed for it (`claimArrival`) in this transaction or
 * before. False when it was decided, or no transfer is there. A collected payment is watched from then on.
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

/** Seconds after collection at which to check the chain again. */
const looksAfterSeconds = [60, 300, 1_800];

/** When to check next; null after the last check. */
export function nextLook(collectedAt: Date, now: Date): Date | null {
  const seconds = looksAfterSeconds.find((one) => after(collectedAt, one) > now);
  return seconds === undefined ? null : after(collectedAt, seconds);
}

/** The signed transfer, as the chain is asked about it. */
export function authorizationOf(attempt: TransferAttempt): Authorization {
  return {
    network: attempt.network,
    asset: attempt.asset,
    from: attempt.payer,
    to: attempt.pay_to,
    nonce: attempt.nonce,
    amount: BigInt(toTokenUnits(microcents(attempt.amount_microcents))),
    validAfter: attempt.valid_after,
    validBefore: attempt.valid_before,
  };
}
