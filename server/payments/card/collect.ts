import { sql } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { arrivedLate, charged, chargeFee } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import type { CardAttempt } from './attempt.ts';
import type { CardProof, ChargeProof } from './outcome.ts';
import { owe } from './refunds.ts';
import { keepCard } from './saved.ts';

/** Uses a charge for its attempt and decides the attempt, pipelined: the job's move depends on both. */
export async function collect(
  tx: Tx,
  attempt: CardAttempt,
  proof: CardProof,
  now: Date,
): Promise<'collected' | 'decided' | 'elsewhere'> {
  if (!('chargeId' in proof)) return 'decided';
  const { payment_key: paymentKey } = attempt;
  // Lock: of two that learn of it one decides, and the other waits to see that.
  tx.write(sql`
    with open as (
      select payment_key from payments where payment_key = ${paymentKey} and state in ('settling', 'unknown')
      for no key update)
    insert into card_charges (intent_id, payment_key, charge_id, amount_microcents, fee_microcents, use, payer,
      account_id, seen_at)
    select ${proof.intentId}, payment_key, ${proof.chargeId}, ${proof.amount}, ${proof.fee}, 'payment', ${proof.payer},
      (select account_id from card_accounts order by since desc limit 1), ${now} from open
    on conflict (intent_id) do nothing`);
  const decided = await tx.maybe(sql`
    update payments set state = 'collected', decided_at = ${now}
    where payment_key = ${paymentKey} and state in ('settling', 'unknown') and exists (
      select from card_charges where payment_key = ${paymentKey} and intent_id = ${proof.intentId} and use = 'payment')
    returning payment_key`);
  if (!decided) return (await takenFor(tx, proof.intentId)) === 'late' ? 'elsewhere' : 'decided';
  bookCharge(tx, proof, now);
  tx.write(sql`
    update card_payments set look_at = null, intent_id = ${proof.intentId} where payment_key = ${paymentKey}`);
  if (proof.kept) keepCard(tx, attempt.account_key, proof.kept, now);
  return 'collected';
}

async function takenFor(tx: Tx, intentId: string): Promise<string | undefined> {
  const row = await tx.maybe<{ use: string }>(sql`select use from card_charges where intent_id = ${intentId}`);
  return row?.use;
}

/** Posts a charge and its fee as the provider has them. */
function bookCharge(tx: Tx, { intentId, amount, fee }: ChargeProof, now: Date): void {
  const of = { key: intentId, jobKey: null, principalKey: null, at: now };
  post(tx, { ...charged, ...of, amount });
  if (fee > 0n) post(tx, { ...chargeFee, ...of, amount: fee });
}

/** Owes back a charge of an attempt that was given up, or one too many. */
export async function returnLate(tx: Tx, attempt: CardAttempt, proof: CardProof, now: Date): Promise<boolean> {
  if (!('chargeId' in proof)) return false;
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${proof.intentId}, 0))`);
  if ((await takenFor(tx, proof.intentId)) !== undefined) return false;
  const { payment_key: paymentKey, job_key: jobKey, principal_key: principalKey } = attempt;
  tx.write(sql`
    insert into card_charges (intent_id, payment_key, charge_id, amount_microcents, fee_microcents, use, payer,
      account_id, seen_at)
    values (${proof.intentId}, ${paymentKey}, ${proof.chargeId}, ${proof.amount}, ${proof.fee}, 'late', ${proof.payer},
      (select account_id from card_accounts order by since desc limit 1), ${now})`);
  bookCharge(tx, proof, now);
  post(tx, { ...arrivedLate, key: proof.intentId, jobKey, principalKey, amount: proof.amount, at: now });
  owe(tx, { intentId: proof.intentId, paymentKey, jobKey, amount: proof.amount, reason: 'late_payment', now });
  return true;
}

/** The payer's bank took a collected payment back for good. */
export async function reverse(tx: Tx, { payment_key: key }: CardAttempt, now: Date): Promise<boolean> {
  const gone = await tx.maybe(sql`
    update payments set reversed_at = ${now}
    where payment_key = ${key} and state = 'collected' and reversed_at is null returning payment_key`);
  return gone !== undefined;
}

/** Undoes that. */
export async function restore(tx: Tx, { payment_key: key }: CardAttempt): Promise<boolean> {
  const back = await tx.maybe(sql`
    update payments set reversed_at = null where payment_key = ${key} and reversed_at is not null returning payment_key`);
  return back !== undefined;
}
