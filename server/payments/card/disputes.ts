import type Stripe from 'stripe';
import { microcents } from '../../kernel/money.ts';
import { sql } from '../../kernel/sql.ts';
import { transact } from '../../kernel/transaction.ts';
import { contested, disputeFee, disputeFeeReturned, reinstated } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import type { Process, Tell } from '../rail.ts';
import { attemptOfCharge, type CardAttempt } from './attempt.ts';
import { lookAtIntent, lookAtRefund } from './intents.ts';
import type { CardProof } from './outcome.ts';
import { type CardProvider, fromCents, idOf } from './provider.ts';

/** Results in favour of the seller; a closed inquiry is one. Every other status except `lost` is open. */
export const stands: readonly string[] = ['won', 'warning_closed', 'prevented'];

/** The state of a dispute. It opens once and ends once; the books hold what the bank took. */
export async function lookAtDispute(
  process: Process,
  provider: CardProvider,
  dispute: Stripe.Dispute,
  tell: Tell<CardAttempt, CardProof>,
): Promise<void> {
  const intentId = idOf(dispute.payment_intent);
  if (!intentId || dispute.livemode !== provider.isLive) return;
  // Record its payment first: the provider may announce a dispute before the charge.
  const attempt =
    (await attemptOfCharge(process.db, intentId)) ?? (await lookAtIntent(process, provider, intentId, tell));
  if (!attempt) return;
  // A fully refunded charge can be disputed only after the refund failed.
  const { data: refunds } = await provider.stripe.refunds.list({ payment_intent: intentId, limit: 100 });
  for (const refund of refunds) await lookAtRefund(process, provider, refund, tell);
  if (!(await book(process, dispute, attempt, intentId))) return;
  const disputeKey = dispute.id;
  if (stands.includes(dispute.status)) return tell(attempt, { is: 'dispute_won', disputeKey });
  await tell(attempt, { is: 'disputed', disputeKey });
  if (dispute.status === 'lost') await tell(attempt, { is: 'reversed', disputeKey });
}

function respondBy({ evidence_details: { due_by: dueBy } }: Stripe.Dispute): Date | null {
  return dueBy === null ? null : new Date(dueBy * 1_000);
}

/**
 * Records a dispute, and what its bank took or gave back, once each. Ignores an older reading: a dispute only gains
 * movements. Money taken after it was won reopens it.
 */
async function book(
  { db, clock }: Process,
  dispute: Stripe.Dispute,
  { payment_key: paymentKey }: CardAttempt,
  intentId: string,
): Promise<boolean> {
  const movements = dispute.balance_transactions;
  const moved = movements.reduce((sum, { amount }) => sum + amount, 0);
  const fees = movements.reduce((sum, { fee }) => sum + fee, 0);
  const [withdrawn, fee] = [fromCents(Math.max(-moved, 0)), fromCents(Math.max(fees, 0))];
  const now = clock();
  return transact(db, async (tx) => {
    tx.write(sql`
      insert into card_disputes (dispute_id, payment_key, intent_id, opened_at)
      values (${dispute.id}, ${paymentKey}, ${intentId}, ${new Date(dispute.created * 1_000)})
      on conflict (dispute_id) do nothing`);
    const before = await tx.one<DisputeRow>(sql`
      select outcome, movements, withdrawn_microcents, fee_microcents from card_disputes
      where dispute_id = ${dispute.id} for no key update`);
    if (movements.length < before.movements) return false;
    tx.write(sql`
      update card_disputes set reason = ${dispute.reason}, amount_microcents = ${fromCents(dispute.amount)},
        respond_by = ${respondBy(dispute)},
        answered_at = coalesce(answered_at, case when ${dispute.evidence_details.submission_count} > 0 then ${now}::timestamptz end)
      where dispute_id = ${dispute.id}`);
    if (movements.length === before.movements) return true;
    const of = { jobKey: null, principalKey: null, at: now, key: `${dispute.id}:${movements.length}` };
    const change = withdrawn - before.withdrawn_microcents;
    if (change > 0n) post(tx, { ...contested, ...of, amount: microcents(change) });
    if (change < 0n) post(tx, { ...reinstated, ...of, amount: microcents(-change) });
    const more = fee - before.fee_microcents;
    if (more > 0n) post(tx, { ...disputeFee, ...of, amount: microcents(more) });
    if (more < 0n) post(tx, { ...disputeFeeReturned, ...of, amount: microcents(-more) });
    const isOpenAgain = before.outcome === 'won' && change > 0n;
    tx.write(sql`
      update card_disputes set movements = ${movements.length}, withdrawn_microcents = ${withdrawn},
        fee_microcents = ${fee}
      where dispute_id = ${dispute.id}`);
    if (!isOpenAgain) return true;
    tx.write(sql`
      update card_disputes set closed_at = null, outcome = null, told_at = null, job_payment_state = null
      where dispute_id = ${dispute.id}`);
    return true;
  });
}

interface DisputeRow {
  outcome: 'won' | 'lost' | null;
  movements: number;
  withdrawn_microcents: bigint;
  fee_microcents: bigint;
}
