import type { Queries } from '../kernel/database.ts';
import type { Network } from '../kernel/env.ts';
import { type Microcents, microcents, toTokenUnits } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { Authorization } from './chain.ts';

/** One attempt to pay for a job with a signed transfer. `settling` and `unknown` are open: the money may or may not move. */
export interface PaymentRow {
  payment_key: string;
  job_key: string;
  state: 'settling' | 'unknown' | 'collected' | 'failed';
  network: Network;
  asset: `0x${string}`;
  payer: `0x${string}`;
  pay_to: `0x${string}`;
  nonce: `0x${string}`;
  amount_microcents: bigint;
  valid_before: Date;
  transaction: `0x${string}` | null;
}

/** How long one request may call the facilitator before another may try the same signature again. */
export const settleLeaseSeconds = 25;

/** The attempt that this signature opened, on whichever job. A signature is one payment (EIP-3009 nonce). */
export function paymentOf(db: Queries, authorization: Authorization): Promise<PaymentRow | undefined> {
  return db.maybe<PaymentRow>(sql`
    select * from payments where network = ${authorization.network} and asset = ${authorization.asset}
      and payer = ${authorization.from} and nonce = ${authorization.nonce}`);
}

/** Records the intent to collect: from here on the money may move. Fails on a signature or job that is taken. */
export function recordIntent(
  tx: Tx,
  intent: {
    paymentKey: string;
    jobKey: string;
    amount: Microcents;
    authorization: Authorization;
    now: Date;
    leaseUntil: Date;
  },
): void {
  const { authorization } = intent;
  tx.write(sql`
    insert into payments (payment_key, job_key, rail, method, state, amount_microcents, network, asset, payer, pay_to,
      nonce, valid_before, created_at, lease_until)
    values (${intent.paymentKey}, ${intent.jobKey}, 'x402', 'x402', 'settling', ${intent.amount},
      ${authorization.network}, ${authorization.asset}, ${authorization.from}, ${authorization.to},
      ${authorization.nonce}, ${authorization.validBefore}, ${intent.now}, ${intent.leaseUntil})`);
}

/** Decides an open attempt, once. False when somebody decided it before. */
export async function decide(
  tx: Tx,
  paymentKey: string,
  fact: { state: 'collected'; transaction: string } | { state: 'failed'; failure: string },
  now: Date,
): Promise<boolean> {
  const decided = await tx.maybe(sql`
    update payments set state = ${fact.state}, decided_at = ${now},
      transaction = ${fact.state === 'collected' ? fact.transaction : null},
      failure = ${fact.state === 'failed' ? fact.failure : null}
    where payment_key = ${paymentKey} and state in ('settling', 'unknown')
    returning payment_key`);
  return decided !== undefined;
}

/** Says that nobody knows yet how the attempt ended. */
export function markUnknown(tx: Tx, paymentKey: string, now: Date): void {
  tx.write(sql`
    update payments set state = 'unknown', lease_until = ${now}
    where payment_key = ${paymentKey} and state = 'settling'`);
}

/** Takes the right to call the facilitator again with the same signature; false while another request holds it. */
export async function takeLease(db: Queries, paymentKey: string, now: Date, leaseUntil: Date): Promise<boolean> {
  const taken = await db.maybe(sql`
    update payments set lease_until = ${leaseUntil}
    where payment_key = ${paymentKey} and state in ('settling', 'unknown') and lease_until <= ${now}
    returning payment_key`);
  return taken !== undefined;
}

export function authorizationOf(row: PaymentRow): Authorization {
  return {
    network: row.network,
    asset: row.asset,
    from: row.payer,
    to: row.pay_to,
    nonce: row.nonce,
    amount: BigInt(toTokenUnits(microcents(row.amount_microcents))),
    validBefore: row.valid_before,
  };
}
