import type Stripe from 'stripe';
import type { Queries } from '../../kernel/database.ts';
import { newKey } from '../../kernel/id.ts';
import { leaseUntil } from '../../kernel/lease.ts';
import { microcents } from '../../kernel/money.ts';
import { sql } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/transaction.ts';
import { sentToCard } from '../../ledger/entries.ts';
import { post } from '../../ledger/ledger.ts';
import type { Refund, RefundFate, Refunds } from '../rail.ts';
import type { CardProof } from './outcome.ts';
import { type CardProvider, fromCents, isRefusedAs, lastingRefusal, retrieveIntent } from './provider.ts';

/** A refund with its charge, which it gives back in full. */
export interface CardRefund extends Refund {
  rail: 'card';
  intent_id: string;
}

/** Records that a charge goes back. The database allows that once, in full. */
export function owe(
  tx: Tx,
  owed: { intentId: string; paymentKey: string; jobKey: string; amount: bigint; reason: Refund['reason']; now: Date },
): void {
  tx.write(sql`
    insert into refunds (refund_key, payment_key, job_key, intent_id, amount_microcents, reason, state, next_try_at,
      created_at)
    values (${newKey('refund')}, ${owed.paymentKey}, ${owed.jobKey}, ${owed.intentId}, ${owed.amount}, ${owed.reason},
      'refund_pending', ${owed.now}, ${owed.now})`);
}

/**
 * The refund of a charge that another refund at the provider than this may carry out: owed still, failed, come back, or
 * dropped.
 */
function owedBeside(db: Queries, intentId: string, providerRefundId: string): Promise<CardRefund | undefined> {
  return db.maybe<CardRefund>(sql`
    select 'card' as rail, refund_key, payment_key, job_key, intent_id, amount_microcents, reason, state, tries,
      created_at
    from refunds where intent_id = ${intentId} and state <> 'refunded'
      and provider_refund_id is distinct from ${providerRefundId}`);
}

/** A refund of ours that the provider's refund carries out, alone or with others, whoever made it; undefined while none. */
export async function carriedOutBy(
  db: Queries,
  provider: CardProvider,
  { id, intentId }: { id: string; intentId: string },
): Promise<{ refund: CardRefund; proof: CardProof } | undefined> {
  const refund = await owedBeside(db, intentId, id);
  const fate = refund && (await sent(provider, refund));
  return refund && fate?.is === 'refunded' ? { refund, proof: fate.proof } : undefined;
}

/** Refunds to cards. While a bank contests the payment, send nothing: the dispute may take it. */
export function refundsOver(provider: CardProvider | null): Refunds<CardRefund, CardProof> {
  return {
    async owe(tx, { paymentKey, jobKey, reason, now }) {
      const charge = await tx.one<{ intent_id: string; amount_microcents: bigint }>(sql`
        select intent_id, amount_microcents from card_charges where payment_key = ${paymentKey} and use = 'payment'`);
      owe(tx, { intentId: charge.intent_id, paymentKey, jobKey, amount: charge.amount_microcents, reason, now });
    },
    due: async (db, now, limit) =>
      provider
        ? db.many<CardRefund>(sql`
            select 'card' as rail, refund_key, payment_key, job_key, intent_id, amount_microcents, reason, state, tries,
              created_at
            from refunds where state = 'refund_pending' and intent_id is not null and next_try_at <= ${now}
              and not exists (select from card_disputes d where d.intent_id = refunds.intent_id and closed_at is null)
            order by next_try_at limit ${limit}`)
        : [],
    take: (db, refund, now) =>
      db.maybe<CardRefund>(sql`
        update refunds set tries = tries + 1, next_try_at = ${leaseUntil(now)}
        where refund_key = ${refund.refund_key} and state = 'refund_pending' and next_try_at <= ${now}
        returning 'card' as rail, refund_key, payment_key, job_key, intent_id, amount_microcents, reason, state, tries,
          created_at`),
    carryOut: async (_, refund) => (provider ? carryOut(provider, refund) : { is: 'open' }),
    async prove(tx, refund, proof, now) {
      if (!('providerRefundId' in proof)) return undefined;
      const { providerRefundId } = proof;
      // One that came back may leave again.
      const proven = await tx.maybe(sql`
        update refunds set provider_refund_id = ${providerRefundId}
        where refund_key = ${refund.refund_key} and state <> 'refunded'
          and provider_refund_id is distinct from ${providerRefundId} returning refund_key`);
      if (!proven) return undefined;
      const amount = microcents(refund.amount_microcents);
      post(tx, { ...sentToCard, key: providerRefundId, jobKey: null, principalKey: null, amount, at: now });
      return providerRefundId;
    },
    mend: async () => {},
  };
}

/**
 * Refunds a charge unless that has happened: look first at the provider's refunds of it. A charge gives back no more
 * than it took, so a late try finds nothing left. Each try has its own key, so none replays a failure.
 */
async function carryOut(provider: CardProvider, refund: CardRefund): Promise<RefundFate<CardProof>> {
  const { stripe } = provider;
  const known = await sent(provider, refund);
  if (known) return known;
  try {
    const made = await stripe.refunds.create(
      { payment_intent: refund.intent_id, metadata: { refund_key: refund.refund_key } },
      { idempotencyKey: `rf:${refund.refund_key}:${refund.tries}` },
    );
    // Somebody gave part of it back by hand: all of it counts.
    if (fromCents(made.amount) < refund.amount_microcents) return (await sent(provider, refund)) ?? { is: 'open' };
    return fateOf(made);
  } catch (error) {
    // An unannounced dispute: its end decides.
    if (isRefusedAs(error, 'charge_disputed')) return { is: 'open' };
    if (isRefusedAs(error, 'charge_already_refunded')) return (await sent(provider, refund)) ?? { is: 'open' };
    const refusal = lastingRefusal(error);
    if (refusal === null || refund.tries < refusedTries || !(await isUntouched(provider, refund))) throw error;
    return { is: 'refund_failed', because: `The card provider refused for good: ${refusal}.` };
  }
}

/** About a day of tries: a refusal may be of an outage, or a fault of ours that a new build mends. */
const refusedTries = 7_200;

/** Whether the provider shows nothing that has gone back, is on its way back or is contested of a charge. */
async function isUntouched(provider: CardProvider, { intent_id: intentId }: CardRefund): Promise<boolean> {
  const { data } = await provider.stripe.refunds.list({ payment_intent: intentId, limit: 100 });
  const { latest_charge: charge } = await retrieveIntent(provider, intentId);
  if (charge === null || typeof charge === 'string' || charge.disputed || charge.amount_refunded > 0) return false;
  return data.every(({ status }) => status === 'failed' || status === 'canceled');
}

/** Why a refund failed that was under way when its charge was disputed. It can be tried again once the dispute is won. */
const failedByDispute = 'charge_for_pending_refund_disputed';

/**
 * The charge's state at the provider if it is on its way back: in full, in one refund or several, whoever asked; or our
 * refund failed. The newest is listed first.
 */
async function sent({ stripe }: CardProvider, refund: CardRefund): Promise<RefundFate<CardProof> | undefined> {
  const { data } = await stripe.refunds.list({ payment_intent: refund.intent_id, limit: 100 });
  const gone = data.filter(({ status }) => status === 'failed' || status === 'canceled');
  const back = data.filter((one) => !gone.includes(one));
  const cents = back.reduce((sum, { amount }) => sum + amount, 0);
  const [last] = back;
  if (last && fromCents(cents) >= refund.amount_microcents) {
    return fateOf(back.find(({ status }) => status !== 'succeeded') ?? last);
  }
  const ours = gone.find(
    ({ metadata, failure_reason: because }) =>
      metadata?.refund_key === refund.refund_key && because !== failedByDispute,
  );
  return ours && fateOf(ours);
}

function fateOf({ id, status, failure_reason: reason }: Stripe.Refund): RefundFate<CardProof> {
  switch (status) {
    case 'succeeded':
      return { is: 'refunded', proof: { providerRefundId: id } };
    case 'failed':
    case 'canceled':
      return { is: 'refund_failed', because: `The card's bank did not take it: ${reason ?? status}.` };
    default:
      return { is: 'open' };
  }
}
