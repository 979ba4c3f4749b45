import { sql } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { arrivedLate, charged, chargeFee } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import type { CardAttempt } from './attempt.ts';
import type { CardProof, ChargeProof } from './outcome.ts';
import { owe } from './refunds.ts';
import { keepCard } from './saved.ts';

/** Gives a charge its one use and decides the attempt by it. */
export async function collect(
  tx: Tx,
  attempt: CardAttempt,
  proof: CardProof,
  now: Date,
): Promise<'collected' | 'decided' | 'elsewhere'> {
  if (!('chargeId' in proof)) return 'decided';
  // Held, so that of two who learn of it one decides, and the other waits to see that.
  const { state } = await tx.one<{ state: string }>(sql`
    select state from payments where payment_key = ${attempt.payment_key} for no key update`);
  const use = await useOf(tx, proof.intentId);
  if (use === 'late') return 'elsewhere';
  if (use === 'payment' || (state !== 'settling' && state !== 'unknown')) return 'decided';
  book(tx, attempt, proof, 'payment', now);
  tx.write(sql`
    update payments set state = 'collected', decided_at = ${now} where payment_key = ${attempt.payment_key}`);
  tx.write(sql`
    update card_payments set look_at = null, intent_id = ${proof.intentId} where payment_key = ${attempt.payment_key}`);
  if (proof.kept) keepCard(tx, attempt.account_key, proof.kept, now);
  return 'collected';
}

async function useOf(tx: Tx, intentId: string): Promise<string | undefined> {
  const row = await tx.maybe<{ use: string }>(sql`select use from card_charges where intent_id = ${intentId}`);
  return row?.use;
}

/** Writes a charge down, with its fee, in our books as in the provider's. */
function book(tx: Tx, { payment_key }: CardAttempt, proof: ChargeProof, use: 'payment' | 'late', now: Date): void {
  const { intentId, chargeId, amount, fee } = proof;
  tx.write(sql`
    insert into card_charges (intent_id, payment_key, charge_id, amount_microcents, fee_microcents, use, seen_at)
    values (${intentId}, ${payment_key}, ${chargeId}, ${amount}, ${fee}, ${use}, ${now})`);
  const of = { key: intentId, jobKey: null, principalKey: null, at: now };
  post(tx, { ...charged, ...of, amount });
  if (fee > 0n) post(tx, { ...chargeFee, ...of, amount: fee });
}

/** Owes back what came for an attempt that had been given up, or besides what it had collected. */
export async function returnLate(tx: Tx, attempt: CardAttempt, proof: CardProof, now: Date): Promise<boolean> {
  if (!('chargeId' in proof)) return false;
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${proof.intentId}, 0))`);
  if ((await useOf(tx, proof.intentId)) !== undefined) return false;
  const { payment_key: paymentKey, job_key: jobKey, principal_key: principalKey } = attempt;
  book(tx, attempt, proof, 'late', now);
  post(tx, { ...arrivedLate, key: proof.intentId, jobKey, principalKey, amount: proof.amount, at: now });
  owe(tx, { intentId: proof.intentId, paymentKey, jobKey, amount: proof.amount, reason: 'late_payment', now });
  return true;
}

/** The payer's bank has taken a collected payment back for good. */
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

